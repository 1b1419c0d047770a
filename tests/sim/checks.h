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
    bool asked = false;
    bool settled = false;
  };
  struct Counts {
    std::int64_t turns = 0;
    std::int64_t calls = 0;  // started
    std::int64_t held = 0;   // started or about to be
    std::int64_t agents = 0;
    std::int64_t tokens = 0;  // used and reserved
  };

  void say(std::string fault);
  void event(talk::Event const& e);
  void take_open();
  void take_message(std::string_view body);
  void take_turn(talk::Event const& e);
  void take_turn_end(std::string_view body);
  void take_verdict(talk::Event const& e);
  void take_start(talk::Event const& e);
  void take_close(std::string_view body);
  void judge_tokens(std::string_view verdict, std::string_view code, std::int64_t tokens, std::int64_t typical);
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
  void outstanding_lives();
  void messages(FrameId frame, std::vector<Message> const& all);

  World const* world_;
  kernel::Settings const* settings_;
  std::string fault_;

  // From events.
  bool run_open_ = false;
  std::uint64_t seq_ = 0;
  Micros at_{0};
  std::map<FrameId, FrameBook> frames_{{FrameId{1}, {}}};
  std::map<CallId, CallBook> calls_;
  std::map<TurnId, TurnBook> turns_;
  std::map<std::string, std::int64_t, std::less<>> per_tool_;
  Counts spoken_;   // since the last message of a person
  Counts session_;  // since ever
  RunResult sum_;   // of the run under way

  // From commands.
  std::map<CallId, FrameId> tools_;           // that run
  std::map<TurnId, FrameId> questions_;       // asked and waited for
  std::map<TurnId, FrameId> stopped_;         // asked, and nobody waits for the answer
  std::map<std::uint64_t, CallId> asked_by_;  // by ticket: the call whose tool waits for an agent
  std::set<CallId> asked_;                    // of a person
  bool finish_due_ = false;
};

}  // namespace backedge::sim
