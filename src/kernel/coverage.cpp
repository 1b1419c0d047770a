// Rule range; see coverage.h.

#include "kernel/coverage.h"

#include <algorithm>

namespace backedge::kernel {
namespace {

constexpr Digest kRangeSalt{0x72616e67, 0x65};

bool pages(CallFacts const& call) {
  return call.terms.effect == Effect::kRead && call.has_range && call.range.begin < call.range.end &&
         call.range.end < kNoEnd;
}

Digest thing(CallFacts const& call) { return combine(kRangeSalt, combine(call.tool_id, call.identity)); }

}  // namespace

bool LineSet::contains(LineRange lines) const {
  auto const after = std::upper_bound(intervals_.begin(), intervals_.end(), lines.begin,
                                      [](std::int64_t at, LineRange const& r) { return at < r.begin; });
  return after != intervals_.begin() && std::prev(after)->end >= lines.end;
}

void LineSet::insert(LineRange lines) {
  auto first = std::lower_bound(intervals_.begin(), intervals_.end(), lines.begin,
                                [](LineRange const& r, std::int64_t at) { return r.end < at; });
  auto last = first;
  while (last != intervals_.end() && last->begin <= lines.end) {
    lines.begin = std::min(lines.begin, last->begin);
    lines.end = std::max(lines.end, last->end);
    ++last;
  }
  if (first == last && intervals_.size() == kMaxIntervals) return;
  first = intervals_.erase(first, last);
  intervals_.insert(first, lines);
}

Finding RangeRule::propose(CallFacts const& call, Repeat const& rule, Changes const& changes) const {
  if (rule.range <= 0 || !pages(call)) return {};
  auto const it = seen_.find(thing(call));
  if (it == seen_.end() || changes.since(it->second.stamp, call) || !it->second.shows_nothing_new(call.range))
    return {};
  std::int64_t const n = it->second.streak + 1;
  bool const act = n >= rule.range;
  if (!act && (rule.range_warn <= 0 || n < rule.range_warn)) return {};
  return {.code = Code::kRange,
          .acts = act,
          .count = n,
          .limit = rule.range,
          .earlier = it->second.last,
          .loop = it->first};
}

void RangeRule::record(CallFacts const& call, ResultFacts const& result, Answer answer, CallId id, std::uint32_t round,
                       Changes const& changes) {
  if (!pages(call) || failed(result.status)) return;
  if (seen_.size() >= kMaxIdentities && !seen_.contains(thing(call))) seen_.clear();
  Seen& seen = seen_[thing(call)];
  if (answer == Answer::kOther || changes.since(seen.stamp, call)) seen = Seen{};
  bool const nothing_new = seen.shows_nothing_new(call.range);
  if (result.status == ResultStatus::kEmpty) {
    seen.end = std::min(seen.end, call.range.begin);
  } else if (seen.end <= call.range.begin) {
    seen.end = kNoEnd;  // there is something after all
  }
  if (!nothing_new) {
    seen.streak = 0;
    if (result.status != ResultStatus::kEmpty) seen.lines.insert(call.range);
  } else if (seen.round != round) {
    ++seen.streak;
  }
  seen.stamp = changes.stamp();
  seen.round = round;
  seen.last = id;
}

}  // namespace backedge::kernel
