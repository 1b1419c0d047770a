// What counts as of use.
#include "suggest/subject.h"

#include <gtest/gtest.h>

namespace backedge::suggest {
namespace {

struct Made {
  char const* tool;
  char const* arguments;
  char const* result;
  char const* status = "ok";
};

std::vector<bool> useful(std::vector<Made> const& calls) {
  graph::CallTree tree;
  tree.frames.emplace_back();
  for (Made const& made : calls) {
    graph::Call call;
    call.frame = 0;
    call.tool = made.tool;
    call.arguments = {made.arguments, 1, true};
    call.result = {made.result, 1, true};
    call.status = made.status;
    call.verdict.word = "run";
    tree.calls.push_back(call);
  }
  return useful_calls(tree);
}

using Bools = std::vector<bool>;

TEST(UsefulCalls, AnAnswerIsOfUseOnceAndADeedOncePerChange) {
  EXPECT_EQ(useful({{"read_file", "a", "A"}, {"read_file", "a", "A"}, {"read_file", "b", "A"}}),
            (Bools{true, false, false}));
  EXPECT_EQ(useful({{"send", "x", "sent"}, {"send", "x", "sent"}, {"send", "y", "sent"}}), (Bools{true, false, true}));
  EXPECT_EQ(useful({{"test", "", "ok"}, {"edit", "1", "done"}, {"test", "", "ok"}}), (Bools{true, true, true}));
}

TEST(UsefulCalls, WhatFailsIsOfNoUseAndWhatWaitsForNewsIs) {
  EXPECT_EQ(useful({{"fetch", "u", "no", "error"}, {"fetch", "u", "no", "error"}}), (Bools{false, false}));
  EXPECT_EQ(useful({{"status", "", "busy"}, {"status", "", "busy"}, {"status", "", "busy"}, {"status", "", "ready"}}),
            (Bools{true, true, true, true}));
}

}  // namespace
}  // namespace backedge::suggest
