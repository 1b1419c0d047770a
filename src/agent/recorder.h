// The agent's own events, numbered together with those of the kernel: one stream per run.
//
// Free when nobody records. Bodies as in docs/events.md. Tested in tests/agent/fold_test.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "agent/input.h"
#include "backedge/event.h"
#include "backedge/model.h"
#include "backedge/runtime.h"
#include "talk/event.h"

namespace backedge::agent {

struct Opening {
  std::string session;
  std::int64_t number = 1;  // of the run in its session
  std::string agent;
  std::string model;
  std::string_view policy;     // text
  std::string_view contracts;  // text: what code declared of its tools
  std::string_view system;
  std::string tools;               // digest of what the model is offered
  std::int64_t tools_offered = 0;  // how many
  std::int64_t tools_bytes = 0;    // of their names, descriptions and schemas
  bool attended = false;
};

/// What a callback of the host said, as an event keeps it.
struct RecordedRoute {
  std::string word;
  std::string name;
  std::string text;
  std::string stage;
  std::int64_t size = 0;
};

class Recorder {
 public:
  explicit Recorder(bool on) : on_(on) {}

  bool on() const { return on_; }
  /// Events go here until the next call.
  void start_step(std::vector<talk::Event>* out) {
    out_ = out;
    cause_ = 0;
  }
  /// A new run: seq starts again.
  void start_run() { seq_ = 0; }
  std::uint64_t seq() const { return seq_; }
  /// What the following event of this step comes from; the events after it come from that event.
  void cause(std::uint64_t seq) { cause_ = seq; }

  /// An event of the kernel.
  void take(EventView const& event);

  void run_open(Opening const& opening, Micros now);
  void run_resume(UnknownCalls unknown, std::vector<CallId> const& calls, Micros now);
  void run_close(RunResult const& result, bool near_limit, std::optional<std::int64_t> max_turns, Micros now);
  void model_reply(FrameId frame, TurnId turn, Reply const& reply, Micros now);
  void model_error(FrameId frame, TurnId turn, Error const& error, Micros now);
  /// Gives the event's seq.
  std::uint64_t call_start(FrameId frame, CallId call, std::string_view tool, int attempt, Micros now);
  void call_late(FrameId frame, CallId call, Micros now);
  void agent_ask(AgentAsked const& ask, Micros now);
  void user_said(FrameId frame, std::string_view text, Author author, Micros now);
  void compacted(Compacted const& input, Micros now);
  void hook_answered(HookAnswered const& input, Micros now);
  /// A callback's word on the call at `index` of a round, or on the result of `call`.
  void route_answered(FrameId frame, std::optional<std::size_t> index, CallId call, RecordedRoute const& said,
                      Micros now);
  void rolled_back(FrameId frame, std::string_view stage, std::vector<CallId> const& calls, Micros now);

 private:
  void tell(std::string_view type, FrameId frame, std::string body, Micros now, std::vector<RawText> raws = {});

  bool on_;
  std::vector<talk::Event>* out_ = nullptr;
  std::uint64_t seq_ = 0;
  std::uint64_t cause_ = 0;
};

}  // namespace backedge::agent
