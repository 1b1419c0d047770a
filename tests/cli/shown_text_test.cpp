// Texts in lines: nothing that upsets a terminal, and what is left out is named.
#include "cli/shown_text.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace backedge::cli {
namespace {

using Lines = std::vector<std::string>;

TEST(ShownText, IsCutIntoItsLines) {
  EXPECT_EQ(shown_lines(""), Lines());
  EXPECT_EQ(shown_lines("a"), Lines{"a"});
  EXPECT_EQ(shown_lines("a\r\n\nb\n"), (Lines{"a", "", "b"}));
  EXPECT_EQ(shown_lines("a\n\n"), (Lines{"a", ""}));
}

TEST(ShownText, EscapesWhatUpsetsATerminalAndNothingElse) {
  EXPECT_EQ(shown_lines("\x1b[2J\ta \"b\" \\ é €"), Lines{"\\x1b[2J\ta \"b\" \\ é €"});
  EXPECT_EQ(shown_lines("\xc2\x9b"
                        "2J\x7f\xff\r!"),
            Lines{"\\xc2\\x9b2J\\x7f\\xff\\x0d!"});
}

TEST(ShownText, SaysWhatItLeavesOut) {
  EXPECT_EQ(shown_lines("abcdef\nb\nc\nd", {.lines = 2, .characters = 3}), (Lines{"abc…", "b", "… 2 more lines"}));
  EXPECT_EQ(shown_lines("a\nb\nc\n", {.lines = 2, .characters = 3}), (Lines{"a", "b", "… 1 more line"}));
  EXPECT_EQ(shown_lines("a\nb\n", {.lines = 2, .characters = 3}), (Lines{"a", "b"}));
}

}  // namespace
}  // namespace backedge::cli
