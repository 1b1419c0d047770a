#include "facts/pointer_tree.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/hash.h"

namespace backedge::facts {
namespace {

// RFC 6901, section 5.
TEST(PointerSegments, ResolvesTheRfcsExamples) {
  EXPECT_EQ(*pointer_segments(""), (std::vector<std::string>{}));
  EXPECT_EQ(*pointer_segments("/foo/0"), (std::vector<std::string>{"foo", "0"}));
  EXPECT_EQ(*pointer_segments("/"), (std::vector<std::string>{""}));
  EXPECT_EQ(*pointer_segments("/a~1b"), (std::vector<std::string>{"a/b"}));
  EXPECT_EQ(*pointer_segments("/m~0n"), (std::vector<std::string>{"m~n"}));
  EXPECT_EQ(*pointer_segments("/~01"), (std::vector<std::string>{"~1"}));
  EXPECT_EQ(*pointer_segments("/ "), (std::vector<std::string>{" "}));
}

TEST(PointerSegments, WithoutASlashItIsOneName) {
  EXPECT_EQ(*pointer_segments("query"), (std::vector<std::string>{"query"}));
  EXPECT_EQ(*pointer_segments("a~b"), (std::vector<std::string>{"a~b"}));
}

TEST(PointerSegments, ABadEscapeIsAnError) {
  for (std::string const pointer : {"/a~", "/a~2", "/~/b"}) {
    EXPECT_EQ(pointer_segments(pointer).error().kind, ErrorKind::kUsage) << pointer;
  }
  EXPECT_EQ(pointer_segments("/a~2").error().detail, "\"/a~2\" is no JSON pointer: a ~ stands only before 0 or 1");
}

TEST(PointerTree, SharesWhatPointersHaveInCommon) {
  PointerTree tree;
  std::uint8_t const deep = *tree.add("/a/b");
  std::uint8_t const whole = *tree.add("/a");
  std::uint8_t const index = *tree.add("/a/0");
  EXPECT_EQ(*tree.add("/a/b"), deep);
  EXPECT_EQ(*tree.add("a"), whole);
  EXPECT_EQ(tree.slots(), 3U);
  std::uint16_t const a = tree.member(PointerTree::root(), digest_name("a"));
  EXPECT_EQ(tree.slot(a), whole);
  EXPECT_EQ(tree.slot(tree.member(a, digest_name("b"))), deep);
  EXPECT_EQ(tree.slot(tree.member(a, digest_name("0"))), index);
  EXPECT_EQ(tree.slot(tree.element(a, 0)), index);
  EXPECT_EQ(tree.element(a, 1), PointerTree::kOff);
  EXPECT_EQ(tree.member(PointerTree::root(), digest_name("b")), PointerTree::kOff);
}

TEST(PointerTree, AnIndexHasNoLeadingZeroAndNoSign) {
  PointerTree tree;
  for (std::string const pointer : {"/01", "/-1", "/-", "/1x", "/99999999999"}) ASSERT_TRUE(tree.add(pointer).ok());
  for (std::size_t i = 0; i < 20; ++i) EXPECT_EQ(tree.element(PointerTree::root(), i), PointerTree::kOff);
}

TEST(PointerTree, TheEmptyPointerIsTheWholeText) {
  PointerTree tree;
  EXPECT_EQ(tree.slot(PointerTree::root()), PointerTree::kNone);
  EXPECT_EQ(tree.slot(PointerTree::root()), PointerTree::kNone);
  std::uint8_t const slot = *tree.add("");
  EXPECT_EQ(tree.slot(PointerTree::root()), slot);
}

TEST(PointerTree, HasALimit) {
  PointerTree tree;
  for (std::size_t i = 0; i < PointerTree::kMaxSlots; ++i) ASSERT_TRUE(tree.add("/" + std::to_string(i)).ok());
  EXPECT_TRUE(tree.add("/7").ok());
  EXPECT_EQ(tree.add("/one_more").error().kind, ErrorKind::kUsage);
}

}  // namespace
}  // namespace backedge::facts
