// The graph of a run: frames, calls, verdicts, and edges with the back edge marked.
#include <gtest/gtest.h>

#include "backedge/run.h"
#include "base/json.h"

namespace backedge {
namespace {

TEST(Graph, ABackEdgeLeadsToTheFrameThatWouldBeReentered) {
  Micros const now{0};
  backedge::Run run = *backedge::Run::open(Policy::defaults());
  Entered const first = *run.enter(run.root(), Call{"ask_agent", R"({"agent": "a"})"}, now);
  FrameId const a = *run.open_frame(first.call, "a", std::nullopt, now);
  Entered const second = *run.enter(a, Call{"ask_agent", R"({"agent": "b"})"}, now);
  FrameId const b = *run.open_frame(second.call, "b", std::nullopt, now);
  (void)run.enter(b, Call{"ask_agent", R"({"agent": "a", "q": 2})"}, now);

  boost::json::object const graph = parse_json(run.graph_json())->as_object();
  EXPECT_EQ(graph.at("frames").as_array().size(), 3U);
  EXPECT_EQ(graph.at("calls").as_array().size(), 3U);
  boost::json::array const expected = {
      boost::json::object{{"kind", "tree"}, {"from", 1}, {"to", 2}, {"call", 1}},
      boost::json::object{{"kind", "tree"}, {"from", 2}, {"to", 3}, {"call", 2}},
      boost::json::object{{"kind", "back"}, {"from", 3}, {"to", 2}, {"call", 3}},
  };
  EXPECT_EQ(graph.at("edges").as_array(), expected);
}

TEST(Graph, ARunWithoutAGraphKeepsNoCalls) {
  backedge::Run run = *backedge::Run::open(Policy::defaults(), {.graph = false});
  (void)run.enter(run.root(), Call{"a", "{}"}, Micros{0});
  EXPECT_EQ(parse_json(run.graph_json())->as_object().at("calls").as_array().size(), 0U);
}

}  // namespace
}  // namespace backedge
