// The loop: rounds, ends, limits, stop reasons, cancellation, messages of the person in between.

#include <gtest/gtest.h>

#include "support/puppet.h"

namespace backedge {
namespace {

using test::calls;
using test::expect_whole;
using test::Puppet;
using test::results_of;
using test::says;

ToolResult ok(std::string text) { return {CallStatus::kOk, std::move(text)}; }

Puppet with_tools(std::string_view policy = {}) {
  Puppet out(policy);
  out.plain_tool("look", [](std::string_view a) { return ok("saw " + std::string(a)); });
  out.plain_tool("fail", [](std::string_view) { return ToolResult::error("it broke"); });
  out.tool(
      {.name = "strict", .schema_json = R"({"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]})"},
      [](std::string_view a) { return ok(std::string(a)); });
  return out;
}

TEST(Loop, AnAnswerWithoutCallsEndsTheRun) {
  Puppet p = with_tools();
  RunResult const r = p.run("hi", [](Request const&) { return says("hello"); });
  EXPECT_EQ(r.end, RunEnd::kFinished);
  EXPECT_EQ(r.answer, "hello");
  EXPECT_EQ(r.turns, 1);
  EXPECT_EQ(r.calls, 0);
}

TEST(Loop, D3ResultsOfOneRoundComeInCallOrderAndOnesFailureLosesNoOther) {
  Puppet p = with_tools();
  RunResult const r = p.run("hi", [](Request const& q) -> Result<Reply> {
    if (q.turn > 1) return says("done");
    return calls({{"look", R"({"a":1})"}, {"fail"}, {"look", R"({"a":2})"}, {"nowhere"}, {"strict", R"({"n":"x"})"}});
  });
  EXPECT_EQ(r.calls, 3);
  EXPECT_EQ(r.refused, 2);
  std::string const results = results_of(p.seen[1].messages[2]);
  EXPECT_EQ(results.find("saw {\"a\":1}\n! it broke\nsaw {\"a\":2}\n! "), 0U) << results;
  EXPECT_NE(results.find("nowhere"), std::string::npos) << results;
  EXPECT_NE(results.find("/n"), std::string::npos) << results;
  expect_whole(p.session().messages(p.session().root()));
}

TEST(Loop, D4ALimitIsMetPolitelyAndTheSessionGoesOn) {
  Puppet p = with_tools("[limits]\nmax_turns = 3\n");
  int n = 0;
  auto const stubborn = [&](Request const& q) -> Result<Reply> {
    if (!q.may_call) return says("so far: " + std::to_string(n));
    return calls({{"look", R"({"n":)" + std::to_string(++n) + "}"}}, "thinking");
  };
  RunResult const r = p.run("count", stubborn);
  EXPECT_EQ(r.end, RunEnd::kFinished);
  EXPECT_TRUE(r.limit_pressed);
  EXPECT_EQ(r.answer, "so far: 2");
  EXPECT_EQ(r.turns, 3);
  RunResult const next = p.run("again", [](Request const&) { return says("yes"); });
  EXPECT_EQ(next.answer, "yes");
  expect_whole(p.session().messages(p.session().root()));
}

TEST(Loop, D4WhoIsStubbornAtTheLimitEndsIncompleteWithWhatThereIs) {
  Puppet p = with_tools("[limits]\nmax_turns = 3\n");
  int n = 0;
  RunResult const r = p.run("count", [&](Request const&) -> Result<Reply> {
    ++n;
    return calls({{"look", R"({"n":)" + std::to_string(n) + "}"}}, "at " + std::to_string(n));
  });
  EXPECT_EQ(r.end, RunEnd::kIncomplete);
  EXPECT_EQ(r.code, "budget.turns");
  EXPECT_EQ(r.answer, "at 3");
  EXPECT_EQ(r.turns, 3);
  EXPECT_EQ(r.calls, 2) << "calls of the last turn are refused";
  expect_whole(p.session().messages(p.session().root()));
}

// How the run's last event says that it came near its limit while still calling.
bool near_limit(Puppet const& p) { return p.events.back().body.find(R"("near_limit":true)") != std::string::npos; }

TEST(Loop, C7ARunThatCalledUntilItWasMadeToAnswerIsOneThatLacksAnExit) {
  auto const calls_until = [](int last, bool gives_in) {
    return [n = 0, last, gives_in](Request const& q) mutable -> Result<Reply> {
      if (++n > last || (gives_in && !q.may_call)) return says("so far");
      return calls({{"look", R"({"n":)" + std::to_string(n) + "}"}});
    };
  };
  struct Row {
    char const* title;
    int calls;
    bool gives_in;
    bool near;
  };
  for (Row const& row :
       {Row{"pressed for its answer at the limit", 99, true, true},
        Row{"calls in its last turn all the same", 99, false, true},
        Row{"answers by itself near the limit", 8, true, false}, Row{"answers early", 2, true, false}}) {
    Puppet p = with_tools("[limits]\nmax_turns = 10\nconservative_at = 0\n");
    (void)p.run("count", calls_until(row.calls, row.gives_in));
    EXPECT_EQ(near_limit(p), row.near) << row.title;
  }
  Puppet loop = with_tools("[limits]\nmax_turns = 50\n");
  (void)loop.run("again", [](Request const& q) -> Result<Reply> {
    if (!q.may_call) return says("so far");
    return calls({{"look", "{}"}});
  });
  EXPECT_FALSE(near_limit(loop)) << "a loop that was found is far from the limit";
}

TEST(Loop, WhoHasNoCallLeftIsNotToldOfALimitThatNobodySet) {
  Puppet p = with_tools("[limits]\nmax_calls = 1\n");
  RunResult const r = p.run("go", [](Request const& q) -> Result<Reply> {
    if (!q.may_call) return says("done");
    return calls({{"look", R"({"n":)" + std::to_string(q.turn) + "}"}});
  });
  EXPECT_EQ(r.answer, "done");
  std::string const note = std::get<TextBlock>(p.seen.back().messages.back().blocks.back()).text;
  EXPECT_NE(note.find("no call is left for this run"), std::string::npos) << note;
}

TEST(Loop, C1LimitsCountTurnsEvenAndOdd) {
  for (int limit = 1; limit <= 8; ++limit) {
    Puppet p = with_tools("[limits]\nmax_turns = " + std::to_string(limit) + "\n");
    RunResult const r = p.run("count", [&](Request const& q) -> Result<Reply> {
      if (q.turn == limit) return says("finished");
      return calls({{"look", R"({"n":)" + std::to_string(q.turn) + "}"}});
    });
    EXPECT_EQ(r.end, RunEnd::kFinished) << limit;
    EXPECT_EQ(r.answer, "finished") << limit;
    EXPECT_EQ(r.turns, limit) << "a run that needs N turns gets N under limit N";
  }
}

TEST(Loop, B4NestedAgentsLiveInsideTheirCallersBudget) {
  Puppet p = with_tools("[limits]\nmax_turns = 10\n");
  p.function({.name = "child"});
  int asked = 0;
  RunResult const r = p.run("go", [&](Request const& q) -> Result<Reply> {
    ++asked;
    if (!q.may_call) return says("out of turns");
    if (q.agent.empty() && q.turn == 1) return calls({{"child", R"({"task":"spin for ever please"})"}});
    if (q.agent.empty()) return says("done");
    return calls({{"look", R"({"n":)" + std::to_string(asked) + "}"}});
  });
  EXPECT_EQ(r.end, RunEnd::kFinished);
  EXPECT_LE(asked, 10) << "the child's turns are the run's turns";
}

TEST(Loop, B4AChildsLimitNeverKillsItsSiblings) {
  Puppet p = with_tools();
  p.function({.name = "short_one", .max_turns = 1});
  p.function({.name = "long_one", .max_turns = 4});
  RunResult const r = p.run("go", [&](Request const& q) -> Result<Reply> {
    if (q.agent.empty()) {
      if (q.turn > 1) return says("done");
      return calls({{"short_one", R"({"task":"a b c"})"}, {"long_one", R"({"task":"d e f"})"}});
    }
    if (q.agent == "long_one" && q.turn == 3) return says("long is ready");
    return calls({{"look", R"({"t":"x)" + std::string(q.agent) + std::to_string(q.turn) + "\"}"}});
  });
  EXPECT_EQ(r.end, RunEnd::kFinished);
  std::string const results = results_of(p.session().messages(p.session().root())[2]);
  EXPECT_NE(results.find("! short_one did not finish"), std::string::npos) << results;
  EXPECT_NE(results.find("\nlong is ready"), std::string::npos) << results;
}

TEST(Loop, B3ALoopIsRefusedThenPressedForItsAnswerThenStopped) {
  Puppet p = with_tools();
  RunResult const r = p.run("go", [&](Request const&) { return calls({{"look", R"({"same":1})"}}); });
  EXPECT_EQ(r.end, RunEnd::kLoop);
  EXPECT_TRUE(r.code.starts_with("repeat.")) << r.code;
  EXPECT_EQ(p.ran.size(), 2U);
  EXPECT_LE(r.turns, 8);
  expect_whole(p.session().messages(p.session().root()));
}

TEST(Loop, C6ARepeatedReadGetsTheEarlierResultWithANote) {
  Puppet p;
  p.tool({.name = "page", .contract = {.effect = Effect::kRead}}, [](std::string_view) { return ok("the page"); });
  (void)p.run("go", [&](Request const& q) -> Result<Reply> {
    if (q.turn == 4) return says("done");
    return calls({{"page", R"({"n":1})"}});
  });
  EXPECT_EQ(p.ran.size(), 2U);
  std::string const third = results_of(p.session().messages(p.session().root())[6]);
  EXPECT_EQ(third.find("the page\n\n["), 0U) << third;
}

TEST(Loop, C6EqualCallsOfOneRoundRunOnce) {
  Puppet p;
  p.tool({.name = "page", .contract = {.effect = Effect::kRead}}, [](std::string_view) { return ok("the page"); });
  (void)p.run("go", [&](Request const& q) -> Result<Reply> {
    if (q.turn == 2) return says("done");
    return calls({{"page", R"({"n":1})"}, {"page", R"({"n":1})"}});
  });
  EXPECT_LE(p.ran.size(), 2U);
  expect_whole(p.session().messages(p.session().root()));
}

TEST(Loop, D1EveryKnownStopReasonHasARowAndUnknownOnesNameThemselves) {
  for (agent::StopReasonRow const& row : agent::stop_reasons()) EXPECT_TRUE(agent::stop_reason(row.word)) << row.word;
  Puppet p = with_tools();
  RunResult const r = p.run("go", [](Request const&) { return says("hm", "sunspots"); });
  EXPECT_EQ(r.end, RunEnd::kError);
  EXPECT_NE(r.reason.find("sunspots"), std::string::npos);
  RunResult const refused = p.run("go", [](Request const&) { return says("no", "content_filter"); });
  EXPECT_EQ(refused.code, "model.refusal");
  EXPECT_EQ(p.run("go", [](Request const&) { return says("fine"); }).answer, "fine");
}

TEST(Loop, D1APausedTurnIsAskedAgain) {
  Puppet p = with_tools();
  RunResult const r =
      p.run("go", [](Request const& q) { return q.turn == 1 ? says("wait", "pause_turn") : says("now"); });
  EXPECT_EQ(r.answer, "now");
  EXPECT_EQ(r.turns, 2);
}

TEST(Loop, D1ACutCallIsNeitherRunNorKeptAsIfWhole) {
  Puppet p = with_tools();
  RunResult const r = p.run("go", [](Request const& q) -> Result<Reply> {
    if (q.turn > 1) return says("done");
    return calls({{"look", R"({"a":1})"}, {"look", R"({"a":"unfini)"}}, "", "max_tokens");
  });
  EXPECT_EQ(r.answer, "done");
  ASSERT_EQ(p.ran.size(), 1U);
  std::vector<Message> const& messages = p.session().messages(p.session().root());
  EXPECT_EQ(std::get<CallBlock>(messages[1].blocks[1]).arguments, "{}");
  EXPECT_NE(results_of(messages[2]).find("! not run: the message was cut off"), std::string::npos);
  expect_whole(messages);
}

TEST(Loop, D1ACutTextGoesOnOrEndsIncompleteAsConfigured) {
  auto const model = [](Request const& q) { return q.turn == 1 ? says("half", "length") : says("whole"); };
  Puppet on = with_tools();
  EXPECT_EQ(on.run("go", model).answer, "whole");
  Puppet off = with_tools();
  off.setup().continue_cut = false;
  RunResult const r = off.run("go", model);
  EXPECT_EQ(r.end, RunEnd::kIncomplete);
  EXPECT_EQ(r.answer, "half");
}

TEST(Loop, AFailingModelEndsTheRunWithItsWords) {
  Puppet p = with_tools();
  RunResult const r =
      p.run("go", [](Request const&) -> Result<Reply> { return Error{ErrorKind::kModel, "overloaded", {}}; });
  EXPECT_EQ(r.end, RunEnd::kError);
  EXPECT_EQ(r.reason, "overloaded");
  EXPECT_EQ(p.run("go", [](Request const&) { return says("fine"); }).answer, "fine");
}

TEST(Loop, CancellingClosesEveryCallAndLeavesAValidHistory) {
  Puppet p = with_tools();
  p.function({.name = "child"});
  p.plain_tool("stop_all", [&](std::string_view) {
    p.feed(agent::Cancel{});
    return ok("too late");
  });
  RunResult const r = p.run("go", [&](Request const& q) -> Result<Reply> {
    if (q.agent == "child") return calls({{"look", R"({"a":2})"}});
    return calls({{"child", R"({"task":"x y z"})"}, {"stop_all"}, {"look", R"({"a":1})"}});
  });
  EXPECT_EQ(r.end, RunEnd::kInterrupted);
  EXPECT_EQ(p.stops.size(), 3U) << "stop_all, look, and the child's model";
  EXPECT_TRUE(p.session().idle());
  std::vector<Message> const& messages = p.session().messages(p.session().root());
  expect_whole(messages);
  EXPECT_EQ(messages.size(), 3U);
  EXPECT_EQ(p.run("again", [](Request const&) { return says("fine"); }).answer, "fine");
  expect_whole(p.session().messages(p.session().root()));
}

TEST(Loop, APersonsWordInBetweenIsHeardBeforeTheNextTurn) {
  Puppet p = with_tools();
  p.plain_tool("hold", [&](std::string_view) {
    p.feed(agent::UserSaid{"and be quick"});
    return ok("held");
  });
  (void)p.run("go", [](Request const& q) -> Result<Reply> {
    if (q.turn == 1) return calls({{"hold"}});
    return says("done");
  });
  Message const& last = p.seen[1].messages.back();
  EXPECT_EQ(last.role, Role::kTool);
  EXPECT_EQ(std::get<TextBlock>(last.blocks.back()).text, "and be quick");
}

TEST(Loop, AToolThatReturnsDirectlyEndsTheRunWithItsResult) {
  Puppet p;
  p.tool({.name = "answer", .contract = {.returns_direct = true}}, [](std::string_view) { return ok("42"); });
  RunResult const r = p.run("go", [](Request const&) { return calls({{"answer"}}); });
  EXPECT_EQ(r.end, RunEnd::kFinished);
  EXPECT_EQ(r.answer, "42");
  EXPECT_EQ(r.turns, 1);
}

TEST(Loop, LongResultsAreCutForTheModelOnly) {
  Puppet p;
  p.tool({.name = "long", .contract = {.max_output = 100}},
         [](std::string_view) { return ok(std::string(5000, 'x')); });
  (void)p.run("go", [](Request const& q) {
    if (q.turn > 1) return says("done");
    return calls({{"long"}});
  });
  std::string const result = results_of(p.seen[1].messages.back());
  EXPECT_LT(result.size(), 200U);
  EXPECT_NE(result.find("4900 characters left out"), std::string::npos) << result;
}

}  // namespace
}  // namespace backedge
