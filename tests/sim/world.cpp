// Chance decides on a world; see world.h.

#include "sim/world.h"

#include <algorithm>
#include <map>
#include <stdexcept>

#include <fmt/format.h>

#include "embed/policy_state.h"
#include "sim/random.h"

namespace backedge::sim {
namespace {

std::string limits(Random& r) {
  std::string out = "[limits]\n";
  out += fmt::format("max_turns = {}\n", r.pick({0, 1, 2, 3, 5, 8, 12, 20, 30}));
  auto const maybe = [&](std::uint64_t percent, std::string_view key, std::int64_t low, std::int64_t high) {
    if (r.chance(percent)) out += fmt::format("{} = {}\n", key, r.between(low, high));
  };
  maybe(30, "max_calls", 0, 20);
  maybe(40, "max_depth", 0, 5);
  maybe(20, "max_descendants", 0, 5);
  maybe(20, "max_tokens", 50, 5000);
  auto const money = [&](std::uint64_t percent) {
    if (!r.chance(percent)) return;
    std::uint64_t const dollars = r.below(2);
    out += fmt::format("max_cost = {}.{:02}\n", dollars, r.below(100));
  };
  auto const time = [&](std::uint64_t percent) {
    if (r.chance(percent)) out += fmt::format("max_time = \"{}ms\"\n", r.between(1, 4000));
  };
  money(15);
  time(20);
  maybe(20, "conservative_at", 0, 4);
  if (r.chance(10)) out += "allow_unpriced = true\n";
  out += "[limits.session]\n";
  maybe(15, "max_turns", 0, 40);
  maybe(15, "max_calls", 0, 30);
  maybe(10, "max_descendants", 0, 8);
  maybe(10, "max_tokens", 50, 8000);
  money(10);
  time(10);
  out += "[limits.frame]\n";
  maybe(20, "max_turns", 0, 10);
  maybe(15, "max_calls", 0, 8);
  maybe(10, "max_descendants", 0, 4);
  maybe(15, "max_tokens", 50, 3000);
  money(10);
  time(15);
  out += "[limits.per_tool]\n";
  for (std::string_view const tool : {"read", "write", "planner", "host"}) maybe(7, tool, 0, 4);
  return out;
}

std::string thresholds(Random& r) {
  std::string out = "[repeat]\n";
  for (std::string_view const rule : {"exact", "exact_error", "effect", "text", "cycle"}) {
    if (r.chance(15)) out += fmt::format("{} = {}\n", rule, r.chance(20) ? 0 : r.between(5, 9));
  }
  if (r.chance(40)) out += fmt::format("error_warn = 0\nerror = {}\n", r.between(2, 5));
  if (r.chance(20)) out += "poll_warn = 2\npoll = 3\n";
  out += "[ladder]\n";
  if (r.chance(30)) out += fmt::format("refusals = {}\n", r.between(1, 4));
  if (r.chance(4)) out += "observe = true\n";
  return out;
}

// Rules of every kind, in any order, and stages that lead to each other.
std::string routing(Random& r, std::int64_t& stage_turns) {
  std::string out;
  bool const staged = r.chance(60);
  auto const tool = [&] { return r.pick({"read", "write", "p*", "*", "planner", "send"}); };
  for (std::int64_t n = r.between(0, 4); n > 0; --n) {
    out += "[[route]]\n";
    if (r.chance(80)) out += fmt::format("tool = \"{}\"\n", tool());
    if (r.chance(15)) out += "agent = \"main\"\n";
    if (staged && r.chance(20)) out += "in_stage = \"one\"\n";
    if (r.chance(20)) out += "where = [{ pointer = \"/path\", glob = \"/a*\" }]\n";
    if (r.chance(25)) {
      out += fmt::format("{} = \"{}\"\n", r.pick({"if_seen", "unless_seen"}), tool());
      if (r.chance(30)) out += "person_since = true\n";
      if (r.chance(30)) out += "seen_where = [{ pointer = \"/path\", same = \"/path\" }]\n";
    }
    if (r.chance(15)) out += fmt::format("in_row = {}\n", r.between(2, 3));
    if (r.chance(10)) out += fmt::format("over_steps = {}\n", r.between(1, 4));
    if (r.chance(40)) {
      out += fmt::format("then = \"{}\"\n", r.pick({"allow", "reject", "ask", "reuse"}));
      continue;
    }
    std::string_view const then = r.pick({"pass", "truncate", "note", "final", "stop", "raise", "retry", "stage"});
    if (then == "stage" && !staged) {
      out += "then = \"pass\"\n";
      continue;
    }
    out += fmt::format("then = \"{}\"\nhint = \"otherwise\"\n", then);
    if (then == "truncate") out += "size = 9\n";
    if (then == "raise") out += "max_turns = 25\n";
    if (then == "stage") out += fmt::format("to_stage = \"{}\"\n", r.pick({"one", "two", "three"}));
    if (r.chance(30)) out += fmt::format("error = {}\n", r.chance(50));
    if (r.chance(20)) out += "empty = false\n";
    if (r.chance(20)) out += fmt::format("over_size = {}\n", r.below(40));
    if (r.chance(20)) out += "text = \"at [0-9]+\"\n";
    if (r.chance(20)) out += "times = 2\nrounds = 3\n";
  }
  if (!staged) return out;
  std::string_view const names[] = {"one", "two", "three"};
  for (std::size_t i = 0; i < 3; ++i) {
    std::int64_t const turns = r.between(1, 4);
    stage_turns += turns;
    out += fmt::format("[stage.{}]\nturns = {}\n", names[i], turns);
    if (i < 2) out += fmt::format("next = \"{}\"\n", names[i + 1]);
    if (r.chance(60)) {
      std::string const other = r.chance(50) ? "\"w*\", \"planner\"" : "\"plain\"";
      out += r.chance(20) ? "tools = []\n" : fmt::format("tools = [\"read\", {}]\n", other);
    }
    if (r.chance(15)) out += fmt::format("if_seen = \"{}\"\n", tool());
    if (r.chance(20)) out += "ends = true\n";
  }
  return out;
}

constexpr std::string_view kPathSchema =
    R"({"type":"object","properties":{"path":{"type":"string"},"n":{"type":"integer"}},"required":["path"]})";

std::vector<ToolSpec> make_tools(Random& r) {
  std::vector<std::string> const file{"file:{/path}"};
  std::vector<ToolSpec> out;
  auto const add = [&](std::string name, Contract contract, bool with_path = true) {
    ToolSpec spec{.name = std::move(name), .about = "does it", .contract = std::move(contract)};
    if (with_path) spec.schema_json = kPathSchema;
    if (r.chance(30)) spec.contract.timeout_ms = r.between(1, 300);
    if (r.chance(20)) spec.contract.max_output = r.between(1, 60);
    out.push_back(std::move(spec));
  };
  add("read", {.effect = Effect::kRead, .conflicts = file});
  add("write", {.effect = Effect::kWrite, .conflicts = file});
  add("poll", {.effect = Effect::kPoll});
  add("send", {.effect = Effect::kWrite, .identity = {{"/path"}}, .idempotent = false});
  add("put", {.effect = Effect::kWrite, .idempotent = true, .conflicts = file});
  add("plain", {}, false);
  if (r.chance(30)) add("answer", {.returns_direct = true}, false);
  if (r.chance(60)) {
    Contract contract;
    if (r.chance(50)) contract.effect = Effect::kDelegate;
    contract.reentry = r.pick({Reentry::kAllow, Reentry::kDistinct, Reentry::kForbid});
    add("host", contract);
  }
  add("ask_user", {.effect = Effect::kRead});
  out.back().asks_person = true;
  add("secret", {});
  for (ToolSpec& spec : out) spec.sets = {r.chance(50) ? "first" : "second"};
  return out;
}

std::vector<AgentSpec> make_agents(Random& r) {
  std::vector<AgentSpec> out;
  for (std::string_view const name : {"planner", "worker", "digger"}) {
    if (r.chance(25)) continue;
    AgentSpec spec{.name = std::string(name), .about = r.chance(50) ? "works" : ""};
    spec.contract.effect = Effect::kDelegate;
    if (r.chance(40)) spec.contract.reentry = r.pick({Reentry::kAllow, Reentry::kBounded, Reentry::kDistinct});
    if (r.chance(40)) spec.contract.max_depth = static_cast<int>(r.between(1, 3));
    if (r.chance(10)) spec.contract.returns_direct = true;
    if (r.chance(40)) spec.max_turns = r.between(0, 6);
    out.push_back(std::move(spec));
  }
  return out;
}

}  // namespace

World make_world(std::uint64_t seed) {
  Random r(mix(seed));
  World out;
  out.seed = seed;
  out.policy = limits(r) + thresholds(r);
  Random of_routes(mix(seed ^ 0x726f757465ULL));  // of its own, so that worlds without routes are what they were
  if (of_routes.chance(35)) out.policy += routing(of_routes, out.stage_turns);
  out.callbacks = of_routes.chance(20);
  out.tools = make_tools(r);
  out.agents = make_agents(r);
  if (r.chance(60)) out.chosen.deny = {"secret"};
  if (r.chance(10)) out.chosen.deny.emplace_back(r.pick({"set:first", "write", "planner", "source:host"}));
  out.attended = r.chance(50);
  out.continue_cut = r.chance(80);
  out.hooks = r.chance(25);
  out.priced = r.chance(85);
  out.max_output = r.pick({0, 0, 10, 200});
  for (std::int64_t n = r.between(1, 3); n > 0; --n) {
    out.habits.push_back(r.pick({Habit::kProgress, Habit::kProgress, Habit::kSameCall, Habit::kCycle, Habit::kHandBack,
                                 Habit::kFailing, Habit::kSameWords, Habit::kWild, Habit::kWild}));
  }
  bool const calm = r.chance(25);
  auto const often = [&](std::uint64_t most) { return calm || r.chance(40) ? std::uint64_t{0} : r.below(most + 1); };
  out.model_fails = often(6);
  out.odd_stop_reason = often(25);
  out.odd_ids = often(60);
  out.odd_calls = often(30);
  out.stubborn = often(100);
  out.late = often(60);
  out.twice = often(30);
  out.talks = often(15);
  out.cancels = often(8);
  out.nonsense = often(15);
  out.runs = static_cast<int>(r.between(1, 3));
  if (r.chance(60)) {
    for (std::int64_t n = r.between(1, 3); n > 0; --n) out.crashes.push_back(static_cast<int>(r.between(1, 40)));
    std::sort(out.crashes.begin(), out.crashes.end());
  }
  return out;
}

std::shared_ptr<agent::Setup> make_setup(World const& world) {
  static Policy const defaults = Policy::defaults();  // read once for thousands of worlds
  auto out = std::make_shared<agent::Setup>();
  std::map<std::string, Contract, std::less<>> contracts;
  for (ToolSpec const& spec : world.tools) {
    contracts.emplace(spec.name, spec.contract);
    (void)*out->tools.add(spec);
  }
  for (AgentSpec const& spec : world.agents) {
    contracts.emplace(spec.name, spec.contract);
    (void)*out->tools.add(spec);
  }
  Result<policy::Table> table = policy::parse(world.policy, "world.toml", defaults.state().table);
  if (!table) throw std::logic_error(table.error().text() + "\n" + world.policy);
  out->policy = *embed::PolicyState::make(*std::move(table), std::move(contracts), defaults.state().book);
  out->policy_text = world.policy;
  out->tool_policy = world.chosen;
  out->system = "You are simulated.";
  out->attended = world.attended;
  out->continue_cut = world.continue_cut;
  out->end_hooks = world.hooks;
  if (world.callbacks) {
    out->before_call = [seed = world.seed](CallSight const& call) -> CallRoute {
      auto const word = static_cast<CallRouteWord>(mix(seed ^ call.arguments.size()) % 4);
      return mix(seed ^ call.tool.size()) % 3 == 0 ? CallRoute{word, "chance", "so it is"} : CallRoute{};
    };
    out->after_result = [seed = world.seed](ResultSight const& result) -> ResultRoute {
      std::uint64_t const chance = mix(seed ^ result.text.size());
      if (chance % 8 != 0) return {};
      return {static_cast<ResultRouteWord>(chance / 8 % 9), "chance", "so it is", chance % 16 == 0 ? "two" : "none", 7};
    };
  }
  out->estimate = [most = world.max_output, priced = world.priced](Request const& request) {
    auto const messages = static_cast<std::int64_t>(request.messages.size());
    Estimate e{.input_tokens = 20 * messages, .max_output_tokens = most};
    if (priced) e.cost_nano_usd = 1'000'000 * messages;
    return e;
  };
  return out;
}

kernel::Settings const& settings_of(Policy const& policy) { return policy.state().effective; }

}  // namespace backedge::sim
