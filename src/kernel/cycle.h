// The same few rounds over and over: rules cycle and livelock.
//
// A round is the set of its calls, whatever their order. When the last rounds are `repeat.cycle` full repeats of one
// period of 2 to 6 rounds, with equal calls and equal outcomes, and the next round continues the period, the cycle is
// found: every member is refused, at any place, until something else changes. A cycle that only hands work on is a
// livelock. Worked example: rounds A B A B, then A again is the fifth = 2p + 1 with p = 2: found. Tested in
// tests/kernel/cycle_test.cpp, against a naive rule in tests/kernel/oracle_test.cpp.
#pragma once

#include <span>
#include <vector>

#include "kernel/changes.h"
#include "kernel/finding.h"

namespace backedge::kernel {

class CycleRule {
 public:
  /// Closes the round before and asks whether `calls` continue a cycle. O(periods x repeats), no allocation after
  /// warm-up.
  void begin_round(std::span<CallFacts const> calls, Repeat const& rule, Changes const& changes);
  Finding propose(CallFacts const& call, Repeat const& rule, Changes const& changes) const;

  void starts(CallFacts const& call);
  void record(CallFacts const& call, ResultFacts const& result);
  void reset();

 private:
  static constexpr std::size_t kMaxMembers = 8;  // beyond that a call of a cycle is not known as its member
  static constexpr std::size_t kMaxInCycle = 48;
  // What is emptied keeps its memory: the ring hands rounds on instead of making new ones.
  struct Round {
    Digest keys;                  // sum over the calls that ran
    Digest pairs;                 // sum over (key, outcome)
    std::vector<Digest> members;  // keys, at most kMaxMembers
    std::uint32_t ran = 0;
    std::uint32_t running = 0;
    bool hands_on = true;  // every call is a delegation

    void clear();
  };
  struct Active {
    Digest loop;
    std::vector<Digest> members;
    std::uint32_t stamp = 0;
    std::uint16_t period = 0;
    std::int64_t count = 0;
    bool hands_on = false;

    void clear();
  };

  Round const& back(std::size_t n) const {
    return ring_[(next_ + ring_.size() - n) % ring_.size()];
  }  // n = 1: the last
  void close_round(Repeat const& rule);
  bool repeats(std::size_t period, std::size_t times) const;
  void activate(std::size_t period, std::size_t times, Changes const& changes);

  std::vector<Round> ring_;
  std::size_t next_ = 0;
  std::size_t filled_ = 0;
  Round open_;
  Active active_;
};

}  // namespace backedge::kernel
