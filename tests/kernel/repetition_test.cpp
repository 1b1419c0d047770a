// The rules together: which one speaks, what a person's message and the model's own words do.
#include "kernel/repetition.h"

#include <string>

#include <gtest/gtest.h>

#include "support/one_frame.h"

namespace backedge::kernel {
namespace {

using namespace support;  // NOLINT(google-build-using-namespace): the words of the tests

TEST(Repetition, TheDefaultNumbersAreThoseOfTheTable) {
  Repeat const r;
  EXPECT_EQ(r.exact, 3);
  EXPECT_EQ(r.exact_warn, 0);
  EXPECT_EQ(r.exact_error, 4);
  EXPECT_EQ(r.effect, 2);
  EXPECT_EQ(r.cycle, 2);
  EXPECT_EQ(r.cycle_max_period, 6);
  EXPECT_EQ(r.stagnant_warn, 6);
  EXPECT_EQ(r.stagnant, 8);
  EXPECT_EQ(r.error_warn, 4);
  EXPECT_EQ(r.error, 6);
  EXPECT_EQ(r.range_warn, 2);
  EXPECT_EQ(r.range, 4);
  EXPECT_EQ(r.poll_warn, 10);
  EXPECT_EQ(r.poll, 15);
  EXPECT_EQ(r.novelty_calls, 8);
  EXPECT_EQ(r.novelty_percent, 5);
  EXPECT_EQ(r.text, 4);
  EXPECT_EQ(r.text_max_period, 16);
  EXPECT_EQ(r.compact, 2);
}

TEST(Repetition, ARuleThatActsSpeaksBeforeOneThatWarns) {
  Repeat rule;
  rule.exact_warn = 2;
  rule.range = 2;
  rule.exact = 9;
  OneFrame frame(rule);
  CallFacts const page = lines(read("read_file", "a"), 0, 10);
  frame.times(2, page);
  EXPECT_EQ(frame.step(page), "act repeat.range 2/2 #2") << "exact would only warn";
}

TEST(Repetition, AmongRulesThatActTheCycleSpeaksFirstBecauseItsMembersShareOneIdentity) {
  OneFrame frame(Repeat{});
  Step const a{read("cat", "a"), ok()};
  Step const b{read("cat", "b"), ok()};
  frame.steps({a, b, a, b});
  EXPECT_EQ(frame.step(a.call), "act repeat.cycle 5/5 p2 #3") << "it is the third of its kind as well";
}

TEST(Repetition, ACycleOfFailuresIsFoundBeforeTheirFourthTry) {
  OneFrame frame(Repeat{});
  Step const a{write("edit", "a"), error("no match")};
  Step const b{read("cat", "b"), error("not there")};
  frame.steps({a, b, a, b});
  EXPECT_EQ(frame.step(a.call), "act repeat.cycle 5/5 p2 #3");
}

TEST(Repetition, ACallThatWasActedOnFeedsNoRule) {
  OneFrame frame(Repeat{});
  frame.times(2, read("ls"));
  for (int i = 0; i < 20; ++i) EXPECT_EQ(frame.step(read("ls")), "act repeat.exact 3/3 #2") << "the count stands";
}

TEST(Repetition, RecordTellsWhetherTheAnswerDiffersFromTheLast) {
  OneFrame frame(Repeat{});
  Repetition& rules = frame.rules();
  EXPECT_TRUE(rules.record(read("ls"), ok("a"), CallId{1}, 1, frame.rule(), frame.now()));
  EXPECT_FALSE(rules.record(read("ls"), ok("a"), CallId{2}, 2, frame.rule(), frame.now()));
  EXPECT_TRUE(rules.record(read("ls"), ok("b"), CallId{3}, 3, frame.rule(), frame.now()));
}

// ---------------------------------------------------------------------------------------------- the model's own words

TextFacts message(std::string_view words) {
  TextFacts t;
  t.message = named(words);
  t.tokens = 20;
  return t;
}

TextFacts tail(int period, int repeats) {
  TextFacts t = message("tail " + std::to_string(period) + " " + std::to_string(repeats));
  t.tail_period = static_cast<std::uint16_t>(period);
  t.tail_repeats = static_cast<std::uint16_t>(repeats);
  t.tokens = static_cast<std::uint16_t>(period * repeats);
  return t;
}

TEST(Text, TheSameAnswerInARowActsAtTheFourth) {
  Repetition rules;
  Repeat const rule;
  for (int i = 0; i < 3; ++i) EXPECT_EQ(text(rules.text(message("I cannot."), false, rule)), "-");
  EXPECT_EQ(text(rules.text(message("I cannot."), false, rule)), "act repeat.text 4/4");
}

TEST(Text, AnotherAnswerAnEmptyOneOrAPersonStartsAnew) {
  Repeat const rule;
  for (int what = 0; what < 3; ++what) {
    Repetition rules;
    for (int i = 0; i < 3; ++i) (void)rules.text(message("I cannot."), false, rule);
    if (what == 0) (void)rules.text(message("I can."), false, rule);
    if (what == 1) (void)rules.text(TextFacts{}, false, rule);
    if (what == 2) rules.reset();
    EXPECT_EQ(text(rules.text(message("I cannot."), false, rule)), "-") << what;
  }
}

TEST(Text, AMessageThatAsksForToolsStartsAnew) {
  Repetition rules;
  for (int i = 0; i < 3; ++i) (void)rules.text(message("I cannot."), false, Repeat{});
  (void)rules.text(message("Let me see."), true, Repeat{});
  EXPECT_EQ(text(rules.text(message("I cannot."), false, Repeat{})), "-");
}

TEST(Text, EmptyAnswersAreNoWords) {
  Repetition rules;
  for (int i = 0; i < 10; ++i) EXPECT_EQ(text(rules.text(TextFacts{}, false, Repeat{})), "-");
}

struct TailRow {
  int period;
  int repeats;
  char const* said;
};

TEST(Text, ATailThatRepeatsItselfActsAtTheFourthWhenItIsLongerThanEmphasis) {
  TailRow const rows[] = {
      {3, 4, "act repeat.text 4/4 p3"},   {3, 3, "-"},  {1, 12, "act repeat.text 12/4 p1"}, {1, 11, "-"},
      {16, 4, "act repeat.text 4/4 p16"}, {17, 4, "-"}, {2, 6, "act repeat.text 6/4 p2"},   {2, 5, "-"},
  };
  for (TailRow const& row : rows) {
    Repetition rules;
    EXPECT_EQ(text(rules.text(tail(row.period, row.repeats), false, Repeat{})), row.said)
        << row.period << "x" << row.repeats;
  }
}

TEST(Text, WordsBesideCallsAreOnlyNoted) {
  Repetition rules;
  EXPECT_EQ(text(rules.text(tail(3, 5), true, Repeat{})), "warn repeat.text 5/4 p3");
  for (int i = 0; i < 9; ++i) EXPECT_EQ(text(rules.text(message("Let me see."), true, Repeat{})), "-");
}

TEST(Text, ZeroSwitchesItOff) {
  Repetition rules;
  for (int i = 0; i < 9; ++i) EXPECT_EQ(text(rules.text(tail(3, 9), false, all_off())), "-");
}

}  // namespace
}  // namespace backedge::kernel
