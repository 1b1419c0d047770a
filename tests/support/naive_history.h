// What happened to one agent, as a plain list: the ground on which the naive rules stand.
//
// The whole history is kept and searched from the start at every question. Time is the place of an event in the
// history; a change is an event; "between" is always between two places. Only for the oracle.
#pragma once

#include <algorithm>
#include <set>
#include <vector>

#include "kernel/repetition.h"

namespace backedge::support {

class NaiveHistory {
 public:
  using Call = kernel::CallFacts;
  using Result = kernel::ResultFacts;

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

  /// For taking a step back: forgets everything after so many events.
  std::size_t size() const { return history_.size(); }
  void back_to(std::size_t size, std::uint32_t round) {
    history_.resize(size);
    round_ = round;
    running_.clear();
  }
  std::uint32_t round() const { return round_; }

 protected:
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

  std::vector<Event> history_;
  std::vector<Call const*> running_;
  std::uint32_t round_ = 0;
};

}  // namespace backedge::support
