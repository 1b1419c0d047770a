// JSON Lines, line by line: each line is one document, and a line that is none costs nothing but itself.
//
// A document is collected completely before it is taken, so that a fault in its middle leaves no half of it behind. A
// text that can be repaired (text.h) is; two documents on one line are two documents. Tested in
// tests/inspect/documents_test.cpp.
#pragma once

#include <cstdint>
#include <string>

#include "inspect/json.h"
#include "inspect/lines.h"

namespace backedge::inspect {

class DocumentTaker {
 public:
  virtual ~DocumentTaker() = default;
  /// Reads the document to its end and remembers it in place of the one before. May be called again for the same
  /// document, and the document may turn out to be broken.
  virtual void collect(Json& json, JsonValue root, std::int64_t line) = 0;
  /// The document that was collected last is whole. False: enough, read no further.
  virtual bool take(std::int64_t line) = 0;
  virtual void problem(std::string const& what, std::int64_t line) = 0;
};

/// Reads to the end of the file, or until take() has enough. Problems: lines that are no JSON document, repaired lines,
/// and a file that stopped in the middle.
void read_documents(LineReader& lines, Json& json, DocumentTaker& taker);

}  // namespace backedge::inspect
