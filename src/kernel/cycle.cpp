// Rules cycle and livelock; see cycle.h.

#include "kernel/cycle.h"

#include <utility>

namespace backedge::kernel {
namespace {

constexpr Digest kCycleSalt{0x6379636c, 0x65};

// Calls that are declared to wait have a rule with more patience (exact.h) and are no part of a cycle.
bool counts(CallFacts const& call) { return call.terms.effect != Effect::kPoll && call.terms.effect != Effect::kWait; }

}  // namespace

void CycleRule::Round::clear() {
  keys = pairs = Digest{};
  members.clear();
  ran = running = 0;
  hands_on = true;
}

void CycleRule::Active::clear() {
  loop = Digest{};
  members.clear();
  stamp = 0;
  period = 0;
  count = 0;
  hands_on = false;
}

void CycleRule::close_round(Repeat const& rule) {
  if (open_.ran > 0 && open_.running == 0 && rule.cycle > 0) {
    std::size_t const size = static_cast<std::size_t>(rule.cycle) * static_cast<std::size_t>(rule.cycle_max_period);
    if (ring_.size() != size) {
      ring_.assign(size, Round{});
      next_ = filled_ = 0;
    }
    std::swap(ring_[next_], open_);
    next_ = (next_ + 1) % ring_.size();
    if (filled_ < ring_.size()) ++filled_;
  }
  open_.clear();
}

bool CycleRule::repeats(std::size_t period, std::size_t times) const {
  bool one_call = true;
  for (std::size_t i = 1; i <= period * (times - 1); ++i) {
    if (back(i).pairs != back(i + period).pairs) return false;
  }
  for (std::size_t i = 2; i <= period; ++i) one_call = one_call && back(i).keys == back(1).keys;
  return !one_call;  // one call with changing outcomes is not a cycle, one with equal outcomes is rule exact's
}

void CycleRule::activate(std::size_t period, std::size_t times, Changes const& changes) {
  active_.clear();
  active_.period = static_cast<std::uint16_t>(period);
  active_.count = static_cast<std::int64_t>(period * times + 1);
  active_.hands_on = true;
  active_.stamp = changes.stamp();
  Digest sum;
  for (std::size_t i = 1; i <= period; ++i) {
    sum = add(sum, back(i).pairs);
    active_.hands_on = active_.hands_on && back(i).hands_on;
    for (Digest key : back(i).members) {
      if (active_.members.size() < kMaxInCycle) active_.members.push_back(key);
    }
  }
  active_.loop = combine(kCycleSalt, sum);
}

void CycleRule::begin_round(std::span<CallFacts const> calls, Repeat const& rule, Changes const& changes) {
  close_round(rule);
  if (rule.cycle <= 0 || ring_.empty()) return;
  Digest proposed;
  for (CallFacts const& call : calls) {
    if (counts(call)) proposed = add(proposed, call.key);
  }
  auto const times = static_cast<std::size_t>(rule.cycle);
  for (std::size_t p = 2; p <= static_cast<std::size_t>(rule.cycle_max_period) && p * times <= filled_; ++p) {
    if (back(p).keys == proposed && repeats(p, times)) {
      activate(p, times, changes);
      return;
    }
  }
}

Finding CycleRule::propose(CallFacts const& call, Repeat const& rule, Changes const& changes) const {
  if (active_.period == 0 || rule.cycle <= 0 || changes.since(active_.stamp, call)) return {};
  for (Digest key : active_.members) {
    if (key == call.key) {
      return {.code = active_.hands_on ? Code::kLivelock : Code::kCycle,
              .acts = true,
              .count = active_.count,
              .limit = static_cast<std::int64_t>(rule.cycle) * active_.period + 1,
              .period = active_.period,
              .loop = active_.loop};
    }
  }
  return {};
}

void CycleRule::starts(CallFacts const& call) {
  if (!counts(call)) return;
  ++open_.ran;
  ++open_.running;
  open_.keys = add(open_.keys, call.key);
  if (open_.members.size() < kMaxMembers) open_.members.push_back(call.key);
  open_.hands_on = open_.hands_on && call.terms.effect == Effect::kDelegate;
}

void CycleRule::record(CallFacts const& call, ResultFacts const& result) {
  if (!counts(call) || open_.running == 0) return;
  --open_.running;
  open_.pairs = add(open_.pairs, combine(call.key, result.outcome));
}

void CycleRule::reset() {
  filled_ = next_ = 0;
  open_.clear();
  active_.clear();
}

}  // namespace backedge::kernel
