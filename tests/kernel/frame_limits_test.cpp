// Limits of the scope frame: what one agent may use each time it is started; and the time of a session.
//
// Own to a frame: turns (turns_test.cpp), calls (budget_test.cpp), tokens, money. With everything below it: agents,
// time.
#include <gtest/gtest.h>

#include "support/driver.h"

namespace backedge::kernel {
namespace {

using namespace std::chrono_literals;
using namespace support;  // NOLINT(google-build-using-namespace): the words of the tests

constexpr std::int64_t kSecond = 1'000'000;
constexpr std::int64_t kCent = 10'000'000;  // nano-USD

// One limit of frames; turns are lent to children and would have their say first.
Settings framed(Meter meter, std::int64_t most) {
  Settings s = limited(Scope::kFrame, meter, most);
  s.limits.at(Scope::kRun, Meter::kTurns).value = kUnlimited;
  return s;
}

TurnAsk asks(std::int64_t input, std::int64_t output) { return {.input_tokens = input, .output_tokens = output}; }
TurnSpent spends(std::int64_t input, std::int64_t output) {
  return {.input_tokens = input, .output_tokens = output, .has_calls = true};
}

// ---------------------------------------------------------------------------------------------- tokens and money

TEST(FrameLimits, TokensAreThoseOfTheFramesOwnTurns) {
  Driver d(framed(Meter::kTokens, 5'000));
  EXPECT_EQ(d.turn(d.root, asks(1'000, 800), spends(1'000, 800)), "go");
  FrameId const child = d.open(d.root, delegate("task"), "helper");
  EXPECT_EQ(d.left(child, Meter::kTokens), 5'000);
  EXPECT_EQ(d.turn(child, asks(1'000, 800), spends(1'000, 800)), "go");
  EXPECT_EQ(d.turn(child, asks(1'000, 800), spends(1'000, 800)), "final budget.tokens 5400/5000 frame");
  EXPECT_EQ(d.turn(child, asks(1'000, 800)), "stop budget.tokens");
  EXPECT_EQ(d.left(Meter::kTokens), 3'200) << "what the child used is not the root's";
  (void)d.leave(d.last);
  EXPECT_EQ(d.left(Meter::kTokens), 3'200);
  FrameId const other = d.open(d.root, delegate("task", "2"), "helper");
  EXPECT_EQ(d.left(other, Meter::kTokens), 5'000) << "each time that it is started";
  EXPECT_EQ(d.turn(d.root, asks(1'000, 3'000)), "stop budget.tokens 5800/5000 frame");
}

TEST(FrameLimits, TokensAreReservedByTheTurnAndSettledByWhatItUsed) {
  Driver d(framed(Meter::kTokens, 3'000));
  TurnVerdict const v = d.kernel.enter_turn(d.root, asks(500, 500), d.now);
  EXPECT_EQ(d.left(Meter::kTokens), 2'000);
  (void)d.kernel.leave_turn(v.turn, spends(500, 100), d.now);
  EXPECT_EQ(d.left(Meter::kTokens), 2'400);
  TurnVerdict const more = d.kernel.enter_turn(d.root, asks(500, 500), d.now);
  (void)d.kernel.leave_turn(more.turn, spends(2'900, 400), d.now);
  EXPECT_EQ(d.left(Meter::kTokens), 0);
  EXPECT_EQ(d.turn(d.root, asks(1, 0)), "stop budget.tokens 6800/3000 frame");
}

TEST(FrameLimits, MoneyIsThatOfTheFramesOwnTurns) {
  Driver d(framed(Meter::kCost, 10 * kCent));
  TurnAsk const ask{.cost_nano = 4 * kCent};
  TurnSpent const spent{.cost_nano = 3 * kCent, .has_calls = true};
  EXPECT_EQ(d.turn(d.root, ask, spent), "go");
  FrameId const child = d.open(d.root, delegate("task"), "helper");
  EXPECT_EQ(d.turn(child, ask, spent), "go");
  EXPECT_EQ(d.left(child, Meter::kCost), 7 * kCent);
  EXPECT_EQ(d.left(Meter::kCost), 7 * kCent);
  EXPECT_EQ(d.turn(child, ask, spent), "final budget.cost 110000000/100000000 frame");
  EXPECT_EQ(d.turn(d.root, {.cost_nano = 8 * kCent}, spent), "stop budget.cost 110000000/100000000 frame");
}

TEST(FrameLimits, UnpricedIsRefusedUnderTheScopeThatLimitsMoney) {
  for (Scope const scope : {Scope::kFrame, Scope::kRun, Scope::kSession}) {
    Driver d(limited(scope, Meter::kCost, 10 * kCent));
    TurnVerdict const v = d.kernel.enter_turn(d.root, {.priced = false}, d.now);
    EXPECT_EQ(v.word, TurnWord::kStop);
    EXPECT_EQ(v.code, Code::kBudgetCost);
    EXPECT_EQ(v.evidence.scope, scope);
  }
}

TEST(FrameLimits, TheRootsTokensAndMoneyStartAgainAtAPersonsMessageExceptForTurnsInFlight) {
  Settings s = framed(Meter::kTokens, 5'000);
  s.limits.at(Scope::kFrame, Meter::kCost) = {10 * kCent, "test"};
  Driver d(s);
  TurnAsk const ask{.input_tokens = 1'000, .cost_nano = kCent};
  (void)d.turn(d.root, ask, {.input_tokens = 1'000, .cost_nano = kCent, .has_calls = true});
  FrameId const child = d.open(d.root, delegate("task"), "helper");
  (void)d.turn(child, ask, {.input_tokens = 900, .cost_nano = kCent, .has_calls = true});
  TurnVerdict const mine = d.kernel.enter_turn(d.root, ask, d.now);
  TurnVerdict const below = d.kernel.enter_turn(child, ask, d.now);
  d.kernel.person_spoke(d.now);
  EXPECT_EQ(d.left(Meter::kTokens), 4'000);
  EXPECT_EQ(d.left(Meter::kCost), 9 * kCent);
  EXPECT_EQ(d.left(child, Meter::kTokens), 3'100) << "a child goes on where it was";
  (void)d.kernel.leave_turn(mine.turn, {.input_tokens = 700, .cost_nano = kCent / 2}, d.now);
  (void)d.kernel.leave_turn(below.turn, {.input_tokens = 700, .cost_nano = kCent / 2}, d.now);
  EXPECT_EQ(d.left(Meter::kTokens), 4'300);
  EXPECT_EQ(d.left(Meter::kCost), 10 * kCent - kCent / 2);
  EXPECT_EQ(d.left(child, Meter::kTokens), 3'400);
}

// ---------------------------------------------------------------------------------------------- agents

TEST(FrameLimits, AgentsCountForEveryFrameAboveThem) {
  Driver d(framed(Meter::kDescendants, 2));
  FrameId const one = d.open(d.root, delegate("task", "1"), "a");
  EXPECT_EQ(d.left(one, Meter::kDescendants), 1) << "two less the one that counts for the root";
  (void)d.open(one, delegate("task", "2"), "b");
  EXPECT_EQ(d.left(one, Meter::kDescendants), 0);
  EXPECT_EQ(d.left(Meter::kDescendants), 0);
  EXPECT_EQ(d.run(one, delegate("task", "3")), "block budget.descendants 3/2 frame") << "it is the root's third";
  EXPECT_EQ(d.run(delegate("task", "4")), "block budget.descendants 3/2 frame");
  EXPECT_EQ(d.run(one, read("cat")), "run");
}

TEST(FrameLimits, AgentsOfAClosedFrameStillCountAboveIt) {
  Driver d(framed(Meter::kDescendants, 2));
  FrameId const one = d.open(d.root, delegate("task", "1"), "a");
  CallId const opener = d.last;
  (void)d.open(one, delegate("task", "2"), "b");
  (void)d.leave(opener);
  EXPECT_EQ(d.left(Meter::kDescendants), 0);
  EXPECT_EQ(d.run(delegate("task", "3")), "block budget.descendants 3/2 frame");
}

TEST(FrameLimits, APlaceThatNoAgentTookComesBackOnTheWholePath) {
  Driver d(framed(Meter::kDescendants, 3));
  FrameId const one = d.open(d.root, delegate("task", "1"), "a");
  EXPECT_EQ(d.run(one, delegate("task", "2")), "run") << "and opens none";
  EXPECT_EQ(d.left(Meter::kDescendants), 2);
  EXPECT_EQ(d.ask(one, gated(delegate("task", "3"), GateOpinion::kAsk)), "ask gate.ask");
  EXPECT_EQ(d.left(Meter::kDescendants), 1) << "held while a person thinks";
  EXPECT_EQ(d.answer(d.last, Permission::kDeny), (Texts{"deny gate.deny"}));
  EXPECT_EQ(d.left(Meter::kDescendants), 2);
  EXPECT_EQ(d.left(one, Meter::kDescendants), 2);
}

TEST(FrameLimits, AnAgentThatNobodyForesawOpensStopped) {
  Driver d(framed(Meter::kDescendants, 1));
  FrameId const one = d.open(d.root, unknown("run_it", "1"), "a");
  FrameId const two = d.open(one, unknown("other", "1"), "b");
  EXPECT_EQ(d.kernel.standing(one).state, FrameState::kWorking);
  EXPECT_EQ(d.kernel.standing(two).state, FrameState::kStopped);
  EXPECT_EQ(d.kernel.standing(two).why, Code::kBudgetDescendants);
  EXPECT_EQ(d.kernel.descendants(), 1);
}

TEST(FrameLimits, TheRootsAgentsStartAgainAtAPersonsMessageAndAChildsDoNot) {
  Driver d(framed(Meter::kDescendants, 2));
  FrameId const one = d.open(d.root, delegate("task", "1"), "a");
  CallId const opener = d.last;
  (void)d.open(one, delegate("task", "2"), "b");
  d.kernel.person_spoke(d.now);
  EXPECT_EQ(d.left(Meter::kDescendants), 2);
  EXPECT_EQ(d.left(one, Meter::kDescendants), 1);
  EXPECT_EQ(d.ask(one, delegate("task", "3")), "run");
  EXPECT_EQ(d.left(Meter::kDescendants), 1);
  (void)d.open(d.last, "c");
  EXPECT_EQ(d.run(one, delegate("task", "4")), "block budget.descendants 3/2 frame") << "its own third";
  EXPECT_EQ(d.run(delegate("task", "5")), "run");
  (void)d.leave(opener);
  EXPECT_EQ(d.left(Meter::kDescendants), 1);
}

TEST(FrameLimits, ACallThatOpensNoAgentIsNoConcernOfTheirLimit) {
  Settings s = limited(Scope::kRun, Meter::kDescendants, 0);
  s.ladder.observe = true;
  Driver d(s);
  (void)d.open(d.root, delegate("task", "1"), "a");
  EXPECT_EQ(d.run(read("cat")), "run");
}

// ---------------------------------------------------------------------------------------------- time

TEST(FrameLimits, TimeGoesOnFromTheMomentThatTheFrameWasOpened) {
  Driver d(framed(Meter::kTime, 60 * kSecond));
  d.now = 50s;
  FrameId const child = d.open(d.root, delegate("task"), "helper");
  EXPECT_EQ(d.left(child, Meter::kTime), 10 * kSecond) << "the root's, which waits for it";
  d.now = 60s;
  EXPECT_EQ(d.turn(child), "final budget.time 60000000/60000000 frame");
  d.now = 61s;
  EXPECT_EQ(d.turn(), "final budget.time 61000000/60000000 frame");
  EXPECT_EQ(d.turn(), "stop budget.time");
}

TEST(FrameLimits, TheRootsTimeGoesOnFromTheMomentThatTheKernelWasMade) {
  KernelOptions options = with(framed(Meter::kTime, 60 * kSecond));
  options.now = 100s;
  Driver d(std::move(options));
  d.now = 110s;
  EXPECT_EQ(d.left(Meter::kTime), 50 * kSecond);
}

TEST(FrameLimits, AChildsTimeGoesOnOverAPersonsMessageAndTheRootsStartsAnew) {
  Driver d(framed(Meter::kTime, 60 * kSecond));
  d.now = 10s;
  FrameId const child = d.open(d.root, delegate("task"), "helper");
  d.now = 50s;
  d.kernel.person_spoke(d.now);
  EXPECT_EQ(d.left(Meter::kTime), 60 * kSecond);
  EXPECT_EQ(d.left(child, Meter::kTime), 20 * kSecond);
  d.now = 70s;
  EXPECT_EQ(d.turn(), "go");
  EXPECT_EQ(d.turn(child), "final budget.time 60000000/60000000 frame");
}

TEST(FrameLimits, WaitingForPeopleCostsAFrameNoTime) {
  Driver d(framed(Meter::kTime, 60 * kSecond));
  (void)d.enter(d.root, {gated(write("a"), GateOpinion::kAsk), delegate("task")});
  d.now = 100s;
  FrameId const child = d.open(CallId{2}, "helper");
  d.now = 200s;
  (void)d.answer(CallId{1}, Permission::kAllow);
  EXPECT_EQ(d.left(child, Meter::kTime), 60 * kSecond);
  d.now = 230s;
  EXPECT_EQ(d.left(child, Meter::kTime), 30 * kSecond);
  EXPECT_EQ(d.left(Meter::kTime), 30 * kSecond);
}

TEST(FrameLimits, TheTimeOfASessionIsTheSumOfItsRuns) {
  Driver d(limited(Scope::kSession, Meter::kTime, 60 * kSecond));
  EXPECT_EQ(d.run(read("a")), "run");
  d.now = 25s;
  EXPECT_EQ(d.turn(), "go");
  d.now = 1000s;
  d.kernel.person_spoke(d.now);
  EXPECT_EQ(d.left(Meter::kTime), 35 * kSecond) << "nothing happened after 25 s";
  d.now = 1034s;
  EXPECT_EQ(d.turn(), "go");
  EXPECT_EQ(d.left(Meter::kTime), 1 * kSecond);
  d.now = 1035s;
  EXPECT_EQ(d.turn(), "final budget.time 60000000/60000000 session");
  d.kernel.person_spoke(d.now);
  d.now = 1036s;
  EXPECT_EQ(d.turn(), "final budget.time 61000000/60000000 session");
  EXPECT_EQ(d.left(Meter::kTime), 0);
}

TEST(FrameLimits, EveryEventThatTheKernelHearsOfMakesARunLonger) {
  Driver d(limited(Scope::kSession, Meter::kTime, 1000 * kSecond));
  auto const next_run = [&] {
    d.now += 10s;
    d.kernel.person_spoke(d.now);
    return d.left(Meter::kTime) / kSecond;
  };
  (void)next_run();
  d.now += 5s;
  (void)d.enter(d.root, {gated(write("a"), GateOpinion::kAsk), delegate("task", "1"), delegate("task", "2")});
  CallId const asked{1};
  d.now += 100s;
  (void)d.answer(asked, Permission::kAllow);
  EXPECT_EQ(next_run(), 995) << "the round after 5 s; the wait for the answer is none";
  d.now += 5s;
  FrameId const child = d.open(CallId{2}, "helper");
  EXPECT_EQ(next_run(), 990);
  d.now += 5s;
  TurnVerdict const turn = d.kernel.enter_turn(child, {}, d.now);
  EXPECT_EQ(next_run(), 985);
  d.now += 5s;
  (void)d.kernel.leave_turn(turn.turn, {}, d.now);
  EXPECT_EQ(next_run(), 980);
  d.now += 5s;
  (void)d.kernel.close_frame(child, d.now);
  EXPECT_EQ(next_run(), 975);
  d.now += 5s;
  (void)d.leave(CallId{2});
  EXPECT_EQ(next_run(), 970);
  EXPECT_EQ(next_run(), 970) << "a run in which nothing happened";
}

// ---------------------------------------------------------------------------------------------- every meter

TEST(FrameLimits, TheSmallestAlongThePathIsLeft) {
  for (Meter const m : {Meter::kCalls, Meter::kDescendants, Meter::kTokens, Meter::kCost, Meter::kTime}) {
    for (Scope const tight : {Scope::kFrame, Scope::kRun, Scope::kSession}) {
      Settings s = plain();
      for (Scope const scope : {Scope::kFrame, Scope::kRun, Scope::kSession})
        s.limits.at(scope, m) = {scope == tight ? 3 : 9, "test"};
      EXPECT_EQ(Driver(s).left(FrameId{1}, m), 3) << static_cast<int>(m) << " " << static_cast<int>(tight);
    }
  }
}

}  // namespace
}  // namespace backedge::kernel
