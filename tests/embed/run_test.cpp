// The public API as an embedder uses it: turns, rounds, agents, errors, tokens across processes, threads.
#include "backedge/run.h"

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace backedge {
namespace {

constexpr Micros kNow{0};

backedge::Run open(std::string const& toml = {}, RunOptions options = {}) {
  Result<Policy> const policy = Policy::parse(toml, "test.toml");
  EXPECT_TRUE(policy.ok()) << policy.error().text();
  return *backedge::Run::open(*policy, std::move(options));
}

Entered ask(backedge::Run& run, FrameId frame, std::string_view tool, std::string_view arguments = "{}") {
  return *run.enter(frame, Call{tool, arguments}, kNow);
}

void answer(backedge::Run& run, CallId call, std::string_view text) {
  ASSERT_TRUE(run.leave(call, {CallStatus::kOk, text}, kNow).ok());
}

// Enters and answers; true if it ran.
bool once(backedge::Run& run, std::string_view tool, std::string_view arguments, std::string_view text) {
  Entered const e = ask(run, run.root(), tool, arguments);
  if (e.runs) answer(run, e.call, text);
  return e.runs;
}

TEST(Run, TheThirdEqualCallWithTheSameAnswerIsRefusedInWords) {
  backedge::Run run = open();
  EXPECT_TRUE(once(run, "lookup", R"({"q": 1})", "x"));
  EXPECT_TRUE(once(run, "lookup", R"({"q":1.0})", "x"));
  Entered const third = ask(run, run.root(), "lookup", R"({ "q" : 1e0 })");
  EXPECT_FALSE(third.runs);
  EXPECT_EQ(third.word, CallWord::kBlock);
  EXPECT_EQ(third.code, "repeat.exact");
  EXPECT_EQ(third.earlier, CallId{2});
  EXPECT_NE(third.text.find("call 2 (lookup)"), std::string::npos) << third.text;
  EXPECT_NE(third.json.find("\"code\":\"repeat.exact\""), std::string::npos) << third.json;
}

TEST(Run, ADeclaredReadGivesItsEarlierResultBack) {
  backedge::Run run = open("[tool.lookup]\neffect = \"read\"\n");
  EXPECT_TRUE(once(run, "lookup", "{}", "x"));
  EXPECT_TRUE(once(run, "lookup", "{}", "x"));
  EXPECT_EQ(ask(run, run.root(), "lookup").word, CallWord::kReuse);
}

TEST(Run, AnAgentThatIsCalledAgainThroughAnotherIsFoundAtTheFirstBackEdge) {
  backedge::Run run = open();
  Entered const first = ask(run, run.root(), "ask_agent", R"({"agent": "legal", "q": "a"})");
  FrameId const legal = *run.open_frame(first.call, "legal", std::nullopt, kNow);
  Entered const second = ask(run, legal, "ask_agent", R"({"agent": "tech", "q": "b"})");
  ASSERT_TRUE(second.runs) << second.text;
  FrameId const tech = *run.open_frame(second.call, "tech", std::nullopt, kNow);
  Entered const third = ask(run, tech, "ask_agent", R"({"agent": "legal", "q": "c"})");
  EXPECT_EQ(third.code, "reentry.cycle");
  EXPECT_NE(third.text.find("main > ask_agent > legal > ask_agent > tech > ask_agent"), std::string::npos)
      << third.text;
}

TEST(Run, A6_ARefusedEntryLeavesNoFrameAndIsNoParent) {
  backedge::Run run = open("[tool.f]\nreentry = \"forbid\"\n");
  Entered const outer = ask(run, run.root(), "f", R"({"n": 1})");
  FrameId const inside = *run.open_frame(outer.call, "f", std::nullopt, kNow);
  Entered const refused = ask(run, inside, "f", R"({"n": 2})");
  ASSERT_FALSE(refused.runs);
  EXPECT_EQ(run.open_frame(refused.call, "f", std::nullopt, kNow).error().kind, ErrorKind::kState);
  Entered const next = ask(run, inside, "read_file", R"({"path": "a"})");
  EXPECT_TRUE(next.runs);
}

TEST(Run, A5_DepthIsCountedPerNameAndTheCapNamesFunctionAndLimit) {
  backedge::Run run = open("[tool.f]\neffect = \"delegate\"\nreentry = \"bounded\"\n");
  FrameId at = run.root();
  for (int depth = 1; depth <= 5; ++depth) {
    Entered const e = ask(run, at, "f", R"({"same": true})");
    ASSERT_TRUE(e.runs) << depth << " " << e.text;
    at = *run.open_frame(e.call, "f", std::nullopt, kNow);
  }
  Entered const sixth = ask(run, at, "f", R"({"same": true})");
  EXPECT_EQ(sixth.code, "reentry.depth");
  EXPECT_NE(sixth.text.find("f stands 5 times on this path already; its limit is 5"), std::string::npos) << sixth.text;
}

TEST(Run, B2_WhatMayCallItselfAboutSomethingSmallerIsToldWhatWasNotSmaller) {
  backedge::Run run = open("[tool.solve]\neffect = \"delegate\"\ndecreases = \"/size\"\n");
  FrameId const half = *run.open_frame(ask(run, run.root(), "solve", R"({"size": 8})").call, "solve", {}, kNow);
  FrameId const in = *run.open_frame(ask(run, half, "solve", R"({"size": "4"})").call, "solve", {}, kNow);
  Entered const bigger = ask(run, in, "solve", R"({"size": 6})");
  EXPECT_EQ(bigger.code, "reentry.growing");
  EXPECT_NE(bigger.text.find("only about something smaller: 6 is not less than 4, see "), std::string::npos)
      << bigger.text;
  Entered const silent = ask(run, in, "solve", R"({"size": null})");
  EXPECT_NE(silent.text.find("this call does not say how big it is"), std::string::npos) << silent.text;
  EXPECT_TRUE(ask(run, in, "solve", R"({"size": [1]})").runs) << "three bytes of a list are less than 4";
  EXPECT_FALSE(ask(run, in, "solve", R"({"size": -1})").runs) << "what goes below zero need never end";
}

TEST(Run, MaxTurnsCountsRequestsAndTheLastOneIsTheAnswer) {
  backedge::Run run = open("[limits]\nmax_turns = 3\n");
  std::vector<TurnWord> words;
  for (int i = 0; i < 4; ++i) {
    Turn const turn = *run.enter_turn(run.root(), {}, kNow);
    words.push_back(turn.word);
    if (turn.goes()) (void)run.leave_turn(turn.id, {}, "", true, kNow);
    if (turn.word == TurnWord::kFinal) {
      Entered const e = ask(run, run.root(), "lookup", R"({"n": 9})");
      EXPECT_EQ(e.code, "budget.turns");
    }
  }
  EXPECT_EQ(words, (std::vector{TurnWord::kGo, TurnWord::kGo, TurnWord::kFinal, TurnWord::kStop}));
  EXPECT_EQ(run.standing(run.root())->end, "max_turns");
  run.user_message(Author::kPerson, kNow);
  EXPECT_EQ(run.enter_turn(run.root(), {}, kNow)->word, TurnWord::kGo) << "the session goes on";
}

TEST(Run, B4_AChildSharesWhatItsCallerHasLeftAndTheRefusalSaysSo) {
  backedge::Run run = open("[limits]\nmax_turns = 4\n");
  Turn const turn = *run.enter_turn(run.root(), {}, kNow);
  (void)run.leave_turn(turn.id, {}, "", true, kNow);
  Entered const e = ask(run, run.root(), "task", R"({"agent": "r", "prompt": "p"})");
  FrameId const child = *run.open_frame(e.call, "r", 50, kNow);
  EXPECT_EQ(run.turns_left(child, kNow)->value(), 2);  // 3 left, one of them for the caller's answer
  for (int i = 0; i < 2; ++i) (void)run.leave_turn(run.enter_turn(child, {}, kNow)->id, {}, "", true, kNow);
  Turn const over = *run.enter_turn(child, {}, kNow);
  EXPECT_EQ(over.word, TurnWord::kStop);
  EXPECT_NE(over.text.find("its share of the caller's turns"), std::string::npos) << over.text;
  EXPECT_FALSE(run.standing(run.root())->stopped) << "a child's limit never ends its caller";
}

TEST(Run, AStopReachesEverythingBelow) {
  backedge::Run run = open();
  Entered const e = ask(run, run.root(), "task", R"({"agent": "r", "prompt": "p"})");
  FrameId const child = *run.open_frame(e.call, "r", std::nullopt, kNow);
  ASSERT_TRUE(run.cancel(run.root(), kNow).ok());
  Entered const below = ask(run, child, "bash", R"({"command": "ls"})");
  EXPECT_EQ(below.word, CallWord::kDeny);
  EXPECT_EQ(below.code, "stopped");
}

TEST(Run, ACallThatIsAskedRunsAfterAYesAndNotAfterANo) {
  backedge::Run run = open();
  Entered const one = *run.enter(run.root(), Call{"rm", R"({"n": 1})", Gate::kAsk}, kNow);
  EXPECT_EQ(one.word, CallWord::kAsk);
  EXPECT_TRUE(run.approve(one.call, Approval::kAllow, kNow)->runs);
  Entered const two = *run.enter(run.root(), Call{"rm", R"({"n": 2})", Gate::kAsk}, kNow);
  Entered const denied = *run.approve(two.call, Approval::kDeny, kNow);
  EXPECT_EQ(denied.word, CallWord::kDeny);
  EXPECT_EQ(denied.code, "gate.deny");
}

TEST(Run, EditsOfOneFileInOneRoundRunOneAfterTheOther) {
  backedge::Run run = open();
  Call const calls[] = {{"edit", R"({"path": "a", "old": "x"})"}, {"edit", R"({"path": "a", "old": "y"})"}};
  std::vector<Entered> const round = *run.enter(run.root(), calls, kNow);
  EXPECT_EQ(round[0].word, CallWord::kRun);
  EXPECT_EQ(round[1].word, CallWord::kSerialize);
  Left const left = *run.leave(round[0].call, {CallStatus::kOk, "done"}, kNow);
  ASSERT_EQ(left.released.size(), 1U);
  EXPECT_EQ(left.released[0].call, round[1].call);
  EXPECT_TRUE(left.released[0].runs);
}

TEST(Run, WhatIsNotOpenIsAnErrorAndNeverACrash) {
  backedge::Run run = open();
  EXPECT_EQ(run.enter_turn(FrameId{9}, {}, kNow).error().kind, ErrorKind::kState);
  EXPECT_EQ(run.leave_turn(TurnId{9}, {}, "", false, kNow).error().kind, ErrorKind::kState);
  EXPECT_EQ(run.enter(FrameId{9}, Call{"a", "{}"}, kNow).error().kind, ErrorKind::kState);
  EXPECT_EQ(run.leave(CallId{9}, {}, kNow).error().kind, ErrorKind::kState);
  EXPECT_EQ(run.approve(CallId{9}, Approval::kAllow, kNow).error().kind, ErrorKind::kState);
  EXPECT_EQ(run.close_frame(run.root(), kNow).error().kind, ErrorKind::kState);
  EXPECT_EQ(run.cancel(FrameId{9}, kNow).error().kind, ErrorKind::kState);
  EXPECT_EQ(run.token(CallId{9}).error().kind, ErrorKind::kUsage);
  Entered const e = ask(run, run.root(), "a");
  answer(run, e.call, "x");
  EXPECT_EQ(run.leave(e.call, {}, kNow).error().kind, ErrorKind::kState) << "a call is left once";
}

TEST(Run, BrokenArgumentsAreRejectedWithWhatIsWrong) {
  backedge::Run run = open();
  Entered const e = ask(run, run.root(), "update", R"({"id": 12, "fields": )");
  EXPECT_EQ(e.word, CallWord::kReject);
  EXPECT_EQ(e.code, "args.invalid");
  EXPECT_EQ(e.text.find('\n'), std::string::npos);
}

TEST(Run, TheChainCrossesTheProcessBorderAndIsChecked) {
  backedge::Run parent = open({}, {.agent = "clerk", .token_key = "secret"});
  Entered const e = ask(parent, parent.root(), "bash", R"({"command": "agent"})");
  std::string const token = *parent.token(e.call);
  backedge::Run child = open({}, {.agent = "helper", .parent_token = token, .token_key = "secret"});
  Entered const back = ask(child, child.root(), "ask_agent", R"({"agent": "clerk", "q": "again"})");
  EXPECT_EQ(back.code, "reentry.cycle") << back.text;
  EXPECT_EQ(child.chain().start("agent:clerk").word, EventWord::kRefuse);

  std::string forged = token;
  forged[2] = forged[2] == 'A' ? 'B' : 'A';
  EXPECT_EQ(backedge::Run::open(Policy::defaults(), {.parent_token = forged, .token_key = "secret"}).error().kind,
            ErrorKind::kSignature);
  EXPECT_FALSE(backedge::Run::open(Policy::defaults(), {.parent_token = token, .token_key = "other"}).ok());
}

TEST(Run, AnObservingRunReportsAndHoldsNothingUp) {
  backedge::Run run = *backedge::Run::open(Policy::defaults().observing(true));
  for (int i = 0; i < 8; ++i) EXPECT_TRUE(once(run, "lookup", "{}", "x")) << i;
  Entered const e = ask(run, run.root(), "lookup");
  EXPECT_TRUE(e.runs);
  EXPECT_EQ(e.word, CallWord::kBlock);
  EXPECT_TRUE(e.ends_run);
}

TEST(Run, EventsAreToldInOrderWithoutGaps) {
  std::vector<std::string> lines;
  backedge::Run run = open({}, {.on_event = [&](backedge::EventView const& e) { lines.push_back(event_line(e)); }});
  (void)run.leave_turn(run.enter_turn(run.root(), {}, kNow)->id, {}, "", true, kNow);
  EXPECT_TRUE(once(run, "lookup", R"({"password": "hunter2"})", "hunter2"));
  ASSERT_EQ(lines.size(), 5U);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    EXPECT_NE(lines[i].find("\"seq\":" + std::to_string(i + 1) + ","), std::string::npos) << lines[i];
    EXPECT_EQ(lines[i].find("hunter2"), std::string::npos) << "texts are never in events";
  }
}

TEST(Run, ManyThreadsMayUseOneRun) {
  backedge::Run run = open("[limits]\nmax_turns = -1\n[limits.session]\nmax_calls = 500\n");
  std::atomic<int> ran{0};
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 200; ++i) {
        std::string const arguments = R"({"t": )" + std::to_string(t) + R"(, "i": )" + std::to_string(i) + "}";
        Entered const e = *run.enter(run.root(), Call{"work", arguments}, kNow);
        if (!e.runs) continue;
        ++ran;
        (void)run.leave(e.call, {CallStatus::kOk, arguments}, kNow);
      }
    });
  }
  threads.clear();
  EXPECT_EQ(ran, 500);
}

TEST(Run, ARepeatThatIsRefusedAgainIsToldWhichTimeItIs) {
  backedge::Run run = *backedge::Run::open(Policy::defaults());
  std::vector<std::string> said;
  for (int i = 0; i < 5; ++i) {
    Entered const e = *run.enter(run.root(), Call{"ls", "{}"}, Micros{0});
    if (e.runs) (void)run.leave(e.call, {CallStatus::kOk, "x"}, Micros{0});
    if (!e.runs) said.push_back(e.text.substr(0, e.text.find(" since")));
  }
  EXPECT_EQ(said[0], "not run again (repeat.exact): ls with these arguments for the 3rd time");
  EXPECT_EQ(said[1], "not run again (repeat.exact): ls with these arguments for the 4th time");
}

}  // namespace
}  // namespace backedge
