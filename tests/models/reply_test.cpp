// Texts in pieces and ids that are free.
#include "models/reply.h"

#include <string>

#include <gtest/gtest.h>

#include "models/support.h"

namespace backedge::models {
namespace {

TEST(Reply, ATextIsToldInPiecesThatAreWholeCharacters) {
  std::string text;
  for (int i = 0; i < 30; ++i) text += "é";
  Heard heard;
  tell(text, heard);
  ASSERT_EQ(heard.pieces.size(), 2U);
  EXPECT_EQ(heard.pieces[0].size(), 48U);
  EXPECT_EQ(heard.whole, text);
}

TEST(Reply, BytesThatAreNoTextAreToldAsTheyAre) {
  std::string const text("\xff\xfe\0x\xc3", 5);
  Heard heard;
  tell(text, heard);
  EXPECT_EQ(heard.whole, text);
}

TEST(Reply, NothingIsToldOfAnEmptyText) {
  Heard heard;
  tell("", heard);
  EXPECT_TRUE(heard.pieces.empty());
}

TEST(Reply, AWaitIsOverWithItsTimeOrWithTheToken) {
  std::stop_source stop;
  EXPECT_TRUE(wait_for(std::chrono::milliseconds(1), stop.get_token()));
  stop.request_stop();
  EXPECT_FALSE(wait_for(std::chrono::hours(1), stop.get_token()));
  EXPECT_FALSE(wait_for(std::chrono::milliseconds(0), stop.get_token()));
  EXPECT_TRUE(wait_for(std::chrono::milliseconds(0), {}));
}

}  // namespace
}  // namespace backedge::models
