#include "base/canonical.h"

#include <bit>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <boost/json.hpp>
#include <gtest/gtest.h>

#include "base/json.h"

namespace backedge {
namespace {

std::string canonical_text(std::string_view text) { return canonical(*parse_json(text)); }

// RFC 8785, appendix B.
TEST(Canonical, NumbersAreWrittenAsInTheRfcsTable) {
  std::vector<std::pair<std::uint64_t, std::string>> const table{
      {0x0000000000000000, "0"},
      {0x8000000000000000, "0"},
      {0x0000000000000001, "5e-324"},
      {0x8000000000000001, "-5e-324"},
      {0x7fefffffffffffff, "1.7976931348623157e+308"},
      {0xffefffffffffffff, "-1.7976931348623157e+308"},
      {0x4340000000000000, "9007199254740992"},
      {0xc340000000000000, "-9007199254740992"},
      {0x4430000000000000, "295147905179352830000"},
      {0x44b52d02c7e14af5, "9.999999999999997e+22"},
      {0x44b52d02c7e14af6, "1e+23"},
      {0x44b52d02c7e14af7, "1.0000000000000001e+23"},
      {0x444b1ae4d6e2ef4e, "999999999999999700000"},
      {0x444b1ae4d6e2ef4f, "999999999999999900000"},
      {0x444b1ae4d6e2ef50, "1e+21"},
      {0x3eb0c6f7a0b5ed8c, "9.999999999999997e-7"},
      {0x3eb0c6f7a0b5ed8d, "0.000001"},
      {0x41b3de4355555553, "333333333.3333332"},
      {0x41b3de4355555554, "333333333.33333325"},
      {0x41b3de4355555555, "333333333.3333333"},
      {0x41b3de4355555556, "333333333.3333334"},
      {0x41b3de4355555557, "333333333.33333343"},
      {0xbecbf647612f3696, "-0.0000033333333333333333"},
      {0x43143ff3c1cb0959, "1424953923781206.2"},
  };
  for (auto const& [bits, text] : table) EXPECT_EQ(canonical_number(std::bit_cast<double>(bits)), text);
}

// RFC 8785, section 3.2.2.
TEST(Canonical, TheRfcsSampleObjectBecomesItsCanonicalText) {
  EXPECT_EQ(canonical_text(R"({
      "numbers": [333333333.33333329, 1E30, 4.50,
                  2e-3, 0.000000000000000000000000001],
      "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
      "literals": [null, true, false]
    })"),
            R"({"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],)"
            R"("string":"€$\u000f\nA'B\"\\\\\"/"})");
}

// RFC 8785, section 3.2.3.
TEST(Canonical, MembersAreSortedByUtf16CodeUnits) {
  EXPECT_EQ(canonical_text(R"({
      "\u20ac": "Euro Sign",
      "\r": "Carriage Return",
      "\ufb33": "Hebrew Letter Dalet With Dagesh",
      "1": "One",
      "\ud83d\ude00": "Emoji: Grinning Face",
      "\u0080": "Control",
      "\u00f6": "Latin Small Letter O With Diaeresis"
    })"),
            "{\"\\r\":\"Carriage Return\",\"1\":\"One\",\"\u0080\":\"Control\",\"ö\":\"Latin Small Letter O With "
            "Diaeresis\",\"€\":\"Euro Sign\",\"😀\":\"Emoji: Grinning Face\",\"\ufb33\":\"Hebrew Letter Dalet With "
            "Dagesh\"}");
}

TEST(Canonical, AShorterNameComesFirst) {
  EXPECT_EQ(canonical_text(R"({"ab":1,"":2,"a":3,"b":4})"), R"({"":2,"a":3,"ab":1,"b":4})");
}

TEST(Canonical, ControlCharactersHaveTheirShortEscapeWhereThereIsOne) {
  EXPECT_EQ(canonical_text(R"(["\u0000\u0008\u0009\u000a\u000b\u000c\u000d\u001f\u007f"])"),
            "[\"\\u0000\\b\\t\\n\\u000b\\f\\r\\u001f\x7f\"]");
}

TEST(Canonical, AnIntegerBeyondADoubleIsWrittenAsTheDoubleItRoundsTo) {
  EXPECT_EQ(canonical_text("[9007199254740993,18446744073709551615,-9223372036854775808]"),
            "[9007199254740992,18446744073709552000,-9223372036854776000]");
}

TEST(Canonical, NumbersChangeTheirLayoutWhereEcmaScriptDoes) {
  EXPECT_EQ(canonical_text("[1e20,1e21,123e19,0.1,1e-6,1e-7,12e-7,1.5,100,-0.0,1.0]"),
            "[100000000000000000000,1e+21,1.23e+21,0.1,0.000001,1e-7,0.0000012,1.5,100,0,1]");
}

TEST(Canonical, DeepNestingNeedsNoStack) {
  std::string const text = std::string(kMaxJsonDepth, '[') + std::string(kMaxJsonDepth, ']');
  EXPECT_EQ(canonical_text(text), text);
}

}  // namespace
}  // namespace backedge
