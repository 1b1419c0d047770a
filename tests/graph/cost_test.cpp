// Sums that are exact, shares that are what the header says, and nothing counted twice.
#include "graph/cost.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "graph/shares.h"

namespace backedge::graph {
namespace {

// One dollar a million fresh tokens, a tenth of that from the cache, five for output: 1000, 100 and 5000 nano a token.
prices::Table table() {
  return *prices::Table::read(
      R"([{"id":"p","model_match":{"starts_with":"m"},"models":[{"id":"m","match":{"equals":"m"},
          "prices":{"input_mtok":1,"cache_read_mtok":0.1,"output_mtok":5}}]}])",
      "test");
}

Changes const by_name = [](Call const& call) { return call.tool == "write"; };

/// Builds trees as readers do: things in the order in which they happened.
struct Builder {
  CallTree tree;

  std::uint32_t frame(std::uint32_t by = kNone) {
    auto const index = static_cast<std::uint32_t>(tree.frames.size());
    Frame f;
    f.id = index + 1;
    f.by = by;
    if (by != kNone) {
      f.depth = tree.frames[tree.calls[by].frame].depth + 1;
      f.agent = "worker";
      tree.calls[by].opened.push_back(index);
    }
    tree.frames.push_back(f);
    return index;
  }

  std::uint32_t turn(std::uint32_t frame, Tokens tokens, std::int64_t nano = kUnpriced, std::string model = "m") {
    auto const index = static_cast<std::uint32_t>(tree.turns.size());
    Turn t;
    t.id = index + 1;
    t.frame = frame;
    t.model = std::move(model);
    t.tokens = tokens;
    t.basis = Basis::kReported;
    t.nano_usd = nano;
    tree.frames[frame].turns.push_back(index);
    tree.turns.push_back(t);
    return index;
  }

  std::uint32_t call(std::uint32_t turn, std::string tool, std::string arguments, std::string result,
                     std::string status = "ok") {
    auto const index = static_cast<std::uint32_t>(tree.calls.size());
    Call c;
    c.id = index + 1;
    c.turn = turn;
    c.frame = tree.turns[turn].frame;
    c.tool = std::move(tool);
    c.arguments = {arguments, std::ssize(arguments), true};
    c.result = {result, std::ssize(result), true};
    c.status = std::move(status);
    c.verdict.word = "run";
    tree.frames[c.frame].calls.push_back(index);
    tree.turns[turn].calls.push_back(index);
    tree.calls.push_back(c);
    return index;
  }
};

TEST(Cost, ACallPaysForItsPartOfItsTurnAndForEveryTimeThatItsResultIsReadAgain) {
  Builder b;
  std::uint32_t const root = b.frame();
  std::uint32_t const first = b.turn(root, {.fresh_input = 100, .output = 10});
  std::uint32_t const big = b.call(first, "read", R"({"path":"a"})", std::string(300, 'x'));
  std::uint32_t const small = b.call(first, "read", R"({"path":"b"})", std::string(99, 'y'));
  // 100 + 10 + 80 tokens of results: 60 for 301 weights of 401, 20 for 100.
  b.turn(root, {.fresh_input = 90, .cache_read = 100, .output = 20});
  b.turn(root, {.fresh_input = 10, .cache_read = 200, .output = 5});
  ASSERT_TRUE(b.tree.well_formed());
  Priced const priced = price(b.tree, table());
  EXPECT_EQ(priced.listed, 3);
  EXPECT_EQ(priced.unpriced(), 0);
  // The first turn, 100·1000 + 10·5000, is halved; 80 new tokens at the fresh price, then read from the cache once.
  EXPECT_EQ(b.tree.calls[big].own->tokens, 55 + 60 + 60);
  EXPECT_EQ(b.tree.calls[small].own->tokens, 55 + 20 + 20);
  EXPECT_EQ(b.tree.calls[big].own->nano_usd, 75'000 + 60'000 + 6'000);
  EXPECT_EQ(b.tree.calls[small].own->nano_usd, 75'000 + 20'000 + 2'000);
  Cost const cost = cost_of(b.tree, by_name);
  EXPECT_EQ(cost.whole, (Spend{3, 535, 150'000 + 200'000 + 55'000, 0, false}));
  EXPECT_EQ(cost.talk.nano_usd, cost.whole.nano_usd - 141'000 - 97'000);
}

TEST(Cost, ARepeatCostsTheReReadAtThePriceOfTheCacheAndNotMore) {
  Builder b;
  std::uint32_t const root = b.frame();
  std::uint32_t const one = b.turn(root, {.fresh_input = 10'000, .output = 10});
  b.call(one, "status", "{}", "pending");
  std::uint32_t const two = b.turn(root, {.fresh_input = 20, .cache_read = 10'000, .output = 10});
  b.call(two, "status", "{}", "pending");
  b.turn(root, {.fresh_input = 20, .cache_read = 10'020, .output = 10});
  find_back_edges(b.tree);
  price(b.tree, table());
  Cost const cost = cost_of(b.tree, by_name);
  EXPECT_EQ(cost.vain[0].calls, 1);
  EXPECT_EQ(cost.vain[static_cast<int>(Vain::kRepeat)].spend,
            (Spend{1, 10'030, 20'000 + 1'000'000 + 50'000, 0, false}));
  EXPECT_EQ(cost.vain[0].spend, cost.vain[static_cast<int>(Vain::kRepeat)].spend);
}

TEST(Cost, ARepeatAfterAChangeIsNotInVainAndARetryNeither) {
  Builder b;
  std::uint32_t const root = b.frame();
  b.call(b.turn(root, {.fresh_input = 100}), "test", "{}", "all well");
  b.call(b.turn(root, {.fresh_input = 110}), "build", "{}", "broken", "error");
  b.call(b.turn(root, {.fresh_input = 120}), "write", "{}", "done");
  b.call(b.turn(root, {.fresh_input = 130}), "test", "{}", "all well");
  b.call(b.turn(root, {.fresh_input = 140}), "build", "{}", "done");
  find_back_edges(b.tree);
  ASSERT_EQ(b.tree.back_edges.size(), 1u);
  price(b.tree, table());
  EXPECT_EQ(cost_of(b.tree, by_name).vain[0].calls, 0);
}

TEST(Cost, ATurnThatAlsoDidSomethingElseIsNotCountedAsInVain) {
  Builder b;
  std::uint32_t const root = b.frame();
  b.call(b.turn(root, {.fresh_input = 100, .output = 10}), "status", "{}", "pending");
  std::uint32_t const two = b.turn(root, {.fresh_input = 200, .output = 10});
  b.call(two, "status", "{}", "pending");
  b.call(two, "write", R"({"path":"a"})", "done");
  find_back_edges(b.tree);
  price(b.tree, table());
  Cost const cost = cost_of(b.tree, by_name);
  EXPECT_EQ(cost.vain[0].calls, 1);
  EXPECT_EQ(cost.vain[0].spend, Spend{});
}

TEST(Cost, ACallAfterItsOwnFailureIsARetryAndWhatIsBelowARepeatIsInVainOnce) {
  Builder b;
  std::uint32_t const root = b.frame();
  b.call(b.turn(root, {.fresh_input = 100}), "fetch", "{}", "no route", "error");
  b.call(b.turn(root, {.fresh_input = 110}), "fetch", "{}", "page");
  std::uint32_t const ask = b.call(b.turn(root, {.fresh_input = 120}), "ask", "{}", "answer");
  b.turn(b.frame(ask), {.fresh_input = 1'000});
  std::uint32_t const again = b.call(b.turn(root, {.fresh_input = 130}), "ask", "{}", "answer");
  std::uint32_t const below = b.frame(again);
  std::uint32_t const inner = b.turn(below, {.fresh_input = 2'000});
  b.call(inner, "look", "{}", "x");
  b.call(b.turn(below, {.fresh_input = 3'000}), "look", "{}", "x");
  find_back_edges(b.tree);
  ASSERT_TRUE(b.tree.well_formed());
  price(b.tree, table());
  Cost const cost = cost_of(b.tree, by_name);
  EXPECT_EQ(cost.vain[static_cast<int>(Vain::kRetry)].spend.tokens, 110);
  EXPECT_EQ(cost.vain[static_cast<int>(Vain::kRepeat)].spend.tokens, 130 + 2'000 + 3'000);
  EXPECT_EQ(cost.vain[0].spend.nano_usd, (110 + 130 + 5'000) * 1'000);
  ASSERT_EQ(cost.agents.size(), 2u);
  EXPECT_EQ(cost.agents[0].name, "worker");
  EXPECT_EQ(cost.agents[0].frames, 2);
  EXPECT_EQ(cost.dearest.front(), again);
}

TEST(Cost, WhatIsNotPricedIsCountedAndNeverFree) {
  Builder b;
  std::uint32_t const root = b.frame();
  b.turn(root, {.fresh_input = 100}, kUnpriced, "nobody-knows");
  b.turn(root, {.fresh_input = 100}, 7);
  std::uint32_t const guess = b.turn(root, {.fresh_input = 100});
  b.tree.turns[guess].basis = Basis::kEstimated;
  Priced const priced = price(b.tree, table());
  EXPECT_EQ(priced.recorded, 1);
  EXPECT_EQ(priced.unknown, (std::map<std::string, std::int64_t>{{"nobody-knows", 1}}));
  EXPECT_EQ(priced.unreported, 1);
  EXPECT_EQ(priced.unpriced(), 2);
  EXPECT_EQ(cost_of(b.tree, by_name).whole, (Spend{3, 300, 7, 2, true}));
}

TEST(Cost, RequestsThatGrowShowInTheDriftAndByTheSizeOfTheToolList) {
  Builder b;
  std::uint32_t const root = b.frame();
  for (std::int64_t i = 0; i < 8; ++i) {
    std::uint32_t const t = b.turn(root, {.fresh_input = 100 * (i + 1), .output = 1});
    b.tree.turns[t].tools_offered = i < 4 ? 5 : 20;
  }
  price(b.tree, table());
  Drift const drift = cost_of(b.tree, by_name).drift;
  EXPECT_EQ(drift.requests, 8);
  EXPECT_EQ(drift.early, 150);
  EXPECT_EQ(drift.late, 750);
  ASSERT_EQ(drift.by_tools.size(), 2u);
  EXPECT_EQ(drift.by_tools[0].mean(), 250);
  EXPECT_EQ(drift.by_tools[1].mean(), 650);
  EXPECT_EQ(drift.by_tools[1].list_tokens(), -1) << "nobody said how long the list is";
}

TEST(Cost, OfSeveralRunsRequestsWithListsOfOneLengthAreTakenTogether) {
  auto const run = [](std::int64_t tools, std::int64_t bytes, std::int64_t tokens) {
    Builder b;
    std::uint32_t const t = b.turn(b.frame(), {.fresh_input = tokens, .output = 1});
    b.tree.turns[t].tools_offered = tools;
    b.tree.turns[t].tools_bytes = bytes;
    price(b.tree, table());
    return cost_of(b.tree, by_name);
  };
  Cost sum;
  for (Cost const& one : {run(20, 8000, 5000), run(5, 1000, 101), run(20, 4000, 3000), run(5, -1, 102)}) add(sum, one);
  ASSERT_EQ(sum.drift.by_tools.size(), 2u);
  Drift::List const &few = sum.drift.by_tools[0], &many = sum.drift.by_tools[1];
  EXPECT_EQ(few.tools, 5);
  EXPECT_EQ(few.requests, 2);
  EXPECT_EQ(few.mean(), 101);
  EXPECT_EQ(few.list_tokens(), 250) << "only of the run that says how long it is";
  EXPECT_EQ(many.tools, 20);
  EXPECT_EQ(many.mean(), 4000);
  EXPECT_EQ(many.list_tokens(), 1500);
}

/// Frames, turns and calls at random, also what no provider would say: histories that shrink, no tokens, no price.
CallTree any_tree() {
  Builder b;
  std::vector<std::uint32_t> open{b.frame()};
  int const steps = *rc::gen::inRange(1, 40);
  for (int i = 0; i < steps; ++i) {
    std::uint32_t const frame = open[*rc::gen::inRange<std::size_t>(0, open.size())];
    auto const tokens = [&] {
      return *rc::gen::weightedOneOf<std::int64_t>(
          {{3, rc::gen::inRange<std::int64_t>(0, 5'000)}, {1, rc::gen::just<std::int64_t>(0)}});
    };
    Tokens const t{tokens(), tokens(), tokens(), tokens(), tokens(), 0};
    std::int64_t const nano = *rc::gen::elementOf(std::vector<std::int64_t>{kUnpriced, kUnpriced, 0, 1, 123456789});
    std::uint32_t const turn = b.turn(frame, t, nano, *rc::gen::element<std::string>("m", "m", "unknown"));
    b.tree.turns[turn].copied = *rc::gen::inRange(0, 8) == 0;
    int const calls = *rc::gen::inRange(0, 4);
    for (int c = 0; c < calls; ++c) {
      std::string const arguments = *rc::gen::element<std::string>("{}", R"({"a":1})");
      std::string const result(*rc::gen::inRange<std::size_t>(0, 400), 'r');
      std::uint32_t const call =
          b.call(turn, "t", arguments, result, *rc::gen::element<std::string>("ok", "ok", "error"));
      if (*rc::gen::inRange(0, 4) == 0) open.push_back(b.frame(call));
    }
  }
  find_back_edges(b.tree);
  return std::move(b.tree);
}

TEST(CostProperty, ThePartsOfATreeAddUpToTheWholeToTheNanoDollar) {
  ASSERT_TRUE(rc::check("parts add up", [] {
    CallTree tree = any_tree();
    RC_ASSERT(tree.well_formed());
    Priced const priced = price(tree, table());
    Cost const cost = cost_of(tree, by_name);
    Spend turns, frames, roots, parts = cost.talk;
    std::int64_t paid = 0;
    for (Turn const& turn : tree.turns) {
      add(turns, *turn.own);
      paid += turn.copied ? 0 : 1;
    }
    for (Frame const& frame : tree.frames) {
      add(frames, *frame.own);
      if (frame.by == kNone) add(roots, *frame.inclusive);
    }
    for (Call const& call : tree.calls) {
      RC_ASSERT(call.own->tokens >= 0);
      RC_ASSERT(call.own->nano_usd >= kUnpriced);
      add(parts, *call.own);
    }
    RC_ASSERT(cost.talk.tokens >= 0);
    RC_ASSERT(turns == cost.whole);
    RC_ASSERT(frames == cost.whole);
    RC_ASSERT(roots == cost.whole);
    parts.estimated = cost.whole.estimated;
    if (parts.nano_usd == kUnpriced) RC_ASSERT(cost.whole.nano_usd <= 0);
    RC_ASSERT(parts.tokens == cost.whole.tokens);
    RC_ASSERT(parts.turns == cost.whole.turns);
    RC_ASSERT(parts.unpriced == cost.whole.unpriced);
    RC_ASSERT(std::max<std::int64_t>(parts.nano_usd, 0) == std::max<std::int64_t>(cost.whole.nano_usd, 0));
    RC_ASSERT(priced.recorded + priced.listed + priced.unpriced() == paid);
    RC_ASSERT(cost.vain[0].spend.nano_usd <= cost.whole.nano_usd);
    RC_ASSERT(cost.vain[0].spend.tokens <= cost.whole.tokens);
    Spend vain;
    for (std::size_t i = 1; i < 5; ++i) add(vain, cost.vain[i].spend);
    RC_ASSERT(vain == cost.vain[0].spend);
  }));
}

}  // namespace
}  // namespace backedge::graph
