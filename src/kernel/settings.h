// The numbers of a policy that the kernel decides by: limits with their scopes, thresholds of the rules, the ladder.
//
// Plain values with defaults; `policy` fills them from backedge.toml and keeps where each came from. A threshold of 0
// switches its rule off; a limit of -1 is no limit.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/digest.h"

namespace backedge::kernel {

/// Separate counters; none of them ever stands for another.
enum class Meter : std::uint8_t { kTurns, kCalls, kDepth, kDescendants, kTokens, kCost, kTime };
inline constexpr std::size_t kMeters = 7;

/// How long a counter counts. kFrame: one agent frame. kRun: from a person's message to the end. kSession: across runs.
enum class Scope : std::uint8_t { kFrame, kRun, kSession };
inline constexpr std::size_t kScopes = 3;

inline constexpr std::int64_t kUnlimited = -1;

struct Limit {
  std::int64_t value = kUnlimited;  // turns, calls, frames: a count; cost: nano-USD; time: microseconds
  std::string source = "default";
};

struct ToolLimit {
  Digest tool_id;
  std::string tool;
  std::int64_t max_calls = kUnlimited;
  std::string source = "default";
};

struct Limits {
  std::array<std::array<Limit, kMeters>, kScopes> by_scope;
  std::vector<ToolLimit> per_tool;    // executed calls of one tool per session
  std::int64_t conservative_at = -1;  // turns left at which only known tools run; -1: min(3, limit / 4); 0: never
  std::int64_t hook_blocks = 3;       // how often a hook may refuse the end of a turn with nothing changed
  bool allow_unpriced = false;        // unpriced turns under a cost limit

  Limits() {
    at(Scope::kRun, Meter::kTurns).value = 50;
    at(Scope::kRun, Meter::kDepth).value = 16;
  }
  Limit& at(Scope s, Meter m) { return by_scope[static_cast<std::size_t>(s)][static_cast<std::size_t>(m)]; }
  Limit const& at(Scope s, Meter m) const { return by_scope[static_cast<std::size_t>(s)][static_cast<std::size_t>(m)]; }
};

/// "acts at the n-th": the n-th occurrence is the first that is not run. Zero switches the rule off.
struct Repeat {
  int exact = 3;
  int exact_warn = 0;
  int exact_error = 4;  // the same pair, when its outcome is a failure: three tries are honest
  int effect = 2;
  int cycle = 2;  // full repeats of the period before the rule acts
  int cycle_max_period = 6;
  int stagnant_warn = 6;
  int stagnant = 8;
  int stagnant_empty = 10;  // the same, when the outcome is empty: looking for what is not there takes more tries
  int error_warn = 4;
  int error = 6;
  int range_warn = 2;
  int range = 4;
  int poll_warn = 10;
  int poll = 15;
  int novelty_calls = 8;  // window; warns when fewer than novelty_percent of its shingles were new
  int novelty_percent = 5;
  int text = 4;
  int text_max_period = 16;  // tokens
  int compact = 2;           // compactions in a row that free nothing
};

struct Ladder {
  bool observe = false;  // report every verdict, hold nothing up
  int refusals = 2;      // of one loop identity, before the next turn must be the answer
};

struct Settings {
  Limits limits;
  Repeat repeat;
  Ladder ladder;
};

/// Settings that never change, held together by all kernels under one policy.
class SharedSettings {
 public:
  SharedSettings() : SharedSettings(Settings{}) {}
  SharedSettings(Settings settings)  // NOLINT(google-explicit-constructor): a value is as good
      : settings_(std::make_shared<Settings const>(std::move(settings))) {}
  /// Not null.
  explicit SharedSettings(std::shared_ptr<Settings const> settings) : settings_(std::move(settings)) {}

  Settings const& operator*() const { return *settings_; }
  Settings const* operator->() const { return settings_.get(); }

 private:
  std::shared_ptr<Settings const> settings_;
};

}  // namespace backedge::kernel
