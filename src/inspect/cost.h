// What a recorded session cost and where the money went, in numbers and places: graph/cost.h over its call tree.
//
// Tested in tests/inspect/cost_test.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "graph/cost.h"
#include "inspect/replay.h"
#include "inspect/trace.h"
#include "prices/table.h"

namespace backedge::inspect {

/// A call that cost much.
struct DearCall {
  std::int64_t call = 0;  // its number, from 1: in the trace, or in the run
  std::string tool;
  graph::Spend spend;  // with all that it started
  bool started_agent = false;
};

struct TraceCost {
  graph::Priced priced;
  graph::Cost cost;  // `dearest` is empty: the tree is gone
  std::vector<DearCall> dearest;
};

/// Prices the tree and counts. Dearest calls go by their ids.
TraceCost cost_of(graph::CallTree& tree, graph::Changes const& changes, prices::Table const& table);
/// The same of a trace. Linear in it and its texts.
TraceCost cost_of(Trace const& trace, Replay const& replay, prices::Table const& table);

/// Adds what can be added: neither dearest calls nor early and late requests.
void add(TraceCost& sum, TraceCost const& more);

/// "$1.2345", "under $0.0001", "unpriced".
std::string spend_money(graph::Spend const& spend);

/// For people: lines of at most 80 characters with the three that they may be indented by. Nothing when it cost
/// nothing, or when no provider reported tokens and no money is recorded. `table`: the name of the prices.
std::vector<std::string> cost_lines(TraceCost const& cost, std::string_view table);

}  // namespace backedge::inspect
