// Pages already read: rule range, for reads whose contract says which lines they ask for.
//
// Keeps, per identity, the lines shown so far as disjoint intervals and where the end was met (an empty answer), and
// counts reads in a row that ask only for lines shown before or behind the end. Reads without an end are no pages and
// left to rule exact. A change to the resource, or another answer to the same call, makes every line new again. Tested
// in tests/kernel/coverage_test.cpp, against a naive rule in tests/kernel/oracle_test.cpp.
#pragma once

#include <unordered_map>
#include <vector>

#include "kernel/changes.h"
#include "kernel/exact.h"
#include "kernel/finding.h"

namespace backedge::kernel {

/// A set of lines as sorted, disjoint, non-touching intervals.
class LineSet {
 public:
  static constexpr std::size_t kMaxIntervals = 256;  // beyond that lines are dropped, which only makes the rule milder

  bool contains(LineRange lines) const;
  void insert(LineRange lines);
  void clear() { intervals_.clear(); }
  std::vector<LineRange> const& intervals() const { return intervals_; }

 private:
  std::vector<LineRange> intervals_;
};

/// An end beyond this is "to the end of the file".
inline constexpr std::int64_t kNoEnd = std::int64_t{1} << 61;

class RangeRule {
 public:
  Finding propose(CallFacts const& call, Repeat const& rule, Changes const& changes) const;
  void record(CallFacts const& call, ResultFacts const& result, Answer answer, CallId id, std::uint32_t round,
              Changes const& changes);
  void reset() { seen_.clear(); }

 private:
  struct Seen {
    LineSet lines;
    std::int64_t end = kNoEnd;  // the first line at which an answer was empty
    std::uint32_t stamp = 0;
    std::uint32_t round = 0;
    std::uint32_t streak = 0;  // reads in a row that showed nothing new
    CallId last;

    bool shows_nothing_new(LineRange asked) const { return asked.begin >= end || lines.contains(asked); }
  };
  static constexpr std::size_t kMaxIdentities = 512;  // a full table is emptied, which only makes the rule milder

  std::unordered_map<Digest, Seen> seen_;
};

}  // namespace backedge::kernel
