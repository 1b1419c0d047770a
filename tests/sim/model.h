// A model that behaves as models do: it works, loops, hands back, mumbles, is cut off, disobeys and fails.
// Also what tools answer. Chance comes from the simulation. Part of tests/sim/seeds_test.cpp.
#pragma once

#include <string>
#include <string_view>

#include "sim/random.h"
#include "sim/world.h"

namespace backedge::sim {

Result<Reply> model_answer(World const& world, Request const& request, Random& random);

/// `nth`: how many tools have answered so far.
ToolResult tool_answer(World const& world, std::string_view tool, std::string_view arguments, std::int64_t nth,
                       Random& random);

}  // namespace backedge::sim
