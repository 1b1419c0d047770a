// Policy: the public face of the table of settings and the book of contracts; see backedge/policy.h.

#include "backedge/policy.h"

#include <cstdlib>

#include <fmt/format.h>

#include "embed/policy_state.h"

namespace backedge {
namespace embed {
namespace {

// The expected steps and a fifth more, rounded up, unless the limit is smaller already.
void expect(policy::Table const& table, kernel::Settings& settings) {
  std::int64_t const expected = table.settings.expected;
  if (expected <= 0) return;
  kernel::Limit& turns = settings.limits.at(kernel::Scope::kRun, kernel::Meter::kTurns);
  std::int64_t const most = (expected * 6 + 4) / 5;
  if (turns.value != kernel::kUnlimited && turns.value <= most) return;
  turns = {most, fmt::format("{}, {} expected steps and a fifth more", table.source_of("limits.expected"), expected)};
}

}  // namespace

Result<Policy> PolicyState::make(policy::Table table, std::map<std::string, Contract, std::less<>> by_code,
                                 facts::ContractBook book) {
  auto state = std::make_shared<PolicyState>();
  state->table = std::move(table);
  state->effective = state->table.settings;
  expect(state->table, state->effective);
  Result<std::shared_ptr<route::Rules const>> routes = route::Rules::compile(state->table);
  if (!routes) return routes.error();
  state->routes = *std::move(routes);
  state->by_code = std::move(by_code);
  state->book = std::move(book);
  for (auto const& [tool, contract] : state->by_code) {
    if (auto declared = state->book.declare(facts::Layer::kCode, tool, contract); !declared) return declared.error();
  }
  if (auto declared = policy::declare_into(state->table, state->book); !declared) return declared.error();
  return Policy(std::move(state));
}

std::string const& PolicyState::contracts_text() const {
  std::call_once(contracts_once, [this] {
    policy::Table declared = policy::defaults();
    declared.tools = by_code;
    for (policy::ShownSetting const& s : policy::show(declared))
      if (s.key.starts_with("tool.")) contracts += s.key + " = " + s.value + "\n";
  });
  return contracts;
}

Result<Policy> PolicyState::with_contracts(Policy const& policy, std::string_view text) {
  Result<policy::Table> declared = policy::parse(text, "contracts");
  if (!declared) return declared.error();
  auto by_code = policy.state().by_code;
  for (auto& [tool, contract] : declared->tools) by_code.insert_or_assign(tool, std::move(contract));
  return make(policy.state().table, std::move(by_code), policy.state().book);
}

}  // namespace embed

Policy Policy::defaults() {
  Result<Policy> made = embed::PolicyState::make(policy::defaults(), {}, facts::ContractBook());
  if (!made) std::abort();  // the built-in table is wrong: found by the first test that runs
  return *std::move(made);
}

Result<Policy> Policy::parse(std::string_view toml, std::string_view file) { return defaults().with(toml, file); }

Result<Policy> Policy::with(std::string_view toml, std::string_view file) const {
  Result<policy::Table> table = policy::parse(toml, std::string(file), state_->table);
  if (!table) return table.error();
  return embed::PolicyState::make(*std::move(table), state_->by_code, state_->book);
}

Result<Policy> Policy::with(std::string_view tool, Contract const& contract) const {
  auto by_code = state_->by_code;
  by_code.insert_or_assign(std::string(tool), contract);
  return embed::PolicyState::make(state_->table, std::move(by_code), state_->book);
}

Policy Policy::observing(bool yes) const {
  policy::Table table = state_->table;
  table.settings.ladder.observe = yes;
  Result<Policy> made = embed::PolicyState::make(std::move(table), state_->by_code, state_->book);
  if (!made) std::abort();  // the same contracts compiled before
  return *std::move(made);
}

}  // namespace backedge
