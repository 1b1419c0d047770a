// Requirement C, conditional routing, as a session shows it to its model; names begin with the number.
#include <gtest/gtest.h>

#include "agent/fold.h"
#include "support/puppet.h"

namespace backedge {
namespace {

using test::Asks;
using test::calls;
using test::expect_whole;
using test::Puppet;
using test::results_of;
using test::says;

std::string text_of(Message const& message) {
  std::string out;
  for (Block const& block : message.blocks)
    if (auto const* text = std::get_if<TextBlock>(&block)) out += text->text + "\n";
  return out;
}

std::size_t count(std::vector<talk::Event> const& events, std::string_view type, std::string_view holds = {}) {
  return static_cast<std::size_t>(std::count_if(events.begin(), events.end(), [&](talk::Event const& e) {
    return e.type == type && (holds.empty() || e.body.find(holds) != std::string::npos);
  }));
}

void expect_same_tools_and_system(Puppet const& p) {
  for (test::Seen const& seen : p.seen) {
    EXPECT_EQ(seen.system, p.seen.front().system);
    EXPECT_EQ(seen.tools, p.seen.front().tools);
  }
}

/// The events of a run, given to a new session of the same setup, come out the same.
void expect_folds(Puppet& p) {
  auto session = *agent::Session::open(std::make_shared<agent::Setup const>(p.setup()), "test", Micros{1'000'000});
  std::map<std::string, std::string, std::less<>> texts;
  for (talk::Event const& e : p.events)
    for (RawText const& raw : e.raws) texts.emplace(raw.sha256, raw.text);
  Result<std::vector<talk::Event>> beyond = agent::fold(*session, std::string(32, 'a'), p.events, [&](auto sha) {
    auto const at = texts.find(sha);
    return at == texts.end() ? std::string() : at->second;
  });
  ASSERT_TRUE(beyond.ok()) << beyond.error().text();
  EXPECT_TRUE(beyond->empty());
  EXPECT_EQ(session->messages(session->root()), p.session().messages(p.session().root()));
}

ToolResult ok(std::string text) { return {CallStatus::kOk, std::move(text)}; }

constexpr std::string_view kMail = R"([[route]]
name = "confirmed"
then = "reject"
tool = "send_email"
unless_seen = "confirm_recipient"
seen_where = [{ pointer = "/address", same = "/to" }]
hint = "ask the user with confirm_recipient first"
)";

Puppet mailer() {
  Puppet p(kMail);
  p.plain_tool("confirm_recipient", [](auto arguments) {
    return arguments.find("no@") == std::string_view::npos ? ok("yes") : ToolResult::error("the user says no");
  });
  p.plain_tool("send_email", [](auto) { return ok("sent"); });
  return p;
}

TEST(Routing, C2_NoMailIsSentUntilTheUserHasConfirmedThisVeryRecipient) {
  Puppet p = mailer();
  std::vector<Reply> const script = {
      calls({{"send_email", R"({"to":"a@x.org"})"}}), calls({{"confirm_recipient", R"({"address":"b@x.org"})"}}),
      calls({{"send_email", R"({"to":"a@x.org"})"}}), calls({{"confirm_recipient", R"({"address":"a@x.org"})"}}),
      calls({{"send_email", R"({"to":"a@x.org"})"}}), says("done"),
  };
  RunResult const r = p.run("mail", [&](Request const& q) { return script[static_cast<std::size_t>(q.turn - 1)]; });
  EXPECT_EQ(r.end, RunEnd::kFinished);
  EXPECT_EQ(r.refused, 2);
  EXPECT_EQ(std::count(p.ran.begin(), p.ran.end(), R"(send_email {"to":"a@x.org"})"), 1);
  std::string const refusal = results_of(p.seen[1].messages.back());
  EXPECT_NE(refusal.find("blocked (route.confirmed)"), std::string::npos) << refusal;
  EXPECT_NE(refusal.find("ask the user with confirm_recipient first"), std::string::npos) << refusal;
  EXPECT_NE(refusal.find("test.toml:1"), std::string::npos) << refusal;
  expect_same_tools_and_system(p);
  expect_folds(p);
}

TEST(Routing, C2_AConfirmationThatFailedOrStandsInTheSameMessageIsNone) {
  Puppet p = mailer();
  std::vector<Reply> const script = {
      calls({{"confirm_recipient", R"({"address":"no@x.org"})"}}),
      calls({{"send_email", R"({"to":"no@x.org"})"}}),
      calls({{"confirm_recipient", R"({"address":"c@x.org"})"}, {"send_email", R"({"to":"c@x.org"})"}}),
      says("done"),
  };
  RunResult const r = p.run("mail", [&](Request const& q) { return script[static_cast<std::size_t>(q.turn - 1)]; });
  EXPECT_EQ(r.refused, 2);
}

TEST(Routing, C2_APersonsWordAfterTheDraftOpensTheCall) {
  Puppet p("[[route]]\nthen = \"reject\"\ntool = \"send\"\nunless_seen = \"draft\"\nperson_since = true\n");
  p.plain_tool("draft", [](auto) { return ok("drafted"); });
  p.plain_tool("send", [](auto) { return ok("sent"); });
  RunResult const r = p.run("write", [&](Request const& q) -> Reply {
    if (q.turn == 1) return calls({{"draft"}});
    if (q.turn == 2) return calls({{"send"}});
    if (q.turn == 3) {
      p.feed(agent::UserSaid{"looks good", Author::kPerson});
      return calls({{"draft", R"({"n":2})"}});
    }
    if (q.turn == 4) return calls({{"send"}});
    return says("done");
  });
  EXPECT_EQ(r.end, RunEnd::kFinished);
  EXPECT_EQ(r.refused, 1);
  EXPECT_EQ(count(p.events, "verdict", "route.1"), 1U);
}

TEST(Routing, C1_RulesTakeNoTurns) {
  std::string const policy = std::string("[limits]\nmax_turns = 4\n") + std::string(kMail);
  for (std::string_view const with : {std::string_view("[limits]\nmax_turns = 4\n"), std::string_view(policy)}) {
    Puppet p(with);
    p.plain_tool("look", [](auto arguments) { return ok(std::string(arguments)); });
    p.plain_tool("confirm_recipient", [](auto) { return ok("yes"); });
    p.plain_tool("send_email", [](auto) { return ok("sent"); });
    int n = 0;
    RunResult const r = p.run("go", [&](Request const& q) -> Reply {
      if (!q.may_call) return says("answer");
      return calls({{"look", "{\"n\":" + std::to_string(++n) + "}"}, {"send_email", R"({"to":"a"})"}});
    });
    EXPECT_EQ(r.turns, 4);
    EXPECT_EQ(r.end, RunEnd::kFinished);
    EXPECT_TRUE(r.limit_pressed);
  }
}

TEST(Routing, C3_AnEmptyResultTwiceGetsTheFallbackNoteAndAWordIsNoError) {
  Puppet p(R"([[route]]
name = "elsewhere"
then = "note"
tool = "search"
empty = true
times = 2
rounds = 3
hint = "search finds nothing twice: list the folder instead"
[[route]]
name = "failed"
then = "note"
error = true
hint = "look at the error before the next call"
)");
  p.plain_tool("search", [](auto arguments) {
    if (arguments.find("word") != std::string_view::npos) return ok("2 errors: error, error");
    if (arguments.find("broken") != std::string_view::npos) return ToolResult::error("no such index");
    return ok("");
  });
  std::vector<Reply> const script = {calls({{"search", R"({"q":"word"})"}}), calls({{"search", R"({"q":"a"})"}}),
                                     calls({{"search", R"({"q":"b"})"}}), calls({{"search", R"({"q":"broken"})"}}),
                                     says("done")};
  (void)p.run("find", [&](Request const& q) { return script[static_cast<std::size_t>(q.turn - 1)]; });
  auto const result = [&](std::size_t turn) { return results_of(p.seen[turn].messages.back()); };
  EXPECT_EQ(result(1), "2 errors: error, error\n");
  EXPECT_EQ(result(2).find("elsewhere"), std::string::npos);
  EXPECT_NE(result(3).find("[route.elsewhere: search finds nothing twice: list the folder instead]"), std::string::npos)
      << result(3);
  EXPECT_NE(result(4).find("look at the error"), std::string::npos) << result(4);
  EXPECT_EQ(count(p.events, "route"), 2U);
  expect_folds(p);
}

TEST(Routing, C3_ALongResultIsCutWithAMarkBetweenCharacters) {
  Puppet p("[[route]]\nname = \"long\"\nthen = \"truncate\"\nover_size = 3000\n");
  std::string text;
  for (int i = 0; i < 5000; ++i) text += "é";
  p.plain_tool("read", [&](auto) { return ok(text); });
  (void)p.run("read", [&](Request const& q) -> Reply {
    if (q.turn == 1) return calls({{"read"}});
    return says("done");
  });
  std::string const seen = results_of(p.seen[1].messages.back());
  EXPECT_NE(seen.find("[… 2000 characters left out …]"), std::string::npos);
  EXPECT_LT(seen.size(), 2 * 3000U + 60U);
  EXPECT_EQ(seen.find("\xc3\n"), std::string::npos);
  ASSERT_EQ(count(p.events, "call.end"), 1U);
  for (talk::Event const& e : p.events) {
    if (e.type != "call.end") continue;
    EXPECT_NE(e.body.find("10000"), std::string::npos) << "what is recorded is uncut";
  }
}

TEST(Routing, C3_AResultCanDemandTheAnswerOrEndTheRun) {
  for (bool const stops : {false, true}) {
    Puppet p(std::string("[[route]]\nname = \"found\"\ntool = \"look\"\nresult = [{ pointer = \"/state\", equals = "
                         "\"done\" }]\nthen = \"") +
             (stops ? "stop" : "final") + "\"\nhint = \"it is done\"\n");
    p.plain_tool("look", [](auto) { return ok(R"({"state":"done"})"); });
    RunResult const r = p.run("go", [&](Request const& q) -> Reply {
      if (q.may_call) return calls({{"look", "{\"n\":" + std::to_string(q.turn) + "}"}}, "I look.");
      return says("it is done indeed");
    });
    EXPECT_EQ(r.end, stops ? RunEnd::kIncomplete : RunEnd::kFinished);
    EXPECT_EQ(r.turns, stops ? 1 : 2);
    EXPECT_EQ(r.code, stops ? "route.found" : "");
    expect_whole(p.session().messages(p.session().root()));
    expect_folds(p);
  }
}

TEST(Routing, C4_ExpectedStepsAndAFifthMoreAreTheLimit) {
  Puppet p("[limits]\nexpected = 6\n");
  p.plain_tool("look", [](auto arguments) { return ok(std::string(arguments)); });
  RunResult const r = p.run("go", [&](Request const& q) -> Reply {
    if (!q.may_call) return says("answer");
    return calls({{"look", "{\"n\":" + std::to_string(q.turn) + "}"}});
  });
  EXPECT_EQ(r.turns, 8);
  EXPECT_NE(text_of(p.seen.back().messages.back()).find("6 expected steps and a fifth more"), std::string::npos);
}

TEST(Routing, C4_ALongChainRaisesTheLimitOnceAndSaysSo) {
  Puppet p(
      "[limits]\nmax_turns = 12\n[[route]]\nname = \"long_chain\"\nthen = \"raise\"\nover_steps = 8\nmax_turns = 20\n");
  p.plain_tool("look", [](auto arguments) { return ok(std::string(arguments)); });
  RunResult const r = p.run("go", [&](Request const& q) -> Reply {
    if (!q.may_call) return says("answer");
    return calls({{"look", "{\"n\":" + std::to_string(q.turn) + "}"}});
  });
  EXPECT_EQ(r.turns, 20);
  EXPECT_EQ(count(p.events, "route", "\"raise\""), 1U);
  bool said = false;
  for (test::Seen const& seen : p.seen)
    said = said || results_of(seen.messages.back()).find("raised to 20") != std::string::npos;
  EXPECT_TRUE(said);
  expect_folds(p);
}

TEST(Routing, C4_TheSameToolThreeTimesInARowIsARuleAndOffByDefault) {
  for (bool const on : {false, true}) {
    Puppet p(on ? "[[route]]\nname = \"again\"\nthen = \"reject\"\nin_row = 3\nhint = \"use another tool\"\n" : "");
    p.plain_tool("look", [](auto arguments) { return ok(std::string(arguments)); });
    p.plain_tool("other", [](auto) { return ok("x"); });
    RunResult const r = p.run("go", [&](Request const& q) -> Reply {
      if (q.turn == 5) return says("done");
      return calls({{q.turn == 4 ? "other" : "look", "{\"n\":" + std::to_string(q.turn) + "}"}});
    });
    EXPECT_EQ(r.refused, on ? 1 : 0);
  }
}

constexpr std::string_view kPlan = R"([stage.explore]
tools = ["list", "search"]
turns = 4
next = "read"
hint = "only look around for now"
[stage.read]
tools = ["read", "search"]
turns = 8
next = "analyse"
[stage.analyse]
tools = []
turns = 1
next = "report"
[stage.report]
tools = ["write"]
turns = 2
)";

Puppet planner() {
  Puppet p(kPlan);
  for (char const* const name : {"list", "search", "read", "write"})
    p.plain_tool(name, [name](auto arguments) { return ok(std::string(name) + std::string(arguments)); });
  return p;
}

TEST(Routing, C5_AStagedRunTakesFifteenTurnsAndNoMore) {
  Puppet p = planner();
  int n = 0;
  RunResult const r = p.run("doctor", [&](Request const& q) -> Reply {
    if (!q.may_call) return says("report");
    std::string const arguments = "{\"n\":" + std::to_string(++n) + "}";
    char const* const tool = q.turn <= 4 ? "list" : q.turn <= 12 ? "read" : "write";
    return calls({{tool, arguments}});
  });
  EXPECT_EQ(r.turns, 15);
  EXPECT_EQ(r.end, RunEnd::kFinished);
  EXPECT_EQ(r.answer, "report");
  EXPECT_EQ(count(p.events, "stage", "\"spent\""), 3U);
  EXPECT_NE(text_of(p.seen[0].messages.back()).find("Stage explore, 4 turns"), std::string::npos);
  EXPECT_NE(text_of(p.seen[4].messages.back()).find("Stage read, 8 turns"), std::string::npos);
  EXPECT_NE(text_of(p.seen[12].messages.back()).find("No tools are open"), std::string::npos);
  EXPECT_EQ(r.refused, 1) << "write in analyse";
  expect_same_tools_and_system(p);
  expect_folds(p);
}

TEST(Routing, C5_AMessageWithoutCallsEndsTheStageAndInTheLastOneTheRun) {
  Puppet p = planner();
  RunResult const r =
      p.run("doctor", [&](Request const& q) -> Reply { return says("thought " + std::to_string(q.turn)); });
  EXPECT_EQ(r.turns, 4);
  EXPECT_EQ(r.answer, "thought 4");
  EXPECT_EQ(count(p.events, "stage", "\"answered\""), 3U);
  expect_whole(p.session().messages(p.session().root()));
  expect_folds(p);
}

TEST(Routing, C5_TheFirstForbiddenCallGetsTheHintTheSecondInARowSetsTheViewBack) {
  Puppet p = planner();
  std::vector<Reply> const script = {calls({{"list"}}, "looking around"),
                                     calls({{"write", R"({"n":1})"}}),
                                     calls({{"write", R"({"n":2})"}}),
                                     calls({{"list", R"({"n":3})"}}),
                                     says("enough"),
                                     says("nothing to read"),
                                     says("thought"),
                                     says("done")};
  RunResult const r = p.run("doctor", [&](Request const& q) { return script[static_cast<std::size_t>(q.turn - 1)]; });
  EXPECT_EQ(r.end, RunEnd::kFinished);
  EXPECT_EQ(p.ran.size(), 2U);
  std::string const hint = results_of(p.seen[2].messages.back());
  EXPECT_NE(hint.find("blocked (stage.forbidden)"), std::string::npos) << hint;
  EXPECT_NE(hint.find("only look around for now"), std::string::npos) << hint;
  EXPECT_EQ(p.seen[2].messages.size(), 5U);
  ASSERT_EQ(p.seen[3].messages.size(), 1U) << "the view is that of the stage's start";
  EXPECT_NE(text_of(p.seen[3].messages.back()).find("set back to the start of the stage"), std::string::npos);
  EXPECT_EQ(count(p.events, "rollback"), 1U);
  EXPECT_EQ(count(p.events, "verdict"), 4U) << "the record keeps everything";
  expect_whole(p.session().messages(p.session().root()));
  expect_folds(p);
}

TEST(Routing, C5_WhatAPersonSaidStaysInTheViewThatIsSetBack) {
  Puppet p = planner();
  (void)p.run("doctor", [&](Request const& q) -> Reply {
    if (q.turn == 1) {
      p.feed(agent::UserSaid{"never touch main.c", Author::kPerson});
      return calls({{"list"}});
    }
    if (q.turn == 2) return calls({{"write"}});
    if (q.turn == 3) return calls({{"write", R"({"again":true})"}});
    return says("done");
  });
  ASSERT_GT(p.seen.size(), 3U);
  EXPECT_EQ(p.seen[3].messages.size(), 1U);
  EXPECT_NE(text_of(p.seen[3].messages.back()).find("never touch main.c"), std::string::npos);
}

TEST(Routing, C5_AnAllowedCallInBetweenAndCallsOfOneMessageAreNoRow) {
  Puppet p = planner();
  std::vector<Reply> const script = {calls({{"write"}, {"write", R"({"n":1})"}}),
                                     calls({{"list"}}),
                                     calls({{"write", R"({"n":2})"}}),
                                     says("1"),
                                     says("2"),
                                     says("3"),
                                     says("4")};
  (void)p.run("doctor", [&](Request const& q) { return script[static_cast<std::size_t>(q.turn - 1)]; });
  EXPECT_EQ(count(p.events, "rollback"), 0U);
}

TEST(Routing, C6_TheSameCallWithNothingChangedGetsTheResultThatIsThere) {
  Puppet p("[[route]]\nname = \"known\"\nthen = \"reuse\"\ntool = \"read\"\n");
  int reads = 0;
  p.plain_tool("read", [&](auto) { return ok("text " + std::to_string(++reads)); });
  p.tool(ToolSpec{.name = "write", .contract = {.effect = Effect::kWrite}}, [](auto) { return ok("written"); });
  std::vector<Reply> const script = {calls({{"read", R"({"path":"a","n":1})"}}),
                                     calls({{"read", R"({"n":1.0,"path":"a"})"}}), calls({{"write"}}),
                                     calls({{"read", R"({"path":"a","n":1})"}}), says("done")};
  RunResult const r = p.run("go", [&](Request const& q) { return script[static_cast<std::size_t>(q.turn - 1)]; });
  EXPECT_EQ(reads, 2) << "the write is a change";
  EXPECT_EQ(r.refused, 1);
  std::string const given = results_of(p.seen[2].messages.back());
  EXPECT_EQ(given.find("text 1"), 0U) << given;
  EXPECT_NE(given.find("the information is already there"), std::string::npos) << given;
  expect_folds(p);
}

TEST(Routing, C9_AStepIsRetriedOnceWithOnlyTheTaskAndTheLastResultInView) {
  Puppet p(
      "[[route]]\nname = \"once_more\"\nthen = \"retry\"\ntool = \"build\"\nerror = true\nhint = \"try it in another "
      "way\"\n");
  p.plain_tool("build", [](auto) { return ToolResult::error("no rule to make target"); });
  p.plain_tool("look", [](auto) { return ok("Makefile"); });
  std::vector<Reply> const script = {calls({{"look"}}), calls({{"build", R"({"n":1})"}}),
                                     calls({{"build", R"({"n":2})"}}), calls({{"look", R"({"n":1})"}}),
                                     says("gave up")};
  (void)p.run("build it", [&](Request const& q) { return script[static_cast<std::size_t>(q.turn - 1)]; });
  ASSERT_EQ(p.seen.size(), 5U);
  ASSERT_EQ(p.seen[2].messages.size(), 3U) << "task, call, result";
  EXPECT_EQ(text_of(p.seen[2].messages[0]), "build it\n");
  EXPECT_NE(results_of(p.seen[2].messages[2]).find("no rule to make target"), std::string::npos);
  EXPECT_NE(text_of(p.seen[2].messages[2]).find("try it in another way"), std::string::npos);
  EXPECT_EQ(p.seen[3].messages.size(), 7U) << "everything again, and not a second retry";
  for (test::Seen const& seen : p.seen) expect_whole(seen.messages);
  expect_folds(p);
}

TEST(Routing, TheFirstRuleThatMatchesWins) {
  for (bool const ask_first : {false, true}) {
    std::string const ask = "[[route]]\nname = \"asks\"\nthen = \"ask\"\ntool = \"rm\"\n";
    std::string const reject = "[[route]]\nname = \"never\"\nthen = \"reject\"\ntool = \"r*\"\n";
    Puppet p(ask_first ? ask + reject : reject + ask);
    p.setup().attended = true;
    int asked = 0;
    p.person = [&](ApprovalRequest const& request) {
      ++asked;
      EXPECT_NE(request.why.find("route.asks"), std::string::npos) << request.why;
      return Approval::kAllow;
    };
    p.plain_tool("rm", [](auto) { return ok("gone"); });
    RunResult const r = p.run("go", [&](Request const& q) -> Reply {
      if (q.turn == 1) return calls({{"rm"}});
      return says("done");
    });
    EXPECT_EQ(asked, ask_first ? 1 : 0);
    EXPECT_EQ(r.refused, ask_first ? 0 : 1);
    expect_folds(p);
  }
}

TEST(Routing, ARuleSendsTheRunToAStageAndTheSumOfTheBudgetsStillHolds) {
  Puppet p(R"([[route]]
then = "stage"
in_stage = "work"
error = true
to_stage = "repair"
[[route]]
then = "stage"
in_stage = "repair"
to_stage = "work"
[stage.work]
turns = 3
next = "report"
[stage.repair]
turns = 3
next = "report"
[stage.report]
turns = 2
)");
  int n = 0;
  p.plain_tool("do", [&](auto) { return ToolResult::error("fault " + std::to_string(++n)); });
  RunResult const r = p.run("go", [&](Request const& q) -> Reply {
    if (!q.may_call) return says("over");
    return calls({{"do", "{\"n\":" + std::to_string(q.turn) + "}"}});
  });
  EXPECT_LE(r.turns, 8);
  EXPECT_GE(count(p.events, "stage", "\"rule\""), 4U);
  expect_folds(p);
}

TEST(Routing, CallbacksSpeakWhereNoRuleDoesAndAreNotAskedAgainWhenTheRecordIsFolded) {
  Puppet p("[[route]]\nname = \"free\"\nthen = \"allow\"\ntool = \"free\"\n");
  int asked = 0;
  p.setup().before_call = [&](CallSight const& call) -> CallRoute {
    ++asked;
    if (call.tool == "free" || call.arguments.find("bad") != std::string_view::npos)
      return {CallRouteWord::kReject, "host_rule", "do it well"};
    return {};
  };
  p.setup().after_result = [&](ResultSight const& result) -> ResultRoute {
    ++asked;
    if (result.text == "secret") return {ResultRouteWord::kReplace, {}, "(hidden)", {}, 0};
    if (result.text == "enough") return {ResultRouteWord::kFinal, {}, "say it now", {}, 0};
    return {};
  };
  for (char const* const name : {"free", "plain"})
    p.plain_tool(name, [](auto a) {
      return ok(a.find("s") != std::string_view::npos   ? "secret"
                : a.find("e") != std::string_view::npos ? "enough"
                                                        : "x");
    });
  std::vector<Reply> const script = {calls({{"free", "{}"}, {"plain", R"({"bad":1})"}}),
                                     calls({{"plain", R"({"s":1})"}}), calls({{"plain", R"({"e":1})"}}),
                                     says("the answer")};
  RunResult const r = p.run("go", [&](Request const& q) { return script[static_cast<std::size_t>(q.turn - 1)]; });
  EXPECT_EQ(r.answer, "the answer");
  std::string const first = results_of(p.seen[1].messages.back());
  EXPECT_EQ(first.find("x\n"), 0U) << "the rule of the policy counts, not the callback: " << first;
  EXPECT_NE(first.find("route.host_rule"), std::string::npos) << first;
  EXPECT_EQ(results_of(p.seen[2].messages.back()), "(hidden)\n");
  EXPECT_FALSE(p.seen[3].may_call);
  int const before = asked;
  expect_folds(p);
  EXPECT_EQ(asked, before);
}

}  // namespace
}  // namespace backedge
