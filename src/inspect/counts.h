// The measured facts of a trace: how many calls, how many of them repeats, of which kind, and what they cost.
//
// A call's key is (thread, tool, arguments as a JSON value); its result is compared as text. Definitions:
//   exact_repeats              calls whose key was seen earlier in the trace
//   exact_repeats_same_result  of those, the result text was seen before for that key
//   no_progress_repeats        key seen before, with the same result the last time, and no call in between that looks
//   like
//                              a change (writing.h)
//   near_repeats               calls whose tool and arguments were seen before when description, timeout, limit and
//   offset
//                              are left out and shell commands are reduced (core_command)
//   identical_runs             maximal blocks of equal keys next to each other in one thread; longest_identical_run is
//   1
//                              when there are calls but no such block
//   pingpongs                  maximal blocks A B A B … of length 4 or more in one thread, A and B different
//   cycles_period_3_to_8       sequences of that length, not repetitions of a shorter one, that stand at least twice in
//   a row threads                    threads that made calls; max_depth is that of the deepest of them, 0 = the main
//   agent total_tokens               real usage where the trace has it, once per model message; else characters / 4,
//   each model
//                              message charged with everything before it in its thread (token_basis says which). A
//                              message's tokens are shared equally among its calls.
// Cost: linear in the calls, except cycles: 36 comparisons a call at most. Tested in tests/inspect/counts_test.cpp
// against the counts that are recorded beside the traces in cases/traces.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "inspect/trace.h"

namespace backedge::inspect {

enum class TokenBasis : std::uint8_t {
  kNone,
  kRecorded,
  kEstimated,
  kMixed,  // in sums only
};

/// "real usage per message", "estimated: characters / 4, cumulative", …
std::string_view basis_text(TokenBasis basis);

struct IdenticalRun {
  std::string tool;
  std::int64_t start = 0;  // index of its first call in Trace::calls
  std::int64_t length = 0;

  friend bool operator==(IdenticalRun const&, IdenticalRun const&) = default;
};

struct PingPong {
  std::string a;
  std::string b;
  std::int64_t start = 0;
  std::int64_t length = 0;

  friend bool operator==(PingPong const&, PingPong const&) = default;
};

struct ToolCount {
  std::int64_t calls = 0;
  std::int64_t errors = 0;
  std::int64_t repeats = 0;
  std::int64_t tokens = 0;

  friend bool operator==(ToolCount const&, ToolCount const&) = default;
};

struct Counts {
  std::int64_t calls = 0;
  std::int64_t distinct_calls = 0;
  std::int64_t exact_repeats = 0;
  std::int64_t exact_repeats_same_result = 0;
  std::int64_t no_progress_repeats = 0;
  std::int64_t near_repeats = 0;
  std::int64_t longest_identical_run = 0;
  std::vector<IdenticalRun> identical_runs;
  std::vector<PingPong> pingpongs;
  std::int64_t cycles_period_3_to_8 = 0;
  std::int64_t cycle_longest = 0;  // calls in the longest such stretch
  std::int64_t cycle_period = 0;   // its period
  std::int64_t threads = 0;
  std::int64_t max_depth = 0;
  std::int64_t tool_errors = 0;
  std::int64_t calls_without_result = 0;
  std::int64_t model_messages = 0;
  std::int64_t messages_without_usage = 0;
  std::int64_t person_messages = 0;
  std::int64_t longest_task = 0;     // model messages of a main thread between two messages of a person
  std::int64_t copied_messages = 0;  // that stand in a trace before this one
  std::int64_t total_quarters = 0;   // total_tokens before rounding, in quarter tokens: sums are rounded once
  std::int64_t total_tokens = 0;
  std::int64_t repeat_tokens = 0;
  std::int64_t repeat_same_result_tokens = 0;
  std::int64_t tokens_without_calls = 0;  // of messages that only talk
  Usage usage;                            // of messages with recorded usage
  TokenBasis token_basis = TokenBasis::kNone;
  std::int64_t cost_nano = -1;  // nano-USD as recorded; -1 = not recorded
  std::map<std::string, ToolCount> tools;
};

/// What is counted of a trace: all of it, or only what no trace before it held. Copied calls are still remembered as
/// seen.
enum class Extent : std::uint8_t { kWhole, kNew };

Counts count(Trace const& trace, Extent extent = Extent::kWhole);

/// Adds `more` to a sum over traces. Runs, ping-pongs and cycles are not listed in a sum, their lengths are kept as the
/// longest.
void add(Counts& sum, Counts const& more);

/// What each model message cost, in the order of Trace::models: in quarter tokens, so that estimates add up exactly.
std::vector<std::int64_t> quarter_tokens(Trace const& trace);

/// True when a message of the trace has recorded usage.
bool has_usage(Trace const& trace);

}  // namespace backedge::inspect
