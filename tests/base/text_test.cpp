#include "base/text.h"

#include <array>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace backedge {
namespace {

TEST(Cut, CountsCharactersNotBytes) {
  EXPECT_EQ(cut("añb", 2), "añ");
  EXPECT_EQ(cut("日本語", 2), "日本");
  EXPECT_EQ(cut("a😀b", 2), "a😀");
  EXPECT_EQ(cut("abc", 9), "abc");
  EXPECT_EQ(cut("abc", 0), "");
}

TEST(Cut, ABrokenSequenceCountsByteByByte) {
  EXPECT_EQ(cut("\xff\xfe\xfd", 2), "\xff\xfe");
  EXPECT_EQ(cut("\xe6\x97", 1), "\xe6");
  EXPECT_EQ(cut("\xc0\x80", 1), "\xc0");
  EXPECT_EQ(cut("\xed\xa0\x80", 1), "\xed");
  EXPECT_EQ(cut("\xf4\x90\x80\x80", 1), "\xf4");
}

TEST(Quoted, MakesOneCleanLine) {
  EXPECT_EQ(in_quotes("plain"), "\"plain\"");
  EXPECT_EQ(in_quotes("a\nb\tc\rd"), R"("a\nb\tc\rd")");
  EXPECT_EQ(in_quotes("say \"no\\\""), R"("say \"no\\\"")");
  EXPECT_EQ(in_quotes(std::string("\x1b[31m\0\x7f", 7)), R"("\x1b[31m\x00\x7f")");
  EXPECT_EQ(in_quotes("\xff"), R"("\xff")");
  EXPECT_EQ(in_quotes("\xc2\x85"), R"("\u0085")");
  EXPECT_EQ(in_quotes("日本"), "\"日本\"");
}

TEST(Quoted, SaysThatItWasCut) {
  EXPECT_EQ(in_quotes("abcdef", 3), "\"abc…\"");
  EXPECT_EQ(in_quotes("abc", 3), "\"abc\"");
}

constexpr std::array<std::string_view, 6> kNames{"max_turns", "max_tokens", "max_depth",
                                                 "tools",     "limits",     "read_file"};

TEST(Nearest, FindsWhatWasMeant) {
  EXPECT_EQ(nearest("max_tuns", kNames), (std::vector<std::string_view>{"max_turns"}));
  EXPECT_EQ(nearest("mxa_turns", kNames), (std::vector<std::string_view>{"max_turns"}));
  EXPECT_EQ(nearest("Tools", kNames), (std::vector<std::string_view>{"tools"}));
  EXPECT_EQ(nearest("readfile", kNames), (std::vector<std::string_view>{"read_file"}));
}

TEST(Nearest, PutsTheNearestFirstAndKeepsTheCount) {
  std::array<std::string_view, 4> const names{"aaab", "aaaa", "aabb", "aaaa"};
  EXPECT_EQ(nearest("aaaa", names, 2), (std::vector<std::string_view>{"aaaa", "aaab"}));
}

TEST(Nearest, FarWordsHaveNone) {
  EXPECT_TRUE(nearest("frobnicate", kNames).empty());
  EXPECT_TRUE(nearest("", kNames).empty());
  EXPECT_TRUE(nearest(std::string(65, 'a'), std::array<std::string_view, 1>{"aaaa"}).empty());
}

}  // namespace
}  // namespace backedge
