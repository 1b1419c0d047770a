// A world made of a seed: policy, toolbox, habits of models, tools, people and of the machine.
//
// Everything that chance decides once is decided here, so that two sessions can be given the same world; what chance
// decides again and again (simulation.h) starts from the same seed. Part of tests/sim/seeds_test.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "agent/session.h"
#include "kernel/settings.h"

namespace backedge::sim {

/// How an agent goes about its work.
enum class Habit : std::uint8_t { kProgress, kSameCall, kCycle, kHandBack, kFailing, kSameWords, kWild };

struct World {
  std::uint64_t seed = 0;
  std::string policy;  // TOML
  std::vector<ToolSpec> tools;
  std::vector<AgentSpec> agents;
  ToolPolicy chosen;
  std::int64_t stage_turns = 0;  // the sum of the budgets of all stages
  bool attended = false;
  bool continue_cut = true;
  bool hooks = false;      // may hold a frame back from its end
  bool callbacks = false;  // of the host, for routing
  bool priced = true;
  std::int64_t max_output = 0;  // tokens, of every request
  std::vector<Habit> habits;    // one of them per frame

  // In percent, per chance that offers itself.
  std::uint64_t model_fails = 0;
  std::uint64_t odd_stop_reason = 0;
  std::uint64_t odd_ids = 0;
  std::uint64_t odd_calls = 0;  // unknown tools, malformed arguments
  std::uint64_t stubborn = 0;
  std::uint64_t late = 0;      // results after their call has ended
  std::uint64_t twice = 0;     // results that come again
  std::uint64_t talks = 0;     // of the person, in between
  std::uint64_t cancels = 0;   // of a frame or the run, per step
  std::uint64_t nonsense = 0;  // inputs that fit nothing
  int runs = 1;
  std::vector<int> crashes;  // at which steps, rising
};

World make_world(std::uint64_t seed);

/// The policy with the contracts of tools and agents, and all else that a session is made of.
std::shared_ptr<agent::Setup> make_setup(World const& world);

kernel::Settings const& settings_of(Policy const& policy);

}  // namespace backedge::sim
