// What a session hears, and what it wants done: the two alphabets of the agent's step.
//
// Inputs are all that can change a session; commands are all that it can bring about. Whoever drives it (runtime,
// simulation, cases) carries commands out and brings inputs back, in any order that really happens.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "agent/toolbox.h"
#include "backedge/runtime.h"
#include "talk/event.h"

namespace backedge::agent {

// ---- inputs

/// The next run of the session starts with a message. Only when no run is under way; of questions that are outstanding
/// (those of a process that has ended) no answer is taken any more.
struct Begin {
  std::string run;  // 32 hexadecimal digits
  std::string task;
  Author author = Author::kPerson;
};
/// A person says more while the run is under way: the root agent hears it before its next turn.
struct UserSaid {
  std::string text;
};
struct ModelAnswered {
  FrameId frame;
  TurnId turn;
  Result<Reply> reply;
};
struct ToolReturned {
  CallId call;
  ToolResult result;
};
struct PersonAnswered {
  CallId call;
  Approval answer;
};
/// A running tool starts an agent function below its call; the answer comes as AnswerTool with the same ticket.
struct AgentAsked {
  CallId by;
  std::string agent;
  std::string task;
  std::uint64_t ticket = 0;
};
/// Ends a frame and everything below it; without a frame, the run.
struct Cancel {
  FrameId frame;
};
/// The process that drove the session ended in between: what had started and not ended is told or started again.
struct Resumed {
  UnknownCalls unknown = UnknownCalls::kTell;
};

using Input = std::variant<Begin, UserSaid, ModelAnswered, ToolReturned, PersonAnswered, AgentAsked, Cancel, Resumed>;

// ---- commands

/// Ask with Session::request(frame). The frame's messages do not change until the answer is brought.
struct AskModel {
  FrameId frame;
  TurnId turn;
};
/// `arguments` holds until the next step.
struct StartTool {
  CallId call;
  FrameId frame;
  ToolEntry const* tool = nullptr;
  std::string_view arguments;
  std::int64_t timeout_ms = 0;
};
struct AskPerson {
  ApprovalRequest request;
};
/// The answer to an AgentAsked.
struct AnswerTool {
  std::uint64_t ticket = 0;
  ToolResult result;
};
/// What runs for this call is not wanted any more: end it; whatever it returns is dropped.
struct StopTool {
  CallId call;
};
/// The same for a model; the ModelAnswered must still be brought.
struct StopModel {
  FrameId frame;
  TurnId turn;
};
/// The run is over.
struct Finish {
  RunResult result;
};

using Command = std::variant<AskModel, StartTool, AskPerson, AnswerTool, StopTool, StopModel, Finish>;

/// What one step brought about. Events must be durable before commands are carried out.
struct Batch {
  std::vector<talk::Event> events;
  std::vector<Command> commands;

  void clear() {
    events.clear();
    commands.clear();
  }
};

}  // namespace backedge::agent
