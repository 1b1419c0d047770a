// The walk over a record that rejudge.h describes: the events of a session, given to a run under another policy.
//
// Every recorded frame and call has a lot, which says what is done with its events: followed (given to the run), saved
// (skipped, counted for a difference), unknown (skipped, counted as unknown), or waiting for a call that the other
// policy holds back. A lot is inherited downwards. Ids that come from events are looked up, never trusted.
// Tested in tests/agent/rejudge_test.cpp.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <boost/json/array.hpp>

#include "agent/record.h"
#include "agent/rejudge.h"
#include "backedge/run.h"
#include "base/digest.h"
#include "base/sha256.h"
#include "embed/policy_state.h"
#include "facts/reader.h"

namespace backedge::agent {

/// Where two policies agreed: ids of the record.
struct Agreed {
  std::unordered_set<std::uint32_t> calls;
  std::unordered_set<std::uint32_t> turns_entered;
  std::unordered_set<std::uint32_t> turns_left;
};

struct Lot {
  enum class Kind : std::uint8_t { kFollowed, kSaved, kUnknown, kWaits };
  Kind kind = Kind::kFollowed;
  std::size_t of = 0;  // kSaved: index of the difference; kWaits: the call

  bool followed() const { return kind == Kind::kFollowed; }
};

struct End {
  CallStatus status = CallStatus::kOk;
  std::string text;
};

/// A call of the record as it stands in the other run.
struct CallNow {
  enum class State : std::uint8_t { kSkipped, kWaiting, kAsked, kRunning, kOver };
  State state = State::kSkipped;
  CallId id;  // in the other run
  Lot lot;    // of what is below it
  FrameId frame;
  std::uint64_t seq = 0;
  std::string tool;
  std::string arguments;
  Amounts below;  // while it waits
  std::optional<End> end;
  std::optional<Approval> answer;
};

struct FrameNow {
  FrameId id;
  FrameId parent;  // of the record
  std::string agent;
  Lot lot;
  bool open = false;
  bool answered = false;       // a result was the frame's answer
  std::vector<Digest> rounds;  // the last kRoundsKept, by their calls
};

struct TurnNow {
  TurnId id;
  Lot lot;
};

class Judge {
 public:
  Judge(Policy const& policy, Record const& record, Agreed const* own)
      : policy_(policy), record_(record), own_(own), reader_(policy.state().book), empty_sha_(sha256_hex({})) {}

  Result<void> open(Record::Step const& first);
  void take_run(std::vector<Record::Step> const& steps);
  Rejudged take_result();
  Agreed const& agreed() const { return agreed_; }

 private:
  void take(talk::Event const& e, boost::json::object const& body);
  void take_message(talk::Event const& e, boost::json::object const& body);
  void propose_turn(talk::Event const& e, boost::json::object const& body);
  void judge_turn(talk::Event const& e, TurnId turn, Said then, Turn const& now);
  void end_turn(talk::Event const& e, boost::json::object const& body);
  void take_round(talk::Event const& e, boost::json::object const& body);
  void skip_round(talk::Event const& e, boost::json::array const& calls, Lot lot);
  void take_approval(talk::Event const& e, boost::json::object const& body);
  void end_call(talk::Event const& e, boost::json::object const& body);
  void open_frame(talk::Event const& e, boost::json::object const& body);
  void close_frame(talk::Event const& e);

  // judge_routing.cpp
  void take_routing(talk::Event const& e, boost::json::object const& body);
  void check_answer(talk::Event const& e);
  void note_answer(talk::Event const& e, std::uint32_t turn);
  void take_host_answer(talk::Event const& e, boost::json::object const& body);
  void take_rollback(talk::Event const& e, boost::json::object const& body);

  void settle(std::uint32_t call, Entered const& entered);
  void approve(CallNow const& call);
  void work_off();
  void refused(std::uint32_t call, Entered const& entered);
  void runs(std::uint32_t call, Entered const& entered);
  void leave(std::uint32_t call, End const& end);
  void end_early(FrameNow& frame, Difference difference, bool at_end);
  void forget(FrameNow& frame);

  std::size_t differ(Difference difference, Digest about, bool agreed);
  std::size_t differ_at_turn(Difference difference, bool at_end);
  std::size_t differ_at_call(Difference difference, Digest about);
  Digest loop_of(CallNow const& call, Entered const& entered, std::string_view code);
  Difference difference_of(std::uint32_t call, DifferenceKind kind, Entered const& entered) const;
  Lot resolve(Lot lot) const;
  void note_not_run(std::uint32_t call, Lot lot);
  void count(Lot lot, Amounts const& amounts);
  std::string text_of(talk::Event const& e, std::string_view sha);
  std::string path(FrameId frame) const;

  Policy const& policy_;
  Record const& record_;
  Agreed const* own_;  // null: everything can be judged
  facts::Reader reader_;
  std::optional<Run> run_;
  std::string root_agent_;
  Micros now_{0};
  std::unordered_map<FrameId, FrameNow> frames_;
  std::unordered_map<std::uint32_t, CallNow> calls_;
  std::unordered_map<CallId, std::uint32_t> recorded_;  // the recorded call of a call
  std::unordered_map<std::uint32_t, TurnNow> turns_;
  std::deque<Entered> released_;         // decided anew, still to be settled
  std::map<Digest, std::size_t> known_;  // differences of this run by what they are about
  std::size_t first_ = 0;                // difference of this run
  std::string const empty_sha_;
  // Routing.
  std::vector<std::pair<std::size_t, CallRoute>> host_said_;  // by position in the round to come
  std::optional<std::string> stop_reason_;                    // of the last message; none if the turn failed
  std::uint32_t answer_turn_ = 0;  // the root's last message asked for nothing more; 0: it did
  bool went_on_ = false;           // and the record went on with the next stage
  bool run_begins_ = false;
  bool compact_told_ = false;  // by the rollback before it
  Agreed agreed_;
  Rejudged out_;
};

}  // namespace backedge::agent
