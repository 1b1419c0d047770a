// A list of chunks: what was put in is found at its index, and stays where it was.
#include "base/chunk_list.h"

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

namespace backedge {
namespace {

template <class List>
void holds_what_a_vector_holds(int most) {
  List list;
  std::vector<int> expected;
  std::vector<int const*> places;
  EXPECT_TRUE(list.empty());
  for (int n = 0; n < most; ++n) {
    places.push_back(&list.push_back(n * 3));
    expected.push_back(n * 3);
    ASSERT_EQ(list.size(), expected.size());
    ASSERT_EQ(list.back(), n * 3);
  }
  for (std::size_t i = 0; i < expected.size(); ++i) {
    ASSERT_EQ(list[i], expected[i]) << i;
    ASSERT_EQ(&list[i], places[i]) << i << " has moved";
  }
}

TEST(ChunkList, HoldsWhatAVectorHoldsAtEverySizeOfItsChunks) {
  holds_what_a_vector_holds<ChunkList<int, 1, 1>>(50);
  holds_what_a_vector_holds<ChunkList<int, 1, 16>>(200);
  holds_what_a_vector_holds<ChunkList<int, 2, 8>>(200);
  holds_what_a_vector_holds<ChunkList<int, 8, 8>>(200);
  holds_what_a_vector_holds<ChunkList<int, 8, 256>>(5000);
}

TEST(ChunkList, AClearedListBeginsAnewWithFreshValues) {
  ChunkList<int, 2, 8> list;
  for (int n = 0; n < 20; ++n) list.push_back(7);
  list.clear();
  EXPECT_TRUE(list.empty());
  list.push_back(1);
  EXPECT_EQ(list.size(), 1U);
  EXPECT_EQ(list[0], 1);
}

TEST(ChunkList, AListThatWasMovedFromIsEmptyAndTheOtherHasItsValuesInPlace) {
  ChunkList<int, 2, 8> list;
  for (int n = 0; n < 20; ++n) list.push_back(n);
  int const* const place = &list[13];
  ChunkList<int, 2, 8> other(std::move(list));
  EXPECT_EQ(list.size(), 0U);  // NOLINT(bugprone-use-after-move): that is what is promised
  EXPECT_EQ(&other[13], place);
  list = std::move(other);
  EXPECT_EQ(&list[13], place);
}

TEST(ChunkList, ACopyHoldsTheSameAndIsApart) {
  ChunkList<int, 2, 8> list;
  for (int n = 0; n < 20; ++n) list.push_back(n);
  ChunkList<int, 2, 8> copy(list);
  copy[13] = 100;
  EXPECT_EQ(list[13], 13);
  list = copy;
  EXPECT_EQ(list[13], 100);
  EXPECT_EQ(list.size(), 20U);
}

}  // namespace
}  // namespace backedge
