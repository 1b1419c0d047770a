// What routing remembers of a run, and what it says of each call, result and turn.
//
// Pure: the same calls in the same order give the same answers. Of a run it keeps what was seen (when a rule asks for
// it, at most kMostSeen calls), per agent how often a tool was called in a row and which results a rule has counted,
// and where the run stands in its stages. Stages are the root's. What holds: a run with stages takes no more turns than
// the sum of their budgets, however it moves between them. Not thread-safe; its owner serialises. Cost of a call:
// linear in the rules, and in what was seen where a rule asks for it. Tested in tests/route/state_test.cpp.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <boost/json/value.hpp>

#include "backedge/ids.h"
#include "backedge/route.h"
#include "base/digest.h"
#include "route/rules.h"

namespace backedge::route {

inline constexpr std::size_t kMostSeen = 4096;

struct CallAsked {
  FrameId frame;
  bool root = false;
  std::string_view agent;
  std::string_view tool;
  std::string_view arguments;
  Digest key;            // of the call: equal for equal calls
  bool changes = false;  // it may alter something
};

struct CallAnswer {
  enum class Word : std::uint8_t { kNone, kAllow, kReject, kAsk, kReuse, kForbidden };
  Word word = Word::kNone;     // kNone: no rule has spoken
  std::string code;            // "route.confirmed", "stage.forbidden"; empty for kNone and kAllow
  std::string what;            // in words: "rule confirmed (backedge.toml:3) does not allow it"
  std::string hint;            // what to do instead; may be empty
  CallId earlier;              // kReuse: whose result stands
  bool in_stage = false;       // the stage says that it may be called
  bool rolls_back = false;     // the second forbidden call in a row
  bool may_be_reused = false;  // a rule wants its result to stand for equal calls
};

struct ResultAsked {
  CallAsked call;
  CallId id;
  CallStatus status = CallStatus::kOk;
  bool empty = false;
  std::string_view text;
  bool may_be_reused = false;
};

struct ResultAnswer {
  ResultRoute route;
  std::string what;     // in words
  bool spoken = false;  // a rule of the policy matched
  std::string source;   // of that rule
};

/// A move between stages. An empty `to`: the plan is over.
struct Move {
  std::string from;  // empty: the run begins
  std::string to;
  std::string why;  // start, spent, answered, rule
};

struct TurnAnswer {
  std::vector<Move> moves;
  std::string note;   // to the model, when it has come to another stage
  bool last = false;  // the turn must be the answer
  std::string what;   // why it is the last, in words
};

class State {
 public:
  /// `rules` may be null: then nothing is ever said. `keep_all`: any result may be asked for again by reusable().
  State(std::shared_ptr<Rules const> rules, bool keep_all) : rules_(std::move(rules)), keep_all_(keep_all) {
    if (keep_all_ && rules_ == nullptr) rules_ = std::make_shared<Rules const>();
    restart();
  }

  /// Something can be said at all.
  bool on() const { return rules_ != nullptr; }
  /// A new run: nothing was seen, the first stage is still to be entered.
  void restart();
  void person_spoke() { last_person_ = ++clock_; }

  /// Before the calls of one model message.
  void begin_round(FrameId frame);
  CallAnswer ask(CallAsked const& call);
  /// What a host's reuse comes to: the earlier call whose result stands; none when there is none.
  CallId reusable(FrameId frame, Digest const& key) const;
  ResultAnswer ask(ResultAsked const& result);

  /// Before a turn of the root.
  TurnAnswer before_turn();
  /// The turn is asked for.
  void turn_taken();
  /// A message without calls: true when the run goes on with the next stage, false when it is the answer.
  bool answered();
  /// With the next turn the run goes to this stage. False when there is none of that name.
  bool go_to(std::string_view stage);
  /// The stage that the run is in; empty without one.
  std::string_view stage() const;
  void close_frame(FrameId frame) { frames_.erase(frame); }

 private:
  struct Seen {
    std::string tool;
    std::string arguments;
    std::uint64_t at = 0;
  };
  struct Row {
    std::int64_t round = 0;
    std::int64_t length = 0;
  };
  struct FrameState {
    std::int64_t round = 0;
    std::int64_t steps = 0;
    std::int64_t last_step = 0;  // round
    std::unordered_map<std::string, Row> rows;
    std::map<std::pair<std::size_t, std::string>, std::vector<std::int64_t>> counted;  // rounds, by rule and tool
    std::unordered_map<Digest, CallId> reusable;
  };
  /// JSON that is parsed when a test first asks for it.
  struct Lazy {
    std::string_view text;
    std::optional<boost::json::value> value;
    bool parsed = false;
    boost::json::value const* at(std::string const& pointer);
  };

  bool forbidden(CallAsked const& call, CallAnswer& out);
  bool holds(Rule const& rule, CallAsked const& call, FrameState const& frame, Lazy& arguments);
  bool holds_on_result(std::size_t rule, ResultAsked const& result, FrameState& frame, Lazy& arguments, Lazy& json);
  bool was_seen(Rule const& rule, std::vector<std::string> const& tools, Lazy& arguments);
  bool was_seen(std::vector<std::string> const& tools) const;
  void remember(ResultAsked const& result, FrameState& frame);
  void enter(int target, std::string_view why, std::vector<Move>& moves);
  int first_open(int target, bool ask_conditions) const;
  bool open(Stage const& stage) const;
  std::int64_t left(int stage) const;
  std::string entry_note() const;

  std::shared_ptr<Rules const> rules_;
  bool keep_all_;
  std::uint64_t clock_ = 0;
  std::uint64_t last_person_ = 0;
  std::vector<Seen> seen_;
  std::unordered_map<FrameId, FrameState> frames_;
  std::unordered_set<std::size_t> fired_;  // rules that act once
  bool raised_ = false;

  // The plan.
  static constexpr int kNotBegun = -2;
  static constexpr int kOver = -1;
  int current_ = kNotBegun;
  std::vector<std::int64_t> used_;
  std::optional<int> pending_;
  std::string_view pending_why_;
  int strikes_ = 0;             // forbidden calls in a row
  std::int64_t struck_in_ = 0;  // the round of the last one
  std::int64_t rolled_in_ = 0;  // the round that set the view back
};

}  // namespace backedge::route
