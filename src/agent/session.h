// The agent loop as a pure step: (session, input, time) → events and commands.
//
// A session is a conversation with one root agent; every agent function that runs below it is a frame of its own with
// its own messages, under the same kernel. The step never waits, reads no clock and starts nothing: it says what is to
// be done, and is told what came of it, in whatever order that happens. What holds after every step: a tool message
// answers every call of the assistant message before it once, in the order of the calls; nothing is started in a frame
// that has been stopped; the same inputs at the same times give the same events. Not thread-safe: one owner at a time.
// Tested in tests/agent/ and, with faults and in every order, in tests/sim/.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "agent/frame.h"
#include "agent/input.h"
#include "agent/recorder.h"
#include "agent/stop_reason.h"
#include "backedge/policy.h"
#include "backedge/run.h"

namespace backedge::agent {

/// What a session is made of; shared by many.
struct Setup {
  Policy policy = Policy::defaults();
  std::string policy_text;  // the effective policy, for the record
  Toolbox tools;
  ToolPolicy tool_policy;
  std::string system;
  std::string model;  // name of the root's model
  std::string agent;  // name of the root agent; may be empty
  bool attended = false;
  bool continue_cut = true;
  bool end_hooks = false;  // ask them before a frame ends with its answer
  bool record = true;      // make events; else there are none
  std::string token_key;
  std::string parent_token;
  /// What a request will cost at most; empty: bytes / 4 as input tokens, at no cost.
  std::function<Estimate(Request const&)> estimate;
  /// What the gate says of a call with valid arguments; empty: allowed.
  std::function<Gate(ToolEntry const&, std::string_view arguments)> gate;
  /// Where no rule of the policy speaks: what the host says of a call, and of a result.
  CallRouter before_call;
  ResultRouter after_result;
  /// Hears every message that answers a round, when it goes into the frame's conversation.
  std::function<void(FrameId, Message const&)> on_results;
};

class Session {
 public:
  /// Errors: kSignature when the parent token does not verify.
  static Result<std::unique_ptr<Session>> open(std::shared_ptr<Setup const> setup, std::string name, Micros now);
  Session(Session const&) = delete;
  Session& operator=(Session const&) = delete;

  /// Takes one input; appends what it brings about to `out`. Inputs that fit nothing that is open (a result for a call
  /// that has ended) change nothing. Cost: O(1) in the length of the history.
  void step(Input input, Micros now, Batch& out);

  /// The question of a frame that asks. Views hold until its answer is brought.
  Request request(FrameId frame) const;
  /// A run is under way.
  bool running() const { return running_; }
  /// No run is under way and no model that was asked is still to answer. The next run may begin without that, when the
  /// process that asked has ended: what was asked is then given up.
  bool idle() const { return !running_ && still_asking_ == 0; }
  /// The messages of a frame; the root's hold all runs of the session.
  std::vector<Message> const& messages(FrameId frame) const { return frames_.at(frame)->messages; }
  FrameId root() const { return run_.root(); }
  std::string const& name() const { return name_; }
  std::string_view model_of(FrameId frame) const;
  Result<std::string> token(CallId call) const { return run_.token(call); }
  std::string graph_json() const { return run_.graph_json(); }
  Result<Standing> standing(FrameId frame) const { return run_.standing(frame); }
  /// What callbacks said in a record, oldest first: they are not asked again as long as there is any.
  void recall(std::vector<RecordedRoute> answers);
  /// Agents started so far.
  std::int64_t descendants() const { return run_.descendants(); }
  /// Calls that are running now, in order.
  std::vector<CallId> running_calls() const;

 private:
  Session(std::shared_ptr<Setup const> setup, std::string name, std::unique_ptr<Recorder> recorder, Run run);

  struct Ending {
    RunEnd end = RunEnd::kFinished;
    std::string answer;
    std::string code;
    std::string reason;
  };
  struct Settled {
    CallId call;
    ToolResult result;
  };

  // session.cpp: inputs, and the ends of frames
  void take(Begin& input);
  void take(UserSaid& input);
  void take(ModelAnswered& input);
  void take(ToolReturned& input);
  void take(PersonAnswered& input);
  void take(AgentAsked& input);
  void take(Compacted& input);
  void take(HookAnswered& input);
  void take(Cancel& input);
  void take(Resumed& input);
  void work_off();
  void settle_all();
  void end_question(Frame& frame, Usage const& usage);
  void give_up_questions();
  void end_frame(Frame& frame, Ending ending);
  void end_by_standing(Frame& frame, std::string code, std::string reason);
  void silence(Frame& top, std::string_view why);
  void close_call(PlannedCall& call, std::string_view why);
  void finish_run(Frame& root, Ending ending);
  std::vector<FrameId> below(FrameId top) const;
  std::size_t start_of(Frame const& frame) const { return frame.id == run_.root() ? run_start_ : 0; }
  void add(Usage const& usage);

  // turn.cpp: Request, Wait, Respond, Decide
  void begin_turn(Frame& frame);
  void answered(Frame& frame, Asking asking, Reply reply);
  void decide(Frame& frame, StopReason reason, std::string_view text, bool has_calls);
  void stop_turn(Frame& frame, Turn const& turn);
  void say(Frame& frame, std::string text);
  void hear_person(Frame& root);
  Estimate estimate(Request const& request) const;

  // round.cpp: Act
  void act(Frame& frame, bool cut);
  void name_calls(Frame& frame);
  void drop_cut_call(Message& message, Round& round, std::vector<Call>& calls);
  Round refuse_all(Frame& frame, std::string const& text);
  void end_children(CallId by);
  void place(Entered const& entered);
  void place(Entered const& entered, Frame& frame, PlannedCall& call);
  void start(Frame& frame, PlannedCall& call, std::string_view note);
  void start_again(Frame const& frame, PlannedCall& call);
  void command_start(Frame const& frame, PlannedCall const& call);
  void start_function(Frame& frame, PlannedCall& call);
  void ask_person(Frame const& frame, PlannedCall const& call, std::string_view why);
  void answer_for_person(Frame& frame, PlannedCall& call, Approval answer);
  Result<FrameId> open_child(Frame& parent, AgentAsked const& ask, ToolEntry const& function);
  void reuse(Frame& frame, PlannedCall& call, Entered const& entered);
  void settle(CallId id, ToolResult const& result);
  void finish_call(Frame& frame, PlannedCall& call, std::string text, bool failed);
  void answer_round(Frame& frame, Round const& round);
  void finish_round(Frame& frame);

  // routing.cpp: rules, stages and callbacks
  CallRoute ask_host(Frame const& frame, CallBlock const& block, std::size_t index);
  ResultRoute ask_host(Frame const& frame, PlannedCall const& call, ToolResult const& result);
  std::string route_result(Frame& frame, PlannedCall const& call, ToolResult const& result, Left const& left,
                           std::string text);
  void enter_stage(Frame& frame, std::string note);
  void roll_back(Frame& frame);
  void shorten_view(Frame& frame);
  CallSight sight(Frame const& frame, CallBlock const& block, std::string_view stage) const;
  bool recorded(RecordedRoute& out);
  Frame* frame_of(CallId call);
  PlannedCall* planned(CallId call);
  CallBlock const& block_of(Frame const& frame, PlannedCall const& call) const;
  std::string path(FrameId frame) const;

  struct Place {  // of a result in a conversation
    FrameId frame;
    std::uint32_t message = 0;
    std::uint32_t block = 0;
  };

  std::shared_ptr<Setup const> setup_;
  std::string name_;
  Selection selection_;
  std::unique_ptr<Recorder> recorder_;  // the run's listener keeps its address
  Run run_;
  std::unordered_map<FrameId, std::unique_ptr<Frame>> frames_;
  std::unordered_map<CallId, FrameId> open_calls_;
  std::vector<Place> results_;                         // by call, for reuse
  std::unordered_map<CallId, ResultBlock> set_aside_;  // results that are in no view any more
  std::deque<RecordedRoute> recalled_;
  std::string task_;                    // of the run under way
  std::vector<std::string> heard_;      // what was said since its start
  std::size_t heard_before_stage_ = 0;  // of them, before the present stage
  std::vector<UserSaid> unheard_;       // said while the run was under way
  std::string run_id_;
  std::int64_t run_number_ = 0;
  std::int64_t named_calls_ = 0;  // ids made for calls that had none
  std::size_t run_start_ = 0;     // in the root's messages
  bool running_ = false;
  std::uint32_t last_call_ = 0;   // of the session
  std::uint32_t first_call_ = 1;  // that this run can have
  int still_asking_ = 0;
  RunResult sum_;  // of the run under way

  // One step.
  Micros now_{0};
  Batch* out_ = nullptr;
  std::vector<Settled> settled_;
  std::vector<Entered> released_;
  std::vector<FrameId> ready_;
};

}  // namespace backedge::agent
