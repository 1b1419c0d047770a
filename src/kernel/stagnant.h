// Other arguments, same answer: rule stagnant, for tools that are declared to read.
//
// Counts, per tool, results in a row that are byte-equal although the call differed; a call equal to the one before is
// rule exact's. Looking for something that is not there (an empty answer) is given more tries than reading the same
// bytes. Tested in tests/kernel/stagnant_test.cpp, against a naive rule in tests/kernel/oracle_test.cpp.
#pragma once

#include <vector>

#include "kernel/changes.h"
#include "kernel/finding.h"

namespace backedge::kernel {

class StagnantRule {
 public:
  Finding propose(CallFacts const& call, Repeat const& rule, Changes const& changes) const;
  void record(CallFacts const& call, ResultFacts const& result, CallId id, std::uint32_t round, Changes const& changes);
  void reset() { tools_.clear(); }

 private:
  struct Streak {
    Digest tool;
    Digest outcome;
    Digest key;  // of the last call
    std::uint32_t stamp = 0;
    std::uint32_t round = 0;
    std::uint32_t count = 0;
    CallId last;
    bool empty = false;
  };
  static constexpr std::size_t kMaxTools = 64;  // the oldest goes first

  std::vector<Streak> tools_;
  std::size_t oldest_ = 0;
};

}  // namespace backedge::kernel
