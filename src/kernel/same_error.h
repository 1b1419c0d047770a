// One error over many calls: rule error.
//
// Counts calls that failed with one error text (times, places and ids masked) although the call differed, or although
// the text itself did, over all tools that produced it; a success of one of these tools ends it. The same call with the
// same text is rule exact's. Acts only on tools that produced the error. Tested in tests/kernel/same_error_test.cpp,
// against a naive rule in tests/kernel/oracle_test.cpp.
#pragma once

#include <vector>

#include "kernel/changes.h"
#include "kernel/finding.h"

namespace backedge::kernel {

class ErrorRule {
 public:
  Finding propose(CallFacts const& call, Repeat const& rule, Changes const& changes) const;
  void record(CallFacts const& call, ResultFacts const& result, CallId id, std::uint32_t round, Changes const& changes);
  void reset() { errors_.clear(); }

 private:
  struct Streak {
    Digest error;
    Digest key;          // of the last call
    Digest outcome;      // of the last call, unmasked
    bool moves = false;  // the last call was the one before it again, and only what is masked differed
    std::uint32_t stamp = 0;
    std::uint32_t round = 0;
    std::uint32_t count = 0;
    CallId last;
    FixedList<Digest, 8> tools;
  };
  static constexpr std::size_t kMaxErrors = 16;  // the oldest goes first

  std::vector<Streak> errors_;
};

}  // namespace backedge::kernel
