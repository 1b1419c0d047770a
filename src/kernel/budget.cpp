// Counters against limits; see budget.h.

#include "kernel/budget.h"

#include <algorithm>

namespace backedge::kernel {
namespace {

constexpr std::array kCounted = {Scope::kRun, Scope::kSession};

}  // namespace

Shortage Budgets::would_exceed(Meter meter, std::int64_t amount) const {
  for (Scope scope : kCounted) {
    Limit const& limit = limits_->at(scope, meter);
    std::int64_t const used = at(scope, meter) + amount;
    if (limit.value != kUnlimited && used > limit.value) return {budget_code(meter), scope, used, limit.value};
  }
  return {};
}

Shortage Budgets::reserve(Meter meter, std::int64_t amount) {
  if (Shortage const none = would_exceed(meter, amount)) return none;
  take(meter, amount);
  return {};
}

void Budgets::take(Meter meter, std::int64_t amount) {
  for (Scope scope : kCounted) at(scope, meter) += amount;
  reserved_[static_cast<std::size_t>(meter)] += amount;
}

void Budgets::settle(Meter meter, std::int64_t reserved, std::int64_t actual) {
  for (Scope scope : kCounted) at(scope, meter) += actual - reserved;
  reserved_[static_cast<std::size_t>(meter)] -= reserved;
}

Shortage Budgets::reserve_tool(Digest tool_id) {
  for (ToolLimit const& limit : limits_->per_tool) {
    if (limit.tool_id != tool_id || limit.max_calls == kUnlimited) continue;
    std::int64_t& used = per_tool_[tool_id];
    if (used + 1 > limit.max_calls) return {Code::kBudgetCalls, Scope::kSession, used + 1, limit.max_calls};
    ++used;
  }
  return {};
}

void Budgets::release_tool(Digest tool_id) {
  auto const it = per_tool_.find(tool_id);
  if (it != per_tool_.end() && it->second > 0) --it->second;
}

std::optional<std::int64_t> Budgets::left(Meter meter) const {
  std::optional<std::int64_t> rest;
  for (Scope scope : kCounted) {
    Limit const& limit = limits_->at(scope, meter);
    if (limit.value == kUnlimited) continue;
    std::int64_t const here = std::max<std::int64_t>(0, limit.value - at(scope, meter));
    rest = rest ? std::min(*rest, here) : here;
  }
  return rest;
}

void Budgets::begin_run() {
  auto& run = booked_[static_cast<std::size_t>(Scope::kRun)];
  run = reserved_;
}

}  // namespace backedge::kernel
