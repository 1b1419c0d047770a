// The single built-in tools, for builtin.cpp to put together, and what they share.
//
// Tested through tests/tools/builtin_test.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <boost/json.hpp>

#include "tools/builtin.h"
#include "tools/folder.h"

namespace backedge::tools {

/// What all tools of one set know; it does not change.
struct Workplace {
  Folder folder;
  BuiltinOptions options;
  std::vector<std::string> environment;
};
using SharedWorkplace = std::shared_ptr<Workplace const>;

BuiltinTool read_file_tool(SharedWorkplace place);
BuiltinTool list_files_tool(SharedWorkplace place);
BuiltinTool search_files_tool(SharedWorkplace place);
BuiltinTool write_file_tool(SharedWorkplace place);
BuiltinTool run_command_tool(SharedWorkplace place);

/// The arguments of a call; members that are missing or of another type are as if they were not there.
class Arguments {
 public:
  explicit Arguments(std::string_view text);

  std::optional<std::string> text(std::string_view name) const;
  std::optional<std::int64_t> number(std::string_view name) const;

 private:
  boost::json::object object_;
};

/// The detail of the error as what the tool answers.
ToolResult failed(Error const& error);

}  // namespace backedge::tools
