// One seed, one simulated world, one history: a real session, driven by a clock, models, tools, people and a disk that
// are all made up here.
//
// Time is a queue of what will happen, and chance says when: results come in any order, late, twice, or never because
// of a time-out. A crash leaves the events that were durable and nothing else; a new session is folded from them and
// goes on. Whoever stops a model hears from it before the next run, as a runtime does. Part of
// tests/sim/seeds_test.cpp.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "agent/session.h"
#include "sim/checks.h"
#include "sim/random.h"
#include "sim/world.h"

namespace backedge::sim {

class Simulation {
 public:
  explicit Simulation(std::uint64_t seed);

  /// The whole history; the first fault in words, empty when everything held.
  std::string run();
  /// The inputs that led there, one per line.
  std::string history() const;

  struct Told {  // what happened, for those who count
    int steps = 0;
    int crashes = 0;
    int runs = 0;
    std::size_t events = 0;
  };
  Told const& told() const { return told_; }
  World const& world() const { return world_; }
  /// The events of each run, as they are on the disk.
  std::vector<std::span<talk::Event const>> record() const {
    std::vector<std::span<talk::Event const>> out;
    for (Record const& one : records_) out.emplace_back(one.events);
    return out;
  }
  Policy const& policy() const { return setup_->policy; }

 private:
  struct Record {
    std::string run;
    std::vector<talk::Event> events;
  };
  struct Taken {
    agent::Input input;
    Micros at;
  };
  struct Due {
    Micros at;
    std::uint64_t order = 0;
    std::function<void()> act;
  };
  struct Work {  // a tool that runs
    std::string tool;
    std::string arguments;
    int agents = 0;  // that it will still ask for
    bool waits = true;
  };
  struct Question {
    Request request;
    std::vector<Message> as_asked;
    bool stopped = false;
  };

  // simulation.cpp: the world
  void say(std::string fault);
  void later(Micros delay, std::function<void()> act);
  Micros delay();
  void step(agent::Input input);
  void begin();
  void chance();
  void interfere(FrameId frame);
  void nonsense();
  void carry_out(std::vector<agent::Command> const& commands, agent::Input const& input);
  void command(agent::AskModel const& c, agent::Input const& input);
  void command(agent::StartTool const& c, agent::Input const& input);
  void command(agent::AskPerson const& c, agent::Input const& input);
  void command(agent::AskHooks const& c, agent::Input const& input);
  void command(agent::Judgement const& c, agent::Input const& input);
  void command(agent::AnswerTool const& c, agent::Input const& input);
  void command(agent::StopTool const& c, agent::Input const& input);
  void command(agent::StopModel const& c, agent::Input const& input);
  void command(agent::Finish const& c, agent::Input const& input);
  void answer(FrameId frame, TurnId turn);
  void work(CallId call);
  void give_back(CallId call);
  void ask_agent(CallId call);

  // faults.cpp: the record, crashes, and what a record must be good for
  void keep(std::vector<talk::Event> const& events);
  void crash(agent::Batch const& batch, agent::Input const& input);
  std::unique_ptr<agent::Session> open() const;
  bool fold_into(agent::Session& session, std::vector<Record> const& records, std::vector<talk::Event>* beyond) const;
  void same_standing(agent::Session& a, agent::Session& b, std::string_view what);
  void replay();
  void last_look();
  std::string text_of(std::string_view sha) const;

  World world_;
  std::shared_ptr<agent::Setup const> setup_;
  Random random_;
  mutable std::string fault_;
  Micros now_{1'000'000};
  std::unique_ptr<agent::Session> session_;
  std::unique_ptr<Checks> checks_;
  std::vector<Due> due_;
  std::uint64_t order_ = 0;
  int runs_begun_ = 0;
  std::map<CallId, Work> work_;
  std::map<TurnId, Question> questions_;
  std::map<std::uint64_t, CallId> tickets_;
  std::uint64_t last_ticket_ = 0;
  std::int64_t answers_ = 0;
  std::map<CallId, int> starts_;  // of tools, really carried out

  // The disk.
  std::vector<Record> records_;
  std::map<std::string, std::string, std::less<>> texts_;

  // Since the process began.
  std::vector<Record> found_;
  std::vector<Taken> taken_;
  std::vector<talk::Event> brought_;
  std::vector<std::string> lines_;  // since ever
  Told told_;
};

std::string describe(agent::Input const& input);

}  // namespace backedge::sim
