// A recorded session as a call tree (graph/call_tree.h): the same value that the journal's runs are made into.
//
// Threads are frames, model messages are turns. Every verdict is one that the replay only observed: the calls ran. A
// subagent whose starting call is not recorded is a root, and so is a compaction that was recorded by itself. Tokens
// are those of the provider, or estimates as counts.h makes them. Secrets are taken out of every text. Tested in
// tests/inspect/call_tree_test.cpp.
#pragma once

#include "graph/call_tree.h"
#include "inspect/replay.h"
#include "inspect/trace.h"
#include "journal/redact.h"

namespace backedge::inspect {

/// `replay`: of this trace, with Keep::kAll. Back edges are found; prices are left to graph::price(). Linear.
graph::CallTree call_tree(Trace const& trace, Replay const& replay, journal::Redactor const& redactor);

/// The same for counting: texts are as they were recorded, secrets and all, and are not to be shown.
struct CountingTree {
  graph::CallTree tree;
  std::vector<std::uint32_t> calls;  // in Trace::calls, by call of the tree
};
CountingTree counting_tree(Trace const& trace, Replay const& replay);

}  // namespace backedge::inspect
