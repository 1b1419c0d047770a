// The call tree of recorded sessions: real ones whole, and what the replay found in written ones.
#include "inspect/call_tree.h"

#include <gtest/gtest.h>

#include "graph/graph.h"
#include "inspect/support.h"

namespace backedge::inspect {
namespace {

using testing::trace_of;
using testing::traces_folder;
using testing::traces_under;

graph::CallTree tree_of(Trace const& trace) {
  Result<Policy> const policy = watching(Policy::defaults());
  EXPECT_TRUE(policy.ok());
  return call_tree(trace, replay(trace, *policy, Keep::kAll), journal::Redactor("key"));
}

/// The same call, four times with the same answer.
std::string repeats() {
  std::string out = R"([{"role":"user","content":"<note>Look</note> at  it"})";
  for (int i = 0; i < 4; ++i) {
    std::string const id = "c" + std::to_string(i);
    out +=
        R"(,{"role":"assistant","content":null,"tool_calls":[{"id":")" + id +
        R"(","type":"function","function":{"name":"get","arguments":"{\"api_key\":\"sk-proj-abcdefghijklmnop1234\"}"}}]})";
    out += R"(,{"role":"tool","tool_call_id":")" + id + R"(","content":"password=hunter2hunter2"})";
  }
  return out + "]";
}

TEST(TraceCallTree, EveryRecordedSessionIsWellFormedAndWhole) {
  std::vector<Trace> const traces = traces_under(traces_folder().string());
  ASSERT_GT(traces.size(), 50U);
  std::size_t frames_below = 0;
  for (Trace const& trace : traces) {
    graph::CallTree const tree = tree_of(trace);
    ASSERT_TRUE(tree.well_formed()) << trace.path;
    std::size_t spoken = 0;
    for (Thread const& t : trace.threads)
      spoken += static_cast<std::size_t>(
          std::count_if(t.steps.begin(), t.steps.end(), [](Step const& s) { return s.kind == Step::Kind::kModel; }));
    EXPECT_EQ(tree.turns.size(), spoken) << trace.path;
    EXPECT_EQ(tree.calls.size(), trace.calls.size()) << trace.path;
    std::int64_t const known = count(trace).usage.total();
    std::int64_t tokens = 0;
    for (graph::Turn const& t : tree.turns) tokens += t.basis == graph::Basis::kReported ? t.tokens.total() : 0;
    EXPECT_EQ(tokens, known) << trace.path;
    for (graph::Frame const& f : tree.frames) frames_below += f.depth > 0 ? 1 : 0;
    graph::make_graph(tree);
  }
  EXPECT_GE(frames_below, 7U);  // the subagents of spotter, codemie-sub and viewer
}

TEST(TraceCallTree, FindingsAreVerdictsThatWereOnlyObserved) {
  graph::CallTree const tree = tree_of(trace_of(repeats()));
  ASSERT_EQ(tree.calls.size(), 4U);
  EXPECT_EQ(tree.title, "Look at it");
  graph::Verdict const& v = tree.calls[2].verdict;
  EXPECT_EQ(v.code, "repeat.exact");
  EXPECT_TRUE(v.observed);
  EXPECT_TRUE(v.refuses());
  EXPECT_FALSE(v.refused());
  EXPECT_EQ(v.earlier, 1U);
  EXPECT_EQ(v.count, 3);
  EXPECT_EQ(v.limit, 3);
  EXPECT_FALSE(tree.calls[3].verdict.text.empty());  // of each finding, not only of the first
  ASSERT_EQ(tree.back_edges.size(), 3U);
  EXPECT_EQ(tree.back_edges[0].force, graph::Force::kSeen);
  EXPECT_EQ(tree.back_edges[1].force, graph::Force::kObserved);
}

TEST(TraceCallTree, TokensThatNobodyReportedAreEstimatedAndSaidToBe) {
  graph::CallTree const tree = tree_of(trace_of(repeats()));
  EXPECT_EQ(tree.turns[0].basis, graph::Basis::kEstimated);
  EXPECT_GT(tree.turns[3].tokens.total(), tree.turns[0].tokens.total());
  EXPECT_EQ(tree.notes.size(), 1U);
}

TEST(TraceCallTree, SecretsAreTakenOutOfEveryText) {
  graph::CallTree const tree = tree_of(trace_of(repeats()));
  for (graph::Call const& c : tree.calls) {
    EXPECT_EQ(c.arguments.text.find("abcdefghijklmnop"), std::string::npos);
    EXPECT_EQ(c.result.text.find("hunter2"), std::string::npos);
    EXPECT_NE(c.result.text.find("[secret:"), std::string::npos);
  }
}

TEST(TraceCallTree, AnEmptyTraceIsAnEmptyTree) { EXPECT_TRUE(tree_of(Trace()).frames.empty()); }

}  // namespace
}  // namespace backedge::inspect
