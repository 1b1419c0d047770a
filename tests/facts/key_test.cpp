// The key of a call against RFC 8785: two arguments have the same digest exactly when their canonical texts are the
// same.

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "base/canonical.h"
#include "base/json.h"
#include "facts/any_json.h"
#include "facts/json_digest.h"
#include "facts/reader.h"

namespace backedge::facts {
namespace {

using backedge::testing::AnyJson;
using backedge::testing::JsonMaker;

std::string canonical_text(std::string_view text) {
  Result<boost::json::value> const value = parse_json(text);
  return value ? canonical(*value) : "fault: " + value.error().detail;
}

Digest digest_of(std::string_view text) {
  JsonDigester digester;
  return digester.run(text, {}) == JsonFault::kNone ? digester.root().digest : Digest{};
}

constexpr int kPairsPerSeed = 20;

TEST(Key, TwoTextsOfOneValueHaveOneDigest) {
  EXPECT_TRUE(rc::check([](std::uint64_t seed) {
    JsonMaker maker(seed);
    for (int i = 0; i < kPairsPerSeed; ++i) {
      AnyJson const value = maker.value();
      std::string const first = maker.write(value);
      std::string const second = maker.write(value);
      RC_LOG() << first << "\n" << second << "\n";
      RC_ASSERT(canonical_text(first) == canonical_text(second));
      RC_ASSERT(!digest_of(first).none());
      RC_ASSERT(digest_of(first) == digest_of(second));
    }
  }));
}

TEST(Key, DigestsAreEqualExactlyWhenCanonicalTextsAre) {
  int equal = 0;
  int different = 0;
  EXPECT_TRUE(rc::check([&](std::uint64_t seed) {
    JsonMaker maker(seed);
    for (int i = 0; i < kPairsPerSeed; ++i) {
      AnyJson const value = maker.value();
      std::string const first = maker.write(value);
      std::string const second = maker.write(maker.altered(value));
      RC_LOG() << first << "\n" << second << "\n";
      bool const same = canonical_text(first) == canonical_text(second);
      (same ? equal : different) += 1;
      RC_ASSERT((digest_of(first) == digest_of(second)) == same);
    }
  }));
  // Neither side may be tested by chance only.
  EXPECT_GT(equal, 100);
  EXPECT_GT(different, 100);
}

TEST(Key, TheSameHoldsForTheKeysOfCalls) {
  ContractBook const book;
  EXPECT_TRUE(rc::check([&](std::uint64_t seed) {
    Reader reader(book);
    JsonMaker maker(seed);
    AnyJson const value = maker.object();
    AnyJson const other = maker.altered(value);
    if (other.kind != AnyJson::Kind::kObject) return;
    std::string const first = maker.write(value);
    std::string const second = maker.write(other);
    RC_LOG() << first << "\n" << second << "\n";
    Digest const key = reader.call("some_tool", first).key;
    RC_ASSERT((reader.call("some_tool", second).key == key) == (canonical_text(first) == canonical_text(second)));
    RC_ASSERT(reader.call("other_tool", first).key != key);
  }));
}

// The pass takes a text exactly when the strict parser does, and equal digests are equal canonical texts.
struct Oracle {
  std::map<std::string, Digest> by_text;
  std::set<Digest> digests;
  JsonDigester digester;
  std::size_t accepted = 0;

  void check(std::string const& text) {
    JsonFault const fault = digester.run(text, {});
    Result<boost::json::value> const value = parse_json(text);
    ASSERT_EQ(fault == JsonFault::kNone, value.ok()) << text << " " << digester.fault_text();
    if (!value) return;
    ++accepted;
    auto const [known, fresh] = by_text.emplace(canonical(*value), digester.root().digest);
    ASSERT_EQ(known->second, digester.root().digest) << text;
    ASSERT_EQ(fresh, digests.insert(digester.root().digest).second) << text;
  }

  // All texts of `length` characters of `alphabet`, between `before` and `after`.
  void check_all(std::string_view alphabet, std::size_t length, std::string_view before, std::string_view after) {
    std::size_t combinations = 1;
    for (std::size_t i = 0; i < length; ++i) combinations *= alphabet.size();
    std::string text;
    for (std::size_t k = 0; k < combinations && !::testing::Test::HasFatalFailure(); ++k) {
      text = before;
      for (std::size_t i = 0, rest = k; i < length; ++i, rest /= alphabet.size())
        text += alphabet[rest % alphabet.size()];
      check(text.append(after));
    }
  }
};

TEST(Key, AgreesWithTheParserOnAllShortTexts) {
  Oracle oracle;
  for (std::size_t length = 0; length <= 5; ++length) oracle.check_all("{}[],:\"a10-.e ", length, "", "");
  EXPECT_GT(oracle.accepted, 2000U);
}

TEST(Key, AgreesWithTheParserOnAllShortEscapes) {
  Oracle oracle;
  for (std::size_t length = 0; length <= 6; ++length) oracle.check_all("\\\"u0d8n", length, "\"", "\"");
  oracle.check_all("8cdD0f", 6, "[\"\\ud", "\"]");
  oracle.check_all("8cdD0\\u", 6, "[\"\\ud800\\", "\"]");
  EXPECT_GT(oracle.accepted, 1000U);
}

TEST(Key, AgreesWithTheParserOnAllShortObjects) {
  Oracle oracle;
  for (std::size_t length = 0; length <= 7; ++length) oracle.check_all("\"ab1:,}", length, "{\"a\":1,", "}");
  EXPECT_GT(oracle.accepted, 10U);
}

TEST(Key, ArgumentsThatAreATextHoldingJsonAreThatJson) {
  EXPECT_EQ(digest_arguments(R"("{\"a\":1}")"), digest_arguments(R"({"a":1})"));
  EXPECT_EQ(digest_arguments(R"("  {\"a\": 1.0} \n")"), digest_arguments(R"({"a":1})"));
  EXPECT_FALSE(digest_arguments(R"("{\"a\":1}")").none());
}

TEST(Key, TextsInsideArgumentsAreNeverParsed) {
  EXPECT_NE(digest_arguments(R"({"a":"{\"b\":1}"})"), digest_arguments(R"({"a":{"b":1}})"));
  EXPECT_NE(digest_arguments(R"({"a":"1"})"), digest_arguments(R"({"a":1})"));
  EXPECT_TRUE(digest_arguments(R"("\"{}\"")").none());
}

TEST(Key, NothingBlankAndNullAreNoArguments) {
  Digest const none = digest_arguments("{}");
  for (std::string const text : {"", "  \n", "null", " null ", "\"\"", "\" \"", "\"null\"", "\"{}\"", "{ }"}) {
    EXPECT_EQ(digest_arguments(text), none) << text;
  }
}

TEST(Key, NumbersThatADoubleCannotTellApartKeepTheirDigits) {
  EXPECT_NE(digest_arguments(R"({"n":9007199254740993})"), digest_arguments(R"({"n":9007199254740992})"));
  EXPECT_NE(digest_arguments(R"({"n":0.1})"), digest_arguments(R"({"n":0.1000000000000000055511})"));
  EXPECT_EQ(digest_arguments(R"({"n":9007199254740993.0})"), digest_arguments(R"({"n":9007199254740993})"));
}

TEST(Key, NamesAndValuesAreNotExchanged) {
  EXPECT_NE(digest_arguments(R"({"a":"b"})"), digest_arguments(R"({"b":"a"})"));
  EXPECT_NE(digest_arguments(R"({"a":1,"b":2})"), digest_arguments(R"({"a":2,"b":1})"));
  EXPECT_NE(digest_arguments(R"({"a":[1,2]})"), digest_arguments(R"({"a":[2,1]})"));
  EXPECT_NE(digest_arguments(R"({"a":[[1],2]})"), digest_arguments(R"({"a":[1,[2]]})"));
  EXPECT_NE(digest_arguments(R"({"a":[]})"), digest_arguments(R"({"a":{}})"));
  EXPECT_NE(digest_arguments(R"({"a":[null]})"), digest_arguments(R"({"a":[]})"));
}

}  // namespace
}  // namespace backedge::facts
