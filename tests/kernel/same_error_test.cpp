// Rule error: one error over many calls.
#include "kernel/same_error.h"

#include <string>

#include <gtest/gtest.h>

#include "support/one_frame.h"

namespace backedge::kernel {
namespace {

using namespace support;  // NOLINT(google-build-using-namespace): the words of the tests

Repeat only_error() {
  Repeat r = all_off();
  r.error_warn = 4;
  r.error = 6;
  return r;
}

/// So many calls, each with other arguments, all failing in one way.
Texts failures(OneFrame& frame, int n, int first = 0, std::string_view tool = "get") {
  Texts said;
  for (int i = first; i < first + n; ++i) {
    std::string const at = std::to_string(i);
    said.push_back(frame.step(read(tool, at), error_of("refused", "connection " + at + " refused")));
  }
  return said;
}

TEST(SameError, WarnsAtTheFourthAndActsAtTheSixth) {
  OneFrame frame(only_error());
  EXPECT_EQ(failures(frame, 7), (Texts{"-", "-", "-", "warn repeat.error 4/6 #3", "warn repeat.error 5/6 #4",
                                       "act repeat.error 6/6 #5", "act repeat.error 6/6 #5"}));
}

TEST(SameError, CountsOverSiblingToolsAndActsOnlyOnThoseThatProducedIt) {
  OneFrame frame(only_error());
  failures(frame, 3, 0, "get");
  failures(frame, 2, 0, "post");
  EXPECT_EQ(failures(frame, 1, 9, "put"), (Texts{"-"})) << "a tool that never failed so is free";
  EXPECT_EQ(failures(frame, 1, 9, "get"), (Texts{"act repeat.error 7/6 #6"}));
  EXPECT_EQ(failures(frame, 1, 8, "post"), (Texts{"act repeat.error 7/6 #6"}));
}

TEST(SameError, ASuccessOfOneOfItsToolsEndsIt) {
  OneFrame frame(only_error());
  failures(frame, 3, 0, "get");
  failures(frame, 2, 0, "post");
  frame.rule().error = 0;
  frame.step(read("post", "works"), ok());
  frame.rule().error = 6;
  EXPECT_EQ(failures(frame, 3, 10, "get"), Texts(3, "-"));
}

TEST(SameError, ASuccessOfAnotherToolDoesNotEndIt) {
  OneFrame frame(only_error());
  failures(frame, 5);
  frame.step(read("cat", "a"), ok());
  EXPECT_EQ(failures(frame, 1, 5), (Texts{"act repeat.error 6/6 #5"}));
}

TEST(SameError, OtherErrorsAreCountedForThemselves) {
  OneFrame frame(only_error());
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(frame.step(read("get", std::to_string(i)), error("error " + std::to_string(i))), "-");
  }
}

TEST(SameError, TheSameCallAgainIsLeftToRuleExact) {
  OneFrame frame(only_error());
  EXPECT_EQ(frame.times(9, read("get", "a"), error("no")), Texts(9, "-"));
}

TEST(SameError, TwoCallsInTurnAreTwoArgumentsAndCount) {
  OneFrame frame(only_error());
  Texts said;
  for (int i = 0; i < 6; ++i) said.push_back(frame.step(read("get", i % 2 == 0 ? "a" : "b"), error("no")));
  EXPECT_EQ(said.back(), "act repeat.error 6/6 #5");
}

TEST(SameError, AChangeSkipsOneCount) {
  OneFrame frame(only_error());
  failures(frame, 5);
  frame.step(write("edit"), ok());
  EXPECT_EQ(failures(frame, 2, 5), (Texts{"-", "act repeat.error 6/6 #7"}));
}

TEST(SameError, ARoundCountsOnce) {
  OneFrame frame(only_error());
  std::vector<Step> round;
  for (int i = 0; i < 9; ++i) round.push_back({read("get", std::to_string(i)), error("no")});
  EXPECT_EQ(frame.round(round), Texts(9, "-"));
  EXPECT_EQ(frame.step(read("get", "x"), error("no")), "-");
}

TEST(SameError, TimeoutsCountAndRefusalsAndCancellationsDoNot) {
  struct Row {
    ResultStatus status;
    bool counts;
  };
  for (Row const row :
       {Row{ResultStatus::kError, true}, Row{ResultStatus::kTimeout, true}, Row{ResultStatus::kUnknown, true},
        Row{ResultStatus::kDenied, false}, Row{ResultStatus::kCancelled, false}}) {
    OneFrame frame(only_error());
    Texts said;
    for (int i = 0; i < 6; ++i) said.push_back(frame.step(read("get", std::to_string(i)), result(row.status, "no")));
    EXPECT_EQ(said.back(), row.counts ? "act repeat.error 6/6 #5" : "-");
  }
}

TEST(SameError, APersonsMessageEndsIt) {
  OneFrame frame(only_error());
  failures(frame, 5);
  frame.rules().reset();
  EXPECT_EQ(failures(frame, 3, 5), Texts(3, "-"));
}

TEST(SameError, ZeroSwitchesItOff) {
  OneFrame frame(all_off());
  EXPECT_EQ(failures(frame, 20), Texts(20, "-"));
}

TEST(SameError, BeyondTheMostErrorsTheOldestIsForgotten) {
  OneFrame frame(only_error());
  failures(frame, 5);
  for (int i = 0; i < 16; ++i) frame.step(read("other", std::to_string(i)), error("error " + std::to_string(i)));
  EXPECT_EQ(failures(frame, 3, 5), Texts(3, "-"));
}

}  // namespace
}  // namespace backedge::kernel
