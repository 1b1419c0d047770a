// The lines of a file or of a text in memory, one at a time: the longest line is the most that is ever held.
//
// A line ends at LF; a CR before it belongs to the end; a byte order mark at the start of the file is dropped. Blank
// lines are passed over but counted, so that line numbers are those of an editor. Every line is followed by
// kJsonPadding readable bytes, as the JSON parser wants. Tested in tests/inspect/lines_test.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

#include "backedge/result.h"

namespace backedge::inspect {

inline constexpr std::size_t kJsonPadding = 64;

struct Line {
  std::string_view bytes;   // valid until the next call of next()
  std::int64_t number = 0;  // 1-based
};

class LineReader {
 public:
  /// Errors: kIo when the file cannot be read, kNotFound when there is none.
  static Result<LineReader> open(std::string const& path);
  /// Reads `bytes`, which must outlive the reader.
  static LineReader over(std::string_view bytes, std::string name);

  /// False at the end. A last line without LF is a line.
  bool next(Line& line);
  /// Everything from the start as one text, followed by the padding. Errors: kInput when longer than `limit` bytes.
  Result<void> whole(std::size_t limit, std::string_view& text);
  /// Back to the first line.
  void rewind();

  std::string const& name() const { return name_; }
  /// Set when reading stopped because the operating system failed to deliver.
  bool broken() const { return broken_; }

 private:
  struct Close {
    void operator()(std::FILE* f) const { std::fclose(f); }
  };

  LineReader() = default;
  bool fill();

  std::string name_;
  std::unique_ptr<std::FILE, Close> file_;
  std::string_view memory_;
  std::unique_ptr<char[]> buffer_;
  std::size_t room_ = 0;     // of the buffer, the padding not counted
  std::size_t begin_ = 0;    // of what is not handed out yet
  std::size_t scanned_ = 0;  // no LF between begin_ and here
  std::size_t end_ = 0;
  std::size_t taken_ = 0;  // of memory_
  std::int64_t number_ = 0;
  bool at_end_ = false;
  bool broken_ = false;
};

}  // namespace backedge::inspect
