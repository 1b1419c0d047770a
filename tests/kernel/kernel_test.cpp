// The order of checks, what is checked again, and what the rest of the world does to a run: stops, messages,
// compactions, hooks.
#include "kernel/kernel.h"

#include <set>
#include <string>

#include <gtest/gtest.h>

#include "support/driver.h"

namespace backedge::kernel {
namespace {

using namespace support;  // NOLINT(google-build-using-namespace): the words of the tests

// ---------------------------------------------------------------------------------------------- the order of checks

Settings strict() {
  Settings s = limited(Scope::kRun, Meter::kCalls, 8);
  s.limits.at(Scope::kRun, Meter::kTurns) = {4, "test"};
  s.limits.conservative_at = 3;
  return s;
}

// Each check is met in turn when the ones before it are satisfied: the first that objects decides.
TEST(Kernel, TheFirstCheckThatObjectsDecides) {
  Driver d(strict());
  CallFacts const work = touching(unknown("work", "1"), {"x"});
  d.run(read("known"));
  d.run(touching(unknown("work", "0"), {"x"}));
  CallId const opener = [&] {
    (void)d.enter(d.root, {work});
    return d.last;
  }();
  FrameId const in = d.open(opener, "worker");
  d.kernel.cancel(in);

  CallFacts call = touching(unknown("work", "1"), {"x"});
  call.fault = ArgumentFault::kMissing;
  call.gate = GateOpinion::kDeny;
  EXPECT_EQ(d.ask(in, call), "reject args.invalid");
  call.fault = ArgumentFault::kUnknownTool;
  EXPECT_EQ(d.ask(in, call), "reject args.unknown_tool");
  call.fault = ArgumentFault::kNone;
  EXPECT_EQ(d.ask(in, call), "deny stopped stop");

  Driver e(strict());
  call.tool_id = named("fresh");
  e.turn();
  EXPECT_EQ(e.ask(e.root, call), "block conservative 3/3") << "before the gate";
}

TEST(Kernel, TheGatesNoComesBeforeThePathAndThePathBeforeRepetition) {
  Driver d;
  FrameId const in = d.open(d.root, unknown("f", "0"));
  CallFacts call = unknown("f", "0");
  call.gate = GateOpinion::kDeny;
  EXPECT_EQ(d.ask(in, call), "deny gate.deny");
  call.gate = GateOpinion::kAsk;
  EXPECT_EQ(d.ask(in, call), "block reentry.cycle 2/1 #1") << "nobody is asked about a call that is doomed";
}

TEST(Kernel, RepetitionComesBeforeBudgetsAndBudgetsBeforeConflictsAndThoseBeforeAPerson) {
  Settings s = limited(Scope::kRun, Meter::kCalls, 4);
  Driver d(s);
  CallFacts const looks = touching(read("look"), {"x"});
  d.times(2, looks);
  CallFacts asked = looks;
  asked.gate = GateOpinion::kAsk;
  (void)d.enter(d.root, {touching(write("edit", "1"), {"y"})});
  EXPECT_EQ(d.ask(d.root, asked), "block repeat.exact 3/3 #2 refuse");
  CallFacts other = touching(write("edit", "2"), {"y"});
  other.gate = GateOpinion::kAsk;
  EXPECT_EQ(d.ask(d.root, other), "serialize conflict.serialize #3") << "the last call that the limit allows";
  CallFacts third = touching(write("edit", "3"), {"y"});
  third.gate = GateOpinion::kAsk;
  EXPECT_EQ(d.ask(d.root, third), "block budget.calls 5/4");
}

TEST(Kernel, APersonIsAskedLast) {
  Driver d;
  EXPECT_EQ(d.ask(d.root, gated(write("send"), GateOpinion::kAsk)), "ask gate.ask");
  EXPECT_FALSE(d.kernel.runs(d.last));
  EXPECT_TRUE(d.kernel.asked(d.last));
}

TEST(Kernel, EveryCallOfARoundGetsOneVerdictInOrderAndIdsGrow) {
  Driver d(limited(Scope::kRun, Meter::kCalls, 2));
  CallFacts bad = read("bad");
  bad.fault = ArgumentFault::kNotJson;
  std::vector<CallVerdict> const all =
      d.enter(d.root, {bad, read("a"), gated(read("b"), GateOpinion::kDeny), read("c"), read("d")});
  EXPECT_EQ(texts(all), (Texts{"reject args.invalid", "run", "deny gate.deny", "run", "block budget.calls 3/2"}));
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(all[i].call, CallId{static_cast<std::uint32_t>(i + 1)});
    EXPECT_EQ(all[i].frame, d.root);
  }
  EXPECT_TRUE(d.enter(d.root, {}).empty());
}

// ---------------------------------------------------------------------------------------------- checked again

TEST(Kernel, AfterAYesEverythingIsCheckedAgain) {
  Driver d;
  EXPECT_EQ(d.ask(d.root, gated(read("look"), GateOpinion::kAsk)), "ask gate.ask");
  CallId const asked = d.last;
  d.times(2, read("look"));
  EXPECT_EQ(d.answer(asked, Permission::kAllow), (Texts{"block repeat.exact 3/3 #3"}));
  EXPECT_FALSE(d.kernel.has_live(asked));

  Driver e;
  (void)e.ask(e.root, gated(read("look"), GateOpinion::kAsk));
  CallId const late = e.last;
  e.kernel.cancel(e.root);
  EXPECT_EQ(e.answer(late, Permission::kAllow), (Texts{"deny stopped stop"}));
}

TEST(Kernel, ANoAndNoAnswerAreBothRefusalsWithTheirOwnCodes) {
  Driver d;
  (void)d.ask(d.root, gated(write("send", "1"), GateOpinion::kAsk));
  EXPECT_EQ(d.answer(d.last, Permission::kDeny), (Texts{"deny gate.deny"}));
  (void)d.ask(d.root, gated(write("send", "2"), GateOpinion::kAsk));
  EXPECT_EQ(d.answer(d.last, Permission::kTimeout), (Texts{"deny gate.timeout"}));
}

TEST(Kernel, AnAnswerToACallWhoseFrameHasStoppedMeanwhileIsTooLate) {
  Driver d;
  FrameId const child = d.open(d.root, delegate("task"), "helper");
  (void)d.ask(child, gated(write("send"), GateOpinion::kAsk));
  CallId const asked = d.last;
  d.kernel.cancel(d.root);
  EXPECT_EQ(d.answer(asked, Permission::kAllow), (Texts{"deny stopped stop"}));
}

// ---------------------------------------------------------------------------------------------- stop

TEST(Kernel, AStopReachesEverythingBelowAndNothingBeside) {
  Driver d(limited(Scope::kRun, Meter::kTurns, kUnlimited));
  std::vector<CallVerdict> const round = d.enter(d.root, {delegate("task", "1"), delegate("task", "2")});
  FrameId const a = d.open(round[0].call, "a");
  FrameId const b = d.open(round[1].call, "b");
  FrameId const below_a = d.open(a, delegate("task", "3"), "c");
  d.kernel.cancel(a);
  for (FrameId const f : {a, below_a}) {
    EXPECT_EQ(d.ask(f, read("ls")), "deny stopped stop");
    EXPECT_EQ(d.turn(f), "stop stopped");
  }
  EXPECT_EQ(d.ask(b, read("ls")), "run");
  EXPECT_EQ(d.turn(), "go");
  d.kernel.cancel(d.root);
  EXPECT_EQ(d.ask(b, read("cat")), "deny stopped stop");
  EXPECT_EQ(d.ask(d.root, read("cat")), "deny stopped stop");
  EXPECT_EQ(end_reason(d.kernel.standing(d.root).why), "stopped");
}

TEST(Kernel, AStopAlsoBindsAgentsThatAreOpenedAfterwards) {
  Driver d;
  (void)d.ask(d.root, delegate("task", "1"));
  CallId const running = d.last;
  d.kernel.cancel(d.root);
  FrameId const late = d.open(running, "late");
  EXPECT_EQ(d.turn(late), "stop stopped");
}

TEST(Kernel, AStopIsAStopAlsoForWhoOnlyObserves) {
  Settings s = plain();
  s.ladder.observe = true;
  Driver d(s);
  d.kernel.cancel(d.root);
  EXPECT_EQ(d.ask(d.root, read("ls")), "deny stopped stop");
  EXPECT_EQ(d.turn(), "stop stopped");
}

TEST(Kernel, APersonsMessageStartsTheRootAgainAndLeavesStoppedAgentsStopped) {
  Driver d(limited(Scope::kRun, Meter::kTurns, kUnlimited));
  FrameId const child = d.open(d.root, delegate("task"), "helper");
  d.kernel.cancel(d.root);
  d.kernel.person_spoke(d.now);
  EXPECT_EQ(d.ask(d.root, read("ls")), "run");
  EXPECT_EQ(d.ask(child, read("ls")), "deny stopped stop");
}

// ---------------------------------------------------------------------------------------------- messages

TEST(Kernel, APersonsMessageResetsEveryCountAndAnAutomaticOneIsOnlyAChange) {
  Driver d;
  d.times(2, read("ls"));
  d.kernel.person_spoke(d.now);
  EXPECT_EQ(d.times(3, read("ls")), (Texts{"run", "run", "block repeat.exact 3/3 #4 refuse"}));
  Driver e;
  e.times(2, read("ls"));
  e.kernel.automatic_message();
  EXPECT_EQ(e.times(2, read("ls")), (Texts{"run", "block repeat.exact 3/3 #3 refuse"}));
}

TEST(Kernel, AnAgentThatWasPressedWorksAgainAfterAPersonsMessage) {
  Driver d(limited(Scope::kRun, Meter::kTurns, kUnlimited));
  FrameId const child = d.open(d.root, delegate("task"), "helper");
  for (int i = 0; i < 4; ++i) d.run(child, read("ls"));
  EXPECT_EQ(d.kernel.standing(child).state, FrameState::kPressed);
  d.kernel.person_spoke(d.now);
  EXPECT_EQ(d.kernel.standing(child).state, FrameState::kWorking);
  EXPECT_EQ(d.kernel.standing(child).why, Code::kNone);
}

// ---------------------------------------------------------------------------------------------- compaction

std::string compact(Driver& d, bool freed, std::vector<CallId> const& dropped = {}) {
  return text(d.kernel.compacted(d.root, dropped, freed));
}

TEST(Kernel, TheSecondCompactionInARowThatFreesNothingIsRefused) {
  Driver d;
  EXPECT_EQ(compact(d, false), "run");
  EXPECT_EQ(compact(d, false), "block compact.no_gain 2/2");
  EXPECT_EQ(compact(d, false), "block compact.no_gain 3/2");
  EXPECT_EQ(compact(d, true), "run");
  EXPECT_EQ(compact(d, false), "run");
  d.run(read("ls"));
  EXPECT_EQ(compact(d, false), "run") << "there was work in between";
  Settings off = plain();
  off.repeat.compact = 0;
  Driver e(off);
  for (int i = 0; i < 9; ++i) EXPECT_EQ(compact(e, false), "run");
}

TEST(Kernel, AResultThatIsGoneFromTheViewMayBeAskedForAgain) {
  Driver d;
  d.times(2, read("ls"));
  compact(d, true, {CallId{1}});
  EXPECT_EQ(d.run(read("ls")), "block repeat.exact 3/3 #2 refuse") << "the second copy is still in view";
  compact(d, true, {CallId{2}});
  EXPECT_EQ(d.run(read("ls")), "run");
}

TEST(Kernel, DroppingTheTextOfARefusalOrTheSameResultTwiceForgetsNothing) {
  Driver d;
  d.times(3, read("ls"));
  compact(d, true, {CallId{3}, CallId{3}, CallId{1}, CallId{1}, CallId{77}, CallId{0}});
  EXPECT_EQ(d.run(read("ls")), "block repeat.exact 4/3 #2 final");
}

// ---------------------------------------------------------------------------------------------- hooks

std::string hook(Driver& d, std::string_view what = "tests must pass") {
  return text(d.kernel.hook_blocks(d.root, named(what)));
}

TEST(Kernel, AHookThatKeepsTheTurnFromEndingWithNothingChangedIsOverriddenAtTheThird) {
  Driver d;
  EXPECT_EQ(hook(d), "run");
  EXPECT_EQ(hook(d), "run");
  EXPECT_EQ(hook(d), "suppress repeat.hook 3/3");
  EXPECT_EQ(hook(d, "another reason"), "run");
}

TEST(Kernel, AHookWithWorkInBetweenIsHonest) {
  Driver d;
  for (int i = 0; i < 9; ++i) {
    EXPECT_EQ(hook(d), "run");
    d.run(write("edit", std::to_string(i)));
  }
}

TEST(Kernel, TheLimitOfAHookMayBeSetAndSwitchedOff) {
  Settings s = plain();
  s.limits.hook_blocks = 1;
  Driver strict_one(s);
  EXPECT_EQ(hook(strict_one), "suppress repeat.hook 1/1");
  s.limits.hook_blocks = -1;
  Driver free_one(s);
  for (int i = 0; i < 9; ++i) EXPECT_EQ(hook(free_one), "run");
}

// ---------------------------------------------------------------------------------------------- results

TEST(Kernel, AResultThatIsTheAnswerSaysSoUnlessItFailed) {
  Driver d;
  CallFacts call = read("answer");
  call.terms.returns_direct = true;
  (void)d.ask(d.root, call);
  EXPECT_FALSE(d.kernel.leave(d.last, error(), d.now).answers);
  (void)d.ask(d.root, call);
  EXPECT_TRUE(d.kernel.leave(d.last, ok(), d.now).answers);
  (void)d.ask(d.root, read("look"));
  EXPECT_FALSE(d.kernel.leave(d.last, ok(), d.now).answers);
}

TEST(Kernel, AnAgentEndsWithTheCallThatStartedItAndWithEverythingBelow) {
  Driver d(limited(Scope::kRun, Meter::kTurns, kUnlimited));
  FrameId const child = d.open(d.root, delegate("task", "1"), "a");
  CallId const opener = d.last;
  FrameId const below = d.open(child, delegate("task", "2"), "b");
  (void)d.ask(below, read("ls"));
  CallId const running = d.last;
  (void)d.leave(opener);
  EXPECT_FALSE(d.kernel.has_frame(child));
  EXPECT_FALSE(d.kernel.has_frame(below));
  EXPECT_FALSE(d.kernel.has_live(running));
  EXPECT_TRUE(d.kernel.has_frame(d.root));
}

TEST(Kernel, ObservingCountsWhatItWouldHaveRefused) {
  Settings s = limited(Scope::kRun, Meter::kCalls, 4);
  s.ladder.observe = true;
  Driver d(s);
  d.times(4, read("ls"));
  EXPECT_EQ(d.left(Meter::kCalls), 0);
  EXPECT_EQ(d.kernel.executed_calls(), 4);
  EXPECT_EQ(d.run(read("cat")), "block budget.calls 5/4 observed");
  EXPECT_EQ(d.kernel.executed_calls(), 5);
}

// ---------------------------------------------------------------------------------------------- words

TEST(Kernel, EveryCodeHasATextOfItsOwn) {
  std::set<std::string_view> seen;
  for (std::size_t i = 1; i < kCodes; ++i) {
    std::string_view const name = code_text(static_cast<Code>(i));
    EXPECT_FALSE(name.empty());
    EXPECT_TRUE(seen.insert(name).second) << name;
  }
}

TEST(Kernel, EndsFollowFromTheCode) {
  for (std::size_t i = 0; i < kCodes; ++i) {
    auto const code = static_cast<Code>(i);
    std::string const name(code_text(code));
    std::string_view const end = end_reason(code);
    bool const loop = name.starts_with("repeat.") || name.starts_with("delegate.") || name == "livelock";
    if (loop) {
      EXPECT_EQ(end, "no_progress") << name;
    } else if (name == "budget.turns") {
      EXPECT_EQ(end, "max_turns");
    } else if (name.starts_with("budget.")) {
      EXPECT_EQ(end, "budget") << name;
    } else if (name == "stopped") {
      EXPECT_EQ(end, "stopped");
    }
  }
}

}  // namespace
}  // namespace backedge::kernel
