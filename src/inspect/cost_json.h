// Costs as JSON: money in USD and in nano-USD, null where it is not known. Tested in tests/inspect/report_test.cpp.
#pragma once

#include <string_view>

#include <boost/json/object.hpp>

#include "graph/call_tree.h"
#include "inspect/cost.h"

namespace backedge::inspect {

boost::json::object spend_json(graph::Spend const& spend);

/// `prices`: the name of the table. `drift`: also what only one trace has, dearest calls, and early and late requests.
boost::json::object cost_json(TraceCost const& cost, std::string_view prices, bool drift);

}  // namespace backedge::inspect
