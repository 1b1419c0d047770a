// The graph of a run: equal places of the call tree drawn as one node, and what leads from one to the other.
//
// A place is a path of frame names and a tool. The path is folded: a name that stands on it already ends it there, so
// an agent that calls itself through others is one node, and the graph is finite however deep the run went. A call that
// opened frames is drawn as those agents; a call that went back to a frame on its path, run or refused, is drawn as an
// edge to that frame's node and has none of its own; every other call is at its tool's node below the caller's.
//
//   main > order > shipment > order (refused)   nodes main, order, shipment; tree main→order→shipment;
//                                               back shipment→order, refused 1
//   in one frame a b a b a (repeat.cycle)       nodes a, b; next a→b; back b→a, for the calls that repeat
//   in one frame a a a (repeat.exact)           node a; self a→a
//
// Edges: `tree` from a caller to what it called. `next` from the call before to this one, within a frame (the calls of
// one round all follow the last call of the round before); kept only where a repeat that a rule spoke about went
// through it. `back` from where the run stood to where it went back: of a repeat from the call before it, of a re-entry
// or recursion from the caller. `self` is a back edge that ends where it begins. Each has counts and its share of
// tokens and money. Pure. Tested in tests/graph/graph_test.cpp on recorded incidents.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "graph/call_tree.h"

namespace backedge::graph {

enum class NodeKind : std::uint8_t { kAgent, kTool };

struct Node {
  NodeKind kind = NodeKind::kTool;
  std::uint32_t parent = kNone;  // node of the calling agent
  std::string label;             // the agent's or the tool's name
  std::string by;                // of an agent: the tool that opened it; empty: a root, or named like the agent
  std::int32_t depth = 0;
  std::int64_t count = 0;    // calls of a tool, activations of an agent
  std::int64_t refused = 0;  // of those calls
  std::int64_t warned = 0;
  std::int64_t errors = 0;
  Spend own;                          // of a tool: the calls' shares of their turns; of an agent: its turns
  Spend inclusive;                    // and everything below, each turn once
  std::vector<std::uint32_t> calls;   // of a tool: its calls; of an agent: the calls that opened it or went back to it
  std::vector<std::uint32_t> frames;  // of an agent
};

enum class EdgeKind : std::uint8_t { kTree, kNext, kBack, kSelf };

struct Edge {
  EdgeKind kind = EdgeKind::kTree;
  std::uint32_t from = kNone;
  std::uint32_t to = kNone;
  std::int64_t count = 0;
  std::int64_t refused = 0;                     // of them, enforced or only observed
  Force force = Force::kSeen;                   // of back and self: the strongest
  std::map<std::string, std::int64_t> reasons;  // by code, or by back_text() where no rule spoke
  Spend spend;                                  // of the calls that it stands for, with everything below them
  std::vector<std::uint32_t> calls;             // that it stands for
};

struct Graph {
  std::vector<Node> nodes;  // a parent before its children, in the order of first appearance
  std::vector<Edge> edges;  // tree, next, back, self; each by from and to
  std::vector<std::uint32_t> node_of_frame;
  std::vector<std::uint32_t> node_of_call;  // for a call that went up: the node it went back to
};

/// Precondition: tree.well_formed(), and find_back_edges() was called. Where the tree has no `own` and `inclusive`, a
/// call's spend is its equal share of its turn. Cost: linear in frames, calls and edges.
Graph make_graph(CallTree const& tree);

std::string_view edge_text(EdgeKind kind);  // "tree", "next", "back", "self"

}  // namespace backedge::graph
