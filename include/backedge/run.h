// One run of an agent, guarded: the kernel alone, for a loop of your own.
//
// The loop asks before each turn and before each round of calls, and tells what came back; the run answers with
// verdicts and keeps the call stack, the budgets and the memory of what was repeated. Any thread may call; one lock per
// run; time is handed in. No function throws; a call that does not fit (an id that is not open) gives an Error of kind
// kState. A decision costs about half a microsecond at 200 bytes of arguments, at any length of history. See
// examples/guard_a_loop.cpp. Tested in tests/embed/run_test.cpp.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backedge/chain.h"
#include "backedge/event.h"
#include "backedge/ids.h"
#include "backedge/policy.h"
#include "backedge/result.h"
#include "backedge/route.h"
#include "backedge/verdict.h"

namespace backedge {

/// Whose loop it is. At a foreign door calls are never held back for each other: the other side dispatches as it likes.
enum class Door : std::uint8_t { kOwn, kForeign };

enum class Author : std::uint8_t { kPerson, kAutomatic };

/// What the host's own gate says of a call; the run puts it in order with the kernel's rules.
enum class Gate : std::uint8_t { kAllow, kAsk, kDeny };

enum class Approval : std::uint8_t { kAllow, kDeny, kTimeout };

struct RunOptions {
  std::string agent;         // name of the root agent, for re-entry; may be empty
  std::string parent_token;  // from Run::token of the process that started this one; may be empty
  std::string token_key;     // secret shared with child processes; without it there are no tokens
  Door door = Door::kOwn;
  bool graph = true;         // keep what graph_json needs: 16 bytes a call
  bool host_routes = false;  // calls come with routes of the host's own, which may say reuse
  /// Hears every event, in order, under the run's lock: it must not call the run.
  std::function<void(EventView const&)> on_event;
  Micros now{0};
};

/// Before a model is asked. Unknown numbers stay 0.
struct TurnEstimate {
  std::int64_t input_tokens = 0;
  std::int64_t max_output_tokens = 0;
  std::optional<std::int64_t> cost_nano_usd;  // empty: not priced
};

struct Usage {
  std::int64_t input_tokens = 0;   // all classes together
  std::int64_t output_tokens = 0;  // all classes together
  std::int64_t cost_nano_usd = 0;
  std::int64_t cache_read_tokens = 0;   // of the input: taken from the provider's cache
  std::int64_t cache_write_tokens = 0;  // of the input: put there
  std::int64_t reasoning_tokens = 0;    // of the output

  friend bool operator==(Usage const&, Usage const&) = default;
};

struct Turn {
  TurnId id;
  TurnWord word = TurnWord::kGo;
  std::string code;  // "budget.turns"; empty for go
  std::string text;  // for `final`: the note to give to the model; for `stop`: what to tell the parent or the person
  FrameId frame;     // the frame that a stop ends
  std::string note;  // to the model, when the run has come to another stage; empty otherwise

  /// The model may be asked.
  bool goes() const { return word != TurnWord::kStop; }
};

/// What the host found wrong with a call before the run looks at it.
enum class CallFault : std::uint8_t { kNone, kUnknownTool, kMissing, kMistyped };

struct Call {
  std::string_view tool;
  std::string_view arguments;  // JSON text as the model wrote it
  Gate gate = Gate::kAllow;
  CallFault fault = CallFault::kNone;
  std::string_view fault_text = {};  // what is wrong and what to do instead
  CallRoute route = {};              // what the host's own routing says; counts where no rule of the policy speaks
};

struct Entered {
  CallId call;
  CallWord word = CallWord::kRun;
  bool runs = true;               // dispatch it now; false: give `text` or `json` to the model as the result, or wait
  std::string code;               // "repeat.exact"; empty when nothing is to be said
  std::string text;               // what happened, the path, what is left, what to do instead
  std::string json;               // the same, structured
  CallId earlier;                 // the call whose result is given back, or that stands in the way
  std::int64_t timeout_ms = 0;    // by the contract that applied
  std::int64_t max_output = 0;    // characters of the result that the model is to see, by that contract
  bool reads = false;             // declared to change nothing
  bool rolls_back = false;        // the second call in a row that the stage forbids: set the model's view back to the
                                  // start of the stage, and tell compacted()
  bool ends_run = false;          // the loop was at the top of the ladder: this would have been the end
  std::vector<Entered> released;  // only of an answered call that will not run after all: the calls that waited for it
};

struct Outcome {
  CallStatus status = CallStatus::kOk;
  std::string_view text;  // uncut
};

/// What a result, or the end of a frame, brings about.
struct Left {
  std::vector<Entered> released;  // calls that waited for it, decided anew
  bool answers = false;           // the result is the frame's answer: no further turn is needed
  ResultRoute route;              // what is to be done with the text for the model; all else is done already
  bool routed = false;            // a rule of the policy has said it
};

/// How a frame stands.
struct Standing {
  bool open = false;
  bool pressed = false;  // the next turn, or this one, must be the answer
  bool stopped = false;
  std::string code;  // why
  std::string end;   // "no_progress", "max_turns", "budget", "stopped"; empty while it works
};

class Run {
 public:
  /// Errors: kSignature when the parent token does not verify.
  static Result<Run> open(Policy const& policy, RunOptions options = {});
  Run(Run&&) noexcept;
  Run& operator=(Run&&) noexcept;
  ~Run();

  FrameId root() const;

  /// Before a model call: go, final (ask for the answer, without tools) or stop.
  Result<Turn> enter_turn(FrameId frame, TurnEstimate const& estimate, Micros now);
  /// After it. `has_calls`: the message asks for tools. The turn's word is stop when the text is a loop of its own.
  Result<Turn> leave_turn(TurnId turn, Usage const& usage, std::string_view text, bool has_calls, Micros now);

  /// One round: all calls of one model message; one answer each, in order.
  Result<std::vector<Entered>> enter(FrameId frame, std::span<Call const> calls, Micros now);
  Result<Entered> enter(FrameId frame, Call const& call, Micros now);
  /// A person's answer to a call that is asked.
  Result<Entered> approve(CallId call, Approval answer, Micros now);
  Result<Left> leave(CallId call, Outcome const& outcome, Micros now);

  /// The call has started an agent. `max_turns`: what that agent was told it may use; empty: its share of what is left.
  /// A call may start several; they end with it at the latest.
  Result<FrameId> open_frame(CallId by, std::string_view agent, std::optional<std::int64_t> max_turns, Micros now);
  /// Ends an agent and everything below it.
  Result<Left> close_frame(FrameId frame, Micros now);

  /// Does with a result, or before the next turn, what the host's own routing says: stage, final and stop act here, the
  /// rest is the host's. Errors: kInput when there is no such stage.
  Result<void> route(FrameId frame, CallId call, ResultRoute const& route, Micros now);
  /// A new run of the session begins: routing remembers nothing of the one before.
  void restart_routing();
  /// The model's message asks for nothing more: true when the plan of stages goes on all the same with the next turn.
  Result<bool> answered(FrameId frame);
  /// The stage that the run is in; empty without one.
  std::string stage() const;

  /// `text` is for the record of events only.
  void user_message(Author author, Micros now, std::string_view text = {});
  /// These calls' results are no longer in the model's view; `freed`: the view became smaller.
  Result<Judged> compacted(FrameId frame, std::span<CallId const> dropped, bool freed, Micros now);
  /// A hook refuses to let the frame's turn end, with this text.
  Result<Judged> hook_blocks(FrameId frame, std::string_view hook, std::string_view text, Micros now);
  /// Stops the frame and everything below it.
  Result<void> cancel(FrameId frame, Micros now);

  Result<Standing> standing(FrameId frame) const;
  /// What the model may be told: the rest of every limited budget, as one line; empty without limits.
  Result<std::string> left_text(FrameId frame, Micros now) const;
  /// Turns left in a frame; empty without a limit.
  Result<std::optional<std::int64_t>> turns_left(FrameId frame, Micros now) const;
  /// Agents started in this run.
  std::int64_t descendants() const;

  /// The chain with this call's frame on it, signed, for the environment of a child process or a header. Errors: kUsage
  /// without a key.
  Result<std::string> token(CallId call) const;
  Chain chain() const;
  /// Frames, calls, verdicts and edges; back edges are marked. Linear in the calls.
  std::string graph_json() const;

 private:
  struct State;
  explicit Run(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace backedge
