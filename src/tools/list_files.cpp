// list_files: the paths below a folder, one a line. Tested in tests/tools/builtin_test.cpp.
#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "tools/builtin_parts.h"
#include "tools/tree.h"
#include "tools/utf8.h"

namespace backedge::tools {
namespace {

constexpr std::string_view kSchema = R"({"type":"object","properties":{
"path":{"type":"string","description":"the folder, relative to the working folder; the working folder itself if not given"},
"depth":{"type":"integer","minimum":1,"description":"how many levels to show; 2 if not given, all with a glob"},
"glob":{"type":"string","description":"show only paths that match: * any text within a name, ** across folders, ? one character; without a slash it is held against the last name"}},
"additionalProperties":false})";

constexpr std::string_view kAbout =
    "Lists files and folders of the working folder, one path a line, sorted; folders end with a slash. The .git folder "
    "is "
    "left out. Ends with a note in brackets when something is not shown.";

constexpr std::int64_t kDefaultDepth = 2;
constexpr std::int64_t kMaxDepth = 64;

ToolResult list(Workplace const& place, ToolContext& context) {
  Arguments const arguments(context.arguments());
  Result<std::string> const start = place.folder.below(arguments.text("path").value_or("."));
  if (!start) return failed(start.error());
  std::optional<Glob> glob;
  std::optional<std::string> const pattern = arguments.text("glob");
  if (pattern && !pattern->empty()) glob.emplace(*pattern);
  std::int64_t const depth =
      std::clamp<std::int64_t>(arguments.number("depth").value_or(glob ? kMaxDepth : kDefaultDepth), 1, kMaxDepth);

  std::string text;
  std::size_t count = 0;
  bool full = false;
  bool deeper = false;
  std::size_t const level = start->empty() ? 0 : static_cast<std::size_t>(std::ranges::count(*start, '/')) + 1;
  auto const visit = [&](std::string const& path, EntryKind kind) {
    if (kind == EntryKind::kFolder &&
        static_cast<std::size_t>(std::ranges::count(path, '/')) + 1 - level == static_cast<std::size_t>(depth)) {
      deeper = true;
    }
    if (glob && !glob->matches(path)) return true;
    if (count == place.options.max_entries || text.size() >= place.options.max_result) {
      full = true;
      return false;
    }
    ++count;
    text += shown_name(path);
    if (kind == EntryKind::kFolder) text += '/';
    if (kind == EntryKind::kLink) text += " (link)";
    if (kind == EntryKind::kOther) text += " (special file)";
    text += '\n';
    return true;
  };
  Result<WalkEnd> const end = walk(place.folder, *start, static_cast<std::size_t>(depth), visit, context.stop());
  if (!end) return failed(end.error());
  if (count == 0) text += glob ? "[nothing matches the glob]\n" : "[the folder is empty]\n";
  if (full || end->cut)
    text += fmt::format("[stopped after {} entries; there are more: narrow it by path, depth or glob]\n", count);
  if (deeper && !glob && !full)
    text += fmt::format("[folders at level {} are not opened; give a larger depth or a path]\n", depth);
  if (end->skipped_git) text += "[.git is left out]\n";
  if (end->unreadable > 0) text += fmt::format("[folders that cannot be read: {}]\n", end->unreadable);
  return {CallStatus::kOk, std::move(text)};
}

}  // namespace

BuiltinTool list_files_tool(SharedWorkplace place) {
  ToolSpec spec{.name = "list_files", .about = std::string(kAbout), .schema_json = std::string(kSchema)};
  spec.contract.effect = Effect::kRead;
  spec.sets = {"files"};
  return {std::move(spec), [place = std::move(place)](ToolContext& context) { return list(*place, context); }};
}

}  // namespace backedge::tools
