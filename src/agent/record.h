// The recorded runs of one session, read once: bodies as JSON, and what was decided in the end of every call.
//
// A call's verdict may come in several events (it waited, a person was asked): the last one counts. What a host's gate
// said, and what it found wrong with the arguments, is not recorded by itself and is taken from the verdicts. Ids are
// those of the record and unique in a session. Tested in tests/agent/rejudge_test.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <boost/json/object.hpp>

#include "backedge/result.h"
#include "backedge/run.h"
#include "talk/event.h"

namespace backedge::agent {

/// What was said of a call or a turn: "block", "repeat.exact", and in words.
struct Said {
  std::string word;
  std::string code;
  std::string text;

  friend bool operator==(Said const&, Said const&) = default;
};

/// A call as it was judged then.
struct CallThen {
  Said said;
  bool decided = false;  // false: it still waited when the record ends
  bool ran = false;
  bool asked = false;  // a person was asked: a no is that of the person, not of the gate
  Gate gate = Gate::kAllow;
  CallFault fault = CallFault::kNone;
};

class Record {
 public:
  struct Step {
    talk::Event const* event = nullptr;
    boost::json::object body;
  };

  /// The runs of a session in their order; the events must outlive the record. Errors: kInput, when a body is no JSON
  /// object.
  static Result<Record> read(std::span<std::span<talk::Event const> const> runs);

  std::vector<std::vector<Step>> const& runs() const { return runs_; }
  CallThen const& call(std::uint32_t id) const;
  /// The message of this turn asked for tools.
  bool asked_for_tools(std::uint32_t turn) const { return with_tools_.contains(turn); }
  /// The model was asked: the turn has an end, or the record ends before it.
  bool was_asked(std::uint32_t turn) const { return asked_.contains(turn); }

 private:
  void note_turn(talk::Event const& event, boost::json::object const& body);
  void note_verdict(boost::json::object const& body);

  std::vector<std::vector<Step>> runs_;
  std::unordered_map<std::uint32_t, CallThen> calls_;
  CallThen no_call_;
  std::unordered_set<std::uint32_t> with_tools_;
  std::unordered_set<std::uint32_t> asked_;
  std::unordered_map<FrameId, std::uint32_t> last_turn_;
};

}  // namespace backedge::agent
