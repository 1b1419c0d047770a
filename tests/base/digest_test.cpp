#include "base/digest.h"

#include <array>
#include <set>

#include <gtest/gtest.h>

namespace backedge {
namespace {

constexpr Digest kA{1, 2};
constexpr Digest kB{3, 4};
constexpr Digest kC{5, 6};

TEST(Digest, AFreshDigestIsNone) {
  EXPECT_TRUE(Digest{}.none());
  EXPECT_FALSE(kA.none());
  EXPECT_FALSE((Digest{0, 1}.none()));
  EXPECT_FALSE((Digest{1, 0}.none()));
}

TEST(Digest, FinishNeverGivesNone) {
  EXPECT_FALSE(finish(Digest{}).none());
  EXPECT_EQ(finish(kA), kA);
}

TEST(Digest, CombiningKeepsTheOrderApart) {
  EXPECT_NE(combine(kA, kB), combine(kB, kA));
  EXPECT_NE(combine(combine(kA, kB), kC), combine(kA, combine(kB, kC)));
}

TEST(Digest, CombiningAnythingIsNeverNone) { EXPECT_FALSE(combine(Digest{}, Digest{}).none()); }

TEST(Digest, ASumIsTheSameInAnyOrder) {
  EXPECT_EQ(add(add(kA, kB), kC), add(kC, add(kB, kA)));
  EXPECT_EQ(add(kA, Digest{}), kA);
}

TEST(Digest, ASumCarriesFromTheLowHalfToTheHigh) { EXPECT_EQ(add(Digest{0, ~0ULL}, Digest{0, 1}), (Digest{1, 0})); }

TEST(Digest, SmallInputsDoNotMeet) {
  std::set<Digest> seen;
  for (std::uint64_t i = 0; i < 50; ++i) {
    for (std::uint64_t k = 0; k < 50; ++k) seen.insert(combine(Digest{i, k}, Digest{k, i + 1}));
  }
  EXPECT_EQ(seen.size(), 2500U);
}

}  // namespace
}  // namespace backedge
