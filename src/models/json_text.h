// A JSON value together with the bytes it was read from: for messages that name a line, and for texts that are passed
// on as they came.
//
// A document is parsed strictly (base/json.h) before a part of it exists, so cutting it up meets well-formed text only.
// Parts point into the document, which outlives them and does not move. Tested through tests/models/script_test.cpp and
// tests/models/recording_test.cpp.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json.hpp>

#include "backedge/result.h"

namespace backedge::models {

struct JsonPart {
  boost::json::value const* value = nullptr;
  std::string_view text;  // as written, without white space around it
  int line = 0;           // of its first byte, from 1

  /// Elements of an array; empty for everything else. Linear in the text.
  std::vector<JsonPart> elements() const;
  /// The member of an object, or a part without a value. Linear in the text.
  JsonPart member(std::string_view name) const;

  boost::json::object const* object() const { return value == nullptr ? nullptr : value->if_object(); }
  /// A string's content, or null.
  boost::json::string const* string() const { return value == nullptr ? nullptr : value->if_string(); }
  explicit operator bool() const { return value != nullptr; }
};

/// A file that is one JSON text, or one JSON text a line.
class JsonDocument {
 public:
  /// Errors: kInput with file, line and column. A text that begins with [ is one document; so is one that begins with {
  /// when its first line is no complete text but the whole is, or when that line does not even end in }.
  static Result<JsonDocument> read(std::string text, std::string const& file);

  /// The texts, in order: one, or one for each line that is not blank.
  std::vector<JsonPart> const& roots() const { return roots_; }
  /// True for a text a line, also when there is only one.
  bool by_lines() const { return by_lines_; }

 private:
  JsonDocument() = default;
  Result<void> add(std::string_view text, int line, std::string const& file);

  // On the heap, so that parts stay valid when the document moves.
  std::unique_ptr<std::string> text_;
  std::vector<std::unique_ptr<boost::json::value>> values_;
  std::vector<JsonPart> roots_;
  bool by_lines_ = false;
};

/// The bytes of a file, at most `limit` of them. Errors: kNotFound, kIo, kInput when it is longer.
Result<std::string> read_file(std::string const& path, std::size_t limit);

}  // namespace backedge::models
