// Rule novelty: many answers, nothing new in them.
#include "kernel/novelty.h"

#include <string>

#include <gtest/gtest.h>

#include "support/one_frame.h"

namespace backedge::kernel {
namespace {

using namespace support;  // NOLINT(google-build-using-namespace): the words of the tests

Repeat only_novelty() {
  Repeat r = all_off();
  r.novelty_calls = 8;
  r.novelty_percent = 5;
  return r;
}

/// A result that holds the shingles first, first + 1, … up to so many.
ResultFacts saying(std::uint32_t first, std::uint32_t count = 16) {
  ResultFacts out = ok("text " + std::to_string(first));
  for (std::uint32_t i = 0; i < count; ++i) out.shingles.push(first + i + 1);
  out.shingle_count = count;
  return out;
}

Texts reads(OneFrame& frame, int n, ResultFacts const& answer, Effect effect = Effect::kRead) {
  Texts said;
  static int asked = 0;
  for (int i = 0; i < n; ++i) said.push_back(frame.step(call("search", std::to_string(++asked), effect), answer));
  return said;
}

TEST(Novelty, WarnsOnceWhenEightReadsInARowBroughtNothingNew) {
  OneFrame frame(only_novelty());
  EXPECT_EQ(reads(frame, 1, saying(0)), Texts(1, "-"));
  Texts expected(8, "-");
  expected.emplace_back("warn repeat.novelty 0/5");
  expected.resize(16, "-");
  EXPECT_EQ(reads(frame, 16, saying(0)), expected) << "a new window is needed for the next";
}

TEST(Novelty, FivePercentNewIsEnough) {
  struct Row {
    std::uint32_t fresh;  // of 8 * 16 = 128 shingles
    bool warns;
  };
  for (Row const row : {Row{6, true}, Row{7, false}}) {
    OneFrame frame(only_novelty());
    reads(frame, 1, saying(0));
    for (int i = 0; i < 7; ++i) reads(frame, 1, saying(0));
    ResultFacts last = ok("last");
    for (std::uint32_t i = 0; i < 16; ++i) last.shingles.push(i < row.fresh ? 1000 + i : i + 1);
    last.shingle_count = 16;
    reads(frame, 1, last);
    EXPECT_EQ(reads(frame, 1, saying(0)).front() != "-", row.warns) << row.fresh;
  }
}

TEST(Novelty, OnlyReadsAreCountedAndOnlyBeforeAReadItWarns) {
  OneFrame frame(only_novelty());
  reads(frame, 20, saying(0), Effect::kUnknown);
  EXPECT_EQ(reads(frame, 9, saying(0)), Texts(9, "-"));
  EXPECT_EQ(frame.step(unknown("shell", "x"), saying(0)), "-");
}

TEST(Novelty, ShortAnswersAndFailuresSayNothing) {
  OneFrame frame(only_novelty());
  reads(frame, 1, saying(0));
  EXPECT_EQ(reads(frame, 20, saying(0, 7)), Texts(20, "-"));
  ResultFacts failed_read = saying(0);
  failed_read.status = ResultStatus::kError;
  EXPECT_EQ(reads(frame, 20, failed_read), Texts(20, "-"));
}

TEST(Novelty, AChangeStartsTheWindowAnew) {
  OneFrame frame(only_novelty());
  reads(frame, 8, saying(0));
  frame.step(write("edit"), ok());
  EXPECT_EQ(reads(frame, 8, saying(0)), Texts(8, "-"));
  EXPECT_EQ(reads(frame, 1, saying(0)), (Texts{"warn repeat.novelty 0/5"}));
}

TEST(Novelty, APersonsMessageStartsTheWindowAnew) {
  OneFrame frame(only_novelty());
  reads(frame, 9, saying(0));
  frame.rules().reset();
  EXPECT_EQ(reads(frame, 8, saying(0)), Texts(8, "-"));
}

TEST(Novelty, ZeroSwitchesItOff) {
  OneFrame frame(all_off());
  EXPECT_EQ(reads(frame, 30, saying(0)), Texts(30, "-"));
}

}  // namespace
}  // namespace backedge::kernel
