// The tree of a TOML text: kinds, places, the digits of decimals, and texts made to break a parser.
#include "policy/toml_document.h"

#include <string>

#include <gtest/gtest.h>

#include "policy/toml_guard.h"

namespace backedge::policy {
namespace {

Node tree(std::string_view toml) {
  Result<Node> root = parse_toml(toml, "f");
  EXPECT_TRUE(root.ok()) << root.error().text();
  return root.ok() ? *root : Node{};
}

std::string error(std::string_view toml) {
  Result<Node> const root = parse_toml(toml, "f");
  EXPECT_FALSE(root.ok()) << toml;
  if (root.ok()) return {};
  EXPECT_EQ(root.error().kind, ErrorKind::kPolicy);
  return root.error().text();
}

TEST(TomlDocument, KeepsEveryKindOfValue) {
  Node const root = tree(R"(
text = "a\tb"
integer = 0x10
decimal = 1.50
flag = true
list = [1, "x"]
table = { a = 1 }
time = 1979-05-27
)");
  ASSERT_EQ(root.members.size(), 7U);
  EXPECT_EQ(root.members[0].node.text, "a\tb");
  EXPECT_EQ(root.members[1].node.integer, 16);
  EXPECT_EQ(root.members[2].node.kind, NodeKind::kDecimal);
  EXPECT_EQ(root.members[2].node.text, "1.50");
  EXPECT_TRUE(root.members[3].node.flag);
  EXPECT_EQ(root.members[4].node.items.size(), 2U);
  EXPECT_EQ(root.members[5].node.members[0].name, "a");
  EXPECT_EQ(root.members[6].node.kind, NodeKind::kTime);
}

TEST(TomlDocument, MembersStandInTheOrderOfTheFileWithTheirPlaces) {
  Node const root = tree("zebra = 1\n[b]\n  yak = 2\n[a]\nx = 3\n");
  ASSERT_EQ(root.members.size(), 3U);
  EXPECT_EQ(root.members[0].name, "zebra");
  EXPECT_EQ(root.members[1].name, "b");
  EXPECT_EQ(root.members[2].name, "a");
  EXPECT_EQ(root.members[1].node.members[0].place, (Place{3, 3}));
  EXPECT_EQ(root.members[1].node.members[0].node.place, (Place{3, 9}));
}

TEST(TomlDocument, ADecimalKeepsItsDigitsWhereverItStands) {
  EXPECT_EQ(tree("\xef\xbb\xbf"
                 "a = 0.10")
                .members[0]
                .node.text,
            "0.10");
  EXPECT_EQ(tree("t = { \"ключ\" = 'é', b = 1_0.5e1 }\r\n").members[0].node.members[1].node.text, "1_0.5e1");
  EXPECT_EQ(tree("a = [\n  1.25 ,\n  -inf]").members[0].node.items[0].text, "1.25");
  EXPECT_EQ(tree("a = [\n  1.25 ,\n  -inf]").members[0].node.items[1].text, "-inf");
}

TEST(TomlDocument, SyntaxErrorsAreOneLineWithTheirPlace) {
  EXPECT_EQ(error("[limits"), "f:1:8: invalid TOML (table header): encountered end-of-file");
  EXPECT_EQ(error("a = tru\n"), "f:1:8: invalid TOML (boolean): expected 'true', saw 'tru\\n'");
  EXPECT_EQ(
      error("a = \"x\n"),
      "f:1:7: invalid TOML (string): unescaped control characters other than TAB (U+0009) are explicitly prohibited");
  EXPECT_EQ(error("a = 1\na = 2"), "f:2:5: invalid TOML (key-value pair): cannot redefine existing integer 'a'");
  EXPECT_EQ(error("[a]\n[a]\n"), "f:2:1: invalid TOML (table header): cannot redefine existing table 'a'");
  EXPECT_EQ(error("a = \"\xff\""), "f:1:5: invalid TOML: Encountered invalid utf-8 sequence");
}

std::string repeated(std::string_view part, std::size_t times) {
  std::string out;
  for (std::size_t i = 0; i < times; ++i) out += part;
  return out;
}

TEST(TomlDocument, NoNestingExhaustsTheStack) {
  EXPECT_EQ(error(repeated("a.", 40) + "a = 1"), "f:1:65: nested deeper than 32 levels");
  EXPECT_EQ(error("a = " + repeated("[", 40) + repeated("]", 40)), "f:1:37: nested deeper than 32 levels");
  EXPECT_EQ(error(repeated("a.", 20'000) + "a = 1"), "f:1:65: nested deeper than 32 levels");
  EXPECT_EQ(error(repeated("a.", 20'001) + "a = 1"),
            "f: the file has 20001 dots outside quotes and comments, at most 20000 are read");
  EXPECT_EQ(error("a = " + repeated("[", 100'000)).substr(0, 18), "f:1:261: invalid T");
  EXPECT_EQ(tree("# " + repeated("...", 20'000)).members.size(), 0U);
}

TEST(TomlDocument, OutsideQuotesAndCommentsThereIsOnlyAscii) {
  EXPECT_EQ(error("a = 1\n b\u00e9 = 2"), "f:2:3: \"\u00e9\" may only stand in quotes or in a comment");
  EXPECT_EQ(error("\uFEBF = 2"), "f:1:1: \"\uFEBF\" may only stand in quotes or in a comment");
  EXPECT_EQ(error("a = \"\u00e9\"\u00a0"), "f:1:8: \"\u00a0\" may only stand in quotes or in a comment");
  EXPECT_EQ(error("a = 'x\n\u00e9'"), "f:2:1: \"\u00e9\" may only stand in quotes or in a comment");
  EXPECT_EQ(error("a = \"\"\"\\\n \u00e9\"\"\""), "f:2:2: \"\u00e9\" may not follow a backslash");
  EXPECT_EQ(error("\xff = 1"), "f:1:1: \"\\xff\" may only stand in quotes or in a comment");
}

TEST(TomlDocument, InQuotesAndCommentsThereIsAnyText) {
  Node const root = tree(R"(# é.."
"é" = "é\"#é" # it's é
'é.' = 'é\'
long = """é"é""\"""é""""" # é
raw = '''é'é''\'''''
empty = ["", '', """""", '''''', "é"]
folded = """a\
  bé"""
)");
  ASSERT_EQ(root.members.size(), 6U);
  EXPECT_EQ(root.members[0].node.text, "é\"#é");
  EXPECT_EQ(root.members[1].node.text, "é\\");
  EXPECT_EQ(root.members[2].node.text, "é\"é\"\"\"\"\"é\"\"");
  EXPECT_EQ(root.members[3].node.text, "é'é''\\''");
  EXPECT_EQ(root.members[4].node.items.size(), 5U);
  EXPECT_EQ(root.members[5].node.text, "abé");
}

TEST(TomlDocument, AFileHasABound) {
  std::string const most(kMaxBytes - 1, ' ');
  EXPECT_EQ(tree("#" + most).members.size(), 0U);
  EXPECT_EQ(error("# " + most), "f: the file has 1048577 bytes, at most 1048576 are read");
}

}  // namespace
}  // namespace backedge::policy
