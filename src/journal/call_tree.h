// A run of the journal as a call tree (graph/call_tree.h): the same value that recorded traces are made into.
//
// Secrets were taken out when the journal was written. Of a run that has not ended, what is open is said to be open.
// Budgets are those of the effective policy, and what was spent of them. Tested in tests/journal/call_tree_test.cpp.
#pragma once

#include "graph/call_tree.h"
#include "journal/journal.h"
#include "journal/story.h"

namespace backedge::journal {

/// Back edges are found; prices are left to graph::price(). Linear in the story and its texts.
graph::CallTree call_tree(RunInfo const& run, Story const& story);

}  // namespace backedge::journal
