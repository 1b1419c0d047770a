// A recorded history under its own policy: nothing differs, whatever rules, stages and callbacks had a hand in it.
//
// Worlds without hooks and crashes: what a hook said is not in the record, and of a call that had started when a
// process ended the record tells that nobody knows.

#include "agent/rejudge.h"

#include <gtest/gtest.h>

#include "embed/policy_state.h"
#include "sim/simulation.h"

namespace backedge {
namespace {

constexpr std::uint64_t kSeeds = 600;

TEST(Rejudge, AHistoryUnderItsOwnPolicyIsWhatItWas) {
  int judged = 0;
  int routed = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    sim::World const world = sim::make_world(seed);
    if (world.hooks || !world.crashes.empty()) continue;
    sim::Simulation simulation(seed);
    ASSERT_EQ(simulation.run(), "") << seed;
    std::vector<std::span<talk::Event const>> runs = simulation.record();
    if (runs.empty()) continue;
    Result<agent::Rejudged> const same = agent::rejudge(runs, simulation.policy(), nullptr);
    ASSERT_TRUE(same.ok()) << same.error().text();
    ++judged;
    bool const has_routes = world.callbacks || simulation.policy().state().routes != nullptr;
    routed += has_routes ? 1 : 0;
    if (same->same()) continue;
    agent::Difference const& d = same->differences.front();
    ADD_FAILURE() << "seed " << seed << (has_routes ? " with" : " without") << " routing: event " << d.seq << ", turn "
                  << d.turn.value << ", call " << d.call.value << " " << d.tool << ": then " << d.then.word << " "
                  << d.then.code << ", now " << d.now.word << " " << d.now.code;
  }
  EXPECT_GT(judged, 100);
  EXPECT_GT(routed, 40);
}

}  // namespace
}  // namespace backedge
