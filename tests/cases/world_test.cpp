// Edits of a file: read at their start, written at their end.
#include "cases/world.h"

#include <gtest/gtest.h>

namespace backedge::cases {
namespace {

constexpr char const* kFirst = R"({"path": "f", "old": "a", "new": "A"})";
constexpr char const* kSecond = R"({"path": "f", "old": "b", "new": "B"})";

TEST(World, EditsOneAfterTheOtherAreBothKept) {
  World world;
  world.file("f", "a b");
  EXPECT_EQ(world.end(*world.start(kFirst)).status, CallStatus::kOk);
  EXPECT_EQ(world.end(*world.start(kSecond)).status, CallStatus::kOk);
  EXPECT_EQ(world.files().at("f"), "A B");
}

TEST(World, OfEditsAtOnceOneIsLost) {
  World world;
  world.file("f", "a b");
  auto const first = world.start(kFirst);
  auto const second = world.start(kSecond);
  (void)world.end(*first);
  (void)world.end(*second);
  EXPECT_EQ(world.files().at("f"), "a B");
}

TEST(World, TextThatIsNotThereAndFilesThatAreNotKnown) {
  World world;
  world.file("f", "x");
  EXPECT_EQ(world.end(*world.start(kFirst)).status, CallStatus::kError);
  EXPECT_FALSE(world.start(R"({"path": "g", "old": "a", "new": "b"})"));
  EXPECT_FALSE(world.start("not JSON"));
}

}  // namespace
}  // namespace backedge::cases
