// The ladder of one frame: how often each loop was noticed and refused, and when the frame must answer.
//
// A loop has one identity; it is noticed once, its members are refused, and after `refusals` refusals the next turn
// must be the answer. Only a call of the loop climbs; an answer that differs, or a person's message, takes the loop off
// the ladder. Tested in tests/kernel/ladder_test.cpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/digest.h"

namespace backedge::kernel {

class Rungs {
 public:
  static constexpr std::size_t kMaxLoops = 64;  // the oldest goes first

  /// True the first time that this loop is to be noticed.
  bool notice(Digest loop) {
    Rung& rung = obtain(loop);
    bool const first = !rung.noticed;
    rung.noticed = true;
    return first;
  }
  /// The number of this refusal, from 1.
  int refuse(Digest loop) { return ++obtain(loop).refusals; }
  void forget(Digest loop) {
    std::erase_if(loops_, [&](Rung const& r) { return r.loop == loop; });
  }
  void clear() { loops_.clear(); }

 private:
  struct Rung {
    Digest loop;
    int refusals = 0;
    bool noticed = false;
  };

  Rung& obtain(Digest loop) {
    for (Rung& r : loops_) {
      if (r.loop == loop) return r;
    }
    if (loops_.size() == kMaxLoops) loops_.erase(loops_.begin());
    return loops_.emplace_back(Rung{.loop = loop});
  }

  std::vector<Rung> loops_;
};

}  // namespace backedge::kernel
