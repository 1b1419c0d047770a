#include "facts/result_text.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "facts/words.h"

namespace backedge::facts {
namespace {

TEST(SaysNothing, HoldsForBlankAndEmptyAndForShortSentences) {
  for (std::string_view const text : {
           "",
           "  \n",
           "[]",
           "{}",
           "null",
           "\"\"",
           " [] \n",
           "No files found",
           "no matches found",
           "No matches found.",
           "No results",
           "0 results",
           "0 matches",
           "Found 0 files",
           "found no matches",
           "(no output)",
           "<no output>",
           "(empty)",
           "[no content]",
           "not found",
           "Not found.",
           "Nothing found",
           "Order 17 not found",
           "none",
           "No entries",
           "zero results",
           "No data",
           "no changes",
       }) {
    EXPECT_TRUE(says_nothing(text)) << text;
  }
}

TEST(SaysNothing, DoesNotHoldForAnythingElse) {
  for (std::string_view const text : {
           "ok",
           "done",
           "0",
           "false",
           "[0]",
           "{\"a\":null}",
           "No problem, the file was written",
           "no",
           "Found 3 files",
           "10 results",
           "No such file or directory: a.txt",
           "error",
           "Error: no matches found in the index, rebuilding it now because it was stale and old, twice",
           "The file was not found, so it was created",
           "found",
           "results",
           "No. 5",
           "nothing to commit, working tree clean",
           "No errors, 3 warnings",
           "100 results",
           "no results were found by the first pass but the second one found two files",
       }) {
    EXPECT_FALSE(says_nothing(text)) << text;
  }
  EXPECT_FALSE(says_nothing("No files found\n" + std::string(100, '=')));
}

std::string masked(std::string_view text) {
  std::string out = "left over";
  mask(text, out);
  return out;
}

TEST(Mask, ReplacesWhatVaries) {
  std::vector<std::pair<std::string, std::string>> const cases{
      {"Error: /tmp/a.txt:12: no 'foo' after 350ms", "error: /:#: no ' after #"},
      {"timeout after 1.5 seconds", "timeout after #"},
      {"timeout after 30s", "timeout after #"},
      {"took 12,345 ms (3 tries)", "took # (# tries)"},
      {"at 2024-05-06T07:08:09.123Z", "at #"},
      {"at 2024-05-06T07:08:09+02:00", "at #"},
      {"at 2024-05-06 07:08:09", "at # #"},
      {"request 123e4567-e89b-12d3-a456-426614174000 failed", "request @ failed"},
      {"request beefbeef-beef-4bee-beef-beefbeefbeef failed", "request @ failed"},
      {"commit 3ed26aa0 by x", "commit @ by x"},
      {"address 0xdeadbeef", "address @"},
      {"decade facade", "decade facade"},
      {"id12 v2 item-7", "id# v# item-#"},
      {"cannot open \"a b c\" or `d`", "cannot open ' or '"},
      {"don't use files' names", "don't use files' names"},
      {"it's 'not' done", "it's ' done"},
      {"see https://example.com/a?b=1#c. Then", "see / then"},
      {"in ./src/x.cpp and C:\\temp\\y.txt", "in / and /"},
      {"a/b/c...", "/..."},
      {"UPPER  Case\n\nText  ", "upper case text"},
      {"1/2", "/"},
      {"", ""},
      {"   ", ""},
      {"/", "/"},
      {"'unclosed", "'unclosed"},
      {"5 m away", "5 m away"},
      {"3 tests failed", "3 tests failed"},
      {"failed at line 3, column 17", "failed at line #, column #"},
      {"exit code 1", "exit code 1"},
      {"5m away", "# away"},
      {"port 8080 in use", "port # in use"},
      {"naïve café", "naïve café"},
  };
  for (auto const& [text, expected] : cases) EXPECT_EQ(masked(text), expected) << text;
}

TEST(Mask, OneKindOfErrorHasOneText) {
  EXPECT_EQ(masked("FileNotFoundError: [Errno 2] No such file or directory: 'src/a.py' (0.3s)"),
            masked("FileNotFoundError: [Errno 2] No such file or directory: '/home/x/b c.py' (12s)"));
  EXPECT_NE(masked("permission denied: /a"), masked("no such file: /a"));
}

TEST(Mask, LooksAtTheFirst2000BytesOnly) {
  EXPECT_EQ(masked(std::string(2000, 'a') + "b"), std::string(2000, 'a'));
  // Nothing gets longer, whatever the bytes.
  std::string all;
  for (int i = 0; i < 2000; ++i) all += static_cast<char>(i * 7);
  EXPECT_LE(masked(all).size(), all.size());
}

std::vector<std::uint64_t> words_of(std::string_view text) {
  std::vector<std::uint64_t> out;
  WordScanner words(text);
  for (std::uint64_t word = 0; words.next(word);) out.push_back(word);
  return out;
}

TEST(Words, AreRunsOfLettersAndDigitsWhateverTheirCase) {
  EXPECT_EQ(words_of("Retry, retry! caféX2"), words_of("RETRY\nretry-caféx2"));
  EXPECT_EQ(words_of("a_b").size(), 2U);
  EXPECT_TRUE(words_of(" .,-\n").empty());
}

TEST(Words, DifferentWordsDiffer) {
  std::set<std::uint64_t> seen;
  std::string word;
  for (int i = 0; i < 40; ++i) {
    word += 'a';
    seen.insert(words_of(word)[0]);
  }
  for (int i = 0; i < 10'000; ++i) seen.insert(words_of("w" + std::to_string(i))[0]);
  EXPECT_EQ(seen.size(), 10'040U);
}

std::string numbered_words(int first, int count) {
  std::string out;
  for (int i = first; i < first + count; ++i) out += "w" + std::to_string(i) + " ";
  return out;
}

struct Shingles {
  std::vector<std::uint32_t> sample;
  std::uint32_t count;
};

Shingles shingles_of(std::string_view text) {
  Shingler shingler;
  FixedList<std::uint32_t, Shingler::kSample> sample;
  std::uint32_t const count = shingler.run(text, sample);
  return {{sample.begin(), sample.end()}, count};
}

TEST(Shingler, CountsDistinctRunsOfFiveWords) {
  EXPECT_EQ(shingles_of(numbered_words(0, 11)).count, 0U);
  EXPECT_EQ(shingles_of(numbered_words(0, 12)).count, 8U);
  EXPECT_EQ(shingles_of(numbered_words(0, 1000)).count, 996U);
  EXPECT_EQ(shingles_of(numbered_words(0, 20) + numbered_words(0, 20)).count, 20U);
  std::string same;
  for (int i = 0; i < 100; ++i) same += "same ";
  EXPECT_EQ(shingles_of(same).count, 1U);
}

TEST(Shingler, TheSampleIsSortedAndIsTheSmallestHashes) {
  Shingles const whole = shingles_of(numbered_words(0, 500));
  EXPECT_EQ(whole.sample.size(), Shingler::kSample);
  EXPECT_TRUE(std::ranges::is_sorted(whole.sample));
  EXPECT_EQ(std::ranges::adjacent_find(whole.sample), whole.sample.end());
  // Whatever of the small hashes is in a part of the text is in the part's sample as well.
  Shingles const part = shingles_of(numbered_words(0, 250));
  for (std::uint32_t const h : part.sample) {
    EXPECT_EQ(std::ranges::binary_search(whole.sample, h), h <= whole.sample.back());
  }
}

TEST(Shingler, ShortTextsHaveAllTheirShinglesInTheSample) {
  Shingles const s = shingles_of("the quick brown fox jumps over the lazy dog and runs home again");
  EXPECT_EQ(s.count, s.sample.size());
  EXPECT_EQ(s.count, 9U);
}

TEST(Shingler, OnlyTheFirst64KilobytesCount) {
  std::string const text = numbered_words(0, 20'000);
  EXPECT_EQ(shingles_of(text).count, shingles_of(text.substr(0, Shingler::kMaxBytes)).count);
}

TEST(Shingler, CaseAndPunctuationDoNotCount) {
  std::string const a = "One two, three! Four five six; seven eight nine ten. Eleven twelve";
  std::string const b = "one TWO three four FIVE six seven (eight) nine ten eleven twelve";
  EXPECT_EQ(shingles_of(a).sample, shingles_of(b).sample);
}

}  // namespace
}  // namespace backedge::facts
