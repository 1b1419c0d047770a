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
  std::uint32_t call = 0;  // in Trace::calls
  std::string tool;
  graph::Spend spend;  // with all that it started
  bool started_agent = false;
};

struct TraceCost {
  graph::Priced priced;
  graph::Cost cost;  // `dearest` is empty: the tree is gone
  std::vector<DearCall> dearest;
};

/// Linear in the trace and its texts.
TraceCost cost_of(Trace const& trace, Replay const& replay, prices::Table const& table);

/// Adds what can be added: neither dearest calls nor drift.
void add(TraceCost& sum, TraceCost const& more);

/// For people: lines of at most 80 characters with the two that they are indented by. Nothing when no provider reported
/// tokens and no money is recorded. `table`: the name of the prices.
std::vector<std::string> cost_lines(TraceCost const& cost, std::string_view table);

}  // namespace backedge::inspect
