// The call tree of a run in the journal: whole, of a run that was left, and of a file that makes no sense.
#include "journal/call_tree.h"

#include "journal/support.h"

namespace backedge::journal {
namespace {

using graph::kNone;

talk::Event in(std::uint32_t frame, talk::Event e) {
  e.frame = FrameId{frame};
  return e;
}

talk::Event round(std::uint64_t seq, int call, std::string const& tool, std::string const& arguments) {
  return event(seq, "round.propose",
               R"({"calls":[{"call":)" + std::to_string(call) + R"(,"tool":")" + tool + R"(","arguments":")" +
                   sha256_hex(arguments) + R"("}]})",
               {raw(arguments)});
}

/// main asks an agent, which asks itself and is refused.
std::vector<talk::Event> events(bool closed) {
  std::string const policy = "limits.max_turns = 9\nlimits.session.max_cost = 2.5\n";
  std::vector<talk::Event> out = {
      event(1, "run.open",
            R"({"session":"work","number":1,"agent":"","model":"m","tools_offered":12,"tools_bytes":4000,"policy":")" +
                sha256_hex(policy) + R"("})",
            {raw(policy)}),
      in(1, naming(2, "user.message", "text", "Ask around")),
      in(1, event(3, "turn.propose", R"({"turn":1,"verdict":"go","priced":true})")),
      in(1, event(4, "turn.end",
                  R"({"turn":1,"verdict":"go","cost_nano_usd":7,"usage":{"input":100,"output":20,"cache_read":60,)"
                  R"("cache_write":10,"reasoning":5}})")),
      in(1, round(5, 1, "ask", R"({"task":"x"})")),
      in(1, event(6, "verdict", R"({"call":1,"tool":"ask","verdict":"run"})")),
      in(1, event(7, "call.start", R"({"call":1,"tool":"ask","attempt":1})")),
      in(2, event(8, "frame.open", R"({"by_call":1,"agent":"legal","max_turns":4})")),
      in(2, event(9, "turn.propose", R"({"turn":2,"verdict":"go"})")),
      in(2, event(10, "turn.end", R"({"turn":2,"verdict":"go"})")),
      in(2, round(11, 2, "ask", R"({"task":"x"})")),
      in(2, event(12, "verdict",
                  R"({"call":2,"tool":"ask","verdict":"block","code":"reentry.cycle","earlier":1,"count":2,"limit":1,)"
                  R"("text":"legal is already at work"})")),
  };
  if (closed)
    out.push_back(in(1, event(13, "run.close", R"({"status":"loop","code":"reentry.cycle","reason":"round"})")));
  return out;
}

graph::CallTree tree_of(std::vector<talk::Event> const& all) {
  RunInfo run;
  run.id = std::string(32, 'a');
  run.task = "Ask around";
  return call_tree(run, tell(all));
}

TEST(JournalCallTree, KnowsFramesTurnsCallsAndWhatWasSaid) {
  graph::CallTree const tree = tree_of(events(true));
  ASSERT_TRUE(tree.well_formed());
  EXPECT_EQ(tree.status, "loop");
  ASSERT_EQ(tree.frames.size(), 2U);
  EXPECT_EQ(tree.frames[0].status, "loop");
  EXPECT_EQ(tree.frames[1].agent, "legal");
  EXPECT_EQ(tree.frames[1].by, 0U);
  EXPECT_EQ(tree.frames[1].budgets, (std::vector<graph::Budget>{{"turns", "frame", 4, 1, ""}}));
  EXPECT_EQ(tree.calls[0].opened, std::vector<std::uint32_t>{1});
  EXPECT_EQ(tree.calls[1].verdict.text, "legal is already at work");
  EXPECT_EQ(tree.calls[1].verdict.earlier, 0U);
  EXPECT_EQ(tree.calls[1].arguments.text, R"({"task":"x"})");
  ASSERT_EQ(tree.back_edges.size(), 1U);
  EXPECT_EQ(tree.back_edges[0].to_frame, 1U);
  EXPECT_EQ(tree.back_edges[0].force, graph::Force::kRefused);
}

TEST(JournalCallTree, TokensStandInClassesThatDoNotOverlap) {
  graph::CallTree const tree = tree_of(events(true));
  EXPECT_EQ(tree.turns[0].tokens, (graph::Tokens{30, 60, 10, 0, 20, 5}));
  EXPECT_EQ(tree.turns[0].tokens.total(), 120);
  EXPECT_EQ(tree.turns[0].basis, graph::Basis::kReported);
  EXPECT_EQ(tree.turns[0].nano_usd, 7);
  EXPECT_EQ(tree.turns[1].basis, graph::Basis::kUnknown);
  EXPECT_EQ(tree.turns[1].nano_usd, graph::kUnpriced);
}

TEST(JournalCallTree, KnowsHowManyToolsWereOfferedUnlessTheRecordIsOlder) {
  std::vector<talk::Event> all = events(true);
  graph::CallTree const tree = tree_of(all);
  for (graph::Turn const& turn : tree.turns) {
    EXPECT_EQ(turn.tools_offered, 12);
    EXPECT_EQ(turn.tools_bytes, 4000);
  }
  all[0].body = R"({"session":"work","number":1,"agent":"","model":"m"})";
  graph::CallTree const older = tree_of(all);
  EXPECT_EQ(older.turns[0].tools_offered, -1);
  EXPECT_EQ(older.turns[0].tools_bytes, -1);
}

TEST(JournalCallTree, BudgetsComeFromThePolicyOfTheRun) {
  std::vector<graph::Budget> const budgets = tree_of(events(true)).budgets;
  auto const has = [&](graph::Budget const& b) { return std::count(budgets.begin(), budgets.end(), b); };
  EXPECT_EQ(has({"turns", "run", 9, 2, "policy"}), 1);
  EXPECT_EQ(has({"depth", "run", 16, 1, "default"}), 1);
  EXPECT_EQ(has({"cost", "session", 2'500'000'000, -1, "policy"}), 1);
}

TEST(JournalCallTree, WhatOneAgentMayUseStandsAtEachAgentWithWhatItUsed) {
  std::vector<talk::Event> all = events(true);
  std::string const policy =
      "[limits.frame]\nmax_turns = 3\nmax_calls = 5\nmax_descendants = 2\nmax_tokens = 1000\nmax_cost = 0.5\n"
      "max_time = \"1m\"\n";
  all[0] =
      event(1, "run.open", R"({"session":"work","number":1,"policy":")" + sha256_hex(policy) + R"("})", {raw(policy)});
  graph::CallTree const tree = tree_of(all);
  ASSERT_EQ(tree.frames.size(), 2U);
  auto const budget = [&](std::size_t frame, std::string const& meter) {
    for (graph::Budget const& b : tree.frames[frame].budgets) {
      if (b.meter == meter) return b;
    }
    return graph::Budget{};
  };
  EXPECT_EQ(budget(0, "turns"), (graph::Budget{"turns", "frame", 3, 1, "policy"}));
  EXPECT_EQ(budget(0, "calls"), (graph::Budget{"calls", "frame", 5, 1, "policy"}));
  EXPECT_EQ(budget(0, "descendants"), (graph::Budget{"descendants", "frame", 2, 1, "policy"}));
  EXPECT_EQ(budget(0, "tokens"), (graph::Budget{"tokens", "frame", 1000, 120, "policy"}));
  EXPECT_EQ(budget(0, "cost"), (graph::Budget{"cost", "frame", 500'000'000, 7, "policy"}));
  EXPECT_EQ(budget(0, "time").limit, 60'000'000);
  EXPECT_GE(budget(0, "time").spent, 0);
  // It was told that it may use four turns, and three is less.
  EXPECT_EQ(budget(1, "turns"), (graph::Budget{"turns", "frame", 3, 1, "policy"}));
  EXPECT_EQ(budget(1, "calls"), (graph::Budget{"calls", "frame", 5, 0, "policy"})) << "its call was refused";
  EXPECT_EQ(budget(1, "descendants").spent, 0);
}

TEST(JournalCallTree, EveryBeginningOfARunIsATree) {
  std::vector<talk::Event> all = events(true);
  while (!all.empty()) {
    graph::CallTree const tree = tree_of(all);
    EXPECT_TRUE(tree.well_formed()) << all.size();
    all.pop_back();
  }
  graph::CallTree const open = tree_of(events(false));
  EXPECT_EQ(open.status, "open");
  EXPECT_EQ(open.calls[0].status, "open");
  EXPECT_FALSE(open.reason.empty());
}

TEST(JournalCallTree, AFrameThatSaysItWasOpenedFromWithinItselfIsARoot) {
  std::vector<talk::Event> all = {
      in(3, round(1, 5, "ask", "{}")),
      in(3, event(2, "frame.open", R"({"by_call":5,"agent":"odd"})")),
      in(2, event(3, "frame.open", R"({"by_call":5,"agent":"above"})")),
      in(1, event(4, "turn.propose", R"({"turn":1,"verdict":"go"})")),
      in(2, event(5, "turn.propose", R"({"turn":1,"verdict":"go"})")),
  };
  graph::CallTree const tree = tree_of(all);
  EXPECT_TRUE(tree.well_formed());
  EXPECT_EQ(tree.frames.size(), 3U);
  for (graph::Frame const& f : tree.frames) EXPECT_EQ(f.by, kNone);
}

}  // namespace
}  // namespace backedge::journal
