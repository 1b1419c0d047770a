// The kernel of one run: events go in, verdicts come out, the rules are asked in one order and nowhere else.
//
// Pure: no I/O, no clock, no threads, no JSON; the same events under the same settings give the same verdicts. Not
// thread-safe: its owner serialises. Ids passed in must have come from this kernel and be open; owners check with the
// `has_*` functions first. A decision is O(1) in the history and O(depth) at worst on the path.
// Tested in tests/kernel/kernel_test.cpp, tests/kernel/oracle_test.cpp and by the case corpus.
#pragma once

#include <span>
#include <unordered_set>
#include <vector>

#include "base/chunk_list.h"
#include "kernel/budget.h"
#include "kernel/chain.h"
#include "kernel/conflict.h"
#include "kernel/reentry.h"

namespace backedge::kernel {

/// Whose loop this is. kForeign: calls are never held back for conflicts, the other side dispatches as it likes.
enum class Door : std::uint8_t { kOwn, kForeign };

struct KernelOptions {
  SharedSettings settings;
  Door door = Door::kOwn;
  Digest agent;                   // of the root; none if it has no name
  std::vector<Digest> ancestors;  // agents on the path in other processes, oldest first
  Micros now{0};
};

/// Before a model is asked.
struct TurnAsk {
  std::int64_t input_tokens = 0;   // estimate
  std::int64_t output_tokens = 0;  // the most the model may write
  std::int64_t cost_nano = 0;      // estimate, nano-USD
  bool priced = true;              // false: the cost cannot be known
};

/// What a turn used.
struct TurnSpent {
  std::int64_t input_tokens = 0;
  std::int64_t output_tokens = 0;
  std::int64_t cost_nano = 0;
  bool has_calls = false;
  TextFacts text;
};

struct FrameAsk {
  CallId by;
  FrameKind kind = FrameKind::kAgent;
  Digest agent;
  std::int64_t turns = kUnlimited;  // what the child is asked to need at most
};

enum class Permission : std::uint8_t { kAllow, kDeny, kTimeout };

/// What an end sets free: calls that waited for what has ended, decided anew.
struct Released {
  std::vector<CallVerdict> calls;
  bool answers = false;  // the tool's result is the frame's answer (`returns_direct`)
};

/// Why and whether a frame has come to its end.
struct FrameStanding {
  FrameState state = FrameState::kWorking;
  Code why = Code::kNone;
};

class Kernel {
 public:
  explicit Kernel(KernelOptions options);
  Kernel(Kernel const&) = delete;
  Kernel& operator=(Kernel const&) = delete;

  FrameId root() const { return root_; }

  TurnVerdict enter_turn(FrameId frame, TurnAsk const& ask, Micros now);
  /// Settles the turn; the verdict is about the model's own text.
  TurnVerdict leave_turn(TurnId turn, TurnSpent const& spent, Micros now);

  /// One round: all calls of one model message, one verdict each, in order, appended to `out`.
  void enter(FrameId frame, std::span<CallFacts const> calls, Micros now, std::vector<CallVerdict>& out);
  /// A person's answer to an asked call: everything but the arguments is checked again. A call that will not run after
  /// all sets free what waited for it, appended to `released`.
  CallVerdict approve(CallId call, Permission answer, Micros now, std::vector<CallVerdict>& released);
  /// A result of a call that runs.
  Released leave(CallId call, ResultFacts const& result, Micros now);

  /// A call may open several, one after the other or at once; they close with it at the latest.
  FrameId open_frame(FrameAsk const& ask, Micros now);
  /// Closes the frame with everything below it; calls under way there are forgotten.
  Released close_frame(FrameId frame, Micros now);

  /// A person's message starts the next request: counts per run, every repetition and a stop end with it.
  void person_spoke(Micros now);
  /// An automatic message is a change, nothing more.
  void automatic_message();
  /// These calls' results are gone from the model's view. `freed`: the view became smaller.
  EventVerdict compacted(FrameId frame, std::span<CallId const> dropped, bool freed);
  /// A hook refuses to let the turn end.
  EventVerdict hook_blocks(FrameId frame, Digest hook_and_text);
  /// Stops the frame and everything below it.
  void cancel(FrameId frame);
  /// A rule of the host's routing: the frame's next turn must be its answer; the frame ends.
  void demand_answer(FrameId frame, Code why) { press(*frames_.find(frame), why); }
  void stop(FrameId frame, Code why);
  /// Raises the run's limit of turns until the next message of a person; never lowers it. False when nothing changed.
  bool raise_turns(std::int64_t to);

  /// Is it a frame of this process, and open?
  bool has_frame(FrameId id) const { return id >= root_ && frames_.find(id) != nullptr; }
  bool has_turn(TurnId id) const;
  bool has_live(CallId id) const { return live_.find(id) != nullptr; }
  bool runs(CallId id) const;
  bool asked(CallId id) const;
  FrameStanding standing(FrameId id) const;
  /// The facts of a call under way; null when it is not.
  CallFacts const* facts(CallId id) const { return live_.find(id) == nullptr ? nullptr : &live_.find(id)->facts; }
  FrameId frame_of(CallId id) const { return live_.find(id) == nullptr ? FrameId{} : live_.find(id)->frame; }
  /// The smallest rest of a meter as seen from a frame; empty without a limit.
  std::optional<std::int64_t> left(FrameId frame, Meter meter, Micros now) const;
  /// Agents started in this run, and calls of agents that are still to open one.
  std::int64_t descendants() const { return budgets_.used(Scope::kRun, Meter::kDescendants); }
  std::int64_t executed_calls() const { return budgets_.used(Scope::kSession, Meter::kCalls); }
  Frames const& frames() const { return frames_; }
  Settings const& settings() const { return *options_.settings; }

 private:
  struct Turn {
    TurnId id;
    FrameId frame;
    std::int64_t tokens = 0;
    std::int64_t cost = 0;
  };

  // The order of checks; each fills `v` and says whether it settled the call.
  bool decide(Frame& frame, CallFacts const& call, CallVerdict& v, Micros now);  // true: its counts are reserved
  bool check_arguments(Frame& frame, CallFacts const& call, CallVerdict& v, Micros now);
  bool check_stopped(Frame& frame, CallVerdict& v);
  bool check_route(Frame& frame, CallFacts const& call, CallVerdict& v, Micros now);
  bool check_conservative(Frame& frame, CallFacts const& call, CallVerdict& v, Micros now);
  bool check_gate(Frame& frame, CallFacts const& call, CallVerdict& v, Micros now);
  bool check_path(Frame& frame, CallFacts const& call, CallVerdict& v, Micros now);
  bool check_repetition(Frame& frame, CallFacts const& call, CallVerdict& v, Micros now);
  bool check_budgets(Frame& frame, CallFacts const& call, CallVerdict& v, Micros now);
  bool check_conflicts(Frame& frame, CallFacts const& call, CallVerdict& v, Micros now);
  void recheck(LiveCall& call, CallVerdict& v, Micros now);
  bool settle(Frame& frame, CallFacts const& call, CallVerdict& v, CallWord word, Code code, Micros now);

  void refuse(Frame& frame, CallFacts const& call, CallVerdict& v, Micros now);
  void climb(Frame& frame, std::span<CallVerdict> round);
  void admit(Frame& frame, CallFacts const& call, CallVerdict const& v, bool reserved, Micros now);
  void set_state(LiveCall& live, CallVerdict const& v, Micros now);
  void give_back(Frame& frame, CallFacts const& call, bool holds_descendant);
  void release_place(Frame& frame);
  void drop(LiveCall& call);
  void close_subtree(FrameId frame, Micros now, std::vector<CallId>& ended);
  void release_waiting(std::vector<CallId> ended, Micros now, std::vector<CallVerdict>& out);
  void press(Frame& frame, Code why);
  Shortage reserve_counts(Frame& frame, CallFacts const& call, bool opens);
  bool opens_agents(CallFacts const& call) const;
  std::int64_t turns_left(Frame const& frame) const;
  std::int64_t root_allowance() const;
  std::int64_t run_turns() const;
  Shortage turn_limit(Frame const& frame) const;
  Shortage turn_shortage(Frame const& frame, TurnAsk const& ask, std::int64_t tokens) const;
  /// The frame above it in this process; null for the root.
  Frame* above(Frame const& frame);
  Frame const* above(Frame const& frame) const { return const_cast<Kernel*>(this)->above(frame); }
  void count_agents(Frame& frame, std::int64_t more);
  Shortage agent_shortage(Frame const& frame) const;
  Shortage spend_shortage(Frame const& frame, Meter meter, std::int64_t amount) const;
  Shortage time_shortage(Frame const& frame, Micros now) const;
  /// A clock that stands still while people are waited for.
  Micros working(Micros now) const;
  Micros run_time(Micros now) const { return working(now) - run_start_; }
  Micros session_time(Micros now) const { return session_time_ + run_time(now); }
  std::int64_t openers_in_round(Frame const& frame) const;
  bool enforces() const { return !options_.settings->ladder.observe; }

  KernelOptions options_;
  Budgets budgets_;
  Frames frames_;
  LiveCalls live_;
  ChunkList<Digest, 8, 256> keys_;  // of every call, by id - 1, for compaction; none when no result is in view
  std::vector<Turn> turns_;
  std::unordered_set<Digest> worked_;   // tools that gave a result in this run
  std::unordered_set<Digest> openers_;  // tools that opened an agent in this run
  FrameId root_;
  std::uint32_t next_turn_ = 0;
  std::int64_t raised_turns_ = 0;   // the run's limit of turns, once it is raised
  std::int64_t session_turns_ = 0;  // of earlier runs of the session
  Micros session_time_{0};          // of earlier runs: each from its message to its last event
  Micros run_start_{0};             // run_start_, last_event_: on the working clock
  Micros last_event_{0};
  Micros asked_since_{0};      // start of the present wait for people
  Micros waited_{0};           // for people, in waits that are over
  std::uint32_t asking_ = 0;   // calls that wait for people
  std::uint32_t waiting_ = 0;  // calls that wait for other calls
  Digest hook_;                // the last hook that refused, and what it said
  std::uint32_t hook_stamp_ = 0;
  std::int64_t hook_blocks_ = 0;
};

}  // namespace backedge::kernel
