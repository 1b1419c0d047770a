// The ladder: notice, refuse, demand the answer, stop. Its rungs by themselves, and climbed through the kernel.
#include "kernel/ladder.h"

#include <gtest/gtest.h>

#include "support/driver.h"

namespace backedge::kernel {
namespace {

using namespace support;  // NOLINT(google-build-using-namespace): the words of the tests

TEST(Rungs, ALoopIsNoticedOnce) {
  Rungs rungs;
  EXPECT_TRUE(rungs.notice(named("a")));
  EXPECT_FALSE(rungs.notice(named("a")));
  EXPECT_TRUE(rungs.notice(named("b")));
}

TEST(Rungs, RefusalsAreCountedPerLoop) {
  Rungs rungs;
  EXPECT_EQ(rungs.refuse(named("a")), 1);
  EXPECT_EQ(rungs.refuse(named("a")), 2);
  EXPECT_EQ(rungs.refuse(named("b")), 1);
}

TEST(Rungs, AForgottenLoopStartsAtTheBottom) {
  Rungs rungs;
  rungs.notice(named("a"));
  rungs.refuse(named("a"));
  rungs.refuse(named("b"));
  rungs.forget(named("a"));
  EXPECT_EQ(rungs.refuse(named("a")), 1);
  EXPECT_TRUE(rungs.notice(named("a")));
  EXPECT_EQ(rungs.refuse(named("b")), 2);
  rungs.clear();
  EXPECT_EQ(rungs.refuse(named("b")), 1);
}

TEST(Rungs, BeyondTheMostLoopsTheOldestIsForgotten) {
  Rungs rungs;
  rungs.refuse(named("first"));
  for (std::size_t i = 1; i < Rungs::kMaxLoops; ++i) rungs.refuse(named(std::to_string(i)));
  EXPECT_EQ(rungs.refuse(named("first")), 2);
  rungs.refuse(named("one more"));
  EXPECT_EQ(rungs.refuse(named("first")), 1);
}

// ---------------------------------------------------------------------------------------------- through the kernel

TEST(Ladder, ALoopIsRefusedThenTheAnswerIsDemandedThenTheFrameStops) {
  Driver d;
  EXPECT_EQ(d.turn(), "go");
  EXPECT_EQ(d.times(2, read("ls")), (Texts{"run", "run"}));
  EXPECT_EQ(d.run(read("ls")), "block repeat.exact 3/3 #2 refuse");
  EXPECT_EQ(d.turn(), "go");
  EXPECT_EQ(d.run(read("ls")), "block repeat.exact 4/3 #2 final");
  EXPECT_EQ(d.turn(), "final repeat.exact");
  EXPECT_EQ(d.run(read("cat", "other")), "block repeat.exact stop") << "the last turn runs no tool";
  EXPECT_EQ(d.turn(), "stop repeat.exact");
  EXPECT_EQ(d.run(read("cat", "other")), "block repeat.exact stop");
  FrameStanding const s = d.kernel.standing(d.root);
  EXPECT_EQ(s.state, FrameState::kStopped);
  EXPECT_EQ(end_reason(s.why), "no_progress");
}

TEST(Ladder, ADeclaredIdempotentCallIsGivenItsEarlierResultInstead) {
  Driver d;
  CallFacts const again = idempotent(read("ls"), true);
  EXPECT_EQ(d.times(4, again),
            (Texts{"run", "run", "reuse repeat.exact 3/3 #2 refuse", "reuse repeat.exact 4/3 #2 final"}));
}

TEST(Ladder, AFinalAnswerWithoutCallsIsNoStopAndThePersonGoesOn) {
  Driver d;
  d.times(4, read("ls"));
  EXPECT_EQ(d.turn(), "final repeat.exact");
  EXPECT_EQ(d.kernel.standing(d.root).state, FrameState::kFinal);
  d.kernel.person_spoke(d.now);
  EXPECT_EQ(d.turn(), "go");
  EXPECT_EQ(d.times(3, read("ls")), (Texts{"run", "run", "block repeat.exact 3/3 #6 refuse"}));
}

TEST(Ladder, ARoundThatAlsoDoesSomethingElseIsRefusedButNotPressed) {
  Driver d;
  d.times(2, read("ls"));
  for (int i = 0; i < 9; ++i) {
    EXPECT_EQ(d.round(d.root, {read("ls"), read("tool " + std::to_string(i))}),
              (Texts{"block repeat.exact " + std::to_string(3 + i) + "/3 #2 refuse", "run"}));
    EXPECT_EQ(d.turn(), "go");
  }
}

TEST(Ladder, AllMembersOfALoopClimbTogetherAndOncePerRound) {
  Driver d;
  CallFacts const a = read("cat", "a");
  CallFacts const b = read("cat", "b");
  for (int i = 0; i < 2; ++i) {
    d.run(a);
    d.run(b);
  }
  EXPECT_EQ(d.run(a), "block repeat.cycle 5/5 p2 #3 refuse");
  EXPECT_EQ(d.round(d.root, {b, a, b}),
            (Texts{"block repeat.cycle 5/5 p2 #4 final", "block repeat.cycle 5/5 p2 #3 final",
                   "block repeat.cycle 5/5 p2 #4 final"}));
  EXPECT_EQ(d.turn(), "final repeat.cycle");
}

TEST(Ladder, OtherCallsBetweenDoNotClimb) {
  Driver d;
  d.times(2, read("ls"));
  EXPECT_EQ(d.run(read("ls")), "block repeat.exact 3/3 #2 refuse");
  for (int i = 0; i < 20; ++i) EXPECT_EQ(d.run(read("tool " + std::to_string(i))), "run");
  EXPECT_EQ(d.turn(), "go");
  EXPECT_EQ(d.run(read("ls")), "block repeat.exact 4/3 #2 final");
}

TEST(Ladder, AnAnswerThatDiffersTakesTheLoopOffTheLadder) {
  Driver d;
  d.times(3, read("ls"));
  d.run(write("edit"), ok());
  EXPECT_EQ(d.run(read("ls"), ok("more")), "run");
  EXPECT_EQ(d.times(2, read("ls"), ok("more")), (Texts{"run", "block repeat.exact 3/3 #6 refuse"}));
  EXPECT_EQ(d.turn(), "go");
}

TEST(Ladder, AWarningIsGivenOncePerLoop) {
  Settings s = plain();
  s.repeat.exact_warn = 2;
  s.repeat.exact = 9;
  Driver d(s);
  EXPECT_EQ(d.times(4, read("ls")), (Texts{"run", "warn repeat.exact 2/9 #1 warn", "run", "run"}));
}

// ---------------------------------------------------------------------------------------------- which occurrence it is

TEST(Ladder, ARefusedRepeatIsOneMoreEachTimeAndOnePerRound) {
  Settings s = plain();
  s.ladder.refusals = 20;
  Driver d(s);
  d.times(2, read("ls"));
  EXPECT_EQ(d.run(read("ls")), "block repeat.exact 3/3 #2 refuse");
  EXPECT_EQ(d.round(d.root, {read("ls"), read("cat"), read("ls")}),
            (Texts{"block repeat.exact 4/3 #2 refuse", "run", "block repeat.exact 4/3 #2 refuse"}));
  EXPECT_EQ(d.run(read("ls")), "block repeat.exact 5/3 #2 refuse");
  EXPECT_EQ(d.run(write("edit")), "run");
  EXPECT_EQ(d.run(read("ls")), "run");
  EXPECT_EQ(d.run(read("ls")), "block repeat.exact 3/3 #9 refuse")
      << "it has run since: what was refused before is over";
  EXPECT_EQ(d.run(read("ls")), "block repeat.exact 4/3 #9 refuse");
  d.kernel.person_spoke(d.now);
  EXPECT_EQ(d.times(4, read("ls")),
            (Texts{"run", "run", "block repeat.exact 3/3 #13 refuse", "block repeat.exact 4/3 #13 refuse"}));
}

TEST(Ladder, RefusedPagesAndEffectsAreOneMoreEachTime) {
  Settings s = plain();
  s.ladder.refusals = 20;
  s.repeat.range_warn = 0;
  s.repeat.range = 2;
  Driver d(s);
  d.run(lines(about(read("cat", "0-100"), "cat"), 0, 100));
  d.run(lines(about(read("cat", "0-50"), "cat"), 0, 50), ok("half"));
  EXPECT_EQ(d.run(lines(about(read("cat", "0-20"), "cat"), 0, 20)).substr(0, 22), "block repeat.range 2/2");
  EXPECT_EQ(d.run(lines(about(read("cat", "0-30"), "cat"), 0, 30)).substr(0, 22), "block repeat.range 3/2");
  CallFacts const pay = idempotent(write("pay"), false);
  EXPECT_EQ(d.run(pay), "run");
  EXPECT_EQ(d.run(pay).substr(0, 23), "block repeat.effect 2/2");
  EXPECT_EQ(d.run(pay).substr(0, 23), "block repeat.effect 3/2");
}

TEST(Ladder, RulesThatTellOfAnswersCountNoRefusals) {
  Settings s = plain();
  s.ladder.refusals = 20;
  s.repeat.stagnant_warn = 0;
  s.repeat.stagnant = 2;
  Driver d(s);
  EXPECT_EQ(d.run(read("cat", "a"), ok("same")), "run");
  for (char const* other : {"b", "c", "d"})
    EXPECT_EQ(d.run(read("cat", other), ok("same")).substr(0, 25), "block repeat.stagnant 2/2");
}

TEST(Ladder, BeyondTheMostRefusedRepeatsTheOldestStartsAgain) {
  Settings s = plain();
  s.ladder.refusals = 1000;
  Driver d(s);
  auto const refused = [&](int i) {
    std::string const said = d.run(read("tool " + std::to_string(i)));
    return said.substr(0, said.find(" #"));
  };
  for (int i = 0; i <= 64; ++i) d.times(2, read("tool " + std::to_string(i)));
  for (int i = 0; i < 64; ++i) EXPECT_EQ(refused(i), "block repeat.exact 3/3");
  EXPECT_EQ(refused(0), "block repeat.exact 4/3");
  EXPECT_EQ(refused(64), "block repeat.exact 3/3");
  EXPECT_EQ(refused(0), "block repeat.exact 3/3");
}

TEST(Ladder, MoreRefusalsMayBeAllowed) {
  Settings s = plain();
  s.ladder.refusals = 4;
  Driver d(s);
  d.times(2, read("ls"));
  for (char const* nth : {"3", "4", "5"})
    EXPECT_EQ(d.run(read("ls")), "block repeat.exact " + std::string(nth) + "/3 #2 refuse");
  EXPECT_EQ(d.turn(), "go");
  EXPECT_EQ(d.run(read("ls")), "block repeat.exact 6/3 #2 final");
}

TEST(Ladder, ObservingReportsEveryStepAndHoldsNothingUp) {
  Settings s = plain();
  s.ladder.observe = true;
  Driver d(s);
  EXPECT_EQ(d.times(5, read("ls")),
            (Texts{"run", "run", "block repeat.exact 3/3 #2 refuse observed",
                   "block repeat.exact 4/3 #3 final observed", "block repeat.exact 5/3 #4 stop observed"}));
  EXPECT_EQ(d.turn(), "go");
}

// A refusal for whatever other reason is repeated at most so often before it counts as a loop, too.
TEST(Ladder, AskingForWhatIsRefusedAgainAndAgainIsALoopOfItsOwn) {
  Driver d;
  CallFacts const denied = gated(write("send"), GateOpinion::kDeny);
  EXPECT_EQ(d.times(5, denied), (Texts{"deny gate.deny", "deny gate.deny", "deny gate.deny", "deny gate.deny refuse",
                                       "deny gate.deny final"}));
  EXPECT_EQ(d.turn(), "final repeat.exact");
}

TEST(Ladder, ALoopInOneAgentDoesNotPressAnother) {
  Driver d(limited(Scope::kRun, Meter::kTurns, kUnlimited));
  FrameId const child = d.open(d.root, delegate("task", "x"), "helper");
  for (int i = 0; i < 4; ++i) d.run(child, read("ls"));
  EXPECT_EQ(d.turn(child), "final repeat.exact");
  EXPECT_EQ(d.turn(), "go");
  EXPECT_EQ(d.run(read("ls")), "run");
}

}  // namespace
}  // namespace backedge::kernel
