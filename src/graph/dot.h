// A graph in the language of Graphviz: `dot -Tsvg` draws it without a browser.
//
// Left to right; agents are dark boxes, tools light ones; edges that go back are red when something was or would have
// been refused, amber when it was noted, grey when no rule spoke, with what, how often and at which price. Tested in
// tests/graph/json_test.cpp.
#pragma once

#include <string>

#include "graph/call_tree.h"
#include "graph/graph.h"

namespace backedge::graph {

/// Bytes that are no UTF-8, and control characters, are escaped. Linear.
std::string to_dot(CallTree const& tree, Graph const& graph);

/// "12.3k tokens", "$0.0421", both or neither: what a label says of a spend. "~" before tokens that are estimated.
std::string spend_text(Spend const& spend);

}  // namespace backedge::graph
