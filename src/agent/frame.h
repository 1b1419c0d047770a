// An agent at work: its conversation, and where in the loop it stands.
//
// Request → Wait → Respond → Decide → Act → Request …, or Done: Ready is Request, Asking is Wait, Acting is Act;
// Respond and Decide happen within one step.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_set>
#include <variant>
#include <vector>

#include "agent/toolbox.h"
#include "backedge/ids.h"
#include "backedge/message.h"
#include "base/digest.h"

namespace backedge::agent {

// ---- one call of a round

struct Waiting {};  // for a call that it conflicts with
struct Asked {};    // a person is asked
struct Joining {    // gets the result of a call that still runs
  CallId earlier;
};
struct Running {
  std::uint64_t start = 0;  // seq of its call.start
  int attempt = 1;
  FrameId child;  // of an agent function
};
struct Done {
  std::string text;  // for the model
  bool failed = false;
};
using CallState = std::variant<Waiting, Asked, Joining, Running, Done>;

struct PlannedCall {
  CallId call;
  std::uint32_t block = 0;  // of the assistant message
  ToolEntry const* tool = nullptr;
  std::string note;  // to the model, beside the result
  std::int64_t timeout_ms = 0;
  std::int64_t max_output = 0;
  bool reads = false;
  CallState state = Waiting{};

  bool done() const { return std::holds_alternative<Done>(state); }
};

/// All calls of one model message, in its order.
struct Round {
  std::vector<PlannedCall> calls;
  std::optional<std::string> answer;  // a result that is the frame's answer

  bool done() const {
    return std::all_of(calls.begin(), calls.end(), [](PlannedCall const& c) { return c.done(); });
  }
};

// ---- where the frame stands

struct Ready {};
struct Asking {
  TurnId turn;
  std::uint64_t propose = 0;  // seq of its turn.propose
  bool final = false;
};
struct Leaving {  // hooks are asked whether it may end
  std::string answer;
};
struct Ended {};  // and a model may still be about to answer
using Phase = std::variant<Ready, Asking, Round, Leaving, Ended>;

struct Frame {
  FrameId id;
  FrameId parent;
  CallId by;                 // that opened it; none: the root
  std::uint64_t ticket = 0;  // of the tool that asked for it; 0: the call is the agent function itself
  ToolEntry const* function = nullptr;
  std::vector<Message> messages;
  Phase phase = Ready{};
  TurnId still_asking;  // a question whose answer is not wanted any more
  std::int64_t turns = 0;
  std::int64_t last_input = 0;  // tokens of the last request: said by the provider, or estimated
  std::size_t counted = 0;      // messages that are in it
  bool pressed = false;         // asked for its answer because of a limit or a loop
  std::string pressed_by;       // code of what asked
  bool last_turn_called = false;
  // Routing.
  std::size_t stage_start = 0;                     // messages that stood there when the stage began
  std::string rolls_back;                          // why the view is set back with the end of the round
  std::string retry;                               // why the next turn sees only the task and the last round
  std::optional<std::vector<Message>> short_view;  // of the turn that is asked
  std::unordered_set<Digest> ids;                  // of calls, as the provider or the session named them

  /// The last words that its agent said in this run; empty when it said none.
  std::string partial_answer(std::size_t since) const;
};

}  // namespace backedge::agent
