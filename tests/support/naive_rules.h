// The repetition rules once more, written straight from their description and without any of the tables of the kernel.
//
// Slow, and only for the oracle. Here: stagnant, error, range, and all of them in order.
#pragma once

#include <set>
#include <vector>

#include "support/naive_calls.h"

namespace backedge::support {

class NaiveRules : public NaiveCalls {
 public:
  using NaiveCalls::NaiveCalls;

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

 private:
  static bool pages(Call const& c) {
    return c.terms.effect == Effect::kRead && c.has_range && c.range.begin < c.range.end &&
           c.range.end < kernel::kNoEnd;
  }
  static bool nothing_new(kernel::LineRange asked, std::set<std::int64_t> const& shown, std::int64_t end) {
    if (asked.begin >= end) return true;
    for (std::int64_t line = asked.begin; line < asked.end; ++line) {
      if (!shown.contains(line)) return false;
    }
    return true;
  }

  Said error_of(Digest kind, Call const& call) const {
    std::int64_t count = 0;
    bool moves = false;  // the last call was the one before it again, and its text was another one of this kind
    std::set<Digest> tools;
    Event const* last = nullptr;
    for (std::size_t i = since(true); i < history_.size(); ++i) {
      Event const& e = history_[i];
      if (e.what != What::kResult) continue;
      if (!failed(e.result->status)) {
        if (!tools.contains(e.call->tool_id)) continue;
        tools.clear();
        count = 0;
        last = nullptr;
        continue;
      }
      bool const no_try =
          e.result->status == kernel::ResultStatus::kDenied || e.result->status == kernel::ResultStatus::kCancelled;
      if (no_try || e.result->masked != kind) continue;
      bool const again = last != nullptr && last->call->key == e.call->key;
      bool const differs = !again || last->result->outcome != e.result->outcome;
      if (last == nullptr || (differs && last->round != e.round && !changed(place(*last), i, *e.call))) ++count;
      moves = again && differs;
      tools.insert(e.call->tool_id);
      last = &e;
    }
    if (last == nullptr || (last->call->key == call.key && !moves) || !tools.contains(call.tool_id)) return {};
    if (changed(place(*last), history_.size(), call)) return {};
    return judge(kernel::Code::kError, count + 1, rule_.error, rule_.error_warn);
  }
};

}  // namespace backedge::support
