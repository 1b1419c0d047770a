// A cut for the model: what stays, what the mark says, and that no character is split.

#include "talk/cut.h"

#include <gtest/gtest.h>

namespace backedge::talk {
namespace {

TEST(Cut, ShortTextsStayAsTheyAre) {
  EXPECT_EQ(cut_for_model("abc", 3), "abc");
  EXPECT_EQ(cut_for_model("", 0), "");
  EXPECT_EQ(cut_for_model("äöü", 3), "äöü") << "characters, not bytes";
}

TEST(Cut, HeadAndTailStayAndTheMarkCountsWhatIsMissing) {
  EXPECT_EQ(cut_for_model("0123456789abcdefghij", 10), "0123456\n[… 10 characters left out …]\nhij");
  EXPECT_EQ(cut_for_model("äöüßäöüßäöüß", 4), "äöü\n[… 8 characters left out …]\nß");
}

TEST(Cut, NoLimitSplitsACharacter) {
  std::string const text =
      "aä€😀b"
      "aä€😀b"
      "aä€😀b";
  for (int most = 0; most < 16; ++most) {
    std::string const out = cut_for_model(text, most);
    for (std::size_t i = 0; i < out.size(); ++i) {
      auto const byte = static_cast<unsigned char>(out[i]);
      std::size_t const more = byte >= 0xF0 ? 3 : byte >= 0xE0 ? 2 : byte >= 0xC0 ? 1 : 0;
      for (std::size_t k = 1; k <= more; ++k) {
        ASSERT_LT(i + k, out.size()) << most;
        EXPECT_EQ(static_cast<unsigned char>(out[i + k]) & 0xC0U, 0x80U) << most;
      }
      i += more;
    }
  }
}

}  // namespace
}  // namespace backedge::talk
