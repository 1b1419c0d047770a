// What must hold after every step, seen from outside: from events, commands and messages alone.
//
// A second, simple book of the run is kept here (who runs below whom, what was counted, what is outstanding), and what
// the session does is held against it. The first fault is kept in words and ends the simulation. A rule here is a
// sentence of include/backedge/*.h, src/agent/*.h or docs/policy.md, never a copy of the code that it judges.
// Part of tests/sim/seeds_test.cpp.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/session.h"
#include "kernel/settings.h"
#include "sim/world.h"

namespace backedge::sim {

class Checks {
 public:
  Checks(World const& world, kernel::Settings const& settings) : world_(&world), settings_(&settings) {}

  /// Events, as they happen or as they are folded.
  void events(std::span<talk::Event const> events);
  /// Commands of one step, after its events. `input`: what was taken.
  void commands(std::span<agent::Command const> commands, agent::Input const& input);
  /// The session after a step.
  void session(agent::Session const& session);
  /// A process has ended: nothing of what was outstanding will come back.
  void process_ended();

  std::string const& fault() const { return fault_; }
  bool run_open() const { return run_open_; }
  std::vector<FrameId> living() const;

 private:
  struct FrameBook {
    FrameId parent;
    CallId by;
    std::string agent;
    bool dead = false;
    bool pressed = false;      // by a limit of calls
    std::string why;           // its last turn is the last, or it is stopped
    std::int64_t turns = 0;    // root: since the last message of a person
    std::int64_t calls = 0;    // the same
    std::int64_t subtree = 0;  // turns here and below
    std::int64_t last_input = 0;
    std::int64_t tokens = 0;  // of its own turns, used and reserved; root: since the last message of a person
    std::int64_t cost = 0;    // the same
    std::int64_t agents = 0;  // at work below, at any depth; the same
    Micros opened{0};
  };
  struct CallBook {
    FrameId frame;
    std::string tool;
    bool started = false;
    bool commanded = false;
    bool ended = false;
    bool held = false;  // counted: neither refused nor given back
  };
  struct TurnBook {
    FrameId frame;
    std::int64_t reserved = 0;  // tokens
    std::int64_t cost = 0;      // reserved
    bool asked = false;
    bool settled = false;
  };
  struct Counts {
    std::int64_t turns = 0;
    std::int64_t calls = 0;  // started
    std::int64_t held = 0;   // started or about to be
    std::int64_t agents = 0;
    std::int64_t tokens = 0;  // used and reserved
    std::int64_t cost = 0;    // the same
  };

  void say(std::string fault);
  void event(talk::Event const& e);
  void take_open();
  void take_message(talk::Event const& e);
  void take_turn(talk::Event const& e);
  void book(FrameId frame, std::int64_t tokens, std::int64_t cost);
  void take_turn_end(std::string_view body);
  void take_verdict(talk::Event const& e);
  void take_start(talk::Event const& e);
  void take_close(std::string_view body);
  void judge_turns(FrameBook const& frame, std::string_view verdict, std::string_view code);
  void judge_time(FrameId frame, Micros at, std::string_view verdict, std::string_view code);
  void judge_tokens(FrameBook const& frame, std::string_view verdict, std::string_view code, std::int64_t tokens,
                    std::int64_t typical);
  void judge_cost(FrameBook const& frame, std::string_view body);
  bool exceeds(FrameBook const& frame, kernel::Meter meter, std::int64_t amount) const;
  bool is_over(FrameId frame, Micros at) const;
  void kill(FrameId top);
  void kill_below_call(CallId call);
  bool on_path(FrameId top, FrameId frame) const;
  std::int64_t depth(FrameId frame) const;
  void give_back(CallBook& call);
  void most(std::int64_t count, kernel::Scope scope, kernel::Meter meter, std::string_view what);
  std::int64_t limit(kernel::Scope scope, kernel::Meter meter) const {
    return settings_->limits.at(scope, meter).value;
  }
  bool enforced() const { return !settings_->ladder.observe; }

  void command(agent::AskModel const& c, bool resumed);
  void command(agent::StartTool const& c, bool resumed);
  void command(agent::AskPerson const& c, bool resumed);
  void command(agent::AnswerTool const& c, bool resumed);
  void command(agent::StopTool const& c, bool resumed);
  void command(agent::StopModel const& c, bool resumed);
  void command(agent::Finish const& c, bool resumed);
  void command(agent::AskHooks const&, bool /*resumed*/) {}
  void command(agent::Judgement const&, bool /*resumed*/) {}
  void outstanding_lives();
  void messages(FrameId frame, std::vector<Message> const& all);

  static constexpr Micros kSessionOpened{1'000'000};

  World const* world_;
  kernel::Settings const* settings_;
  std::string fault_;

  // From events.
  bool run_open_ = false;
  std::uint64_t seq_ = 0;
  Micros at_{0};
  std::map<FrameId, FrameBook> frames_{{FrameId{1}, {.opened = kSessionOpened}}};
  std::map<CallId, CallBook> calls_;
  std::map<TurnId, TurnBook> turns_;
  std::map<std::string, std::int64_t, std::less<>> per_tool_;
  Counts spoken_;  // since the last message of a person
  Micros spoke_at_ = kSessionOpened;
  Counts session_;                      // since ever
  Micros session_time_{0};              // of earlier runs, each from its message to its last event
  Micros decided_at_ = kSessionOpened;  // the last event that the kernel hears of
  RunResult sum_;                       // of the run under way
  std::int64_t raised_ = 0;             // the run's limit of turns, since the last message of a person
  bool staged_ = false;                 // the run has stages
  std::int64_t staged_turns_ = 0;       // of its root
  bool people_were_asked_ = false;

  // From commands.
  std::map<CallId, FrameId> tools_;           // that run
  std::map<TurnId, FrameId> questions_;       // asked and waited for
  std::map<TurnId, FrameId> stopped_;         // asked, and nobody waits for the answer
  std::map<std::uint64_t, CallId> asked_by_;  // by ticket: the call whose tool waits for an agent
  std::set<CallId> asked_;                    // of a person
  bool finish_due_ = false;
};

}  // namespace backedge::sim
