// A trace through the kernel, as if the guard had stood beside it and only watched: what each rule would have said.
//
// Each thread is replayed as it happened: a person's message, a model message, its calls as one round, their results. A
// subagent is a frame under the call that started it, and its steps come before that call's result. A thread whose
// starting call is not recorded is a run of its own. Nothing is held up, because the recording cannot react: every
// verdict is about what really followed, so what comes after a refusal is an upper bound of what it would have saved.
// The limits of the policy (turns, calls, tokens, cost, time) are lifted: they say nothing about loops. Messages that a
// trace before this one holds are replayed but not reported. Tested in tests/inspect/replay_test.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "backedge/policy.h"
#include "backedge/result.h"
#include "inspect/trace.h"

namespace backedge::inspect {

enum class Weight : std::uint8_t {
  kNote,       // the call runs, the model is told
  kRefusal,    // the call would not have run
  kMalformed,  // the arguments are none that can be dispatched: the tool itself would have said so
};

struct Finding {
  std::string code;  // "repeat.exact"
  Weight weight = Weight::kNote;
  bool ends = false;              // the top of the ladder: here the task would have ended
  bool brought_new = false;       // a refusal of a call that succeeded with a result not seen before for the same call
  std::uint32_t call = kNoIndex;  // kNoIndex: the message itself is meant
  std::uint32_t message = 0;
  std::int64_t tokens = 0;  // the call's share of its message, in quarter tokens
  std::string text;  // what the model would have been told: of the first of each rule, or with Keep::kAll of each
  std::string word;  // "block", "reuse", "warn", …; of a message "final" or "stop"
  std::uint32_t earlier = kNoIndex;  // the call that it was held against
  std::int64_t count = 0;            // these three with Keep::kAll only: the evidence of the verdict
  std::int64_t limit = 0;
  std::int64_t period = 0;
};

/// What of a finding is kept. A report over thousands of traces needs no texts, the picture of one does.
enum class Keep : std::uint8_t { kFirst, kAll };

/// All findings of one rule.
struct RuleFindings {
  std::string code;
  std::int64_t notes = 0;
  std::int64_t refusals = 0;
  std::int64_t malformed = 0;
  std::int64_t brought_new = 0;
  std::int64_t refused_quarters = 0;  // tokens of the refused calls, in quarter tokens
  std::size_t first = 0;              // index of the first finding
};

struct Replay {
  std::vector<Finding> findings;    // in the order of the replay
  std::vector<RuleFindings> rules;  // by code
  std::int64_t refusals = 0;
  std::int64_t refused_quarters = 0;
  std::int64_t useless_quarters = 0;  // of refused calls that brought nothing new: the least that was avoidable
  std::int64_t after_quarters = 0;    // of each task, everything from its first refusal on: the most that was avoidable
  std::int64_t brought_new = 0;       // refusals that would have been mistakes
  std::int64_t ends = 0;              // tasks that the ladder would have ended
  std::int64_t tasks = 0;             // stretches from one message of a person to the next; a thread alone is one
  std::int64_t tasks_with_refusal = 0;
  std::int64_t not_replayed = 0;  // steps that fit nowhere
};

/// The policy with its limits lifted and every verdict only observed. Errors: kPolicy, when the policy forbids that.
Result<Policy> watching(Policy const& policy);

/// The same, but the limits of turns, calls and agents of a run that `policy` sets otherwise than `usual` hold: what is
/// beyond them is a refusal. Every recording can be held against these; a run is what follows a message of a person.
Result<Policy> watching_new_limits(Policy const& policy, Policy const& usual);

/// Replays under a policy made by one of them. Cost: about a microsecond a call and its texts once.
Replay replay(Trace const& trace, Policy const& watching_policy, Keep keep = Keep::kFirst);

}  // namespace backedge::inspect
