// Thousands of simulated worlds, each made of one number, each the same every time.
//
// A failing seed prints itself, what went wrong, its policy and every input that led there. It is played again by
//   BACKEDGE_SIM_SEED=4711 build/release/tests/test_sim --gtest_filter='Sim.OneSeed'
// and more of them are tried by
//   BACKEDGE_SIM_SEEDS=200000 build/release/tests/test_sim --gtest_filter='*Shard*'
// (BACKEDGE_SIM_FROM moves the first.) The world: world.h, model.h, simulation.h; what must hold: checks.h.

#include <cstdlib>
#include <exception>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "sim/simulation.h"

namespace backedge {
namespace {

constexpr std::uint64_t kSeeds = 2000;  // about 10 s of one core
constexpr int kShards = 8;
constexpr int kMostFaults = 3;  // printed per shard: one cause shows in many seeds

std::optional<std::uint64_t> number_from(char const* variable) {
  char const* const text = std::getenv(variable);
  return text == nullptr ? std::nullopt : std::optional<std::uint64_t>(std::strtoull(text, nullptr, 10));
}

// True when everything held.
bool play(std::uint64_t seed) {
  sim::Simulation simulation(seed);
  std::string fault;
  try {
    fault = simulation.run();
  } catch (std::exception const& e) {  // of the standard library: something was not where it had to be
    fault = e.what();
  }
  if (fault.empty()) return true;
  ADD_FAILURE() << "seed " << seed << ": " << fault << "\nplay it again with BACKEDGE_SIM_SEED=" << seed
                << " test_sim --gtest_filter=Sim.OneSeed\n"
                << simulation.history();
  return false;
}

TEST(Sim, OneSeed) {
  std::uint64_t const seed = number_from("BACKEDGE_SIM_SEED").value_or(1);
  sim::Simulation simulation(seed);
  std::string const fault = simulation.run();
  EXPECT_EQ(fault, "") << "seed " << seed << '\n' << simulation.history();
}

TEST(Sim, TheSameSeedIsTheSameHistory) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    sim::Simulation one(seed);
    sim::Simulation other(seed);
    EXPECT_EQ(one.run(), other.run());
    EXPECT_EQ(one.history(), other.history());
  }
}

class Shard : public testing::TestWithParam<int> {};

TEST_P(Shard, EverythingHoldsInEverySeed) {
  std::uint64_t const seeds = number_from("BACKEDGE_SIM_SEEDS").value_or(kSeeds);
  std::uint64_t const from = number_from("BACKEDGE_SIM_FROM").value_or(1);
  int faults = 0;
  for (std::uint64_t i = static_cast<std::uint64_t>(GetParam()); i < seeds && faults < kMostFaults; i += kShards)
    faults += play(from + i) ? 0 : 1;
}

INSTANTIATE_TEST_SUITE_P(Sim, Shard, testing::Range(0, kShards));

}  // namespace
}  // namespace backedge
