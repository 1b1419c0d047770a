// Many answers, nothing new in them: rule novelty, which only warns.
//
// Looks at the sampled five-word shingles of the last `novelty_calls` reads; when fewer than `novelty_percent` of them
// were new to the frame, it says so once and starts to count again. Anything that changes starts the window anew.
// Shingles are remembered in a table of fixed places (seen_shingles.h), so old ones are forgotten, which only makes the
// rule milder. Tested in tests/kernel/novelty_test.cpp.
#pragma once

#include <vector>

#include "kernel/changes.h"
#include "kernel/finding.h"
#include "kernel/seen_shingles.h"

namespace backedge::kernel {

class NoveltyRule {
 public:
  Finding propose(CallFacts const& call, Repeat const& rule) const;
  void record(CallFacts const& call, ResultFacts const& result, Repeat const& rule, Changes const& changes);
  /// The warning was given: the next one needs a new window.
  void warned() { window_.clear(); }
  void reset() { window_.clear(); }

 private:
  struct Sample {
    std::uint32_t fresh = 0;
    std::uint32_t total = 0;
  };
  static constexpr std::size_t kMaxWindow = 64;
  static constexpr std::size_t kPerResult = 16;  // smallest hashes of a result; enough to tell 5 % over a window

  SeenShingles seen_;
  std::vector<Sample> window_;  // grows to the policy's number of results, is used again
  std::uint32_t stamp_ = 0;
};

}  // namespace backedge::kernel
