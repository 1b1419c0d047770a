// A call tree and its graph as one JSON object, the form that the page and other programs read: docs/graph.md.
//
// Members that are empty, unknown or none are left out; things refer to each other by their place in the lists, from 0.
// Tested in tests/graph/json_test.cpp.
#pragma once

#include <cstddef>
#include <string>

#include "graph/call_tree.h"
#include "graph/graph.h"

namespace backedge::graph {

/// Version of the form, member "v".
inline constexpr int kJsonVersion = 1;

struct JsonOptions {
  std::size_t text_bytes = 0;  // longer texts keep their beginning and end, this much in all; 0: whole
};

/// UTF-8, whatever bytes the texts hold: what is no UTF-8 becomes U+FFFD. Linear.
std::string to_json(CallTree const& tree, Graph const& graph, JsonOptions options = {});

/// Every text of the tree, names of tools, agents and models included, through `clean`, which gives nothing for a text
/// that may stay: for secrets.
template <class Clean>
void clean_texts(CallTree& tree, Clean const& clean) {
  auto const one = [&](std::string& text) {
    if (auto cleaned = clean(text)) text = *std::move(cleaned);
  };
  for (std::string* text : {&tree.run, &tree.title, &tree.reason, &tree.answer, &tree.model}) one(*text);
  for (std::string& note : tree.notes) one(note);
  for (Frame& frame : tree.frames) {
    one(frame.agent);
    one(frame.model);
  }
  for (Turn& turn : tree.turns) {
    one(turn.model);
    one(turn.stop_reason);
    one(turn.text);
    one(turn.verdict.text);
  }
  for (Call& call : tree.calls) {
    one(call.name);
    one(call.tool);
    one(call.arguments.text);
    one(call.result.text);
    one(call.verdict.text);
  }
}

}  // namespace backedge::graph
