// Durations and money: exact both ways, for every amount.
#include "policy/quantity.h"

#include <array>
#include <limits>
#include <string>

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace backedge::policy {
namespace {

struct DurationCase {
  std::string_view text;
  std::optional<std::int64_t> micros;
};

TEST(Quantity, ReadsDurationsOfWholeUnitsInFallingOrder) {
  constexpr std::int64_t kSecond = kMicrosPerSecond;
  constexpr std::array<DurationCase, 24> kCases{{
      {"90s", 90 * kSecond},
      {"10m", 600 * kSecond},
      {"1h30m", 5'400 * kSecond},
      {"2d", 172'800 * kSecond},
      {"250ms", 250'000},
      {"1d1h1m1s1ms", 90'061 * kSecond + 1'000},
      {"0s", 0},
      {"007s", 7 * kSecond},
      {"", {}},
      {"90", {}},
      {"s", {}},
      {"1.5h", {}},
      {"-1s", {}},
      {"+1s", {}},
      {"1 s", {}},
      {" 1s", {}},
      {"1s ", {}},
      {"1S", {}},
      {"30m1h", {}},
      {"1s1s", {}},
      {"1us", {}},
      {"1w", {}},
      {"106751991d", 106'751'991 * (86'400 * kSecond)},
      {"106751992d", {}},
  }};
  for (auto const& c : kCases) EXPECT_EQ(parse_duration(c.text), c.micros) << c.text;
  EXPECT_EQ(parse_duration("99999999999999999999s"), std::nullopt);
}

TEST(Quantity, WritesDurationsInTheirShortestText) {
  EXPECT_EQ(duration_text(0), "0s");
  EXPECT_EQ(duration_text(90 * kMicrosPerSecond), "1m30s");
  EXPECT_EQ(duration_text(5'400 * kMicrosPerSecond), "1h30m");
  EXPECT_EQ(duration_text(86'400 * kMicrosPerSecond + 1'000), "1d1ms");
}

TEST(Quantity, AnyDurationOfWholeMillisecondsSurvivesItsText) {
  bool const held = rc::check("duration round trip", [] {
    std::int64_t const micros =
        *rc::gen::inRange<std::int64_t>(0, std::numeric_limits<std::int64_t>::max() / 1'000) * 1'000;
    RC_ASSERT(parse_duration(duration_text(micros)) == micros);
  });
  EXPECT_TRUE(held);
}

struct MoneyCase {
  std::string_view text;
  std::optional<std::int64_t> nanos;
};

TEST(Quantity, ReadsMoneyExactlyAndRoundsUp) {
  constexpr std::array<MoneyCase, 34> kCases{{
      {"1.50", 1'500'000'000},
      {"0.1", 100'000'000},
      {"0", 0},
      {"0.000", 0},
      {"12", 12'000'000'000},
      {"0.000000001", 1},
      {"0.0000000001", 1},
      {"0.0000000010", 1},
      {"0.0000000011", 2},
      {"1.0000000009", 1'000'000'001},
      {"1.00000000000000000000000000000000000000000000000000000000001", 1'000'000'001},
      {"1e3", 1'000'000'000'000},
      {"2.5e-3", 2'500'000},
      {"1e-400", 1},
      {"0e400", 0},
      {"+1.5", 1'500'000'000},
      {"1_000.5", 1'000'500'000'000},
      {"9223372036.854775807", std::numeric_limits<std::int64_t>::max()},
      {"9223372036.8547758071", {}},
      {"9223372036.854775808", {}},
      {"1e10", {}},
      {"1e400", {}},
      {"1e401", {}},
      {"", {}},
      {"-1", {}},
      {"$1", {}},
      {"1.", {}},
      {".5", {}},
      {"1,5", {}},
      {"1_", {}},
      {"_1", {}},
      {"1e", {}},
      {"nan", {}},
      {"inf", {}},
  }};
  for (auto const& c : kCases) EXPECT_EQ(parse_money(c.text), c.nanos) << c.text;
  EXPECT_EQ(parse_money(std::string(65, '1')), std::nullopt);
}

TEST(Quantity, WritesMoneyWithAtLeastTwoDecimals) {
  EXPECT_EQ(money_text(0), "0.00");
  EXPECT_EQ(money_text(1'500'000'000), "1.50");
  EXPECT_EQ(money_text(12'000'000'000), "12.00");
  EXPECT_EQ(money_text(1'234'000'000), "1.234");
  EXPECT_EQ(money_text(1), "0.000000001");
}

TEST(Quantity, AnyAmountSurvivesItsText) {
  bool const held = rc::check("money round trip", [] {
    std::int64_t const nanos = *rc::gen::inRange<std::int64_t>(0, std::numeric_limits<std::int64_t>::max());
    RC_ASSERT(parse_money(money_text(nanos)) == nanos);
  });
  EXPECT_TRUE(held);
}

}  // namespace
}  // namespace backedge::policy
