// The events of a run, folded into what a person asks: which frames, turns and calls there were, what was decided about
// them, what is still open.
//
// A fold over any prefix of a run: what has begun and not ended is open, what is not known is empty or zero, types that
// are not known are counted and passed over. Bodies that do not parse, or name calls nobody proposed, never fail: they
// make the story poorer. Pure. Tested in tests/journal/story_test.cpp.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backedge/ids.h"
#include "backedge/result.h"
#include "talk/event.h"

namespace backedge::journal {

/// A text that a body names; `text` is empty when it is not kept.
struct StoryText {
  std::string sha256;
  std::optional<std::string> text;
};

/// A verdict as the event has it.
struct StoryVerdict {
  std::string word;  // run, warn, reuse, serialize, ask, block, deny, reject; of turns go, final, stop
  std::string code;
  std::uint32_t earlier = 0;  // call
  std::int64_t count = 0;
  std::int64_t limit = 0;
  std::int64_t period = 0;
  std::string scope;  // of a budget: run, session, frame
  bool observed = false;
  bool closing = false;
  std::string text;    // what was said
  std::string set_by;  // where the limit was set: "backedge.toml:3", "default"; empty in records of older versions
};

/// What a rule, or a callback of the host, did with a result.
struct StoryRoute {
  FrameId frame;
  CallId call;
  std::string rule;
  std::string what;  // truncate, note, stage, …
  std::string stage;
  std::int64_t size = 0;
  std::string text;
  bool observed = false;
};

/// The run came from one stage to another, or its view was set back to the start of one.
struct StoryMove {
  std::string from, to;
  std::string why;  // start, spent, answered, rule, rollback
};

struct StoryCall {
  CallId id;
  FrameId frame;
  TurnId turn;
  std::string tool;
  StoryText arguments;
  StoryVerdict verdict;  // the first one: what it was refused, warned or held back for
  std::string released;  // the word of a later one, when it had waited
  std::string approval;  // allow, deny, timeout; empty when nobody was asked
  std::int64_t attempts = 0;
  Micros proposed{0};
  std::optional<Micros> started, ended;
  std::string status;  // ok, empty, error, …; empty while it has not ended
  std::int64_t result_bytes = 0;
  StoryText result;
  std::vector<FrameId> opened;  // frames of agents that it started
  std::vector<StoryRoute> routes;

  /// It was started and its end is not known.
  bool open() const { return started && !ended; }
};

struct StoryTurn {
  TurnId id;
  FrameId frame;
  StoryVerdict verdict;
  std::string stop_reason;         // or the kind of the model's error
  std::int64_t input_tokens = 0;   // all classes together
  std::int64_t output_tokens = 0;  // all classes together
  std::int64_t cache_read_tokens = 0;
  std::int64_t cache_write_tokens = 0;
  std::int64_t reasoning_tokens = 0;
  std::int64_t cost_nano_usd = 0;
  bool priced = false;   // the cost is known, also when it is 0
  bool counted = false;  // the provider said how many tokens
  StoryText text;        // what the model said beside its calls
  Micros begun{0};
  std::optional<Micros> ended;
  std::vector<CallId> calls;
  std::vector<StoryMove> moves;  // just before it
};

struct StoryFrame {
  FrameId id;
  CallId by;  // 0: the root
  std::string agent;
  std::optional<std::int64_t> max_turns;  // what it was told it may use
  Micros opened{0};
  std::optional<Micros> closed;
  std::vector<TurnId> turns;
  std::vector<CallId> calls;  // all of the frame, in order
};

struct Story {
  std::string session, agent, model, mode, kernel;
  std::int64_t number = 0;
  std::int64_t tools_offered = -1;  // to the model; -1: an older record does not say
  std::int64_t tools_bytes = -1;    // of their names, descriptions and schemas
  StoryText policy;                 // the effective one
  std::vector<StoryText> messages;  // of persons, in order
  std::vector<StoryRoute> routes;
  std::map<FrameId, StoryFrame> frames;
  std::map<TurnId, StoryTurn> turns;
  std::map<CallId, StoryCall> calls;
  std::map<std::string, std::int64_t> verdicts;  // how often which word was said of a call first
  std::map<std::string, std::int64_t> codes;     // how often which code, but of calls that ran
  std::int64_t events = 0;
  Micros first{0};
  Micros last{0};
  bool closed = false;
  std::string status = "open", code, reason;
  std::optional<StoryText> answer;

  /// The root frame; 0 when there is no frame yet.
  FrameId root() const;
  /// Calls that were started and have no end.
  std::vector<CallId> open_calls() const;
  /// Where a run without an end was left, in words: "left in call 4 (bash), which had started"; empty when it ended.
  std::string left() const;
  /// "main > planner > write_file": names from the root to the frame.
  std::vector<std::string> path(FrameId frame) const;
};

/// "cut to 3000 characters by rule long", "stage read, because explore is spent": in plain words.
std::string words_of(StoryRoute const& route);
std::string words_of(StoryMove const& move);

/// Linear in the events.
Story tell(std::span<talk::Event const> events);

/// Why the verdict on a call fell, in several lines of words anyone knows: what was asked, what was decided and by
/// which rule, what was counted, the earlier call it was held against, where on the path, what came of it. Errors:
/// kNotFound with the calls there are.
Result<std::string> explain(Story const& story, CallId call);

}  // namespace backedge::journal
