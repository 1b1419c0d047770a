// May this call stand on this path? By contract, by target, by depth, by what is being written, by what is handed on.
#include "kernel/reentry.h"

#include <gtest/gtest.h>

#include "support/driver.h"

namespace backedge::kernel {
namespace {

using namespace support;  // NOLINT(google-build-using-namespace): the words of the tests

CallFacts with_reentry(CallFacts call, Reentry reentry, std::uint16_t max_depth = 5, bool depth_declared = false) {
  call.terms.reentry = reentry;
  call.terms.reentry_declared = true;
  call.terms.max_depth = max_depth;
  call.terms.max_depth_declared = depth_declared;
  return call;
}

// ---------------------------------------------------------------------------------------------- by contract

struct ContractRow {
  char const* title;
  Reentry reentry;
  std::uint16_t max_depth;
  bool depth_declared;
  Texts said;  // of calls f(0), f(1) below it, then f(1) again below that, …
};

TEST(Reentry, B2_AToolOnItsOwnPathIsTreatedByItsContract) {
  ContractRow const rows[] = {
      {"forbid", Reentry::kForbid, 5, false, {"run", "block reentry.cycle 2/1 #1"}},
      {"distinct", Reentry::kDistinct, 5, false, {"run", "run", "block reentry.cycle 3/1 #2"}},
      {"distinct, capped", Reentry::kDistinct, 1, false, {"run", "block reentry.depth 2/1 #1"}},
      {"bounded", Reentry::kBounded, 3, false, {"run", "run", "run", "block reentry.depth 4/3 #3"}},
      {"allow", Reentry::kAllow, 1, false, {"run", "run", "run", "run", "run", "run", "run"}},
      {"allow, with a declared cap", Reentry::kAllow, 2, true, {"run", "run", "block reentry.depth 3/2 #2"}},
  };
  for (ContractRow const& row : rows) {
    Driver d;
    FrameId at = d.root;
    for (std::size_t i = 0; i < row.said.size(); ++i) {
      CallFacts const call =
          with_reentry(unknown("f", i == 0 ? "0" : "1"), row.reentry, row.max_depth, row.depth_declared);
      std::string const said = d.ask(at, call);
      EXPECT_EQ(said, row.said[i]) << row.title << ", level " << i;
      if (said == "run") at = d.open(d.last);
    }
  }
}

TEST(Reentry, B2_WhatMustShrinkIsHeldAgainstTheActivationThatItReEnters) {
  struct Row {
    char const* title;
    std::vector<std::int64_t> measures;  // of the calls, each below the one before; kNoMeasure: none
    std::string last;
  };
  Row const rows[] = {
      {"smaller each time", {8, 4, 2, 0}, "run"},
      {"the same", {8, 8}, "block reentry.growing 8/8 #1"},
      {"bigger than the one above, though less than the first", {8, 4, 6}, "block reentry.growing 6/4 #2"},
      {"it does not say", {8, kNoMeasure}, "block reentry.growing -1/8 #1"},
      {"the one above did not say", {kNoMeasure, 3}, "block reentry.growing 3/-1 #1"},
      {"smaller, but deeper than the cap", {9, 8, 7, 6, 5, 4}, "block reentry.depth 6/5 #5"},
  };
  for (Row const& row : rows) {
    Driver d;
    FrameId at = d.root;
    std::string said;
    for (std::int64_t const measure : row.measures) {
      if (said == "run") at = d.open(d.last);
      CallFacts call = with_reentry(unknown("f", std::to_string(measure)), Reentry::kBounded);
      call.terms.decreases = true;
      call.measure = measure;
      said = d.ask(at, call);
    }
    EXPECT_EQ(said, row.last) << row.title;
  }
}

TEST(Reentry, B2_AnUndeclaredToolThatOpensAgentsIsTreatedAsWhatItOpens) {
  Driver d;
  FrameId const in = d.open(d.root, unknown("f", "0"));
  EXPECT_EQ(d.ask(in, unknown("f", "0")), "block reentry.cycle 2/1 #1") << "itself about the same thing";
  FrameId at = in;
  for (int i = 1; i < 5; ++i) at = d.open(at, unknown("f", std::to_string(i)));
  EXPECT_EQ(d.ask(at, unknown("f", "5")).substr(0, 23), "block reentry.depth 6/5")
      << "itself about other things, up to the cap";
  FrameId const other = d.open(in, unknown("g", "0"));
  EXPECT_EQ(d.ask(other, unknown("f", "9")), "block reentry.cycle 2/1 #1")
      << "back to a function above through another";
}

TEST(Reentry, B2_AnUndeclaredDispatcherOfNamedAgentsMayStandAboveItself) {
  Driver d;
  FrameId const a = d.open(d.root, unknown("dispatch", "0"), "a");
  FrameId const helper = d.open(a, unknown("run_helper", "0"), "helper");
  EXPECT_EQ(d.ask(helper, unknown("dispatch", "1")), "run");
  EXPECT_EQ(d.ask(helper, unknown("dispatch", "0")), "block reentry.cycle 2/1 #1");
}

TEST(Reentry, ACallThatOpensNoFrameIsNotOnThePath) {
  Driver d;
  EXPECT_EQ(d.ask(d.root, unknown("f", "0")), "run");
  EXPECT_EQ(d.ask(d.root, unknown("f", "1")), "run");
}

TEST(Reentry, SiblingsAreNotOnEachOthersPath) {
  Driver d;
  std::vector<CallVerdict> const round = d.enter(d.root, {unknown("f", "0"), unknown("g", "0")});
  FrameId const in_f = d.open(round[0].call);
  FrameId const in_g = d.open(round[1].call);
  EXPECT_EQ(d.ask(in_f, unknown("g", "0")), "run");
  EXPECT_EQ(d.ask(in_g, unknown("f", "0")), "run");
  EXPECT_EQ(d.ask(in_g, unknown("g", "0")), "block reentry.cycle 2/1 #2");
}

TEST(Reentry, A6_FromOneToAnotherAndBackIsFoundAtTheFirstBackEdge) {
  Driver d;
  FrameId const in_a = d.open(d.root, unknown("a", "order 1"));
  FrameId const in_b = d.open(in_a, unknown("b", "order 1"));
  EXPECT_EQ(d.ask(in_b, unknown("a", "order 1")), "block reentry.cycle 2/1 #1");
  CallVerdict const v = d.enter(in_b, {unknown("a", "order 2")}).front();
  EXPECT_EQ(v.evidence.frame, in_a) << "the frame that would be re-entered";
}

TEST(Reentry, B3_TheRefusalNamesTheActivationOnThePath) {
  Driver d;
  FrameId at = d.root;
  for (int i = 0; i < 3; ++i) at = d.open(at, with_reentry(unknown("f", std::to_string(i)), Reentry::kDistinct));
  CallVerdict const v = d.enter(at, {with_reentry(unknown("f", "1"), Reentry::kDistinct)}).front();
  EXPECT_EQ(text(v), "block reentry.cycle 4/1 #2") << "the one with the same identity, not the nearest";
}

// ---------------------------------------------------------------------------------------------- depth per name

TEST(Reentry, A5_TheBodyRunsFiveTimesAndTheSixthEntryFailsWithNumberAndLimit) {
  Driver d;
  FrameId at = d.root;
  Texts said;
  for (int i = 0; i < 6; ++i) {
    said.push_back(d.ask(at, with_reentry(unknown("f", std::to_string(i)), Reentry::kBounded)));
    if (said.back() == "run") at = d.open(d.last);
  }
  EXPECT_EQ(said, (Texts{"run", "run", "run", "run", "run", "block reentry.depth 6/5 #5"}));
}

TEST(Reentry, A5_NamesCountIndependently) {
  Driver d;
  FrameId at = d.root;
  for (int i = 0; i < 10; ++i) {
    CallFacts const call = with_reentry(unknown(i % 2 == 0 ? "f" : "g", std::to_string(i)), Reentry::kBounded);
    ASSERT_EQ(d.ask(at, call), "run") << i;
    at = d.open(d.last);
  }
  EXPECT_EQ(d.ask(at, with_reentry(unknown("f", "x"), Reentry::kBounded)), "block reentry.depth 6/5 #9");
  EXPECT_EQ(d.ask(at, with_reentry(unknown("h", "x"), Reentry::kBounded)), "run");
}

TEST(Reentry, A5_TheCountIsRestoredAfterReturnFailureAndCancellation) {
  for (ResultStatus const status :
       {ResultStatus::kOk, ResultStatus::kError, ResultStatus::kCancelled, ResultStatus::kTimeout}) {
    Driver d;
    CallFacts const f = with_reentry(unknown("f", "0"), Reentry::kBounded, 1);
    for (int i = 0; i < 3; ++i) {
      FrameId const in = d.open(d.root, with_reentry(unknown("f", std::to_string(i)), Reentry::kBounded, 1));
      CallId const opener = d.last;
      EXPECT_EQ(d.ask(in, f), "block reentry.depth 2/1 #" + std::to_string(opener.value));
      (void)d.leave(opener, result(status, std::to_string(i)));
    }
  }
}

TEST(Reentry, A6_ARefusedEntryLeavesNothingBehind) {
  Driver d;
  FrameId const in = d.open(d.root, unknown("f", "0"));
  EXPECT_EQ(d.ask(in, unknown("f", "0")), "block reentry.cycle 2/1 #1");
  EXPECT_FALSE(d.kernel.has_live(d.last));
  EXPECT_FALSE(d.kernel.runs(d.last)) << "it can open no frame and be no parent";
  EXPECT_EQ(d.kernel.frames().count(), 2U);
  EXPECT_EQ(d.ask(in, unknown("g", "1")), "run");
}

// ---------------------------------------------------------------------------------------------- agents

TEST(Reentry, AnAgentMayCallItselfForAnotherThingUpToTheDepth) {
  Driver d;
  FrameId at = d.open(d.root, delegate("task", "0", "planner"), "planner");
  for (int i = 1; i < 5; ++i) {
    ASSERT_EQ(d.ask(at, delegate("task", std::to_string(i), "planner")), "run") << i;
    at = d.open(d.last, "planner");
  }
  EXPECT_EQ(d.ask(at, delegate("task", "2", "planner")), "block reentry.cycle 6/1 #3");
  EXPECT_EQ(d.ask(at, delegate("task", "9", "planner")), "block reentry.depth 6/5 #5");
}

TEST(Reentry, ThroughAnotherAgentBackToAnAncestorIsBlockedWhateverItIsAbout) {
  Driver d;
  FrameId const a = d.open(d.root, delegate("task", "1", "a"), "a");
  FrameId const b = d.open(a, delegate("task", "2", "b"), "b");
  EXPECT_EQ(d.ask(b, delegate("task", "3", "a")), "block reentry.cycle 2/1 #1");
  EXPECT_EQ(d.ask(b, delegate("task", "3", "c")), "run");
}

TEST(Reentry, TheTargetIsTheAgentAndNotTheTool) {
  Driver d;
  FrameId at = d.root;
  for (int i = 0; i < 8; ++i) {
    ASSERT_EQ(d.ask(at, with_reentry(delegate("task", "x", "agent " + std::to_string(i)), Reentry::kForbid)), "run")
        << i;
    at = d.open(d.last, "agent " + std::to_string(i));
  }
}

TEST(Reentry, ADeclaredContractAlsoGovernsTheReturnToAnAncestor) {
  Driver d;
  FrameId const a = d.open(d.root, delegate("task", "1", "a"), "a");
  FrameId const b = d.open(a, delegate("task", "2", "b"), "b");
  EXPECT_EQ(d.ask(b, with_reentry(delegate("task", "3", "a"), Reentry::kAllow)), "run");
  EXPECT_EQ(d.ask(b, with_reentry(delegate("task", "1", "a"), Reentry::kDistinct)), "block reentry.cycle 2/1 #1");
}

TEST(Reentry, TheRootAgentAndAncestorsInOtherProcessesAreOnThePath) {
  KernelOptions options = with(plain());
  options.agent = named("main");
  options.ancestors = {named("above"), named("parent")};
  Driver d(options);
  EXPECT_EQ(d.ask(d.root, delegate("task", "1", "above")), "block reentry.cycle 2/1");
  EXPECT_EQ(d.ask(d.root, delegate("task", "1", "parent")), "block reentry.cycle 2/1");
  EXPECT_EQ(d.ask(d.root, delegate("task", "1", "main")), "run")
      << "a self-call, and nobody knows what the root was about";
  FrameId const child = d.open(d.root, delegate("task", "1", "helper"), "helper");
  EXPECT_EQ(d.ask(child, delegate("task", "2", "main")), "block reentry.cycle 2/1");
}

TEST(Reentry, AnUndeclaredArgumentThatNamedTheAgentOnceNamesItAgain) {
  auto const by_name = [](std::string_view work, std::string_view agent) {
    CallFacts call = delegate("task", work);
    call.key = combine(call.key, named(agent));
    call.identity = call.key;
    call.names.push({named("agent_type"), named(agent)});
    call.names.push({named("prompt"), named(work)});
    return call;
  };
  Driver d;
  FrameId const a = d.open(d.root, by_name("1", "a"), "a");
  FrameId const b = d.open(a, by_name("2", "b"), "b");
  EXPECT_EQ(d.ask(b, by_name("3", "a")), "block reentry.cycle 2/1 #1");
  EXPECT_EQ(d.ask(b, by_name("3", "c")), "run");
}

// ---------------------------------------------------------------------------------------------- reading what is
// written

TEST(Reentry, B2_AReadInsideAnActiveWriteOfTheSameThingIsRefusedWhateverReentrySays) {
  Driver d;
  FrameId const in = d.open(d.root, with_reentry(touching(write("rewrite", "a"), {"a"}), Reentry::kAllow));
  FrameId const below = d.open(in, unknown("shell", "x"));
  CallFacts const reads = with_reentry(touching(read("cat", "a"), {"a"}), Reentry::kAllow);
  EXPECT_EQ(d.ask(in, reads), "block reentry.conflict #1");
  EXPECT_EQ(d.ask(below, reads), "block reentry.conflict #1");
  EXPECT_EQ(d.ask(in, touching(read("cat", "b"), {"b"})), "run") << "another path is fine";
  EXPECT_EQ(d.ask(d.root, touching(read("cat", "b"), {"b"})), "run");
  EXPECT_EQ(d.ask(in, read("ls")), "run") << "what touches nothing is free";
}

TEST(Reentry, AReadInsideAReadIsFree) {
  Driver d;
  FrameId const in = d.open(d.root, touching(read("summarise", "a"), {"a"}));
  EXPECT_EQ(d.ask(in, touching(read("cat", "a"), {"a"})), "run");
}

// ---------------------------------------------------------------------------------------------- handing on

CallFacts handing(std::string_view tool, std::string_view arguments, std::initializer_list<std::uint32_t> words,
                  std::string_view agent = {}) {
  return worded(delegate(tool, arguments, agent), words);
}

TEST(Passthrough, TheOwnTaskHandedOnTwiceWithNothingDoneIsBlockedAtTheSecondLevel) {
  Driver d;
  FrameId const one = d.open(d.root, handing("task", "1", {1, 2, 3, 4, 5}, "planner"), "planner");
  FrameId const two = d.open(one, handing("task", "2", {1, 2, 3, 4, 5}, "planner"), "planner");
  EXPECT_EQ(d.ask(two, handing("task", "3", {1, 2, 3, 4, 5}, "planner")), "block delegate.passthrough 2/2 #2");
}

TEST(Passthrough, WorkOfItsOwnInBetweenMakesItAChoice) {
  Driver d;
  FrameId const one = d.open(d.root, handing("task", "1", {1, 2, 3, 4, 5}, "planner"), "planner");
  FrameId const two = d.open(one, handing("task", "2", {1, 2, 3, 4, 5}, "planner"), "planner");
  d.run(two, read("cat"));
  EXPECT_EQ(d.ask(two, handing("task", "3", {1, 2, 3, 4, 5}, "planner")), "run");
}

struct WordsRow {
  char const* title;
  std::initializer_list<std::uint32_t> task;
  std::initializer_list<std::uint32_t> handed;
  bool blocked;
};

TEST(Passthrough, FourFifthsOfTheWordsInCommonAreTheSameTask) {
  WordsRow const rows[] = {
      {"4 of 5", {1, 2, 3, 4, 5}, {1, 2, 3, 4}, true},
      {"4 of 6", {1, 2, 3, 4, 5}, {1, 2, 3, 4, 6}, false},
      {"8 of 10", {1, 2, 3, 4, 5, 6, 7, 8, 9}, {1, 2, 3, 4, 5, 6, 7, 8, 10}, true},
      {"three words are a task", {1, 2, 3}, {1, 2, 3}, true},
      {"two words are none", {1, 2}, {1, 2}, false},
  };
  for (WordsRow const& row : rows) {
    Driver d;
    FrameId const one = d.open(d.root, handing("task", "1", row.task, "planner"), "planner");
    FrameId const two = d.open(one, handing("task", "2", row.task, "planner"), "planner");
    EXPECT_EQ(d.ask(two, handing("task", "3", row.handed, "planner")) != "run", row.blocked) << row.title;
  }
}

TEST(Passthrough, ToAnAgentThatIsNotOnThePathItIsADelegation) {
  Driver d;
  FrameId const one = d.open(d.root, handing("task", "1", {1, 2, 3, 4, 5}, "planner"), "planner");
  FrameId const two = d.open(one, handing("task", "2", {1, 2, 3, 4, 5}, "planner"), "planner");
  EXPECT_EQ(d.ask(two, handing("task", "3", {1, 2, 3, 4, 5}, "worker")), "run");
}

TEST(Passthrough, AnotherDeclaredThingThatIsNoTextOverridesTheWords) {
  auto const for_order = [](std::string_view number) {
    CallFacts call = about(handing("task", number, {1, 2, 3, 4, 5}, "planner"), number);
    return call;
  };
  Driver d;
  FrameId const one = d.open(d.root, for_order("1"), "planner");
  FrameId const two = d.open(one, for_order("2"), "planner");
  EXPECT_EQ(d.ask(two, for_order("3")), "run");
  auto const textual = [&](std::string_view number) {
    CallFacts call = for_order(number);
    call.identity_is_text = true;
    return call;
  };
  Driver e;
  FrameId const first = e.open(e.root, textual("1"), "planner");
  FrameId const second = e.open(first, textual("2"), "planner");
  EXPECT_EQ(e.ask(second, textual("3")), "block delegate.passthrough 2/2 #2");
}

}  // namespace
}  // namespace backedge::kernel
