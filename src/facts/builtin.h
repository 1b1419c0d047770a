// What is known of widespread tools before anybody declares anything: the lowest layer of every contract.
//
// A row says only what holds for every tool of that name that is known; where tools of one name differ, or where a
// field would hold up honest work if it were wrong, the field stays undeclared. Rows of MCP servers count under the
// bare tool name and as mcp__SERVER__TOOL. Tested in tests/facts/builtin_test.cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "backedge/contract.h"
#include "facts/compiled.h"

namespace backedge::facts {

struct BuiltinContract {
  std::string tool;
  Contract contract;
  BuiltinExtras extras;
};

/// The whole table, one entry per name.
std::vector<BuiltinContract> builtin_contracts();

/// For a command of the built-in list of reading shell commands: globs, separated by spaces, of words that make it
/// something else ("find" with -delete). Empty for every other command.
std::string_view builtin_never(std::string_view command);

}  // namespace backedge::facts
