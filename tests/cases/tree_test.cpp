// The call path as a tree of text.
#include "cases/tree.h"

#include <gtest/gtest.h>

namespace backedge::cases {
namespace {

TEST(Tree, EqualCallsInARowAreDrawnOnceAndFramesUnderTheirCalls) {
  std::string const graph =
      R"({"frames": [{"id": 1, "parent": 0, "agent": ""}, {"id": 2, "parent": 1, "agent": "a"}], "calls": [
    {"id": 1, "frame": 1, "tool": "look", "verdict": "run"}, {"id": 2, "frame": 1, "tool": "look", "verdict": "run"},
    {"id": 3, "frame": 1, "tool": "task", "verdict": "run", "opened": 2},
    {"id": 4, "frame": 2, "tool": "look", "verdict": "reuse", "code": "repeat.exact", "earlier": 2}]})";
  EXPECT_EQ(*tree_text(graph),
            "main\n"
            "├─ look  x2\n"
            "└─ task > a\n"
            "   └─ look  -- earlier answer given, repeat.exact\n");
}

TEST(Tree, WhatIsNoGraphIsAnError) {
  EXPECT_EQ(tree_text("[]").error().kind, ErrorKind::kInput);
  EXPECT_EQ(tree_text("{").error().kind, ErrorKind::kInput);
}

}  // namespace
}  // namespace backedge::cases
