// Verdicts of the kernel: a word, a stable code, and the evidence in ids and numbers. Texts are made of them in
// `embed`.
//
// Tested in tests/kernel/kernel_test.cpp.
#pragma once

#include <cstdint>
#include <string_view>

#include "backedge/ids.h"
#include "backedge/verdict.h"
#include "base/digest.h"
#include "kernel/settings.h"

namespace backedge::kernel {

enum class Code : std::uint8_t {
  kNone,
  kReentryCycle,
  kReentryDepth,
  kReentryGrowing,
  kReentryConflict,
  kPassthrough,
  kExact,
  kEffect,
  kCycle,
  kStagnant,
  kError,
  kRange,
  kPoll,
  kNovelty,
  kText,
  kHook,
  kLivelock,
  kBudgetTurns,
  kBudgetCalls,
  kBudgetDepth,
  kBudgetDescendants,
  kBudgetTokens,
  kBudgetCost,
  kBudgetTime,
  kConservative,
  kArguments,
  kUnknownTool,
  kGateDeny,
  kGateAsk,
  kGateTimeout,
  kConflict,
  kRace,
  kDeadlock,
  kReentrantHook,
  kOwnEvent,
  kSelfInvocation,
  kChainCycle,
  kCompactNoGain,
  kRoute,
  kStageForbidden,
  kStageSpent,
  kStopped,
};
inline constexpr std::size_t kCodes = static_cast<std::size_t>(Code::kStopped) + 1;

/// The stable text of a code, such as "repeat.exact".
std::string_view code_text(Code code);

/// What a run ends with when this code ended it: "no_progress", "max_turns", "budget", "stopped" or "refused".
std::string_view end_reason(Code code);

constexpr Code budget_code(Meter m) {
  return static_cast<Code>(static_cast<int>(Code::kBudgetTurns) + static_cast<int>(m));
}
constexpr bool is_budget(Code c) { return c >= Code::kBudgetTurns && c <= Code::kBudgetTime; }
constexpr bool is_repetition(Code c) { return c >= Code::kExact && c <= Code::kLivelock; }

/// How far a loop has come: noticed, refused, the answer demanded, ended.
enum class LadderStep : std::uint8_t { kNone, kWarn, kRefuse, kFinal, kStop };

struct Evidence {
  std::int64_t count = 0;  // which occurrence this would be, or how much is used
  std::int64_t limit = 0;  // at which one the rule acts, or how much is allowed
  Scope scope = Scope::kRun;
  std::uint16_t period = 0;  // rounds in one turn of a cycle
  CallId earlier;            // the activation on the path, the earlier equal call, or the call in conflict
  FrameId frame;             // the frame that the evidence lies in; on a turn: the frame that is to stop
  Digest loop;               // identity of the loop, equal for all its members
  bool refused = false;      // the earlier equal calls were refused, not answered
};

struct CallVerdict {
  CallId call;
  FrameId frame;  // that makes the call
  CallWord word = CallWord::kRun;
  Code code = Code::kNone;
  LadderStep step = LadderStep::kNone;
  bool observed = false;  // reported only: the call runs all the same
  bool closing = false;   // the turn was to be the answer, or the frame has ended: no call runs, whatever it is
  Evidence evidence;

  /// The call may be dispatched now.
  bool runs() const { return observed || word == CallWord::kRun || word == CallWord::kWarn; }
};

struct TurnVerdict {
  TurnId turn;
  TurnWord word = TurnWord::kGo;
  Code code = Code::kNone;
  bool observed = false;
  Evidence evidence;
};

struct EventVerdict {
  EventWord word = EventWord::kRun;
  Code code = Code::kNone;
  Evidence evidence;
};

}  // namespace backedge::kernel
