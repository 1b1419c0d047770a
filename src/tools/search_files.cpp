// search_files: the lines of files that match a regular expression.
//
// The expression runs on RE2, in time linear in the text. One file is in memory at a time. Tested in
// tests/tools/builtin_test.cpp.
#include <algorithm>
#include <cerrno>
#include <utility>

#include <fmt/format.h>
#include <re2/re2.h>
#include <unistd.h>

#include "base/text.h"
#include "tools/builtin_parts.h"
#include "tools/tree.h"
#include "tools/utf8.h"

namespace backedge::tools {
namespace {

constexpr std::string_view kSchema = R"({"type":"object","properties":{
"pattern":{"type":"string","description":"a regular expression in RE2 syntax, held against each line; (?i) at its start ignores case"},
"path":{"type":"string","description":"a file or folder, relative to the working folder; the working folder itself if not given"},
"glob":{"type":"string","description":"search only files that match: * any text within a name, ** across folders, ? one character; without a slash it is held against the last name"}},
"required":["pattern"],"additionalProperties":false})";

constexpr std::string_view kAbout =
    "Searches the text files of the working folder for lines that match a regular expression. Each match is a line "
    "FILE:LINE:TEXT. Binary files and the .git folder are left out. Ends with a note in brackets when something was "
    "not "
    "searched or not shown.";

constexpr std::size_t kPiece = 256U << 10U;
constexpr std::size_t kBinaryWithin = 8U << 10U;
// A larger file is data, not text that someone wrote.
constexpr std::size_t kMaxFile = 64U << 20U;
// Of one line: more is data in a single line.
constexpr std::size_t kMaxShown = 2'000;
constexpr std::size_t kMaxDepth = 64;

class Search {
 public:
  Search(Workplace const& place, RE2 const& pattern, std::stop_token stop)
      : place_(place), pattern_(pattern), stop_(std::move(stop)) {}

  // False when no more is to be searched.
  bool file(std::string const& path) {
    Result<OpenFile> const file = place_.folder.open_file(path);
    if (!file) {
      ++unreadable_;
      return true;
    }
    if (!read(*file)) return true;
    ++searched_;
    std::string const name = shown_name(path);
    std::string_view rest = content_;
    for (std::size_t number = 1; !rest.empty() && !full_; ++number) {
      std::size_t const end = std::min(rest.find('\n'), rest.size());
      std::string_view line = rest.substr(0, end);
      rest.remove_prefix(std::min(end + 1, rest.size()));
      if (line.ends_with('\r')) line.remove_suffix(1);
      if (RE2::PartialMatch(re2::StringPiece(line.data(), line.size()), pattern_)) match(name, number, line);
      if (number % 4'096 == 0 && stop_.stop_requested()) return false;
    }
    return !full_ && !stop_.stop_requested();
  }

  std::string finish(bool skipped_git, bool cut, std::size_t unread_folders) {
    std::string out = std::move(text_);
    if (count_ == 0) out += fmt::format("[no match; files searched: {}]\n", searched_);
    if (full_)
      out += fmt::format("[stopped after {} matches; there are more: narrow it by path, glob or pattern]\n", count_);
    if (cut) out += "[there are more files than a search looks at; narrow it by path]\n";
    if (binary_ > 0) out += fmt::format("[binary files, not searched: {}]\n", binary_);
    if (large_ > 0) out += fmt::format("[files above {} MiB, not searched: {}]\n", kMaxFile >> 20U, large_);
    if (unreadable_ + unread_folders > 0) out += fmt::format("[could not be read: {}]\n", unreadable_ + unread_folders);
    if (skipped_git) out += "[.git is left out]\n";
    return out;
  }

 private:
  // The whole file into content_, if it is text of a size that can be searched.
  bool read(OpenFile const& file) {
    content_.clear();
    if (file.size > static_cast<std::int64_t>(kMaxFile)) {
      ++large_;
      return false;
    }
    while (true) {
      std::size_t const size = content_.size();
      content_.resize(size + kPiece);
      ssize_t const n = ::read(file.descriptor.get(), content_.data() + size, kPiece);
      content_.resize(size + static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) {
        ++unreadable_;
        return false;
      }
      if (std::string_view(content_).substr(0, kBinaryWithin).find('\0') != std::string_view::npos) {
        ++binary_;
        return false;
      }
      if (n == 0) return true;
      if (content_.size() > kMaxFile) {  // it grows
        ++large_;
        return false;
      }
    }
  }

  void match(std::string const& name, std::size_t number, std::string_view line) {
    if (count_ == place_.options.max_entries || text_.size() >= place_.options.max_result) {
      full_ = true;
      return;
    }
    ++count_;
    std::string_view const shown = cut(line, kMaxShown);
    text_ += fmt::format("{}:{}:{}", name, number, to_utf8(std::string(shown)));
    if (shown.size() < line.size()) text_ += fmt::format("… [{} bytes more in this line]", line.size() - shown.size());
    text_ += '\n';
  }

  Workplace const& place_;
  RE2 const& pattern_;
  std::stop_token stop_;
  std::string content_;
  std::string text_;
  std::size_t count_ = 0;
  std::size_t searched_ = 0;
  std::size_t binary_ = 0;
  std::size_t large_ = 0;
  std::size_t unreadable_ = 0;
  bool full_ = false;
};

ToolResult search(Workplace const& place, ToolContext& context) {
  Arguments const arguments(context.arguments());
  std::optional<std::string> const text = arguments.text("pattern");
  if (!text) return ToolResult::error("/pattern is missing: expected a regular expression");
  RE2 const pattern(*text, RE2::Quiet);
  if (!pattern.ok()) {
    return ToolResult::error(
        fmt::format("/pattern: {} is no RE2 expression ({}); put a backslash before signs that are "
                    "meant as they stand",
                    in_quotes(*text, 200), cut(pattern.error(), 200)));
  }
  Result<std::string> const start = place.folder.below(arguments.text("path").value_or("."));
  if (!start) return failed(start.error());
  std::optional<Glob> glob;
  std::optional<std::string> const wanted = arguments.text("glob");
  if (wanted && !wanted->empty()) glob.emplace(*wanted);

  Search run(place, pattern, context.stop());
  if (!start->empty()) {
    // A path that names no folder is one file, or wrong; opening it says which.
    Result<Descriptor> const folder = place.folder.open_folder(*start);
    if (!folder) {
      Result<OpenFile> const file = place.folder.open_file(*start);
      if (!file) return failed(file.error());
      run.file(*start);
      return {CallStatus::kOk, run.finish(false, false, 0)};
    }
  }
  auto const visit = [&](std::string const& path, EntryKind kind) {
    if (kind != EntryKind::kFile || (glob && !glob->matches(path))) return true;
    return run.file(path);
  };
  Result<WalkEnd> const end = walk(place.folder, *start, kMaxDepth, visit, context.stop());
  if (!end) return failed(end.error());
  return {CallStatus::kOk, run.finish(end->skipped_git, end->cut, end->unreadable)};
}

}  // namespace

BuiltinTool search_files_tool(SharedWorkplace place) {
  ToolSpec spec{.name = "search_files", .about = std::string(kAbout), .schema_json = std::string(kSchema)};
  spec.contract.effect = Effect::kRead;
  spec.sets = {"files"};
  return {std::move(spec), [place = std::move(place)](ToolContext& context) { return search(*place, context); }};
}

}  // namespace backedge::tools
