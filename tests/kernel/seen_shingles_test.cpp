// The table of shingles remembers exactly what an array with one place for each would.
#include "kernel/seen_shingles.h"

#include <array>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace backedge::kernel {
namespace {

struct PlainArray {
  std::array<std::uint32_t, SeenShingles::kPlaces> places{};

  bool put(std::uint32_t shingle) {
    std::uint32_t& place = places[shingle % SeenShingles::kPlaces];
    bool const fresh = place != shingle;
    place = shingle;
    return fresh;
  }
};

TEST(SeenShingles, RemembersWhatAPlainArrayRemembersFromFewToFull) {
  SeenShingles table;
  PlainArray array;
  std::uint32_t state = 1;
  for (int n = 0; n < 200'000; ++n) {
    state = state * 1664525 + 1013904223;
    // At first few places, then all of them; each with several shingles that belong there.
    std::uint32_t const width = n < 1000 ? 50 : n < 10'000 ? 1500 : 9000;
    std::uint32_t const shingle = (state >> 8) % width + 1;
    ASSERT_EQ(table.put(shingle), array.put(shingle)) << n << ": " << shingle;
  }
}

TEST(SeenShingles, RemembersWhatAPlainArrayRemembersWhateverComes) {
  rc::check([](std::vector<std::uint32_t> const& shingles) {
    SeenShingles table;
    PlainArray array;
    for (int round = 0; round < 2; ++round) {
      for (std::uint32_t const s : shingles) {
        if (s != 0) RC_ASSERT(table.put(s) == array.put(s));
      }
    }
  });
}

TEST(SeenShingles, ZeroIsNoShingleAndTakesNoPlace) {
  SeenShingles table;
  EXPECT_FALSE(table.put(0));
  EXPECT_TRUE(table.put(SeenShingles::kPlaces));
  EXPECT_FALSE(table.put(0));
  EXPECT_FALSE(table.put(SeenShingles::kPlaces));
}

}  // namespace
}  // namespace backedge::kernel
