// The repetition rules once more, written straight from their description: the whole history is kept and searched from
// the start at every call. Slow, without any of the tables of the kernel, and only for the oracle.
//
// Time is the place of an event in the history. A change is an event; "between" is always between two places.
#pragma once

#include <algorithm>
#include <set>
#include <vector>

#include "kernel/repetition.h"

namespace backedge::support {

/// What a rule says: code none is nothing.
struct Said {
  kernel::Code code = kernel::Code::kNone;
  bool acts = false;
  std::int64_t count = 0;

  friend bool operator==(Said const&, Said const&) = default;
};

class NaiveRules {
 public:
  using Call = kernel::CallFacts;
  using Result = kernel::ResultFacts;

  explicit NaiveRules(kernel::Repeat rule) : rule_(rule) {}

  // ---- what happens

  void begin_round(std::vector<Call const*> const& proposed) {
    Event e{.what = What::kRound};
    for (Call const* c : proposed) {
      if (!patient(*c)) e.proposed.insert(c->key);
    }
    ++round_;
    add(std::move(e));
    running_.clear();
  }
  void runs(Call const& call) { running_.push_back(&call); }
  void result(Call const& call, Result const& result, Micros at) {
    add({.what = What::kResult, .call = &call, .result = &result, .at = at});
  }
  void refused(Call const& call, kernel::Code why) { add({.what = What::kRefusal, .call = &call, .why = why}); }
  void person() { add({.what = What::kPerson}); }
  void automatic() { add({.what = What::kAutomatic}); }
  void forgotten(Call const& call) { add({.what = What::kForgotten, .call = &call}); }

  // ---- what is said of a call before it runs

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

  Said stagnant(Call const& call) const {
    if (call.terms.effect != Effect::kRead || rule_.stagnant <= 0) return {};
    std::int64_t count = 0;
    Event const* last = nullptr;
    for (std::size_t i = since(false); i < history_.size(); ++i) {
      Event const& e = history_[i];
      if (e.what != What::kResult || e.call->tool_id != call.tool_id || e.call->terms.effect != Effect::kRead) continue;
      if (failed(e.result->status)) {
        count = 0;
      } else if (count == 0 || last->result->outcome != e.result->outcome) {
        count = 1;
      } else if (last->call->key != e.call->key && last->round != e.round && !changed(place(*last), i, *e.call)) {
        ++count;
      }
      last = &e;
    }
    if (last == nullptr || count == 0 || last->call->key == call.key || changed(place(*last), history_.size(), call))
      return {};
    bool const empty = last->result->status == kernel::ResultStatus::kEmpty;
    return judge(kernel::Code::kStagnant, count + 1, empty ? rule_.stagnant_empty : rule_.stagnant,
                 empty ? 0 : rule_.stagnant_warn);
  }

  Said error(Call const& call) const {
    if (rule_.error <= 0) return {};
    std::set<Digest> kinds;
    for (Event const& e : history_) {
      if (e.what == What::kResult && failed(e.result->status)) kinds.insert(e.result->masked);
    }
    Said worst;
    for (Digest kind : kinds) {
      Said const s = error_of(kind, call);
      if (s.count > worst.count) worst = s;
    }
    return worst;
  }

  Said range(Call const& call) const {
    if (rule_.range <= 0 || !pages(call)) return {};
    std::set<std::int64_t> shown;
    std::int64_t end = kernel::kNoEnd;
    std::int64_t streak = 0;
    Event const* last = nullptr;
    for (std::size_t i = since(false); i < history_.size(); ++i) {
      Event const& e = history_[i];
      if (e.what != What::kResult || !pages(*e.call) || failed(e.result->status) || !same_thing(*e.call, call))
        continue;
      bool const anew = last != nullptr && changed(place(*last), i, *e.call);
      if (anew || answers_otherwise(i)) {
        shown.clear();
        end = kernel::kNoEnd;
        streak = 0;
      }
      bool const old = nothing_new(e.call->range, shown, end);
      bool const empty = e.result->status == kernel::ResultStatus::kEmpty;
      if (!old) {
        streak = 0;
      } else if (last == nullptr || last->round != e.round) {
        ++streak;
      }
      if (empty) {
        end = std::min(end, e.call->range.begin);
      } else {
        if (end <= e.call->range.begin) end = kernel::kNoEnd;
        for (std::int64_t line = e.call->range.begin; line < e.call->range.end; ++line) {
          if (!old) shown.insert(line);
        }
      }
      last = &e;
    }
    if (last == nullptr || changed(place(*last), history_.size(), call) || !nothing_new(call.range, shown, end))
      return {};
    return judge(kernel::Code::kRange, streak + 1, rule_.range, rule_.range_warn);
  }

  /// All of them, in the order in which they speak.
  Said all(Call const& call, Micros now) const {
    Said const order[] = {exact(call, now), range(call), stagnant(call), error(call)};
    if (Said const c = cycle(call); c.acts) return c;
    for (Said const& s : order) {
      if (s.acts) return s;
    }
    for (Said const& s : order) {
      if (s.code != kernel::Code::kNone) return s;
    }
    return {};
  }

  /// For taking a step back: forgets everything after so many events.
  std::size_t size() const { return history_.size(); }
  void back_to(std::size_t size, std::uint32_t round) {
    history_.resize(size);
    round_ = round;
    running_.clear();
  }
  std::uint32_t round() const { return round_; }

 private:
  enum class What { kRound, kResult, kRefusal, kPerson, kAutomatic, kForgotten };
  struct Event {
    What what = What::kRound;
    Call const* call = nullptr;
    Result const* result = nullptr;
    kernel::Code why = kernel::Code::kNone;
    Micros at{0};
    std::uint32_t round = 0;
    std::multiset<Digest> proposed;
  };

  static bool patient(Call const& c) { return c.terms.effect == Effect::kPoll || c.terms.effect == Effect::kWait; }
  static bool may_change(Call const& c) {
    return c.terms.effect == Effect::kWrite || c.terms.effect == Effect::kDelegate ||
           c.terms.effect == Effect::kUnknown;
  }
  static bool pages(Call const& c) {
    return c.terms.effect == Effect::kRead && c.has_range && c.range.begin < c.range.end &&
           c.range.end < kernel::kNoEnd;
  }
  static bool same_thing(Call const& a, Call const& b) { return a.tool_id == b.tool_id && a.identity == b.identity; }
  static bool nothing_new(kernel::LineRange asked, std::set<std::int64_t> const& shown, std::int64_t end) {
    if (asked.begin >= end) return true;
    for (std::int64_t line = asked.begin; line < asked.end; ++line) {
      if (!shown.contains(line)) return false;
    }
    return true;
  }
  static Said judge(kernel::Code code, std::int64_t n, int acts, int warns) {
    if (acts > 0 && n >= acts) return {code, true, n};
    if (acts > 0 && warns > 0 && n >= warns) return {code, false, n};
    return {};
  }

  void add(Event e) {
    e.round = round_;
    history_.push_back(std::move(e));
  }
  std::size_t place(Event const& e) const { return static_cast<std::size_t>(&e - history_.data()); }
  bool ends_everything(std::size_t i) const { return history_[i].what == What::kPerson; }
  /// Where the history that counts begins: after the last person's message or, for what was shown, the last compaction.
  std::size_t since(bool only_people) const {
    std::size_t from = 0;
    for (std::size_t i = 0; i < history_.size(); ++i) {
      if (ends_everything(i) || (!only_people && history_[i].what == What::kForgotten)) from = i + 1;
    }
    return from;
  }

  // ---- changes

  /// Is event `i` a change, and does it matter to this call?
  bool is_change(std::size_t i, Call const& for_call) const {
    Event const& e = history_[i];
    if (e.what == What::kAutomatic) return true;
    if (e.what != What::kResult || failed(e.result->status)) return false;
    if (e.call->terms.effect == Effect::kWait)
      return !patient(for_call);  // time has passed, which is no reason to poll again
    if (!may_change(*e.call)) return false;
    for (std::size_t before = 0; before < i; ++before) {
      Event const& b = history_[before];
      if (b.what == What::kResult && b.call->key == e.call->key && b.result->outcome == e.result->outcome) return false;
    }
    if (!e.call->resources_declared || !for_call.resources_declared) return true;
    return std::any_of(e.call->resources.begin(), e.call->resources.end(), [&](Digest r) {
      return std::find(for_call.resources.begin(), for_call.resources.end(), r) != for_call.resources.end();
    });
  }
  bool changed(std::size_t after, std::size_t before, Call const& for_call) const {
    for (std::size_t i = after + 1; i < before; ++i) {
      if (is_change(i, for_call)) return true;
    }
    return false;
  }
  /// Did the same call give another answer the time before?
  bool answers_otherwise(std::size_t i) const {
    for (std::size_t before = i; before-- > 0;) {
      Event const& b = history_[before];
      if (b.what == What::kResult && b.call->key == history_[i].call->key)
        return b.result->outcome != history_[i].result->outcome;
    }
    return false;
  }

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

  // ---- one error

  Said error_of(Digest kind, Call const& call) const {
    std::int64_t count = 0;
    std::set<Digest> tools;
    Event const* last = nullptr;
    for (std::size_t i = since(true); i < history_.size(); ++i) {
      Event const& e = history_[i];
      if (e.what != What::kResult) continue;
      if (!failed(e.result->status)) {
        if (tools.contains(e.call->tool_id)) tools.clear(), count = 0, last = nullptr;
        continue;
      }
      bool const honest =
          e.result->status == kernel::ResultStatus::kDenied || e.result->status == kernel::ResultStatus::kCancelled;
      if (honest || e.result->masked != kind) continue;
      bool const counts = last == nullptr || (last->call->key != e.call->key && last->round != e.round &&
                                              !changed(place(*last), i, *e.call));
      if (counts) ++count;
      tools.insert(e.call->tool_id);
      last = &e;
    }
    if (last == nullptr || last->call->key == call.key || !tools.contains(call.tool_id)) return {};
    if (changed(place(*last), history_.size(), call)) return {};
    return judge(kernel::Code::kError, count + 1, rule_.error, rule_.error_warn);
  }

  kernel::Repeat rule_;
  std::vector<Event> history_;
  std::vector<Call const*> running_;
  std::uint32_t round_ = 0;
};

}  // namespace backedge::support
