// The order of the repetition rules; see repetition.h.

#include "kernel/repetition.h"

#include <algorithm>

namespace backedge::kernel {
namespace {

constexpr Digest kTextLoop{0x74657874, 0x6c6f6f70};
constexpr int kMinTailTokens = 12;  // a shorter repeat at the end is emphasis

}  // namespace

void Repetition::begin_round(std::span<CallFacts const> calls, Repeat const& rule) {
  ++round_;
  exact_.begin_round();
  cycle_.begin_round(calls, rule, changes_);
}

Finding Repetition::propose(CallFacts const& call, CallId self, Repeat const& rule, Micros now) const {
  Finding cycle = cycle_.propose(call, rule, changes_);  // first: its members share one identity
  if (cycle.acts) {
    cycle.earlier = exact_.last(call.key);
    return cycle;
  }
  Finding const exact = exact_.propose(call, self, rule, changes_, now);
  if (exact.acts) return exact;
  Finding const range = range_.propose(call, rule, changes_);
  if (range.acts) return range;
  Finding const stagnant = stagnant_.propose(call, rule, changes_);
  if (stagnant.acts) return stagnant;
  Finding const error = error_.propose(call, rule, changes_);
  if (error.acts) return error;
  if (exact) return exact;
  if (range) return range;
  if (stagnant) return stagnant;
  if (error) return error;
  return novelty_.propose(call, rule);
}

bool Repetition::record(CallFacts const& call, ResultFacts const& result, CallId id, std::uint32_t round,
                        Repeat const& rule, Micros now) {
  Answer const answer = exact_.record(call, result, id, round, changes_, now);
  if (round == round_) cycle_.record(call, result);
  range_.record(call, result, answer, id, round, changes_);
  stagnant_.record(call, result, id, round, changes_);
  error_.record(call, result, id, round, changes_);
  novelty_.record(call, result, rule, changes_);
  return answer != Answer::kSame;
}

// The other rules tell of answers that came, and to a refused call none came.
std::int64_t Repetition::refuse(Finding const& found) {
  bool const tells_of_calls = found.code == Code::kExact || found.code == Code::kEffect || found.code == Code::kRange;
  if (!tells_of_calls || found.joins) return found.count;
  auto at = std::find_if(refused_.begin(), refused_.end(), [&](Refused const& r) { return r.loop == found.loop; });
  if (at == refused_.end()) {
    if (refused_.size() == kMaxRefused) refused_.erase(refused_.begin());
    at = refused_.insert(refused_.end(), {.loop = found.loop, .earlier = found.earlier, .round = round_});
  }
  if (at->earlier != found.earlier) *at = {.loop = found.loop, .earlier = found.earlier, .round = round_};
  if (at->round != round_) ++at->more;
  at->round = round_;
  return found.count + at->more;
}

Finding Repetition::text(TextFacts const& text, bool has_calls, Repeat const& rule) {
  if (rule.text <= 0) return {};
  Finding out{.code = Code::kText, .acts = !has_calls, .limit = rule.text, .loop = kTextLoop};
  if (text.tail_repeats >= rule.text && text.tail_period <= rule.text_max_period &&
      text.tail_repeats * text.tail_period >= kMinTailTokens) {
    out.count = text.tail_repeats;
    out.period = text.tail_period;
    return out;
  }
  if (has_calls) {
    messages_ = 0;
    return {};
  }
  messages_ = text.message.none() || text.message != message_ ? 1 : messages_ + 1;
  message_ = text.message;
  if (message_.none() || messages_ < rule.text) return {};
  out.count = messages_;
  return out;
}

void Repetition::forget_visible(Digest key) {
  exact_.forget_visible(key);
  // What was shown is shown no longer: a second look at it is no repeat.
  cycle_.reset();
  range_.reset();
  stagnant_.reset();
}

void Repetition::reset() {
  exact_.reset();
  cycle_.reset();
  stagnant_.reset();
  error_.reset();
  range_.reset();
  novelty_.reset();
  message_ = Digest{};
  messages_ = 0;
}

}  // namespace backedge::kernel
