// Rules cycle and livelock: the same few rounds over and over.
#include "kernel/cycle.h"

#include <string>

#include <gtest/gtest.h>

#include "support/one_frame.h"

namespace backedge::kernel {
namespace {

using namespace support;  // NOLINT(google-build-using-namespace): the words of the tests

Repeat only_cycle() {
  Repeat r = all_off();
  r.cycle = 2;
  r.cycle_max_period = 6;
  return r;
}

Step step(char name, std::string_view answer = "same") {
  return {read("tool", std::string_view(&name, 1)), ok(answer)};
}

/// One read per letter; the same letter gives the same answer.
Texts play(OneFrame& frame, std::string_view letters) {
  Texts said;
  for (char const c : letters) {
    Step const s = step(c);
    said.push_back(frame.step(s.call, s.result));
  }
  return said;
}

TEST(Cycle, EveryPeriodFromTwoToSixActsAtTheCallAfterTwoFullRepeats) {
  for (std::size_t period = 2; period <= 6; ++period) {
    OneFrame frame(only_cycle());
    std::string const once = std::string("ABCDEF").substr(0, period);
    EXPECT_EQ(play(frame, once + once), Texts(2 * period, "-")) << period;
    std::string const n = std::to_string(2 * period + 1);
    EXPECT_EQ(play(frame, "A"), (Texts{"act repeat.cycle " + n + "/" + n + " p" + std::to_string(period) + " #" +
                                       std::to_string(period + 1)}))
        << period;
  }
}

TEST(Cycle, APeriodOfSevenIsNoCycle) {
  OneFrame frame(only_cycle());
  EXPECT_EQ(play(frame, "ABCDEFGABCDEFGABCDEFGA"), Texts(22, "-"));
}

TEST(Cycle, OneCallAgainAndAgainIsLeftToRuleExact) {
  OneFrame frame(only_cycle());
  EXPECT_EQ(play(frame, "AAAAAAAA"), Texts(8, "-"));
  OneFrame changing(only_cycle());
  Texts said;
  for (int i = 0; i < 8; ++i) said.push_back(changing.step(read("tool", "A"), ok(i % 2 == 0 ? "1" : "2")));
  EXPECT_EQ(said, Texts(8, "-"));
}

TEST(Cycle, AnAnswerThatDiffersIsNoCycle) {
  OneFrame frame(only_cycle());
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(frame.step(read("tool", "A"), ok("same")), "-");
    EXPECT_EQ(frame.step(read("tool", "B"), ok(std::to_string(i))), "-");
  }
}

TEST(Cycle, AStrayCallBeforeTheTailDoesNotHideIt) {
  OneFrame frame(only_cycle());
  EXPECT_EQ(play(frame, "XABAB"), Texts(5, "-"));
  EXPECT_EQ(play(frame, "A"), (Texts{"act repeat.cycle 5/5 p2 #4"}));
}

TEST(Cycle, AStrayCallWithinTheTailStartsTheCountAnew) {
  OneFrame frame(only_cycle());
  EXPECT_EQ(play(frame, "ABAXABAB"), Texts(8, "-"));
  EXPECT_EQ(play(frame, "A"), (Texts{"act repeat.cycle 5/5 p2 #7"}));
}

TEST(Cycle, AnotherCallThanTheNextOfThePeriodIsFree) {
  OneFrame frame(only_cycle());
  EXPECT_EQ(play(frame, "ABABC"), Texts(5, "-"));
}

TEST(Cycle, EveryMemberIsActedOnAtAnyPlaceAndOthersAreFree) {
  OneFrame frame(only_cycle());
  play(frame, "ABCABC");
  EXPECT_EQ(play(frame, "ACXB"),
            (Texts{"act repeat.cycle 7/7 p3 #4", "act repeat.cycle 7/7 p3 #6", "-", "act repeat.cycle 7/7 p3 #5"}));
}

TEST(Cycle, AChangeFreesTheMembersItMattersTo) {
  OneFrame frame(only_cycle());
  CallFacts const a = touching(read("cat", "a"), {"a"});
  CallFacts const b = touching(read("cat", "b"), {"b"});
  for (int i = 0; i < 2; ++i) frame.steps({{a, ok()}, {b, ok()}});
  EXPECT_EQ(frame.step(a), "act repeat.cycle 5/5 p2 #3");
  EXPECT_EQ(frame.step(touching(write("edit", "a"), {"a"})), "-");
  EXPECT_EQ(frame.step(a), "-");
  EXPECT_EQ(frame.step(b), "act repeat.cycle 5/5 p2 #4");
}

TEST(Cycle, APersonsMessageEndsIt) {
  OneFrame frame(only_cycle());
  play(frame, "ABAB");
  frame.rules().reset();
  EXPECT_EQ(play(frame, "ABAB"), Texts(4, "-"));
  EXPECT_EQ(play(frame, "A"), (Texts{"act repeat.cycle 5/5 p2 #7"}));
}

TEST(Cycle, ARoundIsTheSetOfItsCallsInAnyOrder) {
  OneFrame frame(only_cycle());
  frame.round({step('A'), step('B')});
  frame.round({step('C')});
  frame.round({step('B'), step('A')});
  frame.round({step('C')});
  EXPECT_EQ(frame.round({step('A'), step('B')}), (Texts{"act repeat.cycle 5/5 p2 #5", "act repeat.cycle 5/5 p2 #4"}));
}

TEST(Cycle, TheIdentityOfACycleDoesNotDependOnWhereItIsEntered) {
  auto const loop_of = [](std::string_view letters, char next) {
    OneFrame frame(only_cycle());
    play(frame, letters);
    CallFacts const calls[] = {step(next).call};
    frame.rules().begin_round(calls, frame.rule());
    return frame.rules().propose(calls[0], CallId{}, frame.rule(), frame.now()).loop;
  };
  EXPECT_EQ(loop_of("ABCABC", 'A'), loop_of("BCABCA", 'B'));
  EXPECT_FALSE(loop_of("ABCABC", 'A').none());
  EXPECT_NE(loop_of("ABCABC", 'A'), loop_of("ABABAB", 'A'));
}

TEST(Cycle, ACycleThatOnlyHandsWorkOnIsALivelock) {
  OneFrame frame(only_cycle());
  Step const there{delegate("hand", "to bob", "bob"), ok("no")};
  Step const back{delegate("hand", "to eve", "eve"), ok("no")};
  frame.steps({there, back, there, back});
  EXPECT_EQ(frame.step(there.call), "act livelock 5/5 p2 #3");
}

TEST(Cycle, PollsAndWaitsHaveARuleOfTheirOwnAndAreNoPartOfIt) {
  OneFrame frame(only_cycle());
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(frame.step(poll("status"), ok("running")), "-");
    EXPECT_EQ(frame.step(wait("sleep"), ok()), "-");
  }
  OneFrame mixed(only_cycle());
  for (char const c : std::string_view("ABAB")) {
    mixed.step(step(c).call, ok());
    mixed.step(poll("status"), ok("running"));
  }
  EXPECT_EQ(mixed.step(step('A').call), "act repeat.cycle 5/5 p2 #5") << "a poll in between hides nothing";
}

TEST(Cycle, FailuresRepeatLikeSuccesses) {
  OneFrame frame(only_cycle());
  for (int i = 0; i < 2; ++i) frame.steps({{write("edit", "1"), error("no match")}, {read("cat", "a"), ok()}});
  EXPECT_EQ(frame.step(write("edit", "1"), error("no match")), "act repeat.cycle 5/5 p2 #3");
}

TEST(Cycle, ACallThatIsStillRunningWhenTheNextRoundBeginsIsNoPartOfAnyRound) {
  OneFrame frame(only_cycle());
  Repetition& rules = frame.rules();
  CallFacts const slow[] = {read("build")};
  rules.begin_round(slow, frame.rule());
  std::uint32_t const its_round = rules.round();
  rules.starts(slow[0], its_round);
  play(frame, "AB");
  CallFacts const next[] = {step('A').call};
  rules.begin_round(next, frame.rule());
  rules.starts(next[0], rules.round());
  (void)rules.record(slow[0], ok("done"), CallId{1}, its_round, frame.rule(), frame.now());
  (void)rules.record(next[0], ok("same"), CallId{2}, rules.round(), frame.rule(), frame.now());
  EXPECT_EQ(play(frame, "B"), (Texts{"-"}));
  EXPECT_EQ(play(frame, "A").front().substr(0, 22), "act repeat.cycle 5/5 p");
}

TEST(Cycle, MoreRepeatsMayBeAskedFor) {
  Repeat rule = only_cycle();
  rule.cycle = 3;
  OneFrame frame(rule);
  EXPECT_EQ(play(frame, "ABABAB"), Texts(6, "-"));
  EXPECT_EQ(play(frame, "A"), (Texts{"act repeat.cycle 7/7 p2 #5"}));
}

TEST(Cycle, ZeroRepeatsSwitchItOff) {
  OneFrame frame(all_off());
  EXPECT_EQ(play(frame, "ABABABABABAB"), Texts(12, "-"));
}

}  // namespace
}  // namespace backedge::kernel
