// Rules exact, poll, effect and cycle once more, written straight from their description; see naive_rules.h.
#pragma once

#include <set>
#include <utility>
#include <vector>

#include "support/naive_history.h"

namespace backedge::support {

/// What a rule says: code none is nothing.
struct Said {
  kernel::Code code = kernel::Code::kNone;
  bool acts = false;
  std::int64_t count = 0;

  friend bool operator==(Said const&, Said const&) = default;
};

class NaiveCalls : public NaiveHistory {
 public:
  explicit NaiveCalls(kernel::Repeat rule) : rule_(rule) {}

  Said exact(Call const& call, Micros now) const {
    if (call.terms.idempotent == kernel::Idempotent::kYes && rule_.exact > 0) {
      for (Call const* c : running_) {
        if (c->key == call.key) return {kernel::Code::kExact, true, 2};
      }
    }
    if (Said const twice = effect(call); twice.acts) return twice;
    Said const again = asked_in_vain(call);
    Said const same = same_answer(call, now);
    if (same.acts || again.code == kernel::Code::kNone) return same;
    return again;
  }

  Said cycle(Call const& call) const {
    for (std::size_t i = history_.size(); i-- > 0;) {
      if (ends_everything(i) || history_[i].what == What::kForgotten) return {};
      if (history_[i].what != What::kRound) continue;
      std::size_t const p = period_continued_at(i);
      if (p == 0) continue;
      return member(call, i, p);  // the cycle found last is the one that holds
    }
    return {};
  }

 protected:
  static bool same_thing(Call const& a, Call const& b) { return a.tool_id == b.tool_id && a.identity == b.identity; }
  static Said judge(kernel::Code code, std::int64_t n, int acts, int warns) {
    if (acts > 0 && n >= acts) return {code, true, n};
    if (acts > 0 && warns > 0 && n >= warns) return {code, false, n};
    return {};
  }

  kernel::Repeat rule_;

 private:
  // ---- exact, poll, effect

  Said effect(Call const& call) const {
    if (rule_.effect <= 0 || call.terms.idempotent != kernel::Idempotent::kNo || !may_change(call)) return {};
    for (Call const* c : running_) {
      if (same_thing(*c, call) && c->terms.idempotent == kernel::Idempotent::kNo)
        return {kernel::Code::kEffect, true, 2};
    }
    std::int64_t done = 0;
    for (std::size_t i = since(true); i < history_.size(); ++i) {
      Event const& e = history_[i];
      if (e.what == What::kResult && !failed(e.result->status) && same_thing(*e.call, call)) ++done;
    }
    return judge(kernel::Code::kEffect, done + 1, done > 0 ? rule_.effect : 0, 0);
  }

  Said asked_in_vain(Call const& call) const {
    std::int64_t count = 0;
    Event const* last = nullptr;
    for (std::size_t i = since(true); i < history_.size(); ++i) {
      Event const& e = history_[i];
      if (e.call == nullptr || e.call->key != call.key) continue;
      if (e.what == What::kResult) count = 0;
      if (e.what != What::kRefusal) continue;
      if (count == 0 || last->why != e.why) {
        count = 1;
      } else if (last->round != e.round && !changed(place(*last), i, call)) {
        ++count;
      }
      last = &e;
    }
    if (count == 0 || changed(place(*last), history_.size(), call)) return {};
    return judge(kernel::Code::kExact, count + 1, rule_.exact_error, 0);
  }

  Said same_answer(Call const& call, Micros now) const {
    bool const patience = patient(call);
    std::int64_t count = 0;
    int visible = 0;
    Micros counted_at{0};
    Event const* last = nullptr;
    for (std::size_t i = 0; i < history_.size(); ++i) {
      Event const& e = history_[i];
      if (e.what == What::kPerson) count = 0;
      if (e.call == nullptr || e.call->key != call.key) continue;
      if (e.what == What::kForgotten) {
        if (visible > 0) --visible;
        if (visible == 0) count = 0;
      }
      if (e.what != What::kResult) continue;
      ++visible;
      bool const too_soon = patience && count > 0 && e.at - counted_at < call.terms.min_interval;
      bool const starts = count == 0 || last->result->outcome != e.result->outcome;
      bool const counts = starts || (last->round != e.round && !changed(place(*last), i, call) && !too_soon);
      if (counts) {
        count = starts ? 1 : count + 1;
        counted_at = e.at;
      }
      last = &e;
    }
    if (count == 0 || changed(place(*last), history_.size(), call)) return {};
    bool const too_soon = patience && now - counted_at < call.terms.min_interval;
    std::int64_t const n = too_soon ? count : count + 1;
    if (patience) return judge(kernel::Code::kPoll, n, rule_.poll, rule_.poll_warn);
    return judge(kernel::Code::kExact, n, failed(last->result->status) ? rule_.exact_error : rule_.exact,
                 rule_.exact_warn);
  }

  // ---- cycle

  struct Round {
    std::multiset<Digest> keys;
    std::multiset<std::pair<Digest, Digest>> pairs;
    bool hands_on = true;
  };
  /// The rounds before event `end` in which something ran, the oldest first.
  std::vector<Round> rounds_before(std::size_t end) const {
    std::vector<Round> out;
    std::uint32_t number = 0;
    for (std::size_t i = 0; i < end; ++i) {
      Event const& e = history_[i];
      if (e.what == What::kPerson || e.what == What::kForgotten) out.clear(), number = 0;
      if (e.what != What::kResult || patient(*e.call)) continue;
      if (out.empty() || number != e.round) out.emplace_back(), number = e.round;
      out.back().keys.insert(e.call->key);
      out.back().pairs.insert({e.call->key, e.result->outcome});
      out.back().hands_on = out.back().hands_on && e.call->terms.effect == Effect::kDelegate;
    }
    return out;
  }
  /// The period that the round which begins at event `i` continues; 0 for none.
  std::size_t period_continued_at(std::size_t i) const {
    std::vector<Round> const rounds = rounds_before(i);
    auto const times = static_cast<std::size_t>(rule_.cycle);
    if (times == 0) return 0;
    for (std::size_t p = 2; p <= static_cast<std::size_t>(rule_.cycle_max_period) && p * times <= rounds.size(); ++p) {
      auto const last = rounds.end() - static_cast<std::ptrdiff_t>(p);
      bool same = last->keys == history_[i].proposed;
      for (auto r = rounds.end() - static_cast<std::ptrdiff_t>(p * times); r != last; ++r)
        same = same && r->pairs == (r + static_cast<std::ptrdiff_t>(p))->pairs;
      bool const one_call = std::all_of(last, rounds.end(), [&](Round const& r) { return r.keys == last->keys; });
      if (same && !one_call) return p;
    }
    return 0;
  }
  Said member(Call const& call, std::size_t at, std::size_t p) const {
    if (changed(at, history_.size(), call)) return {};
    std::vector<Round> const rounds = rounds_before(at);
    bool in = false;
    bool hands_on = true;
    for (auto r = rounds.end() - static_cast<std::ptrdiff_t>(p); r != rounds.end(); ++r) {
      in = in || r->keys.contains(call.key);
      hands_on = hands_on && r->hands_on;
    }
    if (!in) return {};
    auto const n = static_cast<std::int64_t>(p) * rule_.cycle + 1;
    return {hands_on ? kernel::Code::kLivelock : kernel::Code::kCycle, true, n};
  }
};

}  // namespace backedge::support
