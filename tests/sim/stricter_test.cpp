// A stricter policy never lets more calls run.
//
// Two sessions get the same world: a model that reads its part from a table and does not react, tools that answer at
// once. In the second one limit is lower. In a single agent that holds for every limit. Where agents share turns, what
// one may not use is left to another, whose turns may hold more calls: there it holds for the limits of calls.

#include <deque>
#include <span>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "agent/session.h"
#include "embed/policy_state.h"
#include "sim/random.h"
#include "sim/world.h"

namespace backedge {
namespace {

using kernel::kUnlimited;
using kernel::Meter;
using kernel::Scope;

constexpr std::int64_t kMostInputs = 5000;

// The part of an agent in its nth turn: the same whatever came before.
Reply part(sim::World const& world, Request const& request) {
  sim::Random r(sim::mix(world.seed ^ std::hash<std::string_view>{}(request.agent)) +
                sim::mix(static_cast<std::uint64_t>(request.turn)));
  Reply out{{Role::kAssistant, {TextBlock{fmt::format("turn {}", request.turn)}}}, "tool_use", {60, 10, 1000, 0, 0, 0}};
  if (request.turn > (request.agent.empty() ? 20 : 6)) return out;
  for (std::int64_t n = r.between(1, 3); n > 0; --n) {
    std::size_t const at = r.below(world.tools.size() + world.agents.size());
    std::string const tool =
        at < world.tools.size() ? world.tools[at].name : world.agents[at - world.tools.size()].name;
    std::uint64_t const path = r.below(1000);
    std::uint64_t const of = r.below(1000);
    std::string const task = fmt::format("turn {} of {} as {}", request.turn, of, r.below(1000));
    out.message.blocks.emplace_back(CallBlock{{}, tool, fmt::format(R"({{"path":"/{}","task":"{}"}})", path, task)});
  }
  return out;
}

RunResult play(sim::World const& world, std::shared_ptr<agent::Setup const> const& setup) {
  std::unique_ptr<agent::Session> const session = *agent::Session::open(setup, "stricter", Micros{1});
  std::deque<agent::Input> inputs;
  inputs.emplace_back(agent::Begin{std::string(32, 'a'), "go", Author::kPerson});
  RunResult out;
  for (std::size_t i = 0; i < inputs.size() && i < kMostInputs; ++i) {
    agent::Batch batch;
    session->step(std::move(inputs[i]), Micros{static_cast<std::int64_t>(i) * 1000}, batch);
    for (agent::Command const& command : batch.commands) {
      if (auto const* ask = std::get_if<agent::AskModel>(&command))
        inputs.emplace_back(agent::ModelAnswered{ask->frame, ask->turn, part(world, session->request(ask->frame))});
      if (auto const* start = std::get_if<agent::StartTool>(&command))
        inputs.emplace_back(agent::ToolReturned{start->call, {CallStatus::kOk, std::string(start->arguments)}});
      if (auto const* finish = std::get_if<agent::Finish>(&command)) out = finish->result;
    }
  }
  return out;
}

struct Lowered {
  Scope scope;
  Meter meter;
};

// The same policy with one limit lower.
std::shared_ptr<agent::Setup> stricter(agent::Setup const& setup, Lowered what, std::int64_t to) {
  auto out = std::make_shared<agent::Setup>(setup);
  policy::Table table = setup.policy.state().table;
  table.settings.limits.at(what.scope, what.meter).value = to;
  out->policy = *embed::PolicyState::make(std::move(table), setup.policy.state().by_code, setup.policy.state().book);
  return out;
}

constexpr Lowered kAll[] = {{Scope::kRun, Meter::kTurns},       {Scope::kRun, Meter::kCalls},
                            {Scope::kRun, Meter::kTokens},      {Scope::kRun, Meter::kDepth},
                            {Scope::kRun, Meter::kDescendants}, {Scope::kRun, Meter::kTime},
                            {Scope::kRun, Meter::kCost},        {Scope::kSession, Meter::kTurns},
                            {Scope::kSession, Meter::kCalls},   {Scope::kSession, Meter::kDescendants},
                            {Scope::kSession, Meter::kTokens},  {Scope::kSession, Meter::kCost},
                            {Scope::kSession, Meter::kTime},    {Scope::kFrame, Meter::kTurns},
                            {Scope::kFrame, Meter::kCalls},     {Scope::kFrame, Meter::kDescendants},
                            {Scope::kFrame, Meter::kTokens},    {Scope::kFrame, Meter::kCost},
                            {Scope::kFrame, Meter::kTime}};

// Half of what it was, or some number where there was none.
std::int64_t lower(std::int64_t was, Meter meter, std::uint64_t seed) {
  if (was != kUnlimited) return was / 2;
  constexpr std::int64_t kSmall[kernel::kMeters] = {7, 9, 2, 3, 2000, 100'000, 30'000};
  return static_cast<std::int64_t>(sim::mix(seed) % static_cast<std::uint64_t>(kSmall[static_cast<int>(meter)]));
}

void compare(sim::World const& world, std::span<Lowered const> limits) {
  std::shared_ptr<agent::Setup> const setup = sim::make_setup(world);
  setup->end_hooks = false;  // nobody here asks them
  kernel::Settings const& settings = sim::settings_of(setup->policy);
  if (settings.ladder.observe) return;
  if (setup->policy.state().routes != nullptr || world.callbacks) return;  // a call less may open what a rule held back
  RunResult const most = play(world, setup);
  for (Lowered const what : limits) {
    std::int64_t const was = settings.limits.at(what.scope, what.meter).value;
    std::int64_t const to = lower(was, what.meter, world.seed);
    RunResult const less = play(world, stricter(*setup, what, to));
    EXPECT_LE(less.calls, most.calls) << "seed " << world.seed << ", scope " << static_cast<int>(what.scope)
                                      << ", meter " << static_cast<int>(what.meter) << ": " << was << " to " << to;
  }
}

TEST(Stricter, OneLimitLoweredNeverLetsMoreCallsOfAnAgentRun) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    sim::World world = sim::make_world(seed);
    world.agents.clear();
    compare(world, kAll);
  }
}

TEST(Stricter, ALowerLimitOfCallsNeverLetsMoreCallsOfATreeRun) {
  constexpr Lowered kCalls[] = {{Scope::kRun, Meter::kCalls}, {Scope::kSession, Meter::kCalls}};
  for (std::uint64_t seed = 1; seed <= 200; ++seed) compare(sim::make_world(seed), kCalls);
}

}  // namespace
}  // namespace backedge
