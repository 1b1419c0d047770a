// Counters against limits: calls, descendants, tokens, money and time, each for itself, per run and per session. Of
// single frames: counts.cpp.
//
// A reservation is taken before work starts and settled when it ends, so that counts never exceed a limit under any
// interleaving; tokens and money exceed at most by actual minus reserved of the turns in flight. Turns are not counted
// here: they are carved out of the parent's allowance, frame by frame (frame.h, turns.cpp).
// Tested in tests/kernel/budget_test.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <unordered_map>

#include "kernel/settings.h"
#include "kernel/verdict.h"

namespace backedge::kernel {

/// A limit that leaves no room.
struct Shortage {
  Code code = Code::kNone;
  Scope scope = Scope::kRun;
  std::int64_t used = 0;  // what the limit would see if the request were granted
  std::int64_t limit = 0;

  explicit operator bool() const { return code != Code::kNone; }
};

class Budgets {
 public:
  explicit Budgets(Limits const& limits) : limits_(&limits) {}

  /// Takes `amount` of a meter in run and session, or takes nothing and says which limit has no room.
  Shortage reserve(Meter meter, std::int64_t amount);
  /// Takes it in any case: whoever asks has looked at the limits, or only observes.
  void take(Meter meter, std::int64_t amount);
  /// Gives back what was reserved or taken, and books what was really used.
  void settle(Meter meter, std::int64_t reserved, std::int64_t actual);
  /// Would `amount` more fit? Takes nothing.
  Shortage would_exceed(Meter meter, std::int64_t amount) const;

  /// Calls of one tool per session. A refused call gives its count back.
  Shortage reserve_tool(Digest tool_id);
  void release_tool(Digest tool_id);

  /// The smallest rest over run and session; empty when there is no limit.
  std::optional<std::int64_t> left(Meter meter) const;
  std::int64_t used(Scope scope, Meter meter) const { return at(scope, meter); }

  /// A person's message: what counts per run starts again; reservations of work in flight stay.
  void begin_run();

 private:
  using Row = std::array<std::int64_t, kMeters>;

  std::int64_t& at(Scope s, Meter m) { return booked_[static_cast<std::size_t>(s)][static_cast<std::size_t>(m)]; }
  std::int64_t at(Scope s, Meter m) const { return booked_[static_cast<std::size_t>(s)][static_cast<std::size_t>(m)]; }

  Limits const* limits_;
  std::array<Row, kScopes> booked_{};  // used and reserved
  Row reserved_{};                     // of that, reserved by work in flight
  std::unordered_map<Digest, std::int64_t> per_tool_;
};

}  // namespace backedge::kernel
