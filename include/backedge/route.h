// Conditional routing: what a rule, or a callback of the host, says of a call before it runs and of a result.
//
// Rules and stages stand in the policy file ([[route]], [stage.NAME]; docs/routing.md). What they cannot say is said by
// two callbacks: they are asked where no rule of the policy has spoken, they must be pure (the same sight, the same
// answer; no waiting, no calls of the run), and what they say is recorded, so that a run that is taken up again or
// replayed does not ask them twice. Tested in tests/runtime/routing_test.cpp.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "backedge/ids.h"

namespace backedge {

enum class CallStatus : std::uint8_t { kOk, kError, kTimeout, kCancelled, kUnknown };

/// Before a call is dispatched.
enum class CallRouteWord : std::uint8_t {
  kAllow,
  kReject,  // refused with a hint: code route.NAME
  kAsk,     // a person decides
  kReuse,   // the last result of the same call is given back, if nothing has changed since; else it runs
};

struct CallRoute {
  CallRouteWord word = CallRouteWord::kAllow;
  std::string name;  // in the code; empty: "callback"
  std::string hint;  // what the model is to do instead

  friend bool operator==(CallRoute const&, CallRoute const&) = default;
};

/// On a result.
enum class ResultRouteWord : std::uint8_t {
  kPass,
  kTruncate,  // cut for the model to `size` characters, with a mark
  kNote,      // passed on with `text` beside it
  kReplace,   // `text` is passed on in its place; what is recorded and compared stays the tool's own
  kStage,     // the run goes to the stage named `stage` with its next turn
  kFinal,     // the next turn of the agent must be its answer
  kStop,      // the agent ends
  kRaise,     // the run's limit of turns is raised to `size`; once a run, and only by a rule of the policy
  kRetry,     // the next turn sees only the task and this round; once a rule and run
};

struct ResultRoute {
  ResultRouteWord word = ResultRouteWord::kPass;
  std::string name;  // in the code; empty: "callback"
  std::string text;  // the hint, the note or the replacement
  std::string stage;
  std::int64_t size = 0;

  friend bool operator==(ResultRoute const&, ResultRoute const&) = default;
};

std::string_view word_text(CallRouteWord word);
std::string_view word_text(ResultRouteWord word);

/// A call as a callback sees it. Views hold while it is asked.
struct CallSight {
  FrameId frame;
  std::string_view agent;  // empty for a root without a name
  std::string_view tool;
  std::string_view arguments;  // JSON text as the model wrote it
  std::string_view stage;      // empty without stages
};

struct ResultSight {
  CallSight call;
  CallStatus status = CallStatus::kOk;
  std::string_view text;  // uncut
};

/// Asked by the thread that holds the run. They may throw nothing.
using CallRouter = std::function<CallRoute(CallSight const&)>;
using ResultRouter = std::function<ResultRoute(ResultSight const&)>;

}  // namespace backedge
