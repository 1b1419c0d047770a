// Rules exact, poll and effect; see exact.h.

#include "kernel/exact.h"

#include <limits>

namespace backedge::kernel {
namespace {

constexpr Digest kEffectSalt{0x65666665, 0x6374};
constexpr Digest kRefusalSalt{0x72656675, 0x73616c};
constexpr Digest kAnswerSalt{0x616e7377, 0x6572};

bool waits(Terms const& t) { return t.effect == Effect::kPoll || t.effect == Effect::kWait; }

bool may_change(Effect e) { return e == Effect::kWrite || e == Effect::kDelegate || e == Effect::kUnknown; }

bool harms_twice(Terms const& t) { return t.idempotent == Idempotent::kNo && may_change(t.effect); }

// More records in the same table, under keys of their own: effects, refusals, and answers that a call gave before its
// last.
Digest effect_key(CallFacts const& call) { return combine(kEffectSalt, combine(call.tool_id, call.identity)); }
Digest refusal_key(CallFacts const& call) { return combine(kRefusalSalt, call.key); }
Digest answer_key(CallFacts const& call, Digest outcome) { return combine(kAnswerSalt, combine(call.key, outcome)); }

std::uint32_t since_start(Micros start, Micros now) {
  return static_cast<std::uint32_t>(std::chrono::duration_cast<std::chrono::milliseconds>(now - start).count());
}

template <class Int>
void count_up(Int& n) {
  if (n != std::numeric_limits<Int>::max()) ++n;
}

}  // namespace

void ExactRule::begin_round() { round_.clear(); }

void ExactRule::joins_round(CallFacts const& call, CallId id) {
  if (round_.size() == kMaxMembers) return;
  round_.push_back({call.key, harms_twice(call.terms) ? effect_key(call) : Digest{}, id});
}

Finding ExactRule::in_round(CallFacts const& call, CallId self, Repeat const& rule) const {
  bool const joins = call.terms.idempotent == Idempotent::kYes && rule.exact > 0;
  bool const harms = harms_twice(call.terms) && rule.effect > 0;
  if (!joins && !harms) return {};
  Digest const effect = harms ? effect_key(call) : Digest{};
  for (Member const& m : round_) {
    if (m.call == self) continue;
    if (joins && m.key == call.key) {
      return {.code = Code::kExact,
              .acts = true,
              .joins = true,
              .count = 2,
              .limit = 2,
              .earlier = m.call,
              .loop = call.key};
    }
    if (harms && m.effect == effect) {
      return {.code = Code::kEffect, .acts = true, .count = 2, .limit = rule.effect, .earlier = m.call, .loop = effect};
    }
  }
  return {};
}

Finding ExactRule::refused_before(CallFacts const& call, Repeat const& rule, Changes const& changes) const {
  if (!refused_ || rule.exact_error <= 0) return {};
  KeyRecord const* seen = table_.find(refusal_key(call));
  if (seen == nullptr || seen->count + 1 < rule.exact_error || changes.since(seen->stamp, call)) return {};
  return {.code = Code::kExact,
          .acts = true,
          .refused = true,
          .count = seen->count + 1,
          .limit = rule.exact_error,
          .earlier = seen->last,
          .loop = call.key};
}

Finding ExactRule::propose(CallFacts const& call, CallId self, Repeat const& rule, Changes const& changes,
                           Micros now) const {
  if (Finding const twice = in_round(call, self, rule)) return twice;
  if (rule.effect > 0 && harms_twice(call.terms)) {
    KeyRecord const* done = table_.find(effect_key(call));
    if (done != nullptr && done->count + 1 >= rule.effect) {
      return {.code = Code::kEffect,
              .acts = true,
              .count = done->count + 1,
              .limit = rule.effect,
              .earlier = done->last,
              .loop = done->key};
    }
  }
  Finding const refused = refused_before(call, rule, changes);
  KeyRecord const* seen = table_.find(call.key);
  if (seen == nullptr || seen->count == 0) return refused;
  bool const polled = waits(call.terms);
  if (polled ? changes.work_since(seen->stamp, call) : changes.since(seen->stamp, call)) return refused;
  std::int64_t n = seen->count + 1;
  if (polled && call.terms.min_interval.count() > 0 &&
      now - start_ < Micros{seen->last_ms * 1000LL} + call.terms.min_interval) {
    n = seen->count;  // asked again before anything could be new: not an occurrence yet
  }
  int const acts = polled ? rule.poll : seen->failing ? rule.exact_error : rule.exact;
  int const warns = polled ? rule.poll_warn : rule.exact_warn;
  bool const act = acts > 0 && n >= acts;
  if (!act && (refused || acts == 0 || warns == 0 || n < warns)) return refused;
  return {.code = polled ? Code::kPoll : Code::kExact,
          .acts = act,
          .count = n,
          .limit = acts,
          .earlier = seen->last,
          .loop = call.key};
}

// Has this call not given this answer before, in this frame? Remembers the answer that it gave last, as soon as another
// comes.
bool ExactRule::answers_anew(CallFacts const& call, Digest outcome) {
  KeyRecord const* seen = table_.find(call.key);
  if (seen == nullptr || seen->outcome.none()) return true;
  if (seen->outcome == outcome) return false;
  Digest const last = seen->failing ? Digest{} : seen->outcome;
  if (!last.none()) table_.obtain(answer_key(call, last));
  return table_.find(answer_key(call, outcome)) == nullptr;
}

CallId ExactRule::last(Digest key) const {
  KeyRecord const* seen = table_.find(key);
  return seen == nullptr ? CallId{} : seen->last;
}

Answer ExactRule::record(CallFacts const& call, ResultFacts const& result, CallId id, std::uint32_t round,
                         Changes& changes, Micros now) {
  if (start_.count() < 0) start_ = now;
  bool const anew = may_change(call.terms.effect) && answers_anew(call, result.outcome);
  if (refused_) {
    if (KeyRecord* refusals = table_.find(refusal_key(call))) refusals->count = 0;
  }
  KeyRecord& seen = table_.obtain(call.key);
  bool const first = seen.outcome.none();
  bool const same = seen.outcome == result.outcome;
  bool const polled = waits(call.terms);
  bool const excused = polled ? changes.work_since(seen.stamp, call) : changes.since(seen.stamp, call);
  std::uint32_t const now_ms = since_start(start_, now);
  bool const too_soon = polled && seen.count > 0 && now_ms - seen.last_ms < call.terms.min_interval.count() / 1000;

  bool const good = !failed(result.status);
  if (good && anew) changes.note(call);
  if (good && call.terms.effect == Effect::kWait) changes.note_elapsed();

  bool const counts = !same || seen.count == 0 || (seen.round != round && !excused && !too_soon);
  if (!same || seen.count == 0) {
    seen.count = 1;
  } else if (counts) {
    count_up(seen.count);
  }
  if (counts) seen.last_ms = now_ms;
  seen.outcome = result.outcome;
  seen.failing = !good;
  seen.empty = result.status == ResultStatus::kEmpty;
  seen.stamp = changes.stamp();
  seen.round = round;
  seen.last = id;
  count_up(seen.visible);

  if (good && harms_twice(call.terms)) {
    KeyRecord& done = table_.obtain(effect_key(call));
    count_up(done.count);
    done.last = id;
  }
  return first ? Answer::kFirst : same ? Answer::kSame : Answer::kOther;
}

void ExactRule::record_refusal(CallFacts const& call, Code why, CallId id, std::uint32_t round,
                               Changes const& changes) {
  refused_ = true;
  KeyRecord& seen = table_.obtain(refusal_key(call));
  Digest const outcome{1, static_cast<std::uint64_t>(why)};
  if (seen.outcome != outcome || seen.count == 0) {
    seen.count = 1;
  } else if (seen.round != round && !changes.since(seen.stamp, call)) {
    count_up(seen.count);
  }
  seen.outcome = outcome;
  seen.stamp = changes.stamp();
  seen.round = round;
  seen.last = id;
}

void ExactRule::forget_visible(Digest key) {
  KeyRecord* seen = table_.find(key);
  if (seen == nullptr) return;
  if (seen->visible > 0) --seen->visible;
  if (seen->visible == 0) seen->count = 0;
}

void ExactRule::reset() {
  round_.clear();
  table_.each([](KeyRecord& r) { r.count = 0; });
}

}  // namespace backedge::kernel
