// Rule error; see same_error.h.

#include "kernel/same_error.h"

#include <algorithm>

namespace backedge::kernel {
namespace {

constexpr Digest kErrorSalt{0x65727265, 0x72};

bool has(FixedList<Digest, 8> const& tools, Digest tool) {
  return std::find(tools.begin(), tools.end(), tool) != tools.end();
}

}  // namespace

Finding ErrorRule::propose(CallFacts const& call, Repeat const& rule, Changes const& changes) const {
  if (rule.error <= 0) return {};
  Finding worst;
  for (Streak const& e : errors_) {
    if ((e.key == call.key && !e.moves) || !has(e.tools, call.tool_id) || changes.since(e.stamp, call)) continue;
    std::int64_t const n = e.count + 1;
    bool const act = n >= rule.error;
    if ((!act && (rule.error_warn <= 0 || n < rule.error_warn)) || n <= worst.count) continue;
    worst = {.code = Code::kError,
             .acts = act,
             .count = n,
             .limit = rule.error,
             .earlier = e.last,
             .loop = combine(kErrorSalt, e.error)};
  }
  return worst;
}

void ErrorRule::record(CallFacts const& call, ResultFacts const& result, CallId id, std::uint32_t round,
                       Changes const& changes) {
  if (!failed(result.status)) {
    std::erase_if(errors_, [&](Streak const& e) { return has(e.tools, call.tool_id); });
    return;
  }
  if (result.status == ResultStatus::kDenied || result.status == ResultStatus::kCancelled) return;
  auto e = std::find_if(errors_.begin(), errors_.end(), [&](Streak const& s) { return s.error == result.masked; });
  if (e == errors_.end()) {
    if (errors_.size() == kMaxErrors) errors_.erase(errors_.begin());
    e = errors_.insert(errors_.end(), Streak{.error = result.masked});
  }
  bool const again = e->key == call.key;
  bool const differs = !again || e->outcome != result.outcome;
  bool const counts = e->count == 0 || (differs && e->round != round && !changes.since(e->stamp, call));
  e->moves = again && differs && e->count > 0;
  if (counts) ++e->count;
  if (!has(e->tools, call.tool_id)) e->tools.push(call.tool_id);
  e->key = call.key;
  e->outcome = result.outcome;
  e->stamp = changes.stamp();
  e->round = round;
  e->last = id;
}

}  // namespace backedge::kernel
