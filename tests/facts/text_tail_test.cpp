#include "facts/text_tail.h"

#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

namespace backedge::facts {
namespace {

kernel::TextFacts facts_of(std::string_view text) {
  std::string buffer;
  return text_facts(text, buffer);
}

std::string times(int n, std::string_view piece) {
  std::string out;
  for (int i = 0; i < n; ++i) out += piece;
  return out;
}

struct Tail {
  std::string text;
  int period;
  int repeats;
};

TEST(TextTail, FindsTheBlockThatEndsTheText) {
  std::vector<Tail> const cases{
      {"I will look. " + times(12, "no "), 1, 12},
      {times(12, "no, "), 2, 12},
      {"Let me check. " + times(5, "I will read the file. "), 6, 5},
      {times(3, "a b a c "), 4, 3},
      {"yes yes", 1, 2},
      {times(13, "no "), 1, 13},
      {times(6, "a b ") + "a", 2, 6},
      {"x " +
           times(2,
                 "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "),
       16, 2},
      {times(4, "! "), 1, 4},
      {times(4, "日本"), 2, 4},
      {times(1000, "no "), 1, 400},
  };
  for (Tail const& c : cases) {
    kernel::TextFacts const facts = facts_of(c.text);
    EXPECT_EQ(facts.tail_period, c.period) << c.text;
    EXPECT_EQ(facts.tail_repeats, c.repeats) << c.text;
  }
}

TEST(TextTail, OrdinaryTextHasNone) {
  std::vector<std::string> const texts{"the very very very large table", "no no no no but then it went on", "", "one",
                                       "The test passes now; the cause was a missing lock in the retry loop.",
                                       // A block of seventeen tokens is longer than is looked for.
                                       times(2,
                                             "one two three four five six seven eight nine ten eleven twelve thirteen "
                                             "fourteen fifteen sixteen seventeen ")};
  for (std::string const& text : texts) {
    EXPECT_EQ(facts_of(text).tail_repeats, 0) << text;
    EXPECT_EQ(facts_of(text).tail_period, 0) << text;
  }
}

TEST(TextTail, WhiteSpaceOnlySeparates) {
  EXPECT_EQ(facts_of("no\n\nno\tno  ").tail_repeats, 3);
  EXPECT_EQ(facts_of("  a  b\n").message, facts_of("a b").message);
  EXPECT_NE(facts_of("ab").message, facts_of("a b").message);
  EXPECT_TRUE(facts_of(" \n ").message.none());
  EXPECT_EQ(facts_of(" \n ").tokens, 0);
}

TEST(TextTail, CountsTokensUpToItsRange) {
  EXPECT_EQ(facts_of("Hello, world!").tokens, 4);
  EXPECT_EQ(facts_of("snake_case is-two").tokens, 4);
  EXPECT_EQ(facts_of(times(70'000, "a ")).tokens, 65'535);
}

// Against the definition, on all texts of up to nine tokens.
TEST(TextTail, AgreesWithItsDefinitionOnAllShortTexts) {
  for (std::size_t n = 1; n <= 9; ++n) {
    for (std::size_t k = 0; k < (1U << n); ++k) {
      std::string text;
      std::vector<bool> tokens;
      for (std::size_t i = 0; i < n; ++i) {
        tokens.push_back(((k >> i) & 1) != 0);
        text += tokens.back() ? "a " : "b ";
      }
      std::size_t best = 0;
      std::size_t period = 0;
      std::size_t repeats = 0;
      for (std::size_t p = 1; p <= n / 2; ++p) {
        std::size_t r = 1;
        while ((r + 1) * p <= n && std::equal(tokens.end() - static_cast<long>(p), tokens.end(),
                                              tokens.end() - static_cast<long>((r + 1) * p)))
          ++r;
        if (r >= 2 && p * r > best) std::tie(best, period, repeats) = std::tuple(p * r, p, r);
      }
      kernel::TextFacts const facts = facts_of(text);
      ASSERT_EQ(facts.tail_period, period) << text;
      ASSERT_EQ(facts.tail_repeats, repeats) << text;
    }
  }
}

}  // namespace
}  // namespace backedge::facts
