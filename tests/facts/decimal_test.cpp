#include "facts/decimal.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace backedge::facts {
namespace {

NumberFault fault_of(std::string_view token) {
  Digest out;
  return digest_number(token, out);
}

Digest digest_of(std::string_view token) {
  Digest out;
  EXPECT_EQ(digest_number(token, out), NumberFault::kNone) << token;
  return out;
}

TEST(Decimal, EqualValuesHaveOneDigest) {
  std::vector<std::vector<std::string>> const classes{
      {"0", "-0", "0.0", "-0.00", "0e5", "0E-99999999999999999999", "0e99999999999999999999"},
      {"1", "1.0", "1e0", "10e-1", "0.1e1", "1E+0", "100e-002", "0.0001e4"},
      {"-1", "-1.0", "-10e-1"},
      {"1200", "1.2e3", "12e2", "1200.00"},
      {"9007199254740993", "9007199254740993.0", "9.007199254740993e15", "90071992547409930e-1"},
      {"9007199254740992"},
      {"12345678901234567890123", "1.2345678901234567890123e22", "123456789012345678901230e-1"},
      {"12345678901234567890124"},
      {"0.1"},
      {"0.1000000000000000055511"},
      {"1000000000000000000000000", "1e24", "1.0e24"},
      {"1e-400", "10e-401", "0.1e-399"},
      {"1e-401"},
      {"1.7976931348623157e308", "17976931348623157e292"},
      {"9999999999999999999", "9999999999999999999.0"},
      {"99999999999999999999"},
      {"1.234567890123456789012345678901234567890", "1.23456789012345678901234567890123456789"},
  };
  for (std::size_t i = 0; i < classes.size(); ++i) {
    for (std::string const& a : classes[i]) {
      for (std::size_t k = 0; k < classes.size(); ++k) {
        for (std::string const& b : classes[k]) EXPECT_EQ(digest_of(a) == digest_of(b), i == k) << a << " " << b;
      }
    }
  }
}

TEST(Decimal, WhatIsNoNumberIsASyntaxFault) {
  for (std::string const token :
       {"-",    "+1",  "01",  "-01",   "1.",   ".5", "-.5", "1e",    "1e+",   "1.e5",     "1x",
        "0x10", "1 2", "--1", "1e5.0", "1..2", "00", "0e",  "1e1e1", "1_000", "Infinity", "1-"}) {
    EXPECT_EQ(fault_of(token), NumberFault::kSyntax) << token;
  }
}

TEST(Decimal, WhatRoundsToInfinityIsOutOfRange) {
  for (std::string const token : {"1e309", "-1e309", "1e400", "1.7976931348623159e308", "1e99999999999999999999",
                                  "17976931348623159e292", "0.1e310", "1e-99999999999999999999"}) {
    EXPECT_EQ(fault_of(token), NumberFault::kRange) << token;
  }
  EXPECT_EQ(fault_of("1" + std::string(309, '0')), NumberFault::kRange);
  EXPECT_EQ(fault_of("1" + std::string(308, '0')), NumberFault::kNone);
  // Rounds down to the largest double.
  EXPECT_EQ(fault_of("1.79769313486231580e308"), NumberFault::kNone);
}

TEST(Decimal, TheQuickWayAgreesWithTheGeneralOne) {
  std::string const alphabet = "0123456789.-e";
  EXPECT_TRUE(rc::check([&](std::vector<std::uint8_t> const& bytes) {
    std::string token = "1";
    for (std::uint8_t const b : bytes) token += alphabet[b % alphabet.size()];
    Digest quick;
    if (!digest_plain_number(token, quick)) return;
    Digest general;
    RC_ASSERT(digest_number(token, general) == NumberFault::kNone);
    RC_ASSERT(quick == general);
  }));
  for (std::string const token : {"0", "-0", "-0.000", "10", "123.4500", "-999999999999999999", "9999999999999999999",
                                  "0.00000000000000001", "-9999999999999999999", "1000000000000000000"}) {
    Digest quick;
    ASSERT_TRUE(digest_plain_number(token, quick)) << token;
    EXPECT_EQ(quick, digest_of(token)) << token;
  }
}

TEST(Decimal, AnIntegerIsReadInEverySpelling) {
  EXPECT_EQ(integer_value("2000"), 2000);
  EXPECT_EQ(integer_value("2000.0"), 2000);
  EXPECT_EQ(integer_value("2e3"), 2000);
  EXPECT_EQ(integer_value("-7"), -7);
  EXPECT_EQ(integer_value("-0"), 0);
  EXPECT_EQ(integer_value("9223372036854775807"), 9223372036854775807);
}

TEST(Decimal, WhatIsNoIntegerOf64BitsIsNone) {
  for (std::string const token :
       {"", "1.5", "9223372036854775808", "1e19", "1e300", "1e400", "x", "12a", " 1", "-9223372036854775809"}) {
    EXPECT_EQ(integer_value(token), std::nullopt) << token;
  }
}

}  // namespace
}  // namespace backedge::facts
