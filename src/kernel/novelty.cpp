// Rule novelty; see novelty.h.

#include "kernel/novelty.h"

#include <algorithm>

namespace backedge::kernel {
namespace {

constexpr Digest kNoveltyLoop{0x6e6f7665, 0x6c7479};
constexpr std::uint32_t kEnough = 8;  // shingles; a shorter result says nothing about novelty

}  // namespace

Finding NoveltyRule::propose(CallFacts const& call, Repeat const& rule) const {
  if (rule.novelty_calls <= 0 || call.terms.effect != Effect::kRead) return {};
  if (window_.size() < std::min<std::size_t>(static_cast<std::size_t>(rule.novelty_calls), kMaxWindow)) return {};
  std::int64_t fresh = 0;
  std::int64_t total = 0;
  for (Sample s : window_) {
    fresh += s.fresh;
    total += s.total;
  }
  if (fresh * 100 >= total * rule.novelty_percent) return {};
  return {.code = Code::kNovelty,
          .acts = false,
          .count = total == 0 ? 0 : fresh * 100 / total,
          .limit = rule.novelty_percent,
          .loop = kNoveltyLoop};
}

void NoveltyRule::record(CallFacts const& call, ResultFacts const& result, Repeat const& rule, Changes const& changes) {
  if (rule.novelty_calls <= 0) return;
  if (changes.stamp() != stamp_) window_.clear();
  stamp_ = changes.stamp();
  if (call.terms.effect != Effect::kRead || failed(result.status) || result.shingle_count < kEnough) return;
  Sample sample;
  for (std::uint32_t shingle : result.shingles.view().first(std::min(kPerResult, result.shingles.size()))) {
    if (seen_.put(shingle)) ++sample.fresh;
    ++sample.total;
  }
  auto const wanted = std::min<std::size_t>(static_cast<std::size_t>(rule.novelty_calls), kMaxWindow);
  if (window_.size() >= wanted) window_.erase(window_.begin());
  window_.push_back(sample);
}

}  // namespace backedge::kernel
