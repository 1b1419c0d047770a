// Plays the steps of a case through the whole loop: an agent's session is asked, answered, stopped and taken up again
// as a runtime would do it, with the script as its models, tools, hooks and people.
//
// Rules of replay: player.h. The loop asks its next question as soon as a round is whole; so results and messages are
// held back until the script shows what comes first, a person's word or the next message. Tested in
// tests/cases/player_test.cpp; that it decides as the kernel alone does: tests/cases/levels_test.cpp.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/session.h"
#include "cases/account.h"
#include "cases/outside.h"
#include "cases/script.h"
#include "cases/setup.h"
#include "cases/world.h"

namespace backedge::cases {

class LoopPlayer {
 public:
  /// Errors: kInput when a step does not fit what came before.
  static Result<Played> play(Case const& c, Policy const& base, bool contracts);

 private:
  enum class Stage : std::uint8_t { kDecided, kRunning, kEnded };
  struct CallNote {
    CallId id;
    std::string frame;
    std::string tool;
    std::string arguments;
    Stage stage = Stage::kDecided;
    bool asked = false;
    bool stopped = false;
    bool opened = false;  // an agent has been started for it
    bool failed_below = false;
    FrameId child;                    // the agent that was started for it last
    std::optional<World::Edit> edit;  // of a file, under way
    std::optional<ToolResult> scripted;
  };
  struct FrameNote {
    FrameId id;  // none: it was not opened
    std::string by;
    bool cancelled = false;  // by a person
    std::int64_t requests = 0;
  };
  struct AgentNote {  // of the session's frame
    std::string name;
    std::optional<TurnId> question;
    TurnId unwanted;  // a question that nobody waits for any more
    std::string press;
    bool noted = false;
    bool open = true;
    std::string why;  // code that ended it, or will
  };
  using EventHandler = Result<void> (LoopPlayer::*)(boost::json::object const&);

  LoopPlayer(Case const& c, Setup setup);

  // loop_player.cpp: steps
  Result<void> start();
  Result<void> fill_toolbox();
  Result<void> step(boost::json::object const& step);
  void begin_if_idle();
  void start_side_by_side();
  void user(std::string text);
  Result<void> model(boost::json::object const& step);
  void answer(FrameNote& frame, boost::json::object const& step);
  void refuse_late(FrameNote const& frame, boost::json::object const& step);
  void tool_result(boost::json::object const& body);
  void close_unanswered(std::string const& frame);
  void answer_child(std::string const& call, std::string text);
  void finish_quietly();
  FrameNote& frame(std::string const& name);
  std::string infer_opener() const;
  bool open_agent(std::string const& frame, std::string const& by, std::string const& agent);
  Played count();

  // loop_events.cpp: events of the case
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
  Result<void> on_resume(boost::json::object const& e);
  Result<void> on_file(boost::json::object const& e);

  // loop_session.cpp: what goes into the session and what comes out
  void hold(agent::Input input) { held_.push_back(std::move(input)); }
  void flush();
  void feed(agent::Input input);
  void hear(talk::Event const& e);
  void verdict(boost::json::object const& body);
  void carry_out(agent::AskModel const& c);
  void carry_out(agent::StartTool const& c);
  void carry_out(agent::AskPerson const& c);
  void carry_out(agent::AskHooks const& c) { leaving_ = c.frame; }
  void carry_out(agent::Judgement const& c) { judged_ = c.judged; }
  void carry_out(agent::AnswerTool const& c);
  void carry_out(agent::StopTool const& c);
  void carry_out(agent::StopModel const& c);
  void carry_out(agent::Finish const& c);
  void read_results(FrameId frame, Message const& message);
  void frame_closed(FrameId frame);
  void let_leave();
  CallNote* note_of(CallId id);

  Case const& case_;
  Setup setup_;
  Script script_;
  Account account_;
  Outside outside_;
  World world_;
  std::shared_ptr<agent::Setup> made_of_;
  std::unique_ptr<agent::Session> session_;
  Micros now_{0};
  std::size_t next_ = 0;  // the first step that is not played yet
  std::map<std::string, CallNote, std::less<>> calls_;
  std::map<CallId, std::string> names_;
  std::map<std::string, FrameNote, std::less<>> frames_;
  std::map<FrameId, AgentNote> agents_;
  std::map<std::uint64_t, std::string> tickets_;      // the call that asked for an agent
  std::vector<std::vector<talk::Event>> record_;      // by run
  std::vector<std::pair<FrameId, Message>> answers_;  // of rounds, in this step
  std::deque<agent::Input> held_;
  std::deque<agent::Input> inputs_;
  std::string message_id_;  // of the message that is being answered
  agent::Batch batch_;
  std::vector<std::string> round_ids_;  // of its calls
  std::vector<CallId> round_calls_;     // the same, in the words of the session
  std::string opening_;                 // the frame that is being opened, in the words of the case
  FrameId opened_;
  FrameId leaving_;  // asks its hooks
  std::optional<Judged> judged_;
  bool feeding_ = false;
  bool asked_by_message_ = false;  // the input was a model's message
  bool held_for_hooks_ = false;    // the input was a hook's answer
  bool over_ = false;              // nothing is played until the next user step
  bool quiet_ = false;             // the steps have ended: what still ends says nothing of the run
  std::uint64_t last_ticket_ = 0;
  std::int64_t runs_ = 0;
  std::int64_t most_descendants_ = 0;
};

}  // namespace backedge::cases
