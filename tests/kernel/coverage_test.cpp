// Rule range: pages already read, and the set of lines that it keeps.
#include "kernel/coverage.h"

#include <set>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "support/one_frame.h"

namespace backedge::kernel {
namespace {

using namespace support;  // NOLINT(google-build-using-namespace): the words of the tests

Repeat only_range() {
  Repeat r = all_off();
  r.range_warn = 2;
  r.range = 4;
  return r;
}

Step page(std::int64_t begin, std::int64_t end, std::string_view file = "a") {
  return {lines(read("read_file", file), begin, end), ok()};
}

// ---------------------------------------------------------------------------------------------- the set of lines

TEST(LineSet, JoinsWhatOverlapsAndWhatTouches) {
  LineSet set;
  for (LineRange const r :
       {LineRange{10, 20}, LineRange{30, 40}, LineRange{20, 25}, LineRange{0, 5}, LineRange{24, 31}})
    set.insert(r);
  EXPECT_EQ(set.intervals(), (std::vector<LineRange>{{0, 5}, {10, 40}}));
  EXPECT_TRUE(set.contains({10, 40}));
  EXPECT_TRUE(set.contains({12, 13}));
  EXPECT_FALSE(set.contains({4, 6}));
  EXPECT_FALSE(set.contains({5, 6}));
  EXPECT_FALSE(set.contains({39, 41}));
}

TEST(LineSet, BeyondTheMostIntervalsNewOnesAreDroppedAndOldOnesStillGrow) {
  LineSet set;
  for (std::size_t n = 0; n < LineSet::kMaxIntervals; ++n) {
    auto const at = static_cast<std::int64_t>(n) * 10;
    set.insert({at, at + 5});
  }
  set.insert({100000, 100005});
  EXPECT_FALSE(set.contains({100000, 100005}));
  set.insert({5, 10});
  EXPECT_TRUE(set.contains({0, 15}));
  EXPECT_EQ(set.intervals().size(), LineSet::kMaxIntervals - 1);
}

TEST(LineSet, IsTheSameAsASetOfSingleLinesForAnySequence) {
  rc::check([] {
    LineSet set;
    std::set<int> naive;
    int const n = *rc::gen::inRange(0, 40);
    for (int i = 0; i < n; ++i) {
      int const begin = *rc::gen::inRange(0, 60);
      int const end = begin + *rc::gen::inRange(1, 12);
      bool all = true;
      for (int line = begin; line < end; ++line) all = all && naive.contains(line);
      RC_ASSERT(set.contains({begin, end}) == all);
      set.insert({begin, end});
      for (int line = begin; line < end; ++line) naive.insert(line);
    }
    std::int64_t before = -1;
    std::size_t total = 0;
    for (LineRange const r : set.intervals()) {
      RC_ASSERT(r.begin > before);
      RC_ASSERT(r.end > r.begin);
      before = r.end;
      total += static_cast<std::size_t>(r.end - r.begin);
    }
    RC_ASSERT(total == naive.size());
  });
}

// ---------------------------------------------------------------------------------------------- the rule

TEST(Range, PagingForwardIsFree) {
  OneFrame frame(only_range());
  for (int i = 0; i < 40; ++i) EXPECT_EQ(frame.step(page(i * 50, i * 50 + 50).call), "-");
}

TEST(Range, WarnsAtTheSecondReadThatShowsNothingNewAndActsAtTheFourth) {
  OneFrame frame(only_range());
  EXPECT_EQ(frame.steps({page(0, 100), page(10, 20), page(30, 40), page(20, 30), page(50, 60)}),
            (Texts{"-", "-", "warn repeat.range 2/4 #2", "warn repeat.range 3/4 #3", "act repeat.range 4/4 #4"}));
}

TEST(Range, ANewLineStartsAnew) {
  OneFrame frame(only_range());
  EXPECT_EQ(frame.steps({page(0, 100), page(10, 20), page(30, 40), page(90, 101), page(0, 5), page(5, 10)}),
            (Texts{"-", "-", "warn repeat.range 2/4 #2", "-", "-", "warn repeat.range 2/4 #5"}));
}

TEST(Range, EachThingIsCountedForItself) {
  OneFrame frame(only_range());
  frame.steps({page(0, 100, "a"), page(0, 100, "b"), page(1, 2, "a"), page(1, 2, "b")});
  EXPECT_EQ(frame.step(page(2, 3, "a").call), "warn repeat.range 2/4 #3");
  EXPECT_EQ(frame.step(page(2, 3, "b").call), "warn repeat.range 2/4 #4");
}

TEST(Range, AChangeOfTheThingMakesEveryLineNewAgain) {
  OneFrame frame(only_range());
  auto const at = [](std::int64_t b, std::int64_t e) { return touching(page(b, e).call, {"a"}); };
  for (std::int64_t i = 0; i < 4; ++i) frame.step(at(i, 4));
  frame.step(touching(write("edit", "b"), {"b"}));
  EXPECT_EQ(frame.step(at(1, 3)), "act repeat.range 4/4 #4");
  frame.step(touching(write("edit", "a"), {"a"}));
  EXPECT_EQ(frame.step(at(1, 3)), "-");
  EXPECT_EQ(frame.step(at(0, 2)), "-") << "line 0 has not been shown since";
  EXPECT_EQ(frame.step(at(1, 2)), "-");
  EXPECT_EQ(frame.step(at(0, 1)), "warn repeat.range 2/4 #10");
}

TEST(Range, ReadsWithoutAnEndAndFailuresAreNoPages) {
  OneFrame frame(only_range());
  frame.step(page(0, 100).call);
  EXPECT_EQ(frame.step(page(5, std::int64_t{1} << 62).call), "-");
  EXPECT_EQ(frame.step(page(7, 7).call), "-") << "no line at all";
  OneFrame failing(only_range());
  for (int i = 0; i < 6; ++i) EXPECT_EQ(failing.step(page(i, 10).call, error()), "-");
  OneFrame writing(only_range());
  for (int i = 0; i < 6; ++i) EXPECT_EQ(writing.step(lines(write("put", "a"), i, 10)), "-");
}

TEST(Range, ARoundCountsOnce) {
  OneFrame frame(only_range());
  frame.step(page(0, 100).call);
  EXPECT_EQ(frame.round({page(1, 2), page(2, 3), page(3, 4), page(4, 5), page(5, 6)}), Texts(5, "-"));
  EXPECT_EQ(frame.step(page(6, 7).call), "warn repeat.range 2/4 #6");
}

TEST(Range, APersonsMessageEndsIt) {
  OneFrame frame(only_range());
  for (int i = 0; i < 4; ++i) frame.step(page(i, 10).call);
  frame.rules().reset();
  EXPECT_EQ(frame.step(page(1, 2).call), "-");
}

TEST(Range, ZeroSwitchesItOff) {
  OneFrame frame(all_off());
  for (int i = 0; i < 20; ++i) EXPECT_EQ(frame.step(page(i % 7, 10).call), "-");
}

}  // namespace
}  // namespace backedge::kernel
