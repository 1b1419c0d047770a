// Routing within a run: asks route::State at the right moments and keeps what the words of its verdicts need.
//
// Asks for nothing and costs nothing when the policy has no rules and the host routes nothing itself. With verdicts
// that are only observed, rules on calls are reported and nothing else acts. Tested in tests/embed/routing_test.cpp.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "backedge/run.h"
#include "embed/message.h"
#include "kernel/kernel.h"
#include "route/state.h"

namespace backedge::embed {

/// Who asks: a frame, and the name of its agent.
struct Asker {
  FrameId frame;
  bool root = false;
  std::string_view agent;
};

class Router {
 public:
  Router(std::shared_ptr<route::Rules const> rules, bool host_routes, bool observe)
      : state_(std::move(rules), host_routes), observe_(observe) {}

  bool on() const { return state_.on(); }
  void restart();
  void person_spoke() { state_.person_spoke(); }

  /// Puts into `facts` what is to be said of each call of a round: the policy's rules, else the host's route.
  void begin_round(FrameId frame);
  void ask(Asker const& who, Call const& call, kernel::CallFacts& facts);
  /// After the round is decided: the calls that it asked for, in order. `rolls_back` of each is given back.
  std::vector<bool> end_round(std::span<kernel::CallVerdict const> verdicts);

  /// What the rules say of a result; nothing for a call that is not known here.
  route::ResultAnswer result(CallId call, kernel::ResultFacts const& facts, CallStatus status, std::string_view text);

  route::TurnAnswer before_turn() { return state_.before_turn(); }
  void turn_taken() { state_.turn_taken(); }
  bool answered() { return state_.answered(); }
  bool go_to(std::string_view stage) { return state_.go_to(stage); }
  std::string_view stage() const { return state_.stage(); }
  void close_frame(FrameId frame);
  bool acts() const { return !observe_; }

  /// Why a frame was pressed or stopped by routing, for later words.
  void say_of_frame(FrameId frame, std::string code, std::string what, std::string hint);
  /// The words of a verdict by routing, into the scene; of a frame when `call` is none or the turn was to be the
  /// answer.
  void describe(kernel::Code code, FrameId frame, CallId call, bool closing, Scene& scene) const;
  /// Who has raised the run's limit of turns; empty when nobody has.
  std::string const& raised_by() const { return raised_by_; }
  void raised_by(std::string source) { raised_by_ = std::move(source); }

 private:
  struct Words {
    std::string code;
    std::string what;
    std::string hint;
  };
  struct Known {  // a call that is under way
    Asker who;
    std::string agent;
    std::string tool;
    std::string arguments;
    Digest key;
    bool changes = false;
    bool may_be_reused = false;
  };
  struct Pending {  // a call of the round that is being decided
    Known known;
    Words words;
    bool rolls_back = false;
  };

  route::State state_;
  bool observe_;
  std::vector<Pending> round_;
  std::unordered_map<CallId, Known> known_;
  std::unordered_map<CallId, Words> words_;
  std::unordered_map<FrameId, Words> of_frames_;
  std::string raised_by_;
};

}  // namespace backedge::embed
