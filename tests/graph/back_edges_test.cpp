// Which calls go back, where to, and with what force.
#include <gtest/gtest.h>

#include "graph/support.h"

namespace backedge::graph {
namespace {

using testing::Grow;

TEST(BackEdges, ARefusedReentryGoesToTheActivationOnThePath) {
  CallTree const tree = testing::ping_pong();
  ASSERT_TRUE(tree.well_formed());
  BackEdge expected;
  expected.from = 2;
  expected.to_frame = 1;
  expected.kind = Back::kReentry;
  expected.force = Force::kRefused;
  expected.code = "reentry.cycle";
  EXPECT_EQ(tree.back_edges, std::vector<BackEdge>{expected});
}

TEST(BackEdges, AReentryThatWasOnlyObservedIsSaidToBe) {
  CallTree tree = testing::ping_pong();
  tree.calls[2].verdict.observed = true;
  find_back_edges(tree);
  ASSERT_EQ(tree.back_edges.size(), 1U);
  EXPECT_EQ(tree.back_edges[0].force, Force::kObserved);
  EXPECT_EQ(tree.back_edges[0].to_frame, 1U);
}

TEST(BackEdges, AReentryThatNamesNoCallGoesToTheRoot) {
  Grow g;
  std::uint32_t const main = g.frame("planner");
  std::uint32_t const worker = g.frame("worker", g.call(main, "ask"));
  g.refused(worker, "planner", "reentry.cycle", kNone);
  find_back_edges(g.tree);
  ASSERT_EQ(g.tree.back_edges.size(), 1U);
  EXPECT_EQ(g.tree.back_edges[0].to_frame, main);
}

TEST(BackEdges, AReadInsideAnActiveWriteGoesToThatCall) {
  Grow g;
  std::uint32_t const main = g.frame("");
  std::uint32_t const write = g.call(main, "write");
  g.refused(main, "read", "reentry.conflict", write);
  find_back_edges(g.tree);
  ASSERT_EQ(g.tree.back_edges.size(), 1U);
  EXPECT_EQ(g.tree.back_edges[0].to_call, write);
}

TEST(BackEdges, AnAgentBelowItselfIsARecursionAlsoWhenAllowed) {
  Grow g;
  std::uint32_t const main = g.frame("");
  std::uint32_t const fib = g.frame("fib", g.call(main, "fib", R"({"n":2})"));
  std::uint32_t const again = g.call(fib, "fib", R"({"n":1})");
  g.frame("fib", again);
  find_back_edges(g.tree);
  ASSERT_TRUE(g.tree.well_formed());
  ASSERT_EQ(g.tree.back_edges.size(), 1U);
  EXPECT_EQ(g.tree.back_edges[0].kind, Back::kRecursion);
  EXPECT_EQ(g.tree.back_edges[0].force, Force::kSeen);
  EXPECT_EQ(g.tree.back_edges[0].to_frame, fib);
  EXPECT_EQ(g.tree.back_edges[0].count, 2);
}

TEST(BackEdges, EqualCallsWithEqualResultsAreAChain) {
  Grow g;
  std::uint32_t const main = g.frame("");
  g.call(main, "read", R"({"a":1,"b":2})", "text");
  g.call(main, "read", R"({ "b": 2.0, "a": 1 })", "text");
  g.call(main, "read", R"({"a":1,"b":2})", "text");
  find_back_edges(g.tree);
  ASSERT_EQ(g.tree.back_edges.size(), 2U);
  EXPECT_EQ(g.tree.back_edges[0].to_call, 0U);
  EXPECT_EQ(g.tree.back_edges[0].count, 2);
  EXPECT_EQ(g.tree.back_edges[1].to_call, 1U);
  EXPECT_EQ(g.tree.back_edges[1].count, 3);
}

TEST(BackEdges, AnotherResultAnotherFrameOrAnUnknownEndIsNoRepeat) {
  Grow g;
  std::uint32_t const main = g.frame("");
  g.call(main, "poll", "{}", "waiting");
  g.call(main, "poll", "{}", "done");
  std::uint32_t const child = g.frame("child", g.call(main, "child"));
  g.call(child, "poll", "{}", "waiting");
  g.tree.calls[g.call(main, "poll", "{}", "waiting")].status = "unknown";
  find_back_edges(g.tree);
  EXPECT_TRUE(g.tree.back_edges.empty());
}

TEST(BackEdges, ARepeatWithoutAnEarlierCallGoesToTheLatestEqualOneElseToTheSameTool) {
  Grow g;
  std::uint32_t const main = g.frame("");
  g.call(main, "read", R"({"p":1})");
  g.call(main, "read", R"({"p":2})");
  g.refused(main, "read", "repeat.exact", kNone, R"({"p":1})");
  g.refused(main, "read", "repeat.error", kNone, R"({"p":3})");
  g.refused(main, "grep", "repeat.error", kNone);
  find_back_edges(g.tree);
  ASSERT_EQ(g.tree.back_edges.size(), 2U);
  EXPECT_EQ(g.tree.back_edges[0].to_call, 0U);
  EXPECT_EQ(g.tree.back_edges[1].to_call, 2U);
}

TEST(BackEdges, LimitsAndGatesGoNowhere) {
  Grow g;
  std::uint32_t const main = g.frame("");
  g.call(main, "read");
  g.refused(main, "bash", "budget.calls", kNone);
  g.refused(main, "send", "gate.deny", 0);
  find_back_edges(g.tree);
  EXPECT_TRUE(g.tree.back_edges.empty());
}

TEST(BackEdges, WhatWasRefusedAndIsAskedForAgainInTheSameWordsGoesBackAtOnce) {
  Grow g;
  std::uint32_t const main = g.frame("");
  g.call(main, "search", R"({"q":"a"})");
  g.refused(main, "search", "budget.calls", kNone, R"({"q":"b"})");
  g.refused(main, "search", "budget.calls", kNone, R"({ "q": "b" })");
  g.refused(main, "search", "budget.calls", kNone, R"({"q":"c"})");  // another question
  g.refused(main, "search", "budget.calls", kNone, R"({"q":"a"})");  // the first time it ran
  g.refused(main, "search", "gate.deny", kNone, R"({"q":"b"})");
  find_back_edges(g.tree);
  ASSERT_EQ(g.tree.back_edges.size(), 2U);
  BackEdge again;
  again.from = 2;
  again.to_call = 1;
  again.kind = Back::kRepeat;
  again.force = Force::kRefused;
  again.code = "budget.calls";
  again.count = 2;
  EXPECT_EQ(g.tree.back_edges[0], again);
  EXPECT_EQ(g.tree.back_edges[1].from, 5U);
  EXPECT_EQ(g.tree.back_edges[1].to_call, 2U);
  EXPECT_EQ(g.tree.back_edges[1].count, 3);
  EXPECT_EQ(g.tree.back_edges[1].code, "gate.deny");
}

TEST(CallTree, WhatIsOutOfOrderIsNotWellFormed) {
  EXPECT_TRUE(CallTree().well_formed());
  CallTree parents = testing::ping_pong();
  parents.frames[1].by = 1;  // opened from within itself
  EXPECT_FALSE(parents.well_formed());
  CallTree both = testing::ping_pong();
  both.back_edges[0].to_call = 0;
  EXPECT_FALSE(both.well_formed());
  CallTree stray = testing::ping_pong();
  stray.calls[0].turn = 2;
  EXPECT_FALSE(stray.well_formed());
}

}  // namespace
}  // namespace backedge::graph
