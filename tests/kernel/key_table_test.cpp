// The table of distinct calls: finds what was put in, forgets the oldest when full, and never loses another.
#include "kernel/key_table.h"

#include <deque>
#include <map>

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace backedge::kernel {
namespace {

Digest numbered(std::uint64_t n) { return combine(Digest{1, 2}, Digest{n, n}); }

TEST(KeyTable, AnEmptyTableFindsNothing) {
  KeyTable table;
  EXPECT_EQ(table.find(numbered(1)), nullptr);
  EXPECT_EQ(table.size(), 0U);
}

TEST(KeyTable, AKeyIsMadeOnceAndFoundAgainAtTheSamePlace) {
  KeyTable table;
  KeyRecord& made = table.obtain(numbered(1));
  made.count = 7;
  for (std::uint64_t n = 2; n < 5000; ++n) table.obtain(numbered(n));
  EXPECT_EQ(&table.obtain(numbered(1)), &made);
  EXPECT_EQ(table.find(numbered(1)), &made);
  EXPECT_EQ(made.count, 7);
  EXPECT_EQ(table.size(), 4999U);
}

TEST(KeyTable, AFullTableForgetsTheOldestAndKeepsTheRest) {
  KeyTable table;
  std::uint64_t const most = KeyTable::kMaxKeys;
  std::uint64_t const extra = 1000;
  for (std::uint64_t n = 0; n < most + extra; ++n)
    table.obtain(numbered(n)).count = static_cast<std::uint16_t>(n % 60000);
  EXPECT_EQ(table.size(), most);
  for (std::uint64_t n = 0; n < extra; ++n) EXPECT_EQ(table.find(numbered(n)), nullptr) << n;
  for (std::uint64_t n = extra; n < most + extra; ++n) {
    KeyRecord const* found = table.find(numbered(n));
    ASSERT_NE(found, nullptr) << n;
    ASSERT_EQ(found->count, n % 60000) << n;
  }
}

TEST(KeyTable, AForgottenKeyComesBackWithoutItsPast) {
  KeyTable table;
  table.obtain(numbered(0)).count = 9;
  for (std::uint64_t n = 1; n <= KeyTable::kMaxKeys; ++n) table.obtain(numbered(n));
  EXPECT_EQ(table.obtain(numbered(0)).count, 0);
}

TEST(KeyTable, ClearingForgetsEverything) {
  KeyTable table;
  for (std::uint64_t n = 0; n < 100; ++n) table.obtain(numbered(n));
  table.clear();
  EXPECT_EQ(table.size(), 0U);
  EXPECT_EQ(table.find(numbered(5)), nullptr);
  EXPECT_EQ(table.obtain(numbered(5)).count, 0);
}

TEST(KeyTable, VisitsEveryRecordOnce) {
  KeyTable table;
  for (std::uint64_t n = 0; n < 1000; ++n) table.obtain(numbered(n));
  std::map<Digest, int> seen;
  table.each([&](KeyRecord& r) { ++seen[r.key]; });
  EXPECT_EQ(seen.size(), 1000U);
  for (auto const& [key, times] : seen) EXPECT_EQ(times, 1);
}

// Keys that want the same place make one long probe sequence, with gaps torn in it by what is forgotten.
TEST(KeyTable, KeysThatCollideAreToldApartAndSurviveTheForgettingOfOthers) {
  KeyTable table;
  std::uint64_t const most = KeyTable::kMaxKeys;
  auto const crowded = [](std::uint64_t n) { return Digest{n + 1, n % 8}; };  // eight places for everyone
  for (std::uint64_t n = 0; n < 64; ++n) table.obtain(crowded(n)).count = static_cast<std::uint16_t>(n + 1);
  for (std::uint64_t n = 64; n < most; ++n) table.obtain(numbered(n));
  for (std::uint64_t n = 0; n < 32; ++n) {  // pushes out the crowd, one by one
    table.obtain(numbered(most + n));
    EXPECT_EQ(table.find(crowded(n)), nullptr) << n;
    for (std::uint64_t left = n + 1; left < 64; ++left) {
      KeyRecord const* found = table.find(crowded(left));
      ASSERT_NE(found, nullptr) << left << " after " << n;
      ASSERT_EQ(found->count, left + 1);
    }
  }
}

TEST(KeyTable, BehavesLikeAQueueOfPairsForAnySequenceOfKeys) {
  rc::check([] {
    auto const keys = *rc::gen::container<std::vector<std::uint8_t>>(rc::gen::arbitrary<std::uint8_t>());
    KeyTable table;
    std::map<Digest, std::uint16_t> model;
    std::uint16_t next = 1;
    for (std::uint8_t n : keys) {
      Digest const key{n % 5U, n % 16U + 1U};  // few places, many collisions
      KeyRecord& r = table.obtain(key);
      RC_ASSERT(r.key == key);
      RC_ASSERT(r.count == model[key]);
      model[key] = r.count = next++;
    }
    RC_ASSERT(table.size() == model.size());
    for (auto const& [key, count] : model) {
      KeyRecord* const found = table.find(key);
      RC_ASSERT(found != nullptr);
      RC_ASSERT(found->count == count);
    }
  });
}

}  // namespace
}  // namespace backedge::kernel
