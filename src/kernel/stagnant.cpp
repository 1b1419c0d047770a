// Rule stagnant; see stagnant.h.

#include "kernel/stagnant.h"

#include <algorithm>

namespace backedge::kernel {
namespace {

constexpr Digest kStagnantSalt{0x73746167, 0x6e616e74};

}  // namespace

Finding StagnantRule::propose(CallFacts const& call, Repeat const& rule, Changes const& changes) const {
  if (call.terms.effect != Effect::kRead || rule.stagnant <= 0) return {};
  auto const s = std::find_if(tools_.begin(), tools_.end(), [&](Streak const& t) { return t.tool == call.tool_id; });
  if (s == tools_.end() || s->count == 0 || s->key == call.key || changes.since(s->stamp, call)) return {};
  std::int64_t const n = s->count + 1;
  int const acts = s->empty ? rule.stagnant_empty : rule.stagnant;
  bool const act = acts > 0 && n >= acts;
  if (!act && (s->empty || rule.stagnant_warn <= 0 || n < rule.stagnant_warn)) return {};
  return {.code = Code::kStagnant,
          .acts = act,
          .count = n,
          .limit = acts,
          .earlier = s->last,
          .loop = combine(kStagnantSalt, combine(s->tool, s->outcome))};
}

void StagnantRule::record(CallFacts const& call, ResultFacts const& result, CallId id, std::uint32_t round,
                          Changes const& changes) {
  if (call.terms.effect != Effect::kRead) return;
  auto s = std::find_if(tools_.begin(), tools_.end(), [&](Streak const& t) { return t.tool == call.tool_id; });
  if (s == tools_.end()) {
    if (tools_.size() < kMaxTools) {
      s = tools_.insert(tools_.end(), Streak{});
    } else {
      s = tools_.begin() + static_cast<std::ptrdiff_t>(oldest_);
      oldest_ = (oldest_ + 1) % kMaxTools;
      *s = Streak{};
    }
    s->tool = call.tool_id;
  }
  if (failed(result.status)) {
    s->count = 0;
  } else if (s->count == 0 || s->outcome != result.outcome) {
    s->count = 1;
  } else if (s->key != call.key && s->round != round && !changes.since(s->stamp, call)) {
    ++s->count;
  }
  s->outcome = result.outcome;
  s->key = call.key;
  s->empty = result.status == ResultStatus::kEmpty;
  s->stamp = changes.stamp();
  s->round = round;
  s->last = id;
}

}  // namespace backedge::kernel
