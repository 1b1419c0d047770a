// What a case comes to, written down while it is played: the same for every player.
//
// A player says what was decided and what was told; the account keeps one decision an id, counts, and claims a property
// only after it has looked at what the property is about. Tested in tests/cases/player_test.cpp.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/value.hpp>

#include "backedge/chain.h"
#include "backedge/ids.h"
#include "backedge/verdict.h"

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
  std::map<std::string, std::string> status;   // of calls that started an agent: done, incomplete:turn_limit, …
  std::map<std::string, std::string> results;  // by call: "ok:" or "error:" and the text that the model was given
  std::vector<std::string> history_order;      // calls, as their results stand in the root's conversation
  std::map<std::string, std::string> files;    // of the world of the case, as they are in the end
  std::map<std::string, bool> properties;      // only what was really looked at
  std::string graph;                           // frames, calls and edges, as Run::graph_json gives them
};

/// A verdict on a call.
struct CallNews {
  CallWord word = CallWord::kRun;
  bool runs = true;
  std::string code;
  bool names_earlier = false;  // its evidence names an earlier call
};

class Account {
 public:
  explicit Account(std::string id) { out_.id = std::move(id); }

  void decided(std::string_view id, std::string_view word, std::string_view code, std::string_view text);
  /// A call that has been asked, or that waited and now runs, keeps its first decision.
  void call(std::string const& id, CallNews news);
  /// What the model was told instead of a result, or beside it.
  void told(std::string const& id, std::string_view text);
  /// A verdict on an event; only an event with an id is something to decide.
  void judged(boost::json::object const& event, Judged const& judged);

  void request() { ++requests_; }
  void tokens(std::int64_t input, std::int64_t output);
  void spent(std::int64_t nano_usd);
  void spends() { has_spend_ = true; }
  void holds(std::string const& property, bool does) { out_.properties[property] = does; }
  void forced_final(std::string_view code, bool has_note);
  void end(std::string end) { out_.end = std::move(end); }
  /// The run has been stopped, and nothing more is played until the next user step.
  void stop(std::string_view reason) { out_.end = "stop:" + std::string(reason); }
  void frame_ended(std::string const& by, std::string_view reason);

  bool decided_anything() const { return !out_.decisions.empty() || requests_ > 0; }
  bool refused_call(std::string const& id) const;
  Played& out() { return out_; }
  /// `requests`: of every agent below the root; `time`: that passed in the case.
  Played finish(std::vector<std::int64_t> const& requests, std::int64_t descendants, Micros time);

 private:
  struct Note {
    CallNews last;
    bool asked = false;
  };

  Played out_;
  std::map<std::string, std::size_t, std::less<>> decision_of_;
  std::map<std::string, Note, std::less<>> notes_;
  std::int64_t requests_ = 0;
  std::int64_t refused_ = 0;
  std::int64_t tokens_ = 0;
  std::int64_t spent_nano_ = 0;
  bool has_usage_ = false;
  bool has_spend_ = false;
};

/// "no_progress" for "repeat.exact", "max_turns" for "budget.turns", …: the reason of an end by the code that caused
/// it.
std::string_view end_reason(std::string_view code);

}  // namespace backedge::cases
