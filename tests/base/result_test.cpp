#include "backedge/result.h"

#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>

namespace backedge {
namespace {

Result<int> half(int n) {
  if (n % 2 != 0) return Error{ErrorKind::kUsage, "odd", {}};
  return n / 2;
}

TEST(Result, HoldsAValueOrAnError) {
  EXPECT_TRUE(half(4).ok());
  EXPECT_EQ(*half(4), 2);
  EXPECT_FALSE(half(3));
  EXPECT_EQ(half(3).error(), (Error{ErrorKind::kUsage, "odd", {}}));
}

TEST(Result, AValueCanBeMovedOut) {
  Result<std::unique_ptr<int>> result(std::make_unique<int>(7));
  std::unique_ptr<int> const value = std::move(result).value();
  EXPECT_EQ(*value, 7);
}

TEST(Result, VoidSucceedsByDefault) {
  EXPECT_TRUE(Result<void>().ok());
  Result<void> const failed = Error{ErrorKind::kIo, "disk full", {}};
  EXPECT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().kind, ErrorKind::kIo);
}

TEST(Result, AnErrorsTextSaysWhereAsFarAsItIsKnown) {
  EXPECT_EQ((Error{ErrorKind::kInput, "bad", {}}.text()), "bad");
  EXPECT_EQ((Error{ErrorKind::kInput, "bad", {"a.toml", 0, 0}}.text()), "a.toml: bad");
  EXPECT_EQ((Error{ErrorKind::kInput, "bad", {"a.toml", 3, 0}}.text()), "a.toml:3: bad");
  EXPECT_EQ((Error{ErrorKind::kInput, "bad", {"a.toml", 3, 9}}.text()), "a.toml:3:9: bad");
}

TEST(ResultDeathTest, ReadingTheWrongSideAborts) {
  EXPECT_DEATH(static_cast<void>(half(3).value()), "");
  EXPECT_DEATH(static_cast<void>(half(4).error()), "");
}

}  // namespace
}  // namespace backedge
