// Names of a tool policy that name something, and those that do not.
#include "cli/tool_names.h"

#include <gtest/gtest.h>

namespace backedge::cli {
namespace {

std::vector<KnownTool> const kKnown = {{"read_file", "builtin", {"files"}, ""},
                                       {"write_file", "builtin", {"files"}, "--allow-write"},
                                       {"planner", "policy", {}, ""}};

std::string said(ToolPolicy const& policy) {
  Result<void> const checked = check_tool_names(policy, kKnown);
  if (checked) return {};
  EXPECT_EQ(checked.error().kind, ErrorKind::kUsage);
  return checked.error().text();
}

TEST(ToolNames, AllThatNamesSomethingIsRight) {
  EXPECT_EQ(said({}), "");
  EXPECT_EQ(said({{"*", "read_file", "planner", "set:files", "source:builtin", "source:policy"}, {}}), "");
  EXPECT_EQ(said({{}, {"*", "read_file", "write_file", "set:files", "source:policy"}}), "");
}

TEST(ToolNames, WhatNamesNothingIsRefusedWithTheNearest) {
  EXPECT_EQ(said({{"read_fil"}, {}}), "--allow-tool \"read_fil\" names no tool; did you mean read_file?");
  EXPECT_EQ(said({{}, {"read_file", "plannr"}}), "--deny-tool \"plannr\" names no tool; did you mean planner?");
  EXPECT_EQ(said({{}, {"set:fils"}}), "--deny-tool \"set:fils\" names no tool; did you mean set:files?");
  EXPECT_EQ(said({{"source:bultin"}, {}}),
            "--allow-tool \"source:bultin\" names no tool; did you mean source:builtin?");
  EXPECT_EQ(said({{"zzzzzzzz"}, {}}),
            "--allow-tool \"zzzzzzzz\" names no tool; there are planner, read_file, set:files, source:builtin, "
            "source:policy, write_file");
  for (std::string const word : {"set:", "source:", "set:*", "files", "builtin", "read_file "})
    EXPECT_NE(said({{}, {word}}), "") << word;
}

TEST(ToolNames, WhatIsNotThereMayBeDeniedButNotAllowed) {
  EXPECT_EQ(said({{"write_file"}, {}}),
            "--allow-tool write_file: the tool is not there without --allow-write; add that");
}

}  // namespace
}  // namespace backedge::cli
