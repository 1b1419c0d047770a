// Lines of files and of texts in memory.
#include "inspect/lines.h"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "inspect/support.h"

namespace backedge::inspect {
namespace {

using Numbered = std::vector<std::pair<std::string, std::int64_t>>;

Numbered lines_of(LineReader reader) {
  Numbered out;
  for (Line line; reader.next(line);) out.emplace_back(std::string(line.bytes), line.number);
  return out;
}

TEST(Lines, AreNumberedAsAnEditorNumbersThem) {
  EXPECT_EQ(lines_of(LineReader::over("a\n\n  \nb\nc", "f")), (Numbered{{"a", 1}, {"b", 4}, {"c", 5}}));
}

TEST(Lines, DropCarriageReturnsAndTheByteOrderMark) {
  EXPECT_EQ(lines_of(LineReader::over("\xEF\xBB\xBF{}\r\n{}\r\n", "f")), (Numbered{{"{}", 1}, {"{}", 2}}));
}

TEST(Lines, OfNothingAreNone) {
  EXPECT_TRUE(lines_of(LineReader::over("", "f")).empty());
  EXPECT_TRUE(lines_of(LineReader::over("\n\r\n", "f")).empty());
  EXPECT_TRUE(lines_of(LineReader::over("\xEF\xBB\xBF", "f")).empty());
}

TEST(Lines, LongerThanTheBufferArriveWhole) {
  std::string const big(5'000'000, 'x');
  Numbered const lines = lines_of(LineReader::over("a\n" + big + "\nb", "f"));
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[1].first, big);
  EXPECT_EQ(lines[2], (std::pair<std::string, std::int64_t>{"b", 3}));
}

TEST(Lines, OfAFileAreThoseOfItsText) {
  testing::TempFolder const folder;
  std::string text;
  for (int i = 0; i < 300'000; ++i) text += "line " + std::to_string(i) + (i % 7 == 0 ? "\r\n" : "\n");
  std::string const path = folder.write("f", text);
  Result<LineReader> file = LineReader::open(path);
  ASSERT_TRUE(file);
  EXPECT_EQ(lines_of(*std::move(file)), lines_of(LineReader::over(text, "f")));
}

TEST(Lines, CanBeReadAgainAndAsAWhole) {
  LineReader reader = LineReader::over("\xEF\xBB\xBF[1,\n2]", "f");
  Line line;
  ASSERT_TRUE(reader.next(line));
  std::string_view text;
  ASSERT_TRUE(reader.whole(100, text));
  EXPECT_EQ(text, "[1,\n2]");
  EXPECT_FALSE(reader.next(line));
  reader.rewind();
  ASSERT_TRUE(reader.next(line));
  EXPECT_EQ(line.bytes, "[1,");
  EXPECT_FALSE(reader.whole(3, text));
}

TEST(Lines, OfWhatIsNoFileAreAnError) {
  Result<LineReader> const missing = LineReader::open("/nowhere/at/all");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().kind, ErrorKind::kNotFound);
  Result<LineReader> const folder = LineReader::open(std::filesystem::temp_directory_path().string());
  ASSERT_FALSE(folder);
  EXPECT_EQ(folder.error().kind, ErrorKind::kUsage);
}

}  // namespace
}  // namespace backedge::inspect
