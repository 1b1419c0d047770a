// Rules exact, effect and poll: the same call again, with nothing changed.
#include "kernel/exact.h"

#include <chrono>

#include <gtest/gtest.h>

#include "support/one_frame.h"

namespace backedge::kernel {
namespace {

using namespace std::chrono_literals;
using namespace support;  // NOLINT(google-build-using-namespace): the words of the tests

Repeat only_exact() {
  Repeat r = all_off();
  r.exact = 3;
  r.exact_error = 4;
  return r;
}

Repeat only_poll() {
  Repeat r = all_off();
  r.poll_warn = 10;
  r.poll = 15;
  return r;
}

// ---------------------------------------------------------------------------------------------- exact

TEST(Exact, ActsAtTheThirdWithoutAWarningBefore) {
  OneFrame frame(only_exact());
  EXPECT_EQ(frame.times(4, read("ls", "/")), (Texts{"-", "-", "act repeat.exact 3/3 #2", "act repeat.exact 3/3 #2"}));
}

TEST(Exact, AFailingCallHasThreeHonestTriesAndActsAtTheFourth) {
  OneFrame frame(only_exact());
  EXPECT_EQ(frame.times(4, read("get", "x"), error()), (Texts{"-", "-", "-", "act repeat.exact 4/4 #3"}));
}

TEST(Exact, ThePolicyMayAskForAWarningBefore) {
  Repeat rule = only_exact();
  rule.exact_warn = 2;
  OneFrame frame(rule);
  EXPECT_EQ(frame.times(3, read("ls", "/")), (Texts{"-", "warn repeat.exact 2/3 #1", "act repeat.exact 3/3 #2"}));
}

TEST(Exact, OtherCallsInBetweenAreAllowed) {
  OneFrame frame(only_exact());
  EXPECT_EQ(frame.steps({{read("ls", "/"), ok()},
                         {read("cat", "a"), ok()},
                         {read("ls", "/"), ok()},
                         {read("cat", "b"), ok()},
                         {read("ls", "/"), ok()}}),
            (Texts{"-", "-", "-", "-", "act repeat.exact 3/3 #3"}));
}

TEST(Exact, AnotherOutcomeOfTheSameKeyResets) {
  OneFrame frame(only_exact());
  EXPECT_EQ(frame.steps({{read("ls", "/"), ok("a")}, {read("ls", "/"), ok("a")}, {read("cat", "x"), ok()}}),
            (Texts{"-", "-", "-"}));
  EXPECT_EQ(frame.step(read("ls", "/"), ok("b")), "act repeat.exact 3/3 #2")
      << "the answer is not known before it is asked";
  OneFrame other(only_exact());
  EXPECT_EQ(other.steps({{read("ls", "/"), ok("a")},
                         {read("ls", "/"), ok("b")},
                         {read("ls", "/"), ok("a")},
                         {read("ls", "/"), ok("a")},
                         {read("ls", "/"), ok("a")}}),
            (Texts{"-", "-", "-", "-", "act repeat.exact 3/3 #4"}));
}

TEST(Exact, APersonsMessageResets) {
  OneFrame frame(only_exact());
  EXPECT_EQ(frame.times(2, read("ls", "/")), (Texts{"-", "-"}));
  frame.rules().reset();
  EXPECT_EQ(frame.times(3, read("ls", "/")), (Texts{"-", "-", "act repeat.exact 3/3 #4"}));
}

TEST(Exact, AChangeSkipsOneCount) {
  OneFrame frame(only_exact());
  EXPECT_EQ(frame.steps({{read("test", "all"), ok("1 failed")},
                         {write("edit", "1"), ok()},
                         {read("test", "all"), ok("1 failed")},
                         {read("test", "all"), ok("1 failed")},
                         {read("test", "all"), ok("1 failed")}}),
            (Texts{"-", "-", "-", "-", "act repeat.exact 3/3 #4"}));
}

TEST(Exact, AChangeExcusesTheCallThatWouldHaveBeenActedOn) {
  OneFrame frame(only_exact());
  EXPECT_EQ(frame.steps({{read("test", "all"), ok()},
                         {read("test", "all"), ok()},
                         {write("edit", "1"), ok()},
                         {read("test", "all"), ok()},
                         {read("test", "all"), ok()}}),
            (Texts{"-", "-", "-", "-", "act repeat.exact 3/3 #4"}));
}

struct ChangeRow {
  char const* title;
  Step between;
  bool excuses;
};

TEST(Exact, OnlyWhatMayHaveChangedSomethingExcuses) {
  ChangeRow const rows[] = {
      {"a write", {write("edit", "1"), ok()}, true},
      {"a call of unknown effect", {unknown("shell", "make"), ok()}, true},
      {"a delegation", {delegate("task", "do it"), ok()}, true},
      {"declared elapsed time", {wait("sleep", "5"), ok()}, true},
      {"a read", {read("cat", "a"), ok()}, false},
      {"a poll", {poll("status"), ok()}, false},
      {"a write that failed", {write("edit", "1"), error()}, false},
      {"a wait that failed", {wait("sleep", "5"), error()}, false},
      {"a write of another thing", {touching(write("edit", "1"), {"b"}), ok()}, false},
      {"a write of the same thing", {touching(write("edit", "1"), {"a"}), ok()}, true},
  };
  for (ChangeRow const& row : rows) {
    OneFrame frame(only_exact());
    CallFacts const asks = touching(read("cat", "a"), {"a"});
    frame.times(2, asks);
    frame.step(row.between.call, row.between.result);
    EXPECT_EQ(frame.step(asks), row.excuses ? "-" : "act repeat.exact 3/3 #2") << row.title;
  }
}

TEST(Exact, AWriteThatGivesTheSameAnswerAgainIsNoChange) {
  OneFrame frame(only_exact());
  EXPECT_EQ(frame.steps({{write("edit", "1"), ok()},
                         {read("test"), ok()},
                         {write("edit", "1"), ok()},
                         {read("test"), ok()},
                         {read("test"), ok()}}),
            (Texts{"-", "-", "-", "-", "act repeat.exact 3/3 #4"}));
}

TEST(Exact, AWriteThatReturnsToAnAnswerItGaveBeforeIsNoChange) {
  OneFrame frame(only_exact());
  EXPECT_EQ(frame.steps({{write("toggle"), ok("on")},
                         {write("toggle"), ok("off")},
                         {read("look"), ok()},
                         {write("toggle"), ok("on")},
                         {read("look"), ok()},
                         {write("toggle"), ok("off")},
                         {read("look"), ok()}}),
            (Texts{"-", "-", "-", "-", "-", "-", "act repeat.exact 3/3 #5"}));
}

TEST(Exact, AnAutomaticMessageIsAChange) {
  OneFrame frame(only_exact());
  frame.times(2, read("ls"));
  frame.rules().note_change();
  EXPECT_EQ(frame.times(2, read("ls")), (Texts{"-", "act repeat.exact 3/3 #3"}));
}

TEST(Exact, ARoundCountsOnce) {
  OneFrame frame(only_exact());
  Step const one{unknown("test", "all"), ok()};
  EXPECT_EQ(frame.round({one, one, one}), (Texts{"-", "-", "-"}));
  EXPECT_EQ(frame.round({one, one, one}), (Texts{"-", "-", "-"}));
  EXPECT_EQ(frame.round({one}), (Texts{"act repeat.exact 3/3 #6"}));
}

TEST(Exact, AnIdempotentDuplicateInTheRoundJoinsTheRunningCall) {
  OneFrame frame(only_exact());
  Step const one{idempotent(read("cat", "a"), true), ok()};
  Step const other{idempotent(read("cat", "b"), true), ok()};
  EXPECT_EQ(frame.round({one, other, one, one}),
            (Texts{"-", "-", "act joins repeat.exact 2/2 #1", "act joins repeat.exact 2/2 #1"}));
}

TEST(Exact, ThresholdZeroSwitchesItOffAlsoWithinTheRound) {
  OneFrame frame(all_off());
  Step const one{idempotent(read("cat", "a"), true), ok()};
  EXPECT_EQ(frame.round({one, one}), (Texts{"-", "-"}));
  EXPECT_EQ(frame.times(20, read("ls")), Texts(20, "-"));
}

TEST(Exact, CompactionOfTheLastVisibleCopyRestartsTheCount) {
  OneFrame frame(only_exact());
  frame.times(2, read("ls"));
  frame.rules().forget_visible(read("ls").key);
  EXPECT_EQ(frame.times(1, read("ls")), (Texts{"act repeat.exact 3/3 #2"})) << "one copy is still in view";
  frame.rules().forget_visible(read("ls").key);
  EXPECT_EQ(frame.times(3, read("ls")), (Texts{"-", "-", "act repeat.exact 3/3 #5"}));
}

TEST(Exact, AWriteSeenAgainAfterCompactionIsStillNoChange) {
  OneFrame frame(only_exact());
  frame.step(write("edit", "1"));
  frame.rules().forget_visible(write("edit", "1").key);
  frame.times(2, read("test"));
  frame.step(write("edit", "1"));
  EXPECT_EQ(frame.step(read("test")), "act repeat.exact 3/3 #3");
}

// ---------------------------------------------------------------------------------------------- refused calls

std::string refused_then(OneFrame& frame, CallFacts const& call, Code why) {
  CallFacts const calls[] = {call};
  frame.rules().begin_round(calls, frame.rule());
  std::string const said = text(frame.rules().propose(call, CallId{}, frame.rule(), frame.now()));
  frame.rules().record_refusal(call, why, CallId{900}, frame.rules().round());
  return said;
}

TEST(Exact, RefusedCallsCountLikeFailures) {
  OneFrame frame(only_exact());
  CallFacts const call = write("send", "a");
  for (int i = 0; i < 3; ++i) EXPECT_EQ(refused_then(frame, call, Code::kGateDeny), "-");
  EXPECT_EQ(refused_then(frame, call, Code::kGateDeny), "act repeat.exact 4/4 #900");
}

TEST(Exact, ARefusalForAnotherReasonStartsItsOwnCount) {
  OneFrame frame(only_exact());
  CallFacts const call = write("send", "a");
  for (int i = 0; i < 3; ++i) refused_then(frame, call, Code::kGateDeny);
  for (int i = 0; i < 2; ++i) refused_then(frame, call, Code::kBudgetCalls);
  EXPECT_EQ(refused_then(frame, call, Code::kBudgetCalls), "-");
  EXPECT_EQ(refused_then(frame, call, Code::kBudgetCalls), "act repeat.exact 4/4 #900");
}

TEST(Exact, ARefusalNeverBecomesTheReasonToAllow) {
  OneFrame frame(only_exact());
  CallFacts const call = read("ls", "/");
  frame.times(2, call);
  refused_then(frame, call, Code::kGateDeny);
  EXPECT_EQ(frame.step(call), "act repeat.exact 3/3 #2");
}

TEST(Exact, ARefusedWriteThatRunsAgainWithItsOldAnswerIsNoChange) {
  OneFrame frame(only_exact());
  frame.step(write("edit", "1"));
  frame.times(2, read("test"));
  refused_then(frame, write("edit", "1"), Code::kGateDeny);
  frame.step(write("edit", "1"));
  EXPECT_EQ(frame.step(read("test")), "act repeat.exact 3/3 #3");
}

// ---------------------------------------------------------------------------------------------- effect

Repeat only_effect() {
  Repeat r = all_off();
  r.effect = 2;
  return r;
}

CallFacts sending(std::string_view to, std::string_view words) {
  return about(idempotent(write("send", words), false), to);
}

TEST(Effect, TheSameIdentityOfACallThatHarmsTwiceActsAtTheSecond) {
  OneFrame frame(only_effect());
  EXPECT_EQ(frame.steps({{sending("bob", "hello"), ok("1")},
                         {sending("eve", "hello"), ok("2")},
                         {sending("bob", "hello!"), ok("3")}}),
            (Texts{"-", "-", "act repeat.effect 2/2 #1"}));
}

TEST(Effect, AFailureHasHadNoEffect) {
  OneFrame frame(only_effect());
  EXPECT_EQ(frame.steps({{sending("bob", "1"), error()}, {sending("bob", "2"), ok()}, {sending("bob", "3"), ok()}}),
            (Texts{"-", "-", "act repeat.effect 2/2 #2"}));
}

TEST(Effect, AChangeInBetweenDoesNotExcuseIt) {
  OneFrame frame(only_effect());
  EXPECT_EQ(frame.steps({{sending("bob", "1"), ok()}, {write("edit"), ok()}, {sending("bob", "1"), ok()}}),
            (Texts{"-", "-", "act repeat.effect 2/2 #1"}));
}

TEST(Effect, NeverAppliesToReadsOrUndeclaredTools) {
  for (CallFacts const& c : {idempotent(read("cat", "a"), false), write("send", "a"), unknown("shell", "a"),
                             idempotent(write("put", "a"), true)}) {
    OneFrame frame(only_effect());
    EXPECT_EQ(frame.times(9, c), Texts(9, "-"));
  }
}

TEST(Effect, TwiceInOneRoundIsHarmToo) {
  OneFrame frame(only_effect());
  Step const one{sending("bob", "1"), ok()};
  EXPECT_EQ(frame.round({one, one}), (Texts{"-", "act repeat.effect 2/2 #1"}));
}

TEST(Effect, TheSameIdentityInOtherWordsInOneRoundIsHarmToo) {
  OneFrame frame(only_effect());
  EXPECT_EQ(frame.round({{sending("bob", "1"), ok()}, {sending("bob", "2"), ok()}, {sending("eve", "1"), ok()}}),
            (Texts{"-", "act repeat.effect 2/2 #1", "-"}));
}

TEST(Effect, APersonMayAskForItAgain) {
  OneFrame frame(only_effect());
  frame.step(sending("bob", "1"));
  frame.rules().reset();
  EXPECT_EQ(frame.times(2, sending("bob", "1")), (Texts{"-", "act repeat.effect 2/2 #2"}));
}

TEST(Effect, AHigherThresholdAllowsThatManyEffects) {
  Repeat rule = only_effect();
  rule.effect = 3;
  OneFrame frame(rule);
  EXPECT_EQ(frame.times(3, sending("bob", "1")), (Texts{"-", "-", "act repeat.effect 3/3 #2"}));
}

// ---------------------------------------------------------------------------------------------- poll and wait

TEST(Poll, AFrozenPollIsNotedAtTheTenthAndActedOnAtTheFifteenth) {
  for (CallFacts const& c : {poll("status", "1"), wait("tail", "1")}) {
    OneFrame frame(only_poll());
    Texts const said = frame.times(15, c, ok("running"));
    EXPECT_EQ(Texts(said.begin(), said.begin() + 9), Texts(9, "-"));
    EXPECT_EQ(said[9], "warn repeat.poll 10/15 #9");
    EXPECT_EQ(said[13], "warn repeat.poll 14/15 #13");
    EXPECT_EQ(said[14], "act repeat.poll 15/15 #14");
  }
}

TEST(Poll, AnOutcomeThatMovesStartsTheCountAnew) {
  OneFrame frame(only_poll());
  frame.times(14, poll("status"), ok("running"));
  OneFrame moved(only_poll());
  moved.times(13, poll("status"), ok("10 %"));
  moved.step(poll("status"), ok("20 %"));
  EXPECT_EQ(frame.step(poll("status"), ok("running")), "act repeat.poll 15/15 #14");
  EXPECT_EQ(moved.times(8, poll("status"), ok("20 %")), Texts(8, "-"));
}

TEST(Poll, AskedBeforeTheIntervalIsOverIsNoOccurrence) {
  Repeat rule = only_poll();
  rule.poll_warn = 0;
  rule.poll = 3;
  CallFacts slow = poll("status");
  slow.terms.min_interval = 10s;
  OneFrame hasty(rule);
  hasty.pace(1s);
  EXPECT_EQ(hasty.times(20, slow, ok("running")), Texts(20, "-")) << "twenty looks within twenty seconds are two";
  OneFrame patient(rule);
  patient.pace(10s);
  EXPECT_EQ(patient.times(3, slow, ok("running")), (Texts{"-", "-", "act repeat.poll 3/3 #2"}));
}

TEST(Poll, WorkInBetweenExcusesButElapsedTimeDoesNot) {
  Repeat rule = only_poll();
  rule.poll_warn = 0;
  rule.poll = 3;
  OneFrame worked(rule);
  worked.times(2, poll("status"), ok("running"));
  worked.step(write("edit"), ok());
  EXPECT_EQ(worked.step(poll("status"), ok("running")), "-");
  OneFrame slept(rule);
  slept.times(2, poll("status"), ok("running"));
  slept.step(wait("sleep"), ok());
  EXPECT_EQ(slept.step(poll("status"), ok("running")), "act repeat.poll 3/3 #2");
}

TEST(Poll, WorkOnAnotherDeclaredThingDoesNotExcuse) {
  Repeat rule = only_poll();
  rule.poll_warn = 0;
  rule.poll = 3;
  OneFrame frame(rule);
  CallFacts const build = touching(poll("status"), {"build"});
  frame.times(2, build, ok("running"));
  frame.step(touching(write("edit"), {"notes"}), ok());
  EXPECT_EQ(frame.step(build, ok("running")), "act repeat.poll 3/3 #2");
  frame.step(touching(write("start"), {"build"}), ok());
  EXPECT_EQ(frame.step(build, ok("running")), "-");
}

TEST(Poll, ThresholdZeroSwitchesItOff) {
  OneFrame frame(all_off());
  EXPECT_EQ(frame.times(30, poll("status"), ok("running")), Texts(30, "-"));
}

// ---------------------------------------------------------------------------------------------- many keys

TEST(Exact, KeepsWorkingBeyondTheMostKeysOfAFrame) {
  OneFrame frame(only_exact());
  CallFacts const old = read("ls", "old");
  frame.times(2, old);
  for (std::uint32_t n = 0; n < KeyTable::kMaxKeys + 5; ++n) frame.step(read("cat", std::to_string(n)));
  EXPECT_EQ(frame.step(old), "-") << "what was forgotten is judged mildly";
  Texts const said = frame.times(3, read("ls", "new"));
  EXPECT_EQ(said[0], "-");
  EXPECT_EQ(said[1], "-");
  EXPECT_EQ(said[2].substr(0, 20), "act repeat.exact 3/3");
}

}  // namespace
}  // namespace backedge::kernel
