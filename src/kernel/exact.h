// The same call again: rules exact, poll and effect.
//
// exact: a pair (key, outcome) counts when nothing changed since the occurrence before; a change skips one count,
// another outcome starts anew. poll is the same rule with patience for tools that are declared to wait. effect: a call
// declared not idempotent has had its effect once; the same identity again is harm already. Within one round a repeat
// counts once. Tested in tests/kernel/exact_test.cpp, against a naive rule in tests/kernel/oracle_test.cpp.
#pragma once

#include <vector>

#include "kernel/changes.h"
#include "kernel/finding.h"
#include "kernel/key_table.h"

namespace backedge::kernel {

/// How an outcome compares with what the same key gave before.
enum class Answer : std::uint8_t { kFirst, kSame, kOther };

class ExactRule {
 public:
  void begin_round();

  /// What the rules say of a call of this round. O(1).
  /// `self`: the id of a call that already belongs to the round, when it is looked at again; else not valid.
  Finding propose(CallFacts const& call, CallId self, Repeat const& rule, Changes const& changes, Micros now) const;
  /// The call that gave this key's last outcome; not valid when there is none.
  CallId last(Digest key) const;
  /// The call is part of the round and runs.
  void joins_round(CallFacts const& call, CallId id);

  /// A result, after the call has run. O(1).
  Answer record(CallFacts const& call, ResultFacts const& result, CallId id, std::uint32_t round, Changes& changes,
                Micros now);
  /// A call refused for another reason than repetition. Counted apart from its outcomes: asking again and again is
  /// seen, and what the call did when it ran is not forgotten.
  void record_refusal(CallFacts const& call, Code why, CallId id, std::uint32_t round, Changes const& changes);

  /// The model no longer sees one result of this key; when it sees none, the count starts anew.
  void forget_visible(Digest key);
  /// A person has spoken: no count survives, the outcomes do.
  void reset();

 private:
  static constexpr std::size_t kMaxMembers = 64;  // of a round; beyond that duplicates within it are not seen
  struct Member {
    Digest key;
    Digest effect;  // what must not be done twice; none when it may
    CallId call;
  };

  Finding in_round(CallFacts const& call, CallId self, Repeat const& rule) const;
  Finding refused_before(CallFacts const& call, Repeat const& rule, Changes const& changes) const;
  bool answers_anew(CallFacts const& call, Digest outcome);

  KeyTable table_;
  std::vector<Member> round_;  // of the round under way, for duplicates within it
  bool refused_ = false;       // some call was refused here
  Micros start_{-1};           // of the frame's first result, base of KeyRecord::last_ms
};

}  // namespace backedge::kernel
