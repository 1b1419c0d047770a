// The runtime: whole agents, nested ones included, driven on threads under one kernel.
//
// A runtime holds what its runs share: policy, tools, agent functions, models, journal, threads. A session is a
// conversation; a run is one request in it, from a person's message until its end. No function throws. See
// examples/own_tool.cpp, examples/agent_function.cpp, examples/own_executor.cpp. Tested in tests/runtime/.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "backedge/event.h"
#include "backedge/model.h"
#include "backedge/policy.h"
#include "backedge/tool.h"

namespace backedge {

/// How a run ended.
enum class RunEnd : std::uint8_t {
  kFinished,
  kError,        // the model or the machine failed
  kIncomplete,   // a limit
  kLoop,         // stopped as a loop
  kDenied,       // by the gate
  kInterrupted,  // cancelled
};

std::string_view end_text(RunEnd end);

struct RunResult {
  RunEnd end = RunEnd::kFinished;
  std::string answer;          // of the agent; partial when incomplete
  std::string code;            // "budget.turns", "repeat.exact", …; empty when finished
  std::string reason;          // for a person; empty when finished
  bool limit_pressed = false;  // the answer came because it was asked for: a limit was near, or a loop was found
  std::string pressed_by;      // what asked: "budget.turns", "repeat.cycle", …; empty unless limit_pressed
  std::int64_t turns = 0;      // of all frames
  std::int64_t calls = 0;      // that ran
  std::int64_t refused = 0;
  Usage usage;      // of all frames
  std::string run;  // its id: 32 hexadecimal digits
};

/// A call that a person is asked about.
struct ApprovalRequest {
  CallId call;
  std::string tool;
  std::string arguments;
  std::string why;
  std::string path;  // "root > planner > write_file"
};

class Approver {
 public:
  virtual ~Approver() = default;
  /// Called by the thread that holds the run: it must not block. `answer` may be called once, from any thread.
  virtual void request(ApprovalRequest const& request, std::function<void(Approval)> answer) = 0;
};

struct RuntimeOptions {
  std::shared_ptr<Model> model;
  std::string model_name;   // as requests and the journal name it; may be empty
  std::string policy_text;  // of the effective policy, for the journal
  std::string system;       // the system prompt, the same bytes in every request
  ToolPolicy tools;
  bool attended = false;               // someone is there to be asked
  std::shared_ptr<Approver> approver;  // without one, who is asked has not answered: denied
  /// Worker threads; 0: the host calls poll().
  unsigned threads = 4;
  /// SQLite file of the journal; empty: nothing is kept.
  std::string journal;
  bool record_events = true;    // false: without a journal no events are made, and nobody can hear them
  bool keep_texts = true;       // false: of arguments, results and messages only digests are kept
  std::int64_t keep_days = -1;  // runs whose last event is older are removed at the start; -1: none
  bool sync_full = false;       // true: what is written survives the loss of power, not only of the process
  std::string token_key;        // shared with child processes, for tokens
  std::string parent_token;
  std::string agent;              // name of the root agent; may be empty
  std::function<Micros()> clock;  // wall time since 1970; empty: the system's
  /// Routing beyond the rules of the policy: asked where none of them speaks (backedge/route.h).
  CallRouter before_call;
  ResultRouter after_result;
  bool continue_cut = true;  // after a message cut at its token limit: go on, or end incomplete
};

/// Who hears a run. Nothing is heard once it has ended: what comes back later is only in the journal.
struct StartOptions {
  /// Hears every event, in order, on the thread that holds the run: it must not block or call the runtime.
  std::function<void(EventView const&)> on_event;
  /// Hears text of models and progress of tools while it is made; any thread, one at a time. It must not
  /// wait for the run.
  std::function<void(FrameId, std::string_view)> on_text;
};

class RunHandle {
 public:
  std::string id() const;
  /// Waits for the end. With threads = 0 the caller drives the runtime meanwhile.
  RunResult wait();
  bool ended() const;
  /// Ends the run, everything below it and every process it started; returns at once.
  void cancel();

  struct State;
  explicit RunHandle(std::shared_ptr<State> state) : state_(std::move(state)) {}

 private:
  std::shared_ptr<State> state_;
};

/// What to do with a call that had started when the process ended and whose end nobody knows.
enum class UnknownCalls : std::uint8_t {
  kTell,   // its result is that nobody knows; calls declared idempotent run again
  kAgain,  // run them again
};

class Runtime {
 public:
  /// Errors: kUsage without a model, kIo when the journal cannot be opened.
  static Result<Runtime> create(Policy policy, RuntimeOptions options);
  Runtime(Runtime&&) noexcept;
  Runtime& operator=(Runtime&&) noexcept;
  /// Cancels what runs and waits for it.
  ~Runtime();

  /// Before the first start. Errors: kUsage (a name twice, a bad schema, a bad contract).
  Result<void> add(ToolSpec spec, ToolFn fn);
  Result<void> add(AgentSpec const& spec);

  /// The next run of the session of that name, which is made when it does not exist; an empty name: a session of its
  /// own. Errors: kState while a run of that session is under way.
  Result<RunHandle> start(std::string_view session, std::string_view task, StartOptions options = {});
  /// Takes up a run that the journal holds without an end. Errors: kNotFound, kState (it has ended), kInput (this
  /// version decides otherwise than what was recorded).
  Result<RunHandle> resume(std::string_view run, UnknownCalls unknown, StartOptions options = {});

  /// With threads = 0: does what is ready, on this thread; false when nothing was. Waits at most `wait` for work.
  bool poll(std::chrono::milliseconds wait = std::chrono::milliseconds(0));

  struct State;

 private:
  explicit Runtime(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace backedge
