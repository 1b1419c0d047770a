// Counters against limits: separate, reserved before work starts, settled when it ends, never exceeded.
#include "kernel/budget.h"

#include <array>

#include <gtest/gtest.h>

#include "support/driver.h"

namespace backedge::kernel {
namespace {

using namespace support;  // NOLINT(google-build-using-namespace): the words of the tests

// ---------------------------------------------------------------------------------------------- the counters

Limits with_limits(std::initializer_list<std::tuple<Scope, Meter, std::int64_t>> all) {
  Limits out;
  for (auto const& [scope, meter, value] : all) out.at(scope, meter).value = value;
  return out;
}

TEST(Budgets, AReservationIsTakenWholeOrNotAtAll) {
  Limits const limits = with_limits({{Scope::kRun, Meter::kTokens, 10}, {Scope::kSession, Meter::kTokens, 12}});
  Budgets b(limits);
  EXPECT_FALSE(b.reserve(Meter::kTokens, 10));
  Shortage const none = b.reserve(Meter::kTokens, 1);
  EXPECT_EQ(none.code, Code::kBudgetTokens);
  EXPECT_EQ(none.scope, Scope::kRun);
  EXPECT_EQ(none.used, 11);
  EXPECT_EQ(none.limit, 10);
  EXPECT_EQ(b.used(Scope::kRun, Meter::kTokens), 10);
  EXPECT_EQ(b.used(Scope::kSession, Meter::kTokens), 10);
}

TEST(Budgets, SettlingBooksWhatWasReallyUsed) {
  Limits const limits = with_limits({{Scope::kRun, Meter::kTokens, 10}});
  Budgets b(limits);
  ASSERT_FALSE(b.reserve(Meter::kTokens, 8));
  b.settle(Meter::kTokens, 8, 3);
  EXPECT_EQ(b.left(Meter::kTokens), 7);
}

TEST(Budgets, TheSmallestRestCounts) {
  Limits const limits = with_limits({{Scope::kRun, Meter::kCalls, 10}, {Scope::kSession, Meter::kCalls, 4}});
  Budgets b(limits);
  EXPECT_EQ(b.left(Meter::kCalls), 4);
  EXPECT_EQ(b.left(Meter::kCost), std::nullopt);
}

TEST(Budgets, APersonsMessageStartsTheRunAgainAndKeepsTheSessionAndWhatIsInFlight) {
  Limits const limits = with_limits({{Scope::kRun, Meter::kTokens, 10}, {Scope::kSession, Meter::kTokens, 100}});
  Budgets b(limits);
  ASSERT_FALSE(b.reserve(Meter::kTokens, 6));
  b.settle(Meter::kTokens, 6, 6);
  ASSERT_FALSE(b.reserve(Meter::kTokens, 3));
  b.begin_run();
  EXPECT_EQ(b.used(Scope::kRun, Meter::kTokens), 3);
  EXPECT_EQ(b.used(Scope::kSession, Meter::kTokens), 9);
  b.settle(Meter::kTokens, 3, 1);
  EXPECT_EQ(b.used(Scope::kRun, Meter::kTokens), 1);
}

TEST(Budgets, CallsOfOneToolAreCountedForThemselves) {
  Limits limits;
  limits.per_tool.push_back({named("send"), "send", 2, "test"});
  Budgets b(limits);
  EXPECT_FALSE(b.reserve_tool(named("send")));
  EXPECT_FALSE(b.reserve_tool(named("read")));
  EXPECT_FALSE(b.reserve_tool(named("send")));
  EXPECT_EQ(b.reserve_tool(named("send")).used, 3);
  b.release_tool(named("send"));
  EXPECT_FALSE(b.reserve_tool(named("send")));
  b.release_tool(named("read"));
  b.release_tool(named("never seen"));
}

// ---------------------------------------------------------------------------------------------- through the kernel

TEST(Budget, ExecutedCallsAreCountedAndRefusedOnesAreNot) {
  Driver d(limited(Scope::kRun, Meter::kCalls, 3));
  EXPECT_EQ(d.run(gated(read("a"), GateOpinion::kDeny)), "deny gate.deny");
  EXPECT_EQ(d.run(read("a")), "run");
  EXPECT_EQ(d.run(read("b")), "run");
  EXPECT_EQ(d.run(gated(read("b"), GateOpinion::kDeny)), "deny gate.deny");
  EXPECT_EQ(d.run(read("c")), "run");
  EXPECT_EQ(d.run(read("d")), "block budget.calls 4/3");
  EXPECT_EQ(d.kernel.executed_calls(), 3);
  EXPECT_EQ(d.turn(), "final budget.calls") << "without calls there is only the answer left";
}

TEST(Budget, ARoundIsServedUntilTheLimitInCallOrder) {
  Driver d(limited(Scope::kRun, Meter::kCalls, 3));
  EXPECT_EQ(d.round(d.root, {read("a"), read("b"), read("c"), read("d"), read("e")}),
            (Texts{"run", "run", "run", "block budget.calls 4/3", "block budget.calls 4/3"}));
}

TEST(Budget, TheRunsCallsStartAgainAtAPersonsMessageAndTheSessionsDoNot) {
  Settings s = limited(Scope::kRun, Meter::kCalls, 2);
  s.limits.at(Scope::kSession, Meter::kCalls).value = 3;
  Driver d(s);
  EXPECT_EQ(d.run(read("a")), "run");
  EXPECT_EQ(d.run(read("b")), "run");
  EXPECT_EQ(d.run(read("c")), "block budget.calls 3/2");
  d.kernel.person_spoke(d.now);
  EXPECT_EQ(d.run(read("c")), "run");
  EXPECT_EQ(d.run(read("d")), "block budget.calls 4/3 session");
}

TEST(Budget, APersonsMessageForgetsNoCallThatIsStillUnderWay) {
  Driver d(limited(Scope::kRun, Meter::kCalls, 2));
  (void)d.enter(d.root, {gated(read("a"), GateOpinion::kAsk), read("b")});
  CallId const asked{1};
  CallId const running{2};
  d.kernel.person_spoke(d.now);
  (void)d.answer(asked, Permission::kDeny);
  (void)d.leave(running);
  EXPECT_EQ(d.run(read("c")), "run");
  EXPECT_EQ(d.run(read("d")), "block budget.calls 3/2")
      << "b ran in this run as well, and no count falls below nothing";
}

TEST(Budget, TheFramesCallsAreItsOwn) {
  Driver d(limited(Scope::kFrame, Meter::kCalls, 2));
  FrameId const child = d.open(d.root, delegate("task"), "helper");
  EXPECT_EQ(d.run(child, read("a")), "run");
  EXPECT_EQ(d.run(child, read("b")), "run");
  EXPECT_EQ(d.run(child, read("c")), "block budget.calls 3/2 frame");
  EXPECT_EQ(d.run(read("c")), "run");
  EXPECT_EQ(d.run(read("d")), "block budget.calls 3/2 frame");
}

TEST(Budget, OneToolsLimitLeavesOtherToolsAlone) {
  Settings s = plain();
  s.limits.per_tool.push_back({named("send"), "send", 1, "test"});
  Driver d(s);
  EXPECT_EQ(d.run(write("send", "1")), "run");
  EXPECT_EQ(d.run(write("send", "2")), "block budget.calls 2/1 session");
  EXPECT_EQ(d.run(read("cat")), "run");
  EXPECT_EQ(d.turn(), "go");
}

TEST(Budget, ACallThatWasAskedForAndDeniedGivesItsCountBack) {
  Settings s = limited(Scope::kRun, Meter::kCalls, 1);
  s.limits.per_tool.push_back({named("send"), "send", 1, "test"});
  Driver d(s);
  EXPECT_EQ(d.ask(d.root, gated(write("send", "1"), GateOpinion::kAsk)), "ask gate.ask");
  EXPECT_EQ(d.left(Meter::kCalls), 0) << "held while a person thinks";
  EXPECT_EQ(d.answer(d.last, Permission::kDeny), (Texts{"deny gate.deny"}));
  EXPECT_EQ(d.run(write("send", "2")), "run");
}

TEST(Budget, ACallRefusedForADeadlockGivesItsCountBack) {
  Driver d(limited(Scope::kRun, Meter::kCalls, 3));
  FrameId const child = d.open(d.root, touching(delegate("task"), {"x"}), "helper");
  std::int64_t const before = d.left(Meter::kCalls);
  EXPECT_EQ(d.ask(child, touching(write("edit"), {"x"})).substr(0, 14), "block deadlock");
  EXPECT_EQ(d.left(Meter::kCalls), before);
  EXPECT_EQ(d.run(child, touching(write("edit"), {"y"})), "run");
}

// ---------------------------------------------------------------------------------------------- depth

TEST(Budget, B4_StackDepthIsALimitOfItsOwn) {
  Settings s = limited(Scope::kRun, Meter::kDepth, 3);
  s.limits.at(Scope::kRun, Meter::kTurns).value = kUnlimited;
  Driver d(s);
  FrameId const one = d.open(d.root, delegate("task", "1"), "a");
  FrameId const two = d.open(one, delegate("task", "2"), "b");
  EXPECT_EQ(d.left(two, Meter::kDepth), 1);
  EXPECT_EQ(d.run(two, read("cat")), "run") << "the third call on the stack";
  FrameId const three = d.open(two, delegate("task", "3"), "c");
  EXPECT_EQ(d.run(three, read("ls")), "block budget.depth 4/3");
  for (int i = 0; i < 100; ++i) EXPECT_EQ(d.turn(three), "go");
}

TEST(Budget, B4_ThirtyTurnsAtDepthThreeAndThreeTurnsAtDepthTenAreBothExpressible) {
  Settings wide = limited(Scope::kRun, Meter::kTurns, 30);
  wide.limits.at(Scope::kRun, Meter::kDepth).value = 3;
  Driver w(wide);
  Texts all = w.turns(29);
  EXPECT_EQ(all, Texts(29, "go"));
  EXPECT_EQ(w.turn(), "final budget.turns 30/30");

  Settings deep = limited(Scope::kFrame, Meter::kTurns, 3);
  deep.limits.at(Scope::kRun, Meter::kTurns).value = kUnlimited;
  deep.limits.at(Scope::kRun, Meter::kDepth).value = 10;
  Driver p(deep);
  FrameId at = p.root;
  for (int level = 1; level <= 9; ++level)
    at = p.open(at, delegate("task " + std::to_string(level)), "agent " + std::to_string(level));
  EXPECT_EQ(p.run(at, read("cat")), "run");
  EXPECT_EQ(p.turns(4, at), (Texts{"go", "go", "final budget.turns 3/3 frame", "stop budget.turns"}));
}

// ---------------------------------------------------------------------------------------------- descendants

TEST(Budget, DescendantsAreCountedAtAnyDepthAndWhenTheyAreCalledFor) {
  Settings s = limited(Scope::kRun, Meter::kDescendants, 2);
  Driver d(s);
  FrameId const one = d.open(d.root, delegate("task", "1"), "a");
  FrameId const two = d.open(one, delegate("task", "2"), "b");
  EXPECT_EQ(d.run(two, delegate("task", "3")), "block budget.descendants 3/2");
  EXPECT_EQ(d.run(two, read("cat")), "run");
  EXPECT_EQ(d.kernel.descendants(), 2);
}

TEST(Budget, ADelegationThatOpensNoAgentGivesItsPlaceBack) {
  Driver d(limited(Scope::kRun, Meter::kDescendants, 1));
  EXPECT_EQ(d.run(delegate("task", "1")), "run");
  EXPECT_EQ(d.kernel.descendants(), 0);
  EXPECT_EQ(d.ask(d.root, delegate("task", "2")), "run");
  EXPECT_EQ(d.kernel.descendants(), 1) << "held from the moment that it may run";
}

TEST(Budget, ADelegationLeftBehindByItsClosedFrameGivesItsPlaceBack) {
  Driver d(limited(Scope::kRun, Meter::kDescendants, 2));
  FrameId const child = d.open(d.root, delegate("task", "1"), "a");
  CallId const opener = d.last;
  EXPECT_EQ(d.ask(child, delegate("task", "2")), "run");
  EXPECT_EQ(d.kernel.descendants(), 2);
  (void)d.leave(opener);
  EXPECT_EQ(d.kernel.descendants(), 1);
}

TEST(Budget, AToolThatWasNotDeclaredCountsWhenItOpensAnAgent) {
  Settings s = limited(Scope::kRun, Meter::kDescendants, 1);
  s.limits.at(Scope::kRun, Meter::kTurns).value = kUnlimited;
  Driver d(s);
  FrameId const child = d.open(d.root, unknown("run_it", "1"), "a");
  EXPECT_EQ(d.kernel.standing(child).state, FrameState::kWorking);
  EXPECT_EQ(d.kernel.descendants(), 1);
  EXPECT_EQ(d.run(unknown("run_it", "2")), "block budget.descendants 2/1") << "from now on it is known to open agents";
  FrameId const other = d.open(d.root, unknown("other", "1"), "b");
  EXPECT_EQ(d.kernel.standing(other).state, FrameState::kStopped) << "one that nobody foresaw opens stopped";
  EXPECT_EQ(d.kernel.descendants(), 1);
  EXPECT_EQ(d.turn(other), "stop budget.descendants");
}

TEST(Budget, ACallThatOpensSeveralAgentsPaysForEach) {
  Driver d(limited(Scope::kRun, Meter::kDescendants, 2));
  FrameId const one = d.open(d.root, delegate("team", "1"), "a");
  FrameId const two = d.open(d.last, "b");
  FrameId const three = d.open(d.last, "c");
  EXPECT_EQ(d.kernel.descendants(), 2);
  EXPECT_EQ(d.kernel.standing(one).state, FrameState::kWorking);
  EXPECT_EQ(d.kernel.standing(two).state, FrameState::kWorking);
  EXPECT_EQ(d.kernel.standing(three).state, FrameState::kStopped);
  (void)d.leave(d.last);
  for (FrameId const f : {one, two, three}) EXPECT_FALSE(d.kernel.has_frame(f)) << "they end with their call";
}

TEST(Budget, DescendantsOfARunStartAgainAtAPersonsMessage) {
  for (CallFacts const& opener : {delegate("task", "1"), unknown("run_it", "1")}) {
    Driver d(limited(Scope::kRun, Meter::kDescendants, 1));
    (void)d.open(d.root, opener, "a");
    (void)d.leave(d.last);
    EXPECT_EQ(d.kernel.descendants(), 1);
    d.kernel.person_spoke(d.now);
    EXPECT_EQ(d.kernel.descendants(), 0);
  }
}

// ---------------------------------------------------------------------------------------------- meters are separate

TEST(Budget, EveryMeterHasItsOwnCounter) {
  Driver d;
  (void)d.open(d.root, delegate("task", "1"), "a");
  d.run(read("cat"));
  d.turn();
  EXPECT_EQ(d.kernel.executed_calls(), 2);
  EXPECT_EQ(d.kernel.descendants(), 1);
  for (Meter const m : {Meter::kCalls, Meter::kDescendants, Meter::kTokens, Meter::kCost, Meter::kTime})
    EXPECT_EQ(d.left(m), -1);
}

}  // namespace
}  // namespace backedge::kernel
