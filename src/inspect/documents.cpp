// The loop over the lines of a file. Tested in tests/inspect/documents_test.cpp.
#include "inspect/documents.h"

#include <string_view>

#include "inspect/text.h"

namespace backedge::inspect {
namespace {

/// Collects one document; true when it is whole.
bool collected(Json& json, DocumentTaker& taker, std::string_view bytes, std::int64_t line) {
  if (json.open(bytes)) taker.collect(json, json.root(), line);
  json.skip_unread();
  return !json.failed();
}

}  // namespace

void read_documents(LineReader& lines, Json& json, DocumentTaker& taker) {
  Line line;
  while (lines.next(line)) {
    std::string_view bytes = line.bytes;
    PaddedText repair;
    for (;;) {
      if (!collected(json, taker, bytes, line.number)) {
        std::string const fault = json.error();
        if (!json.repairable() || !repair.view().empty()) {
          taker.problem("a line that is no JSON: " + fault, line.number);
          break;
        }
        repair = repaired(bytes);
        bytes = repair.view();
        if (!collected(json, taker, bytes, line.number)) {
          taker.problem("a line that is no JSON: " + fault, line.number);
          break;
        }
        taker.problem("a repaired line: " + fault, line.number);
      }
      std::string_view const rest = json.rest();
      if (!taker.take(line.number)) return;
      if (rest.empty()) break;
      bytes = rest;
    }
  }
  if (lines.broken()) taker.problem("the file could not be read to its end", 0);
}

}  // namespace backedge::inspect
