// Rule stagnant: other arguments, same answer.
#include "kernel/stagnant.h"

#include <string>

#include <gtest/gtest.h>

#include "support/one_frame.h"

namespace backedge::kernel {
namespace {

using namespace support;  // NOLINT(google-build-using-namespace): the words of the tests

Repeat only_stagnant() {
  Repeat r = all_off();
  r.stagnant_warn = 6;
  r.stagnant = 8;
  r.stagnant_empty = 10;
  return r;
}

/// So many searches, each for something else.
Texts searches(OneFrame& frame, int n, ResultFacts const& answer, int first = 0, Effect effect = Effect::kRead) {
  Texts said;
  for (int i = first; i < first + n; ++i) said.push_back(frame.step(call("grep", std::to_string(i), effect), answer));
  return said;
}

TEST(Stagnant, WarnsAtTheSixthAndActsAtTheEighth) {
  OneFrame frame(only_stagnant());
  EXPECT_EQ(searches(frame, 9, ok("a.cpp")),
            (Texts{"-", "-", "-", "-", "-", "warn repeat.stagnant 6/8 #5", "warn repeat.stagnant 7/8 #6",
                   "act repeat.stagnant 8/8 #7", "act repeat.stagnant 8/8 #7"}));
}

TEST(Stagnant, LookingForWhatIsNotThereTakesTenTriesAndNoWarning) {
  OneFrame frame(only_stagnant());
  Texts expected(9, "-");
  expected.emplace_back("act repeat.stagnant 10/10 #9");
  EXPECT_EQ(searches(frame, 10, nothing()), expected);
}

TEST(Stagnant, AnotherAnswerStartsAnew) {
  OneFrame frame(only_stagnant());
  searches(frame, 7, ok("a.cpp"));
  frame.rule().stagnant = 0;  // lets the eighth run
  searches(frame, 1, ok("b.cpp"), 7);
  frame.rule().stagnant = 8;
  EXPECT_EQ(searches(frame, 4, ok("b.cpp"), 8), Texts(4, "-"));
}

TEST(Stagnant, AFailureStartsAnew) {
  OneFrame frame(only_stagnant());
  searches(frame, 5, ok("a.cpp"));
  searches(frame, 1, error(), 5);
  EXPECT_EQ(searches(frame, 5, ok("a.cpp"), 6), Texts(5, "-"));
}

TEST(Stagnant, TheSameCallAgainIsLeftToRuleExactAndCountsNothing) {
  OneFrame frame(only_stagnant());
  searches(frame, 7, ok("a.cpp"));
  EXPECT_EQ(frame.times(5, read("grep", "6"), ok("a.cpp")), Texts(5, "-"));
  EXPECT_EQ(searches(frame, 1, ok("a.cpp"), 8), (Texts{"act repeat.stagnant 8/8 #12"}));
}

TEST(Stagnant, EachToolIsCountedForItselfAndOthersInBetweenDoNotMatter) {
  OneFrame frame(only_stagnant());
  for (int i = 0; i < 7; ++i) {
    frame.step(read("grep", std::to_string(i)), ok("same"));
    frame.step(read("find", std::to_string(i)), ok("same"));
  }
  EXPECT_EQ(frame.step(read("ls", "x"), ok("same")), "-");
  EXPECT_EQ(frame.step(read("grep", "next"), ok("same")), "act repeat.stagnant 8/8 #13");
}

TEST(Stagnant, OnlyDeclaredReadsAreJudged) {
  for (Effect const e : {Effect::kUnknown, Effect::kWrite, Effect::kPoll, Effect::kWait, Effect::kDelegate}) {
    OneFrame frame(only_stagnant());
    EXPECT_EQ(searches(frame, 12, ok("same"), 0, e), Texts(12, "-"));
  }
}

TEST(Stagnant, AChangeSkipsOneCount) {
  OneFrame frame(only_stagnant());
  searches(frame, 7, ok("same"));
  frame.step(write("edit"), ok());
  EXPECT_EQ(searches(frame, 2, ok("same"), 7), (Texts{"-", "act repeat.stagnant 8/8 #9"}));
}

TEST(Stagnant, ARoundCountsOnce) {
  OneFrame frame(only_stagnant());
  std::vector<Step> round;
  for (int i = 0; i < 12; ++i) round.push_back({read("grep", std::to_string(i)), ok("same")});
  EXPECT_EQ(frame.round(round), Texts(12, "-"));
  EXPECT_EQ(searches(frame, 4, ok("same"), 20), Texts(4, "-"));
}

TEST(Stagnant, APersonsMessageEndsIt) {
  OneFrame frame(only_stagnant());
  searches(frame, 7, ok("same"));
  frame.rules().reset();
  EXPECT_EQ(searches(frame, 5, ok("same"), 7), Texts(5, "-"));
}

TEST(Stagnant, ZeroSwitchesItOff) {
  OneFrame frame(all_off());
  EXPECT_EQ(searches(frame, 30, ok("same")), Texts(30, "-"));
}

TEST(Stagnant, BeyondTheMostToolsTheOldestIsForgotten) {
  OneFrame frame(only_stagnant());
  searches(frame, 7, ok("same"));
  for (int i = 0; i < 64; ++i) frame.step(read("tool" + std::to_string(i), "x"), ok());
  EXPECT_EQ(searches(frame, 1, ok("same"), 7), Texts(1, "-"));
}

}  // namespace
}  // namespace backedge::kernel
