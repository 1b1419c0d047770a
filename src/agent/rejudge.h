// What another policy would have decided about a recorded run.
//
// The recorded turns, rounds, results, frames, messages and answers are given, at their recorded times and with their
// recorded texts, to a run that is opened under the other policy; its verdicts are held against the recorded ones. The
// recording cannot react, so three rules say how far it still tells something:
//   ran then, refused now    what ran below the call is skipped and counted as the most that would be saved
//   refused then, runs now   the frame is unknown from here: its later turns and calls are not judged
//   a frame ends earlier     its later turns and calls, with what is below them, are skipped and counted as saved;
//   (or later)               a frame that ends later is unknown from there
// The caller of a skipped or unknown frame is given the recorded result. Differences of one loop (the same code about
// the same call; for a cycle the same members; for a limit the same frame) are one, with a count. A difference is only
// counted where the record can carry it: if the policy of the record itself does not come to the recorded verdict
// there (something was declared in code and not in its text), or a rule would need texts of which only digests were
// kept, it "cannot be judged". Limits need no texts.
// What holds: under the policy of the record there is no difference. Pure; linear in the events.
// Tested in tests/agent/rejudge_test.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "agent/record.h"
#include "backedge/policy.h"
#include "backedge/result.h"
#include "talk/event.h"

namespace backedge::agent {

enum class DifferenceKind : std::uint8_t {
  kRefusedNow,   // the call ran
  kRunsNow,      // the call was refused
  kOtherWords,   // it ran both times, or was refused both times, but another thing was said
  kEndsEarlier,  // the turn would have been the frame's last, or would not have been
  kEndsLater,    // the frame would have gone on
  kCannotJudge,
};

/// Parts of a run. `calls`: those that ran.
struct Amounts {
  std::int64_t calls = 0;
  std::int64_t turns = 0;
  std::int64_t tokens = 0;
  std::int64_t cost_nano_usd = 0;

  Amounts& operator+=(Amounts const& other);
  friend bool operator==(Amounts const&, Amounts const&) = default;
};

struct Difference {
  DifferenceKind kind = DifferenceKind::kRefusedNow;
  std::uint64_t seq = 0;  // of the recorded event
  FrameId frame;          // ids of the record
  CallId call;            // none: the turn is meant
  TurnId turn;
  std::string path;       // "main > planner"
  std::string tool;       // empty for a turn
  std::string arguments;  // as the model wrote them; empty when they were not kept
  Said then;
  Said now;
  std::int64_t count = 1;  // how often this loop differed
  Amounts saved;           // at most, by all of them
  std::string why;         // of kCannotJudge
};

struct Rejudged {
  std::vector<Difference> differences;  // in the order of the record, each at its first place
  Amounts recorded;                     // the whole run
  std::int64_t refused_then = 0;        // calls
  std::int64_t same_calls = 0;
  std::int64_t same_turns = 0;
  std::int64_t refused_now = 0;  // calls that ran
  std::int64_t runs_now = 0;     // calls that were refused
  std::int64_t other_words = 0;
  std::int64_t ends_earlier = 0;
  std::int64_t ends_later = 0;
  std::int64_t cannot_judge = 0;
  std::int64_t not_replayed = 0;  // compactions and hooks, whose contents are not recorded
  Amounts saved;                  // at most
  Amounts unknown;                // what the record holds beyond the places from which a frame is unknown
  bool texts_missing = false;
  std::vector<CallId> not_run;  // calls that ran, and would not have: refused now, or beyond an earlier end

  /// Nothing that was judged differs, and everything was.
  bool same() const { return differences.empty(); }
};

/// `runs`: of one session, in their order, up to the one that is asked about; the events carry the texts that their
/// bodies name, as far as they were kept. `own`: the policy of the record; null when it is not known, then every
/// difference counts. Errors: kInput, when the events are none of a run.
Result<Rejudged> rejudge(std::span<std::span<talk::Event const> const> runs, Policy const& policy, Policy const* own);

}  // namespace backedge::agent
