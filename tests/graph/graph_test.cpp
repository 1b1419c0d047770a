// The folded graph: nodes, edges, counts and shares on the shapes of well-known incidents.
#include "graph/graph.h"

#include <algorithm>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "graph/shares.h"
#include "graph/support.h"

namespace backedge::graph {
namespace {

using testing::Grow;

/// "back shipment>order 2 refused 2"
std::vector<std::string> lines(Graph const& graph) {
  std::vector<std::string> out;
  for (Edge const& e : graph.edges) {
    out.push_back(std::string(edge_text(e.kind)) + " " + graph.nodes[e.from].label + ">" + graph.nodes[e.to].label +
                  " " + std::to_string(e.count) + (e.refused > 0 ? " refused " + std::to_string(e.refused) : ""));
  }
  return out;
}

std::vector<std::string> labels(Graph const& graph) {
  std::vector<std::string> out;
  for (Node const& n : graph.nodes) out.push_back(n.label);
  return out;
}

using Lines = std::vector<std::string>;

TEST(Graph, TwoAgentsThatAskEachOtherAreTwoNodesWithEdgesBothWays) {
  Graph const graph = make_graph(testing::ping_pong(3));
  EXPECT_EQ(labels(graph), (Lines{"main", "order", "shipment"}));
  EXPECT_EQ(lines(graph), (Lines{"tree main>order 1", "tree order>shipment 1", "back shipment>order 3 refused 3"}));
  Edge const& back = graph.edges.back();
  EXPECT_EQ(back.force, Force::kRefused);
  EXPECT_EQ(back.spend.tokens, 300);
  EXPECT_EQ(back.reasons, (std::map<std::string, std::int64_t>{{"reentry.cycle", 3}}));
  EXPECT_EQ(graph.nodes[1].count, 1);
  EXPECT_EQ(graph.nodes[1].refused, 3);
  EXPECT_EQ(graph.nodes[0].inclusive.tokens, 500);
  EXPECT_EQ(graph.nodes[2].own.tokens, 300);
}

TEST(Graph, AnAllowedReentryThroughAnotherAgentFoldsOntoTheSameNodes) {
  Grow g;
  std::uint32_t const main = g.frame("");
  std::uint32_t above = main;
  for (int i = 0; i < 3; ++i) {
    g.turn(above, 10);
    std::uint32_t const order = g.frame("order", g.call(above, "order"));
    g.turn(order, 10);
    above = g.frame("shipment", g.call(order, "shipment"));
  }
  find_back_edges(g.tree);
  Graph const graph = make_graph(g.tree);
  EXPECT_EQ(labels(graph), (Lines{"main", "order", "shipment"}));
  EXPECT_EQ(lines(graph),
            (Lines{"tree main>order 1", "tree order>shipment 1", "back order>shipment 2", "back shipment>order 2"}));
  EXPECT_EQ(graph.nodes[1].count, 3);
  // Each turn counts once, however often its agent stands on the path.
  EXPECT_EQ(graph.nodes[1].inclusive.tokens, 50);
  for (Edge const& e : graph.edges)
    EXPECT_LE(e.spend.tokens, graph.nodes[0].inclusive.tokens) << "what lies below itself is counted once";
}

TEST(Graph, AFunctionThatCallsItselfHasALoop) {
  Grow g;
  std::uint32_t const main = g.frame("");
  std::uint32_t fib = g.frame("fib", g.call(main, "fib"));
  for (int i = 0; i < 4; ++i) fib = g.frame("fib", g.call(fib, "fib", "{\"n\":" + std::to_string(i) + "}"));
  find_back_edges(g.tree);
  EXPECT_EQ(lines(make_graph(g.tree)), (Lines{"tree main>fib 1", "self fib>fib 4"}));
}

TEST(Graph, ACycleOfToolsShowsItsStepsAndWhatGoesBack) {
  Grow g;
  std::uint32_t const main = g.frame("");
  for (int i = 0; i < 2; ++i) {
    g.turn(main, 10);
    g.call(main, "search");
    g.turn(main, 10);
    g.call(main, "open");
  }
  g.turn(main, 10);
  g.refused(main, "search", "repeat.cycle", 2);
  find_back_edges(g.tree);
  Graph const graph = make_graph(g.tree);
  EXPECT_EQ(lines(graph), (Lines{"tree main>search 3 refused 1", "tree main>open 2", "next search>open 1",
                                 "back search>open 1", "back open>search 2 refused 1"}));
}

TEST(Graph, TheSameCallAgainAndAgainIsALoopOfThatWeight) {
  Grow g;
  std::uint32_t const main = g.frame("");
  for (int i = 0; i < 5; ++i) {
    g.turn(main, 100, 7);
    g.call(main, "read");
  }
  find_back_edges(g.tree);
  Graph const graph = make_graph(g.tree);
  EXPECT_EQ(lines(graph), (Lines{"tree main>read 5", "self read>read 4"}));
  EXPECT_EQ(graph.edges[1].spend.tokens, 400);
  EXPECT_EQ(graph.edges[1].spend.nano_usd, 28);
}

TEST(Graph, EqualCallsOfOneRoundAreALoopNotAStep) {
  Grow g;
  std::uint32_t const main = g.frame("");
  g.turn(main, 10);
  g.call(main, "look");
  g.turn(main, 10);
  g.call(main, "read");
  g.call(main, "read");
  find_back_edges(g.tree);
  EXPECT_EQ(lines(make_graph(g.tree)), (Lines{"tree main>look 1", "tree main>read 2", "self read>read 1"}));
}

TEST(Graph, OneToolInTwoAgentsIsTwoNodes) {
  Grow g;
  std::uint32_t const main = g.frame("");
  g.call(main, "read");
  std::uint32_t const worker = g.frame("worker", g.call(main, "task"));
  g.call(worker, "read");
  find_back_edges(g.tree);
  Graph const graph = make_graph(g.tree);
  EXPECT_EQ(labels(graph), (Lines{"main", "read", "worker", "read"}));
  EXPECT_EQ(graph.nodes[2].by, "task");
  EXPECT_EQ(graph.nodes[3].parent, 2U);
}

TEST(Graph, SeveralRootsAndNothingAtAllAreFine) {
  EXPECT_TRUE(make_graph(CallTree()).nodes.empty());
  Grow g;
  g.frame("");
  g.frame("compaction");
  EXPECT_EQ(labels(make_graph(g.tree)), (Lines{"main", "compaction"}));
}

TEST(Shares, PartsAddUpToTheTurnAndPricesThatAreThereWin) {
  Grow g;
  std::uint32_t const main = g.frame("");
  g.turn(main, 100, 10);
  for (int i = 0; i < 3; ++i) g.call(main, "t" + std::to_string(i));
  Shares shares = shares_of(g.tree);
  EXPECT_EQ(shares.call_own[0].tokens, 34);
  EXPECT_EQ(shares.call_own[1].tokens + shares.call_own[2].tokens, 66);
  EXPECT_EQ(shares.call_own[0].nano_usd + shares.call_own[1].nano_usd + shares.call_own[2].nano_usd, 10);
  EXPECT_EQ(shares.frame_inclusive[0].tokens, 100);
  g.tree.calls[0].own = Spend{1, 5, 6, 0, false};
  shares = shares_of(g.tree);
  EXPECT_EQ(shares.call_own[0], (Spend{1, 5, 6, 0, false}));
}

TEST(Shares, WhatIsNotPricedStaysOutOfASumAndIsCounted) {
  Grow g;
  std::uint32_t const main = g.frame("");
  g.turn(main, 10);
  g.turn(main, 10, 3);
  EXPECT_EQ(shares_of(g.tree).frame_own[0], (Spend{2, 20, 3, 1, false}));
}

TEST(Shares, ACopiedTurnWasPaidForElsewhere) {
  Grow g;
  std::uint32_t const main = g.frame("");
  g.tree.turns[g.turn(main, 10, 3)].copied = true;
  EXPECT_EQ(shares_of(g.tree).frame_own[0], Spend());
}

/// A run that calls and opens at random.
CallTree any_tree() {
  Grow g;
  g.frame("a");
  auto const steps = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 1000));
  for (int const step : steps) {
    auto const frame = static_cast<std::uint32_t>(step) % static_cast<std::uint32_t>(g.tree.frames.size());
    if (step % 3 == 0) g.turn(frame, step);
    std::string const tool(1, static_cast<char>('a' + step % 4));
    std::uint32_t const call = g.call(frame, tool, "{\"x\":" + std::to_string(step % 2) + "}");
    if (step % 5 == 0) g.frame(tool, call);
    if (step % 7 == 0) {
      g.tree.calls[call].verdict.word = "block";
      g.tree.calls[call].verdict.code = step % 2 == 0 ? "reentry.cycle" : "repeat.exact";
    }
  }
  find_back_edges(g.tree);
  return g.tree;
}

TEST(Graph, EveryCallAndFrameHasItsPlaceAndNothingIsCountedTwice) {
  EXPECT_TRUE(rc::check([] {
    CallTree const tree = any_tree();
    RC_ASSERT(tree.well_formed());
    Graph const graph = make_graph(tree);
    std::size_t calls = 0;
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
      Node const& n = graph.nodes[i];
      calls += n.calls.size();
      RC_ASSERT(n.parent == kNone || n.parent < i);
    }
    RC_ASSERT(calls == tree.calls.size());
    std::int64_t back = 0;
    for (Edge const& e : graph.edges) {
      RC_ASSERT(e.from < graph.nodes.size() && e.to < graph.nodes.size());
      RC_ASSERT((e.kind == EdgeKind::kSelf) == (e.from == e.to));
      if (e.kind == EdgeKind::kBack || e.kind == EdgeKind::kSelf) back += e.count;
    }
    RC_ASSERT(back == static_cast<std::int64_t>(tree.back_edges.size()));
    std::int64_t tokens = 0;
    for (Turn const& t : tree.turns) tokens += t.tokens.total();
    std::int64_t of_frames = 0;
    for (Spend const& s : shares_of(tree).frame_own) of_frames += s.tokens;
    RC_ASSERT(of_frames == tokens);
  }));
}

/// The last call of the round before, by going back over the calls one by one.
std::uint32_t call_before(CallTree const& tree, std::uint32_t index) {
  Call const& call = tree.calls[index];
  std::vector<std::uint32_t> const& all = tree.frames[call.frame].calls;
  auto at = std::find(all.begin(), all.end(), index);
  while (at != all.begin() && call.turn != kNone && tree.calls[*(at - 1)].turn == call.turn) --at;
  return at == all.begin() ? kNone : *(at - 1);
}

TEST(Graph, ARepeatComesFromTheLastCallOfTheRoundBeforeHoweverLongItsRoundIs) {
  EXPECT_TRUE(rc::check([] {
    CallTree const tree = any_tree();
    Graph const graph = make_graph(tree);
    for (BackEdge const& back : tree.back_edges) {
      if (back.to_call == kNone || back.kind != Back::kRepeat) continue;
      Call const &call = tree.calls[back.from], &earlier = tree.calls[back.to_call];
      if (call.frame != earlier.frame) continue;
      bool const one_round = call.turn != kNone && call.turn == earlier.turn;
      std::uint32_t const previous = one_round ? back.to_call : call_before(tree, back.from);
      std::uint32_t const from = previous == kNone ? graph.node_of_frame[call.frame] : graph.node_of_call[previous];
      RC_ASSERT(std::any_of(graph.edges.begin(), graph.edges.end(), [&](Edge const& e) {
        return e.from == from && e.to == graph.node_of_call[back.to_call] &&
               std::count(e.calls.begin(), e.calls.end(), back.from) == 1;
      }));
    }
  }));
}

}  // namespace
}  // namespace backedge::graph
