// write_file: a whole file, made or replaced. Tested in tests/tools/builtin_test.cpp.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "tools/builtin_parts.h"
#include "tools/utf8.h"

namespace backedge::tools {
namespace {

constexpr std::string_view kSchema = R"({"type":"object","properties":{
"path":{"type":"string","description":"the file, relative to the working folder"},
"content":{"type":"string","description":"the whole new content of the file"}},
"required":["path","content"],"additionalProperties":false})";

constexpr std::string_view kAbout =
    "Writes a file of the working folder: makes it, with the folders above it, or replaces all of its content. Read a "
    "file "
    "before you replace it.";

ToolResult write(Workplace const& place, ToolContext& context) {
  Arguments const arguments(context.arguments());
  std::optional<std::string> const path = arguments.text("path");
  std::optional<std::string> const content = arguments.text("content");
  if (!path) return ToolResult::error("/path is missing: expected the file to write");
  if (!content) return ToolResult::error("/content is missing: expected the whole new content");
  std::filesystem::path const target = (place.options.folder / *path).lexically_normal();
  bool const guarded = std::ranges::any_of(
      place.options.guarded, [&](std::filesystem::path const& one) { return one.lexically_normal() == target; });
  if (guarded) return ToolResult::error(fmt::format("{} guards this run and is not written by it", shown_name(*path)));
  if (context.stop().stop_requested()) return {CallStatus::kCancelled, "cancelled before anything was written"};
  Result<bool> const fresh = place.folder.write(*path, *content);
  if (!fresh) return failed(fresh.error());
  auto lines = std::ranges::count(*content, '\n');
  if (!content->empty() && !content->ends_with('\n')) ++lines;
  return {CallStatus::kOk, fmt::format("{} {}: {} lines, {} bytes\n", *fresh ? "made" : "replaced", shown_name(*path),
                                       lines, content->size())};
}

}  // namespace

BuiltinTool write_file_tool(SharedWorkplace place) {
  ToolSpec spec{.name = "write_file", .about = std::string(kAbout), .schema_json = std::string(kSchema)};
  spec.contract.effect = Effect::kWrite;
  spec.contract.conflicts = {"file:{/path}"};
  spec.sets = {"files"};
  return {std::move(spec), [place = std::move(place)](ToolContext& context) { return write(*place, context); }};
}

}  // namespace backedge::tools
