// Plays the steps of a case through the kernel alone, as an embedder with a loop of its own would.
//
// The scripted model cannot react, so: a call that was not run ignores its scripted result; a frame whose opening call
// was not run is skipped with everything below it; after a stop nothing is played until the next user step or
// session_start. The same cases through the whole loop: loop_player.h. Tested in tests/cases/player_test.cpp.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "backedge/run.h"
#include "cases/account.h"
#include "cases/outside.h"
#include "cases/script.h"
#include "cases/setup.h"

namespace backedge::cases {

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
  Result<void> start_side_by_side();
  Result<void> step(boost::json::object const& step);
  void user();
  Result<void> model(boost::json::object const& step);
  Result<bool> ask_turn(FrameNote& frame, boost::json::object const& step);
  Result<void> round(FrameNote& frame, std::string const& name, boost::json::array const& calls);
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
  Result<void> on_clock(boost::json::object const& e);
  Result<void> on_spend(boost::json::object const& e);
  Result<void> on_answer(boost::json::object const& e);
  Result<void> on_cancelled(boost::json::object const& e);
  Result<void> on_hook_block(boost::json::object const& e);
  Result<void> on_probe(boost::json::object const& e);

  FrameNote& frame(std::string const& name);
  std::string infer_opener() const;
  void stop(std::string_view reason);
  Played count();

  Case const& case_;
  Setup setup_;
  Script script_;
  Account account_;
  Outside outside_;
  std::vector<Run> run_;  // exactly one; replaced when a session starts
  Micros now_{0};
  std::map<std::string, CallNote, std::less<>> calls_;
  std::map<std::uint32_t, std::string> names_;  // call ids of the run to the case's
  std::map<std::string, FrameNote, std::less<>> frames_;
  bool over_ = false;  // nothing is played until the next user step
  std::int64_t most_descendants_ = 0;
};

}  // namespace backedge::cases
