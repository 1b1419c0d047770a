// What happened in one run, whatever it came from: frames, turns, calls, the edges that go back, the limits.
//
// Plain values. The index in a vector is a thing's identity, kNone stands for none; `id` is the number that people see.
// Things stand in the order in which they happened, so whatever opened a frame has a smaller index than what is in it,
// and a frame a smaller index than the frames below it. Nothing is invented: what the source does not say is empty,
// zero with a Basis of kUnknown, or kUnpriced. The journal (journal/call_tree.h) and recorded traces
// (inspect/call_tree.h) make this same value; find_back_edges() fills `back_edges`, price() (graph/cost.h) every `own`
// and `inclusive`. Tested in tests/graph.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace backedge::graph {

/// No index: there is no such thing, or it is not recorded.
inline constexpr std::uint32_t kNone = 0xffff'ffff;
/// Money that nobody knows.
inline constexpr std::int64_t kUnpriced = -1;

/// Tokens by class. The classes do not overlap and their sum is the total, but `reasoning` is a part of `output`.
struct Tokens {
  std::int64_t fresh_input = 0;
  std::int64_t cache_read = 0;
  std::int64_t cache_write_5m = 0;  // also where the source does not say how long it is kept
  std::int64_t cache_write_1h = 0;
  std::int64_t output = 0;
  std::int64_t reasoning = 0;

  std::int64_t cache_write() const { return cache_write_5m + cache_write_1h; }
  std::int64_t input() const { return fresh_input + cache_read + cache_write(); }
  std::int64_t total() const { return input() + output; }
  friend bool operator==(Tokens const&, Tokens const&) = default;
};

/// Where a turn's tokens come from.
enum class Basis : std::uint8_t {
  kUnknown,
  kReported,   // the provider said so
  kEstimated,  // characters / 4, each request charged with everything before it
};

/// What something took. Money is kUnpriced when nothing of it is priced; `unpriced` turns are missing from it then.
struct Spend {
  std::int64_t turns = 0;
  std::int64_t tokens = 0;
  std::int64_t nano_usd = kUnpriced;
  std::int64_t unpriced = 0;
  bool estimated = false;  // some of its tokens are

  friend bool operator==(Spend const&, Spend const&) = default;
};

/// How much of something may be used and was. One counter: "turns", "calls", "depth", "descendants", "tokens", "cost"
/// (nano-USD), "time" (microseconds).
struct Budget {
  std::string meter;
  std::string scope;        // "run", "session", "frame"
  std::int64_t limit = -1;  // -1: none
  std::int64_t spent = -1;  // -1: not known
  std::string source;       // "backedge.toml:3", "default", …; empty: not known

  friend bool operator==(Budget const&, Budget const&) = default;
};

/// What was decided.
struct Verdict {
  std::string word;  // of calls run, warn, reuse, serialize, ask, block, deny, reject; of turns go, final, stop
  std::string code;  // "repeat.exact"; empty: no rule spoke
  std::int64_t count = 0;
  std::int64_t limit = 0;
  std::int64_t period = 0;        // steps in one turn of a cycle
  std::string scope;              // of a limit
  std::string text;               // what the model was told, or would have been
  std::uint32_t earlier = kNone;  // call that it was held against
  bool observed = false;          // only reported: it ran all the same
  bool closing = false;           // it came in the turn that was to be the answer

  /// A call with this verdict was not dispatched, or would not have been.
  bool refuses() const { return word == "block" || word == "deny" || word == "reject" || word == "reuse"; }
  bool refused() const { return refuses() && !observed; }
  friend bool operator==(Verdict const&, Verdict const&) = default;
};

/// A text and, where it was cut or is not kept, what is known of the whole.
struct Text {
  std::string text;
  std::int64_t bytes = 0;  // of the whole
  bool kept = true;        // false: only that it existed is known

  friend bool operator==(Text const&, Text const&) = default;
};

struct Frame {
  std::uint32_t id = 0;
  std::string agent;            // its name; empty: not named
  std::uint32_t by = kNone;     // call that opened it; kNone: a root, of which a trace may have several
  std::int32_t depth = 0;       // 0: a root
  std::string status;           // "closed", "open", or of the root what the run ended with
  std::string model;            // of its first turn
  std::int64_t opened_us = -1;  // since 1970, or since the run began where that is not known; -1: unknown
  std::int64_t closed_us = -1;
  std::vector<Budget> budgets;  // its own
  std::vector<std::uint32_t> turns;
  std::vector<std::uint32_t> calls;
  std::optional<Spend> own;        // of its turns
  std::optional<Spend> inclusive;  // and of all frames below
};

struct Turn {
  std::uint32_t id = 0;
  std::uint32_t frame = kNone;
  std::string model;
  std::string stop_reason;  // as the provider said it, or the kind of the error
  Verdict verdict;
  Tokens tokens;
  Basis basis = Basis::kUnknown;
  std::int64_t nano_usd = kUnpriced;
  std::int64_t tools_offered = -1;  // to the model; -1: not known
  std::int64_t tools_bytes = -1;    // of that list; -1: not known
  std::int64_t begun_us = -1;
  std::int64_t ended_us = -1;
  bool copied = false;  // a resumed or forked session repeats it from another one: it was paid for there
  std::string text;     // what the model said beside its calls
  std::vector<std::uint32_t> calls;
  std::optional<Spend> own;
};

struct Call {
  std::uint32_t id = 0;
  std::string name;  // the id in the recording, where it has one: "toolu_…"
  std::uint32_t frame = kNone;
  std::uint32_t turn = kNone;
  std::string tool;
  Text arguments;
  Text result;
  std::string
      status;         // ok, empty, error, timeout, cancelled, denied, unknown; "open": started, no end; "": never begun
  Verdict verdict;    // the first
  std::string later;  // the word of a later verdict, when it had waited
  std::string approval;
  std::int64_t attempts = 0;
  std::int64_t proposed_us = -1;
  std::int64_t started_us = -1;
  std::int64_t ended_us = -1;
  std::vector<std::uint32_t> opened;  // frames
  std::optional<Spend> own;           // its share of its turn
  std::optional<Spend> inclusive;     // and all frames that it opened
};

/// Why an edge goes back.
enum class Back : std::uint8_t {
  kReentry,    // a rule named an activation on the path that this call would have entered again: reentry.*, chain.*
  kRepeat,     // an earlier call of the frame, with equal arguments and result or as a rule held it against it
  kRecursion,  // an agent that stands on its own path, and nobody minded
};

/// How strong the word against it was.
enum class Force : std::uint8_t {
  kSeen,      // no rule spoke
  kWarned,    // it ran, with a note
  kObserved,  // it would have been refused
  kRefused,
};

/// From a call back to an earlier call (`to_call`) or to a frame on its path (`to_frame`), never both.
struct BackEdge {
  std::uint32_t from = kNone;
  std::uint32_t to_call = kNone;
  std::uint32_t to_frame = kNone;
  Back kind = Back::kRepeat;
  Force force = Force::kSeen;
  std::string code;            // empty when no rule spoke
  std::int64_t count = 0;      // which occurrence this is; 0: not counted
  std::optional<Spend> spend;  // what the call cost with everything below it

  friend bool operator==(BackEdge const&, BackEdge const&) = default;
};

struct CallTree {
  std::string run;     // id of the run, or of the session that was recorded
  std::string title;   // the task, or the first words of the session
  std::string source;  // "journal", or the name of the trace's format
  std::string status;  // finished, error, incomplete, loop, denied, interrupted, open; empty: a trace does not say
  std::string code;    // the rule that ended it
  std::string reason;
  std::string answer;
  std::string model;
  std::int64_t opened_us = -1;
  std::int64_t closed_us = -1;
  std::vector<Frame> frames;
  std::vector<Turn> turns;
  std::vector<Call> calls;
  std::vector<BackEdge> back_edges;  // by `from`
  std::vector<Budget> budgets;       // of the run and its session
  std::vector<std::string> notes;    // what is missing or was cut, in words

  /// Indices from the root frame down to this one. Cost: its depth.
  std::vector<std::uint32_t> path(std::uint32_t frame) const;
  /// The agent's name, else the tool that opened it, else "main" (a root) or "agent".
  std::string_view frame_name(std::uint32_t frame) const;
  /// Everything the rules of this header demand holds: indices exist and parents come first. For tests and fuzzing.
  bool well_formed() const;
};

/// Fills tree.back_edges anew from verdicts, paths and equal calls. Equal is: same frame, same tool, arguments equal as
/// JSON values, result equal byte for byte. Cost: linear in calls and their texts, times the depth for paths.
void find_back_edges(CallTree& tree);

std::string_view back_text(Back kind);     // "reentry", "repeat", "recursion"
std::string_view force_text(Force force);  // "seen", "warned", "observed", "refused"
std::string_view basis_text(Basis basis);  // "unknown", "reported", "estimated"

}  // namespace backedge::graph
