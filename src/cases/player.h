// Plays the steps of a case through the kernel and writes down what it decided.
//
// The scripted model cannot react, so: a call that was not run ignores its scripted result; a frame whose opening call
// was not run is skipped with everything below it; after a stop nothing is played until the next user step or
// session_start. Tested in tests/cases/player_test.cpp.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "backedge/run.h"
#include "cases/case.h"
#include "cases/setup.h"

namespace backedge::cases {

struct Decision {
  std::string id;
  std::string word;
  std::string code;
  std::string text;  // what the model or the person was told
};

/// What a case came to.
struct Played {
  std::string id;
  std::vector<Decision> decisions;  // in the order of the steps
  std::string end;                  // "final", "stop:no_progress", …; empty when the steps just end
  std::string output;               // the answer, when a tool's result was the answer
  std::map<std::string, double> numbers;
  std::map<std::string, std::string> status;  // of calls that started an agent: done, incomplete:turn_limit, …
  std::map<std::string, bool> properties;     // only what was really looked at
  std::string graph;                          // frames, calls and edges, as Run::graph_json gives them
};

class Player {
 public:
  /// Errors: kInput when a step does not fit what came before.
  static Result<Played> play(Case const& c, Policy const& base, bool contracts);

 private:
  struct CallNote {
    CallId id;
    std::string frame;
    std::string tool;
    std::string arguments;
    bool under_way = false;  // runs, waits or is asked
    bool asked_by_us = false;
    bool opened = false;
    std::string scripted;  // a result that arrived while the call was waiting
    bool has_scripted = false;
    bool scripted_ok = true;
  };
  struct FrameNote {
    FrameId id;
    std::string by;
    bool skipped = false;  // its opening call was not run, or it was ended
    std::int64_t requests = 0;
  };
  using EventHandler = Result<void> (Player::*)(boost::json::object const&);

  Player(Case const& c, Setup setup);

  Result<void> start();
  Result<void> step(boost::json::object const& step);
  void user(std::string_view text);
  Result<void> model(boost::json::object const& step);
  Result<bool> ask_turn(FrameNote& frame, std::string const& name, boost::json::object const& step);
  Result<void> round(FrameNote& frame, std::string const& name, boost::json::array const& calls);
  void answered(FrameNote const& frame, boost::json::object const& step);
  Result<void> tool_result(boost::json::object const& body);
  Result<void> finish(std::vector<std::string> ready);
  Result<void> set_free(std::vector<Entered> const& released);
  bool ended_below(std::string const& call) const;
  void settle(Entered const& e);
  void look_after(FrameNote& frame);
  void close_unanswered(std::string const& frame_name);
  Result<void> event(boost::json::object const& e);

  Result<void> on_open_frame(boost::json::object const& e);
  Result<void> on_close_frame(boost::json::object const& e);
  Result<void> on_user_stop(boost::json::object const& e);
  Result<void> on_compaction(boost::json::object const& e);
  Result<void> on_session_start(boost::json::object const& e);
  Result<void> on_session_end(boost::json::object const& e);
  Result<void> on_clock(boost::json::object const& e);
  Result<void> on_spend(boost::json::object const& e);
  Result<void> on_answer(boost::json::object const& e);
  Result<void> on_cancelled(boost::json::object const& e);
  Result<void> on_hook_fire(boost::json::object const& e);
  Result<void> on_hook_block(boost::json::object const& e);
  Result<void> on_trigger(boost::json::object const& e);
  Result<void> on_start(boost::json::object const& e);
  Result<void> on_shell_profile(boost::json::object const& e);
  Result<void> on_probe(boost::json::object const& e);

  FrameNote& frame(std::string const& name);
  std::string infer_opener() const;
  void decided(std::string_view id, std::string_view word, std::string_view code, std::string_view text);
  void judged(boost::json::object const& e, Judged const& j);
  void stop(std::string_view reason);
  bool invokes_itself(std::string_view arguments) const;
  void count();

  Case const& case_;
  Setup setup_;
  std::vector<Run> run_;  // exactly one; replaced when a session starts
  Micros now_{0};
  std::map<std::string, CallNote, std::less<>> calls_;
  std::map<std::uint32_t, std::string> names_;  // call ids of the run to the case's
  std::map<std::string, FrameNote, std::less<>> frames_;
  std::map<std::string, std::vector<std::string>, std::less<>> chains_;  // by session
  std::set<std::string, std::less<>> own_programs_;
  std::set<std::string, std::less<>> answered_ids_;  // calls whose results the case has
  std::map<std::string, std::size_t, std::less<>> decision_of_;
  bool over_ = false;  // nothing is played until the next user step
  std::int64_t requests_ = 0;
  std::int64_t refused_ = 0;
  std::int64_t tokens_ = 0;
  std::int64_t spent_nano_ = 0;
  std::int64_t own_processes_ = 0;
  std::int64_t most_descendants_ = 0;
  bool has_usage_ = false;
  bool has_spend_ = false;
  Played out_;
};

/// Plays every case; a case with a `sweep` is played once per value and its numbers are given per value.
Result<std::vector<Played>> play_all(std::vector<Case> const& cases, Policy const& base, bool contracts);

}  // namespace backedge::cases
