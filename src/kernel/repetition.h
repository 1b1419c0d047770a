// All repetition rules of one agent frame, in one order: each rule stands in a file of its own.
//
// Equal calls are normal; what is not normal is that nothing changed. The rules see a call before it is dispatched and
// its result afterwards; refused calls feed no rule but exact. A round counts once. Everything here is O(1) in the
// history. Tested in tests/kernel/repetition_test.cpp and, against naive rules over all short sequences,
// tests/kernel/oracle_test.cpp.
#pragma once

#include <span>

#include "kernel/coverage.h"
#include "kernel/cycle.h"
#include "kernel/exact.h"
#include "kernel/novelty.h"
#include "kernel/same_error.h"
#include "kernel/stagnant.h"

namespace backedge::kernel {

class Repetition {
 public:
  /// A model message asks for these calls.
  void begin_round(std::span<CallFacts const> calls, Repeat const& rule);
  /// The gravest finding on a call of this round: one that acts before one that warns. No allocation.
  /// `self`: the id of a call of this round that is looked at again; else not valid.
  Finding propose(CallFacts const& call, CallId self, Repeat const& rule, Micros now) const;

  /// The call is part of the round under way and runs, now or later.
  void joins_round(CallFacts const& call, CallId id) { exact_.joins_round(call, id); }
  /// The call, of that round, is dispatched. What runs on beyond its round is no part of a cycle of rounds.
  void starts(CallFacts const& call, std::uint32_t round) {
    if (round == round_) cycle_.starts(call);
  }
  /// A result. True if the call did not give this outcome last time.
  bool record(CallFacts const& call, ResultFacts const& result, CallId id, std::uint32_t round, Repeat const& rule,
              Micros now);
  void record_refusal(CallFacts const& call, Code why, CallId id, std::uint32_t round) {
    exact_.record_refusal(call, why, id, round, changes_);
  }
  /// A repeat that is not run. Which occurrence this is, refused ones included where they are of the same kind; of one
  /// round they are one. O(1).
  std::int64_t refuse(Finding const& found);
  void noticed(Code code) {
    if (code == Code::kNovelty) novelty_.warned();
  }

  /// The model's own words: a tail that repeats itself, or one message again and again.
  Finding text(TextFacts const& text, bool has_calls, Repeat const& rule);

  /// The model no longer sees one result of this key.
  void forget_visible(Digest key);
  /// Something outside changed the world: an automatic message.
  void note_change() { changes_.note_everything(); }
  /// A person has spoken: every count starts anew.
  void reset();

  std::uint32_t round() const { return round_; }
  std::uint32_t changes() const { return changes_.stamp(); }

 private:
  static constexpr std::size_t kMaxRefused = 64;  // the oldest goes first

  /// Refusals of one repeat, counted until it runs again and so names another call that came before.
  struct Refused {
    Digest loop;
    CallId earlier;
    std::uint32_t round = 0;  // of the last one
    std::int64_t more = 0;    // after the first
  };

  Changes changes_;
  ExactRule exact_;
  CycleRule cycle_;
  StagnantRule stagnant_;
  ErrorRule error_;
  RangeRule range_;
  NoveltyRule novelty_;
  Digest message_;             // the last answer without calls
  std::int64_t messages_ = 0;  // how often it came in a row
  std::vector<Refused> refused_;
  std::uint32_t round_ = 0;
};

}  // namespace backedge::kernel
