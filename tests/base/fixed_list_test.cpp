#include "base/fixed_list.h"

#include <vector>

#include <gtest/gtest.h>

namespace backedge {
namespace {

TEST(FixedList, AFullListDropsWhatDoesNotFit) {
  FixedList<int, 2> list;
  EXPECT_TRUE(list.empty());
  EXPECT_TRUE(list.push(1));
  EXPECT_TRUE(list.push(2));
  EXPECT_FALSE(list.push(3));
  EXPECT_EQ(std::vector<int>(list.begin(), list.end()), (std::vector<int>{1, 2}));
}

TEST(FixedList, TruncateKeepsTheFirst) {
  FixedList<int, 4> list;
  for (int const i : {1, 2, 3}) list.push(i);
  list.truncate(1);
  EXPECT_EQ(list.size(), 1U);
  EXPECT_EQ(list[0], 1);
  list.clear();
  EXPECT_TRUE(list.empty());
  EXPECT_TRUE(list.view().empty());
}

}  // namespace
}  // namespace backedge
