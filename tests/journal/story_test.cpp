// The fold of events: frames, turns, calls, what is open, and why a verdict fell.
#include "journal/story.h"

#include "journal/support.h"

namespace backedge::journal {
namespace {

talk::Event in(std::uint32_t frame, talk::Event e) {
  e.frame = FrameId{frame};
  return e;
}

/// {"calls":[{"call":N,"tool":T,"arguments":sha}]} with the text.
talk::Event round(std::uint64_t seq, int call, std::string const& tool, std::string const& arguments) {
  return event(seq, "round.propose",
               R"({"calls":[{"call":)" + std::to_string(call) + R"(,"tool":")" + tool + R"(","arguments":")" +
                   sha256_hex(arguments) + R"("}]})",
               {raw(arguments)});
}

talk::Event call_end(std::uint64_t seq, int call, std::string const& text) {
  return event(seq, "call.end",
               R"({"call":)" + std::to_string(call) + R"(,"status":"ok","bytes":)" + std::to_string(text.size()) +
                   R"(,"result":")" + sha256_hex(text) + R"("})",
               {raw(text)});
}

/// A read, the same one refused, and an agent that calls a tool and is then killed.
std::vector<talk::Event> story_events() {
  return {
      event(1, "run.open", R"({"session":"work","number":2,"agent":"main","model":"m"})"),
      naming(2, "user.message", "text", "Fix it"),
      event(3, "turn.propose", R"({"turn":1,"verdict":"go"})"),
      event(4, "model.reply", R"({"turn":1,"stop_reason":"tool_use"})"),
      event(5, "turn.end", R"({"turn":1,"verdict":"go","usage":{"input":100,"output":20},"cost_nano_usd":7})"),
      round(6, 1, "read_file", R"({"path":"a"})"),
      event(7, "verdict", R"({"call":1,"tool":"read_file","verdict":"run"})"),
      event(8, "call.start", R"({"call":1,"tool":"read_file","attempt":1})"),
      call_end(9, 1, "text of a"),
      round(10, 2, "read_file", R"({"path":"a"})"),
      event(11, "verdict",
            R"({"call":2,"tool":"read_file","verdict":"block","code":"repeat.exact","earlier":1,"count":3,"limit":3})"),
      round(12, 3, "task", R"({"task":"look"})"),
      event(13, "verdict", R"({"call":3,"tool":"task","verdict":"run"})"),
      event(14, "call.start", R"({"call":3,"tool":"task","attempt":1})"),
      in(2, event(15, "frame.open", R"({"by_call":3,"agent":"researcher"})")),
      in(2, event(16, "turn.propose", R"({"turn":2,"verdict":"go"})")),
      in(2, event(17, "turn.end", R"({"turn":2,"verdict":"go"})")),
      in(2, round(18, 4, "bash", R"({"command":"make"})")),
      in(2, event(19, "verdict", R"({"call":4,"tool":"bash","verdict":"run"})")),
      in(2, event(20, "call.start", R"({"call":4,"tool":"bash","attempt":1})")),
  };
}

TEST(Story, KnowsFramesTurnsAndCallsAndHowTheyHang) {
  Story const story = tell(story_events());
  EXPECT_EQ(story.session, "work");
  EXPECT_EQ(story.messages.at(0).text, "Fix it");
  EXPECT_EQ(story.root(), FrameId{1});
  EXPECT_EQ(story.frames.at(FrameId{1}).turns, std::vector{TurnId{1}});
  EXPECT_EQ(story.frames.at(FrameId{2}).by, CallId{3});
  EXPECT_EQ(story.calls.at(CallId{3}).opened, std::vector{FrameId{2}});
  EXPECT_EQ(story.turns.at(TurnId{1}).calls, (std::vector{CallId{1}, CallId{2}, CallId{3}}));
  EXPECT_EQ(story.turns.at(TurnId{2}).calls, std::vector{CallId{4}});
  EXPECT_EQ(story.turns.at(TurnId{1}).input_tokens, 100);
  StoryCall const& first = story.calls.at(CallId{1});
  EXPECT_EQ(first.arguments.text, R"({"path":"a"})");
  EXPECT_EQ(first.result.text, "text of a");
  EXPECT_EQ(first.status, "ok");
  EXPECT_EQ(first.result_bytes, 9);
  EXPECT_EQ(story.verdicts, (std::map<std::string, std::int64_t>{{"run", 3}, {"block", 1}}));
  EXPECT_EQ(story.codes, (std::map<std::string, std::int64_t>{{"repeat.exact", 1}}));
  EXPECT_EQ(story.path(FrameId{2}), (std::vector<std::string>{"main", "task", "researcher"}));
}

TEST(Story, SaysWhereARunWithoutAnEndWasLeft) {
  std::vector<talk::Event> events = story_events();
  EXPECT_EQ(tell(events).left(), "left in call 4 (bash), which had started and not ended");
  EXPECT_EQ(tell(events).open_calls(), (std::vector{CallId{3}, CallId{4}}));
  auto const first = [&](std::size_t n) { return tell(std::span(events).first(n)).left(); };
  EXPECT_EQ(first(0), "left before anything was called");
  EXPECT_EQ(first(3), "left while the model was asked for turn 1");
  EXPECT_EQ(first(8), "left in call 1 (read_file), which had started and not ended");
  EXPECT_EQ(first(9), "left after call 1 (read_file)");
  EXPECT_EQ(first(15), "left in call 3 (task), which had started and not ended");
  events.push_back(event(21, "run.close", R"({"status":"error","code":"x","reason":"y"})"));
  EXPECT_EQ(tell(events).left(), "");
  EXPECT_EQ(tell(events).status, "error");
}

TEST(Story, ExplainsAVerdictWithItsRuleItsCountAndTheEarlierCall) {
  Story const story = tell(story_events());
  EXPECT_EQ(
      *explain(story, CallId{2}),
      "call       2, turn 1, 0.00 s after the run began\n"
      "path       main > read_file\n"
      "tool       read_file\n"
      "arguments  {\"path\":\"a\"}\n"
      "verdict    block (repeat.exact): it is not run, as part of a loop or beyond a limit\n"
      "why        blocked (repeat.exact): read_file with these arguments for the 3rd time since the last change, "
      "and the answer was the same each time, see call 1 (read_file); path main; answer with what is known, or do "
      "something that changes the situation\n"
      "counted    3, and the rule acts at 3\n"
      "earlier    call 1: read_file {\"path\":\"a\"}\n"
      "outcome    it was not run\n");
  std::vector<talk::Event> events = story_events();
  events[10].body =
      R"({"call":2,"tool":"read_file","verdict":"block","code":"budget.calls","count":3,"limit":3,"set_by":"b.toml:7"})";
  std::string const limit = *explain(tell(events), CallId{2});
  EXPECT_NE(limit.find("counted    3, and the rule acts at 3\nset by     b.toml:7\n"), std::string::npos) << limit;
  EXPECT_NE(limit.find("(set by b.toml:7)"), std::string::npos) << limit;
  EXPECT_NE(explain(story, CallId{1})->find("no rule had anything against it"), std::string::npos);
  EXPECT_NE(explain(story, CallId{4})->find("main > task > researcher > bash"), std::string::npos);
  EXPECT_NE(explain(story, CallId{4})->find("it has started and not ended"), std::string::npos);
  EXPECT_EQ(error_of(explain(story, CallId{9})), "there is no call 9: this run has the calls 1 to 4");
}

TEST(Story, TellsWhatRoutingDidInPlainWords) {
  std::vector<talk::Event> const events = {
      event(1, "stage", R"({"to":"look","why":"start"})"),
      event(2, "turn.propose", R"({"turn":1,"verdict":"go"})"),
      event(3, "round.propose", R"({"calls":[{"call":1,"tool":"rm"},{"call":2,"tool":"read"}]})"),
      event(4, "verdict", R"({"call":1,"verdict":"block","code":"route.no","text":"blocked (route.no): not now"})"),
      event(5, "verdict", R"({"call":2,"verdict":"run"})"),
      event(6, "route", R"({"call":2,"rule":"long","do":"truncate","size":3000})"),
      event(7, "rollback", R"({"stage":"look","calls":[2]})"),
      event(8, "stage", R"({"from":"look","to":"act","why":"spent"})"),
      event(9, "turn.propose", R"({"turn":2,"verdict":"go"})"),
  };
  Story const story = tell(events);
  EXPECT_EQ(words_of(story.turns.at(TurnId{1}).moves.at(0)), "stage look begins the run");
  ASSERT_EQ(story.turns.at(TurnId{2}).moves.size(), 2U);
  EXPECT_EQ(words_of(story.turns.at(TurnId{2}).moves[0]), "view set back to the start of stage look");
  EXPECT_EQ(words_of(story.turns.at(TurnId{2}).moves[1]), "stage act: look is spent");
  EXPECT_NE(explain(story, CallId{1})->find("block (route.no): it is not run, a rule or the stage does not let it"),
            std::string::npos);
  EXPECT_NE(explain(story, CallId{1})->find("why        blocked (route.no): not now"), std::string::npos);
  EXPECT_NE(explain(story, CallId{2})->find("cut for the model to 3000 characters by rule long"), std::string::npos);
}

TEST(Story, TakesWhateverAFileHolds) {
  std::vector<talk::Event> const events = {
      event(1, "verdict", R"({"call":7,"verdict":"block"})"),
      event(2, "round.propose", R"({"calls":5})"),
      event(3, "round.propose", R"({"calls":[1,{"call":-1},{"call":99999999999},{"call":1}]})"),
      event(4, "verdict", R"({"call":1,"verdict":"dance","code":"new.rule","count":2})"),
      event(5, "turn.end", R"({"turn":4})"),
      event(6, "call.end", "not JSON"),
      event(7, "frame.open", R"({"by_call":1})"),  // the frame of its own call
      event(8, "tomorrow", "{}"),
  };
  for (std::size_t n = 0; n <= events.size(); ++n) {
    Story const story = tell(std::span(events).first(n));
    EXPECT_EQ(story.events, static_cast<std::int64_t>(n));
    EXPECT_FALSE(story.left().empty());
    EXPECT_LE(story.path(FrameId{1}).size(), 6U);
    EXPECT_EQ(explain(story, CallId{1}).ok(), story.calls.contains(CallId{1}));
  }
}

}  // namespace
}  // namespace backedge::journal
