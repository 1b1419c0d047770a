// Work on text that no parser does: repairs of JSON that is not quite JSON, lengths for estimates, times, keeping long
// texts.
//
// All are single passes over the text without recursion; none fails. Tested in tests/inspect/text_test.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace backedge::inspect {

/// A text of its own with the readable bytes after it that the JSON parser wants.
class PaddedText {
 public:
  PaddedText() : PaddedText(std::string()) {}
  explicit PaddedText(std::string text);
  std::string_view view() const { return {bytes_.data(), size_}; }

 private:
  std::string bytes_;
  std::size_t size_ = 0;
};

/// The JSON text with what makes it unreadable replaced: bytes that are not UTF-8 and halves of surrogate pairs by
/// U+FFFD, bare control characters inside strings by their escapes. At most six times as long.
PaddedText repaired(std::string_view json);

/// A JSON text that was cut off, closed again: what follows its last complete element is dropped, open brackets are
/// closed. Example: {"a":[1,2],"b":"tex  gives  {"a":[1,2]}. Empty when there is nothing to keep.
PaddedText closed(std::string_view json);

/// The length of a JSON text when written with one blank after each colon and comma and everything but ASCII escaped,
/// as the estimate of tokens (counts.h) wants it. Example: {"a":"é"} gives 15.
std::int64_t spaced_length(std::string_view json);

/// Code points of a UTF-8 text.
std::int64_t code_points(std::string_view text);

/// The text itself, or of one longer than kKeptText its start and a line with its whole length and a digest.
std::string kept(std::string_view text);

/// Milliseconds since 1970 of "2025-09-03T00:52:31.217Z"; a missing zone is UTC. 0 when it is no such time.
std::int64_t time_ms(std::string_view iso);

}  // namespace backedge::inspect
