// Sums, tiers and times.
#include "prices/rates.h"

#include <limits>

#include <gtest/gtest.h>

namespace backedge::prices {
namespace {

TEST(Rates, ASumIsRoundedUpOnceAndNotPerClass) {
  Rates rates;
  rates.input = Rate{400'000, {}};   // 0.4 nano-USD a token
  rates.output = Rate{300'000, {}};  // 0.3
  EXPECT_EQ(rates.cost({.fresh_input = 1, .output = 2}), 1);
  EXPECT_EQ(rates.cost({.fresh_input = 1, .output = 3}), 2);
  EXPECT_EQ(rates.cost({}), 0);
}

TEST(Rates, ATierCountsForAllTokensOfARequestThatExceedsItsStart) {
  Rates rates;
  rates.input = Rate{3'000'000'000, {{200'000, 6'000'000'000}}};
  rates.output = Rate{15'000'000'000, {{200'000, 22'500'000'000}}};
  EXPECT_EQ(rates.cost({.fresh_input = 200'000, .output = 1}), 200'000LL * 3'000 + 15'000);
  EXPECT_EQ(rates.cost({.fresh_input = 1, .cache_read = 200'000, .output = 1}), 200'001LL * 6'000 + 22'500);
}

TEST(Rates, ACountThatNoRequestCanHaveStaysWithinMoney) {
  Rates rates;
  rates.input = Rate{1'000'000'000'000'000, {}};
  EXPECT_EQ(rates.cost({.fresh_input = std::numeric_limits<std::int64_t>::max() / 4}),
            std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(rates.cost({.fresh_input = -5}), 0);
}

TEST(Rates, TheLastPeriodThatATimeFallsIntoCounts) {
  Rates a, b, c;
  a.input = Rate{1'000'000, {}};
  b.input = Rate{2'000'000, {}};
  c.input = Rate{3'000'000, {}};
  std::vector<Period> const periods{{{}, a}, {FromDate{10}, b}, {TimeOfDay{80'000, 100}, c}};
  constexpr std::int64_t kDay = 86'400'000;
  EXPECT_EQ(rates_at(periods, 9 * kDay + 1'000'000).cost({.fresh_input = 1}), 1);
  EXPECT_EQ(rates_at(periods, 10 * kDay + 1'000'000).cost({.fresh_input = 1}), 2);
  EXPECT_EQ(rates_at(periods, 10 * kDay + 99'000).cost({.fresh_input = 1}), 3);
  EXPECT_EQ(rates_at(periods, 10 * kDay + 80'000'000).cost({.fresh_input = 1}), 3);
  EXPECT_EQ(rates_at(periods, -1).cost({.fresh_input = 1}), 3);
}

}  // namespace
}  // namespace backedge::prices
