#include "tools/utf8.h"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace backedge::tools {
namespace {

TEST(Utf8, ReplacesEachMaximalPartThatIsNone) {
  std::string const r = "\xef\xbf\xbd";
  std::vector<std::pair<std::string, std::string>> const cases{
      {"", ""},
      {"plain", "plain"},
      {"gr\xc3\xbc\xc3\x9f", "gr\xc3\xbc\xc3\x9f"},
      {"\xff", r},
      {"a\xc3", "a" + r},
      {"\xe2\x82", r},
      {"\xe2\x82x", r + "x"},
      {"\xc0\x80", r + r},
      {"\xed\xa0\x80", r + r + r},
      {"\xf4\x90\x80\x80", r + r + r + r},
      {"\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80"},
      {"\x80\x80ok", r + r + "ok"},
  };
  for (auto const& [bytes, text] : cases) {
    EXPECT_EQ(to_utf8(bytes), text);
    EXPECT_EQ(is_utf8(bytes), bytes == text);
  }
}

TEST(Utf8, GivesValidTextForAnyBytes) {
  EXPECT_TRUE(rc::check("valid, and the same when it was", [] {
    std::string const bytes = *rc::gen::container<std::string>(rc::gen::oneOf(
        rc::gen::arbitrary<char>(), rc::gen::element('\xc3', '\xe2', '\x82', '\xf0', '\x9f', '\xed', '\xa0', 'a')));
    std::string const text = to_utf8(bytes);
    RC_ASSERT(is_utf8(text));
    RC_ASSERT(to_utf8(text) == text);
    if (is_utf8(bytes)) RC_ASSERT(text == bytes);
  }));
}

TEST(Utf8, CountsTheBytesOfAnIncompleteCharacter) {
  EXPECT_EQ(incomplete_tail("abc"), 0u);
  EXPECT_EQ(incomplete_tail("a\xc3"), 1u);
  EXPECT_EQ(incomplete_tail("a\xe2\x82"), 2u);
  EXPECT_EQ(incomplete_tail("a\xf0\x9f\x98"), 3u);
  EXPECT_EQ(incomplete_tail("a\xf0\x9f\x98\x80"), 0u);
  EXPECT_EQ(incomplete_tail("\x80\x80\x80\x80"), 0u);
}

TEST(Utf8, ShowsStrangeNamesOnOneLine) {
  EXPECT_EQ(shown_name("gr\xc3\xbc\xc3\x9f.txt"), "gr\xc3\xbc\xc3\x9f.txt");
  EXPECT_EQ(shown_name("a\nb").find('\n'), std::string::npos);
  EXPECT_TRUE(is_utf8(shown_name("\xff")));
}

}  // namespace
}  // namespace backedge::tools
