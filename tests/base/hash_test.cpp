#include "base/hash.h"

#include <set>
#include <string>

#include <gtest/gtest.h>

namespace backedge {
namespace {

// Digests are written into journals: a new version must find what an old one wrote.
TEST(Hash, DigestsStayWhatTheyAre) {
  EXPECT_EQ(digest_name(""), (Digest{0xca813bf4c7abf0a9, 0x384e421788469bd2}));
  EXPECT_EQ(digest_name("id"), (Digest{0x21519ae119c12b13, 0x4ac9f0fcd7363eb7}));
  EXPECT_EQ(digest_name("query"), (Digest{0x03ad0fcba4f65be7, 0x2f30ef2d5ec5b508}));
  EXPECT_EQ(digest_name("a text of 16 by."), (Digest{0xec259c772712dde1, 0x23584ab29408e61f}));
  EXPECT_EQ(digest_name("a text of more than sixteen bytes"), (Digest{0xe677f98b9124d09b, 0xf99d40994fccdc3b}));
  EXPECT_EQ(digest_bytes("result", DigestTag::kOutcome), (Digest{0x38544f9480e7441a, 0xeb8b1c350ff42407}));
}

TEST(Hash, ATagKeepsKindsApart) {
  EXPECT_NE(digest_bytes("same", DigestTag::kRaw), digest_bytes("same", DigestTag::kOutcome));
  EXPECT_NE(digest_bytes("same", DigestTag::kRaw), digest_bytes("same", DigestTag::kText));
}

TEST(Hash, EmptyBytesHaveADigest) {
  EXPECT_FALSE(digest_bytes("", DigestTag::kRaw).none());
  EXPECT_FALSE(digest_name("").none());
}

TEST(Hash, ANameHasTheDigestOfItsTextAtEveryLength) {
  std::string name;
  for (int i = 0; i < 300; ++i) {
    EXPECT_EQ(digest_name(name), digest_bytes(name, DigestTag::kText)) << i;
    name += static_cast<char>('a' + i % 26);
  }
}

TEST(Hash, RunsOfOneLetterDifferAtEveryLength) {
  std::set<Digest> seen;
  for (char const c : std::string("\0a`x", 4)) {
    for (std::size_t n = 1; n <= 64; ++n) seen.insert(digest_name(std::string(n, c)));
  }
  EXPECT_EQ(seen.size(), 4U * 64U);
}

// Words of at most 16 bytes are read as two words that overlap; no two of these may meet.
TEST(Hash, ShortTextsDoNotMeet) {
  std::set<Digest> whole;
  std::set<std::uint64_t> high;
  std::set<std::uint64_t> low;
  std::size_t count = 0;
  std::string const alphabet("ab`\0", 4);
  for (std::size_t n = 0; n <= 8; ++n) {
    std::size_t combinations = 1;
    for (std::size_t i = 0; i < n; ++i) combinations *= alphabet.size();
    for (std::size_t k = 0; k < combinations; ++k) {
      std::string text;
      for (std::size_t i = 0, rest = k; i < n; ++i, rest /= alphabet.size()) text += alphabet[rest % alphabet.size()];
      for (std::string const& tail : {std::string(), std::string("aaaaaaaa")}) {
        if (tail.empty() || n > 0) {
          Digest const d = digest_name(tail + text);
          whole.insert(d);
          high.insert(d.hi);
          low.insert(d.lo);
        }
      }
    }
    count += n == 0 ? 1 : 2 * combinations;
  }
  // "aaaaaaaa" is among the texts of length 8 and is the tail of none; runs of a meet where the texts are equal.
  std::size_t const equal_texts = whole.size();
  EXPECT_EQ(high.size(), equal_texts);
  EXPECT_EQ(low.size(), equal_texts);
  EXPECT_EQ(equal_texts, count);
}

TEST(Hash, NumbersInNamesDoNotMeet) {
  std::set<Digest> seen;
  for (int i = 0; i < 100'000; ++i) seen.insert(digest_name("item " + std::to_string(i)));
  EXPECT_EQ(seen.size(), 100'000U);
}

}  // namespace
}  // namespace backedge
