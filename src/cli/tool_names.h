// What --allow-tool and --deny-tool may name: the tools that are there, and those that another option would bring.
//
// Tested in tests/cli/tool_names_test.cpp.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "backedge/result.h"
#include "backedge/runtime.h"

namespace backedge::cli {

/// A tool or an agent function as a tool policy sees it.
struct KnownTool {
  std::string name;
  std::string source;
  std::vector<std::string> sets;
  std::string brought_by;  // the option without which it is not there; empty: it is there
};

/// Every name, set:NAME and source:NAME names something; the nearest is said when one does not. What is not there may
/// be denied, but not allowed. Errors: kUsage.
Result<void> check_tool_names(ToolPolicy const& policy, std::span<KnownTool const> known);

}  // namespace backedge::cli
