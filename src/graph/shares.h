// What each call and frame took, where nobody has priced the tree: a call's equal share of its turn's tokens and money.
//
// The rest of a division goes to the first calls of the turn, so that shares add up to the turn. Tested in
// tests/graph/graph_test.cpp.
#pragma once

#include <vector>

#include "graph/call_tree.h"

namespace backedge::graph {

/// Adds; what is unpriced stays out of the sum and is counted.
void add(Spend& sum, Spend const& more);

/// The `index`th of so many equal parts; the rest of a division goes to the first.
Spend equal_share(Spend const& whole, std::size_t parts, std::size_t index);

struct Shares {
  std::vector<Spend> call_own, call_inclusive;
  std::vector<Spend> frame_own, frame_inclusive;
};

/// tree's own and inclusive spends where they are there, else the shares. Linear.
Shares shares_of(CallTree const& tree);

}  // namespace backedge::graph
