#include "tools/builtin.h"

#include <exception>

#include <fmt/format.h>

#include "base/json.h"
#include "tools/builtin_parts.h"
#include "tools/process.h"

namespace backedge::tools {
namespace {

// A tool may throw nothing, and memory can run out in any of them.
ToolFn guarded(ToolFn run) {
  return [run = std::move(run)](ToolContext& context) {
    try {
      return run(context);
    } catch (std::exception const& fault) {
      return ToolResult::error(fmt::format("the tool failed: {}", fault.what()));
    }
  };
}

}  // namespace

Arguments::Arguments(std::string_view text) {
  Result<boost::json::value> value = parse_json(text);
  if (value && value->is_string()) value = parse_json(std::string(value->get_string()));
  if (value && value->is_object()) object_ = std::move(value->get_object());
}

std::optional<std::string> Arguments::text(std::string_view name) const {
  boost::json::value const* const found = object_.if_contains(name);
  if (found == nullptr || !found->is_string()) return std::nullopt;
  return std::string(found->get_string());
}

std::optional<std::int64_t> Arguments::number(std::string_view name) const {
  boost::json::value const* const found = object_.if_contains(name);
  if (found == nullptr || !found->is_number()) return std::nullopt;
  boost::json::error_code ec;
  std::int64_t const out = found->to_number<std::int64_t>(ec);
  if (ec) return std::nullopt;
  return out;
}

ToolResult failed(Error const& error) { return ToolResult::error(error.detail); }

Result<std::vector<BuiltinTool>> builtin_tools(BuiltinOptions const& options) {
  Result<Folder> folder = Folder::open(options.folder);
  if (!folder) return folder.error();
  auto const place = std::make_shared<Workplace const>(Workplace{std::move(*folder), options, current_environment()});
  std::vector<BuiltinTool> out;
  out.push_back(read_file_tool(place));
  out.push_back(list_files_tool(place));
  out.push_back(search_files_tool(place));
  if (options.allow_write) out.push_back(write_file_tool(place));
  if (options.allow_run) out.push_back(run_command_tool(place));
  for (auto& [spec, run] : out) {
    spec.source = "builtin";
    run = guarded(std::move(run));
  }
  return out;
}

}  // namespace backedge::tools
