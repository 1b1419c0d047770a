// What recorded sessions cost: against what was recorded, against usage that is known, and in lines that fit.
#include "inspect/cost.h"

#include <cmath>

#include <gtest/gtest.h>

#include "inspect/call_tree.h"
#include "inspect/read.h"
#include "inspect/report.h"
#include "inspect/support.h"

namespace backedge::inspect {
namespace {

prices::Table const& table() {
  static prices::Table const out = prices::Table::builtin();
  return out;
}

std::vector<Trace> traces_under(std::string const& place) {
  std::vector<Trace> out;
  std::vector<std::string> const paths{(testing::traces_folder() / place).string()};
  read_paths(paths, [&](Trace&& trace) { out.push_back(std::move(trace)); });
  return out;
}

TEST(TraceCost, TheTablesPriceOfEveryTurnIsTheOneThatPiRecordedWithinAMillionth) {
  int turns = 0;
  for (Trace const& trace : traces_under("pi")) {
    for (ModelMessage const& message : trace.models) {
      if (!message.usage || message.cost_nano <= 0) continue;
      Usage const& u = *message.usage;
      std::optional<std::int64_t> const ours =
          table().price(table().find(message.model), message.at_ms,
                        {u.fresh_input, u.cache_read, u.cache_write_5m, u.cache_write_1h, u.output, 0});
      ASSERT_TRUE(ours) << message.model;
      EXPECT_NEAR(static_cast<double>(*ours), static_cast<double>(message.cost_nano),
                  1 + static_cast<double>(message.cost_nano) * 1e-6)
          << message.model << " line " << message.line;
      ++turns;
    }
  }
  EXPECT_GT(turns, 50);
}

TEST(TraceCost, OfRealSessionsThePartsAddUpToTheWhole) {
  Policy const policy = *watching(Policy::defaults());
  int traces = 0;
  for (char const* const place : {"claude-code", "pi"}) {
    for (Trace const& trace : traces_under(place)) {
      CountingTree counted = counting_tree(trace, replay(trace, policy));
      graph::price(counted.tree, table());
      graph::Cost const cost = graph::cost_of(counted.tree, graph::changes_by_name());
      std::int64_t tokens = cost.talk.tokens, nano = std::max<std::int64_t>(cost.talk.nano_usd, 0);
      for (graph::Call const& call : counted.tree.calls) {
        tokens += call.own->tokens;
        nano += std::max<std::int64_t>(call.own->nano_usd, 0);
      }
      EXPECT_EQ(tokens, cost.whole.tokens) << trace.path;
      EXPECT_EQ(nano, std::max<std::int64_t>(cost.whole.nano_usd, 0)) << trace.path;
      EXPECT_EQ(cost.whole.tokens, count(trace, Extent::kNew).usage.total()) << trace.path;
      EXPECT_EQ(cost.whole.unpriced, 0) << trace.path;
      ++traces;
    }
  }
  EXPECT_GT(traces, 5);
}

TEST(TraceCost, LinesFitIntoEightyColumnsAndNameTheDayOfThePrices) {
  Policy const policy = *watching(Policy::defaults());
  bool named = false;
  for (Trace const& trace : traces_under("claude-code")) {
    TraceCost const cost = cost_of(trace, replay(trace, policy), table());
    for (std::string const& line : cost_lines(cost, table().name())) {
      EXPECT_LE(line.size(), 77u) << line;
      named = named || line.find("genai-prices 0.1.8 of 2026-09-23") != std::string::npos;
    }
  }
  EXPECT_TRUE(named);
}

TEST(TraceCost, WhatNobodyPricedIsSaidToBeSo) {
  TraceCost cost;
  cost.cost.whole = {12, 1'000, 5'000'000, 3, false};
  cost.priced.listed = 9;
  cost.priced.unknown["my-model"] = 3;
  EXPECT_EQ(cost_lines(cost, "prices of 2026-01-01"),
            (std::vector<std::string>{"cost: $0.0050, 9 turns by prices of 2026-01-01, 3 of 12 turns unpriced",
                                      "      prices of 2026-01-01 knows no price of \"my-model\""}));
  EXPECT_EQ(spend_money({1, 1, 20, 0, false}), "under $0.0001");
  EXPECT_EQ(spend_money({1, 1, graph::kUnpriced, 1, false}), "unpriced");
  EXPECT_TRUE(cost_lines({}, "x").empty());
}

TEST(TraceCost, SaysHowLargeRequestsAreWithSoManyTools) {
  TraceCost cost;
  cost.cost.whole = {12, 1'000, 5'000'000, 0, false};
  cost.priced.recorded = 12;
  cost.cost.drift.by_tools = {{1, 2, 500, 0, 0}, {40, 10, 170'000, 5, 140'000}};
  EXPECT_EQ(cost_lines(cost, "x"),
            (std::vector<std::string>{"cost: $0.0050, 12 turns as recorded", "      a request: 250 tokens with 1 tool,",
                                      "      17.0k tokens with 40 tools (their list about 7000)"}));
  cost = {};
  cost.cost.drift.by_tools = {{3, 1, 900, 1, 800}};
  EXPECT_EQ(
      cost_lines(cost, "x"),
      (std::vector<std::string>{"cost: not known", "      a request: 900 tokens with 3 tools (their list about 200)"}));
  cost.cost.drift.by_tools.clear();
  for (std::int64_t tools = 1; tools <= 20; ++tools) cost.cost.drift.by_tools.push_back({tools, 1, 99'900, 1, 39'960});
  std::vector<std::string> const many = cost_lines(cost, "x");
  for (std::string const& line : many) EXPECT_LE(line.size(), 77U) << line;
  EXPECT_TRUE(many.back().ends_with("and 14 other lengths of the list")) << many.back();
}

TEST(TraceCost, ARequestBodyThatCarriesItsToolsTellsTheirNumberAndWhatTheyTake) {
  std::string const list =
      R"([{"type":"function","function":{"name":"f","parameters":{"type":"object"}}},{"name":"g"}])";
  std::string const messages =
      R"("messages":[{"role":"user","content":"do it"},)" + testing::openai_call("a", "f", "{}", "1") + "]";
  Trace const with = testing::trace_of(R"({"model":"m","tools":)" + list + "," + messages + "}");
  ASSERT_EQ(with.calls.size(), 1U);
  EXPECT_EQ(with.tools_offered, 2);
  EXPECT_EQ(with.tools_chars, std::ssize(list));
  Trace const without = testing::trace_of("{" + messages + "}");
  EXPECT_EQ(without.tools_offered, -1);

  Policy const policy = *watching(Policy::defaults());
  graph::Drift const drift = cost_of(with, replay(with, policy), table()).cost.drift;
  ASSERT_EQ(drift.by_tools.size(), 1U);
  EXPECT_EQ(drift.by_tools[0].tools, 2);
  EXPECT_EQ(drift.by_tools[0].list_tokens(), std::ssize(list) / 4);
  EXPECT_TRUE(cost_of(without, replay(without, policy), table()).cost.drift.by_tools.empty());
  // Where tokens are estimated, the list is a part of every request.
  EXPECT_EQ(quarter_tokens(with)[0] - quarter_tokens(without)[0], std::ssize(list));
}

}  // namespace
}  // namespace backedge::inspect
