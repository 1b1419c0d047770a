// Many answers, nothing new in them: rule novelty, which only warns.
//
// Looks at the sampled five-word shingles of the last `novelty_calls` reads; when fewer than `novelty_percent` of them
// were new to the frame, it says so once and starts to count again. Anything that changes starts the window anew.
// Shingles are remembered in a direct-mapped table, so old ones are forgotten, which only makes the rule milder. Tested
// in tests/kernel/novelty_test.cpp.
#pragma once

#include <vector>

#include "kernel/changes.h"
#include "kernel/finding.h"

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
  static constexpr std::size_t kRemembered = 2048;
  static constexpr std::size_t kPerResult = 16;  // smallest hashes of a result; enough to tell 5 % over a window

  std::vector<std::uint32_t> seen_;  // made at the first result long enough to have shingles
  FixedList<Sample, 64> window_;
  std::uint32_t stamp_ = 0;
};

}  // namespace backedge::kernel
