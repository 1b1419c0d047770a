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

TEST(UsefulCalls, ACallThatStartedAnAgentBroughtWhatItsAnswerOrACallBelowItDid) {
  graph::CallTree tree;
  auto const add = [&](std::uint32_t frame, char const* tool, char const* result) {
    graph::Call call;
    call.frame = frame;
    call.tool = tool;
    call.arguments = {std::to_string(tree.calls.size()), 1, true};
    call.result = {result, 1, true};
    call.status = "ok";
    call.verdict.word = "run";
    tree.frames[frame].calls.push_back(static_cast<std::uint32_t>(tree.calls.size()));
    tree.calls.push_back(call);
  };
  auto const open = [&](std::uint32_t by) {
    tree.calls[by].opened.push_back(static_cast<std::uint32_t>(tree.frames.size()));
    tree.frames.emplace_back().by = by;
  };
  tree.frames.emplace_back();
  add(0, "order", "nobody knows");  // new: nobody had said so before
  open(0);
  add(1, "order", "nobody knows");  // nothing
  open(1);
  add(1, "order", "nobody knows");  // it read something
  open(2);
  add(3, "read_file", "text");
  EXPECT_EQ(useful_calls(tree), (Bools{true, false, true, true}));
}

}  // namespace
}  // namespace backedge::suggest
