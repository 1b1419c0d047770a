// read_file: lines of a text file, each with its number.
//
// Bounded in memory by max_result and one piece of the file, whatever the file holds. Tested in
// tests/tools/builtin_test.cpp.
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "base/text.h"
#include "tools/builtin_parts.h"
#include "tools/utf8.h"

namespace backedge::tools {
namespace {

constexpr std::string_view kSchema = R"({"type":"object","properties":{
"path":{"type":"string","description":"the file, relative to the working folder"},
"offset":{"type":"integer","minimum":1,"description":"the first line to show, counted from 1; 1 if not given"},
"limit":{"type":"integer","minimum":1,"description":"how many lines to show; 2000 if not given"}},
"required":["path"],"additionalProperties":false})";

constexpr std::string_view kAbout =
    "Reads a text file of the working folder. Each line is shown as its number (from 1), a tab, and its text; the "
    "numbers "
    "are not part of the file. Ends with a note in brackets when there is more to read. Page through a long file with "
    "offset and limit. Binary files are refused.";

constexpr std::int64_t kDefaultLines = 2'000;
constexpr std::size_t kPiece = 64U << 10U;
// A zero byte so near to the start makes a file binary, as for git.
constexpr std::size_t kBinaryWithin = 8U << 10U;
// Lines behind the last one shown are only counted, up to here.
constexpr std::uint64_t kCountWithin = 64U << 20U;

// Takes a file piece by piece and keeps the lines asked for.
class LineReader {
 public:
  LineReader(std::int64_t first, std::int64_t count, std::size_t max_bytes)
      : first_(first), last_(count > INT64_MAX - first ? INT64_MAX : first + count - 1), max_bytes_(max_bytes) {}

  void add(std::string_view piece) {
    while (!piece.empty()) {
      std::size_t const end = piece.find('\n');
      std::string_view const line = piece.substr(0, end);
      if (!line.empty()) open_line(line);
      if (end == std::string_view::npos) return;
      if (!in_line_) open_line({});
      close_line();
      piece.remove_prefix(end + 1);
    }
  }
  void finish() {
    ends_in_newline = !in_line_;
    if (in_line_) close_line();
  }
  bool past_last() const { return lines >= last_; }
  bool full() const { return full_; }

  std::string text;
  std::int64_t lines = 0;       // complete ones seen
  std::int64_t shown_last = 0;  // number of the last line shown
  std::int64_t crlf = 0;
  std::int64_t shown = 0;
  bool ends_in_newline = true;

 private:
  void open_line(std::string_view line) {
    bool const wanted = lines + 1 >= first_ && lines + 1 <= last_;
    if (!in_line_) {
      in_line_ = true;
      if (wanted && !full_) text += fmt::format("{:>6}\t", lines + 1);
    }
    if (!wanted || full_) return;
    std::size_t const room = max_bytes_ - std::min(max_bytes_, text.size());
    text += line.substr(0, room);
    if (line.size() > room) full_ = true;
    shown_last = lines + 1;
  }
  void close_line() {
    in_line_ = false;
    ++lines;
    if (lines != shown_last) return;
    ++shown;
    if (full_) return;
    if (text.ends_with('\r')) {
      text.pop_back();
      ++crlf;
    }
    text += '\n';
    if (text.size() >= max_bytes_) full_ = true;
  }

  std::int64_t first_;
  std::int64_t last_;
  std::size_t max_bytes_;
  bool in_line_ = false;
  bool full_ = false;
};

std::string notes(LineReader const& reader, std::int64_t first, bool whole, bool replaced) {
  std::string out;
  auto const note = [&](std::string const& text) { out += fmt::format("[{}]\n", text); };
  std::string const total = fmt::format("{}{}", whole ? "" : "more than ", reader.lines);
  if (reader.full()) {
    note(fmt::format("cut in line {} at the limit of one result; the file has {} lines; go on with offset {}",
                     reader.shown_last, total, reader.shown_last + 1));
  } else if (reader.shown_last < reader.lines || !whole) {
    note(fmt::format("lines {} to {} of {}; go on with offset {}", first, reader.shown_last, total,
                     reader.shown_last + 1));
  } else if (!reader.ends_in_newline) {
    note("no newline at the end of the file");
  }
  if (reader.crlf > 0) {
    note(reader.crlf == reader.shown ? std::string("lines end in CR LF")
                                     : fmt::format("{} of these lines end in CR LF, the others in LF", reader.crlf));
  }
  if (replaced) note("bytes that are no UTF-8 are shown as \xef\xbf\xbd");
  return out;
}

ToolResult read_lines(Workplace const& place, ToolContext& context) {
  Arguments const arguments(context.arguments());
  std::optional<std::string> const path = arguments.text("path");
  if (!path) return ToolResult::error("/path is missing: expected the file to read");
  std::int64_t const first = std::max<std::int64_t>(arguments.number("offset").value_or(1), 1);
  std::int64_t const count = std::max<std::int64_t>(arguments.number("limit").value_or(kDefaultLines), 1);
  Result<OpenFile> const file = place.folder.open_file(*path);
  if (!file) return failed(file.error());

  LineReader reader(first, count, place.options.max_result);
  std::string piece(kPiece, '\0');
  std::uint64_t size = 0;
  std::uint64_t counted = 0;
  bool whole = false;
  while (!whole && counted < kCountWithin && !context.stop().stop_requested()) {
    ssize_t const n = ::read(file->descriptor.get(), piece.data(), piece.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0)
      return ToolResult::error(fmt::format("{} cannot be read: {}", in_quotes(*path, 200), std::strerror(errno)));
    std::string_view const bytes(piece.data(), static_cast<std::size_t>(n));
    if (size == 0 && bytes.substr(0, kBinaryWithin).find('\0') != std::string_view::npos) {
      return ToolResult::error(fmt::format("{} is a binary file of {} bytes; it cannot be shown as text",
                                           in_quotes(*path, 200), file->size));
    }
    size += bytes.size();
    if (reader.past_last() || reader.full()) counted += bytes.size();
    reader.add(bytes);
    whole = n == 0;
  }
  if (whole) reader.finish();
  if (whole && size == 0) return {CallStatus::kOk, "[the file is empty]\n"};
  if (reader.shown_last == 0) {
    return ToolResult::error(fmt::format("offset {} is behind the end: the file has {}{} lines", first,
                                         whole ? "" : "more than ", reader.lines));
  }
  std::string text = std::move(reader.text);
  if (reader.full()) text.resize(text.size() - incomplete_tail(text));
  bool const replaced = !is_utf8(text);
  if (replaced) text = to_utf8(std::move(text));
  if (!text.ends_with('\n')) text += '\n';
  return {CallStatus::kOk, text + notes(reader, first, whole, replaced)};
}

}  // namespace

BuiltinTool read_file_tool(SharedWorkplace place) {
  ToolSpec spec{.name = "read_file", .about = std::string(kAbout), .schema_json = std::string(kSchema)};
  spec.contract.effect = Effect::kRead;
  spec.contract.identity = {"/path"};
  spec.contract.range = RangePointers{"/offset", "/limit", ""};
  spec.contract.conflicts = {"file:{/path}"};
  spec.sets = {"files"};
  return {std::move(spec), [place = std::move(place)](ToolContext& context) { return read_lines(*place, context); }};
}

}  // namespace backedge::tools
