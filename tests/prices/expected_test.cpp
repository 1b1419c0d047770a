// The prices against another calculator: tests/prices/expected.tsv, see data/prices/expected.mjs.
#include <cmath>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "prices/table.h"

namespace backedge::prices {
namespace {

std::vector<std::string> columns(std::string const& line) {
  std::vector<std::string> out;
  std::istringstream in(line);
  for (std::string part; std::getline(in, part, '\t');) out.push_back(part);
  return out;
}

TEST(Expected, EveryPriceIsTheOneOfTheTablesOwnCalculatorToTheNanoDollar) {
  Table const table = Table::builtin();
  std::ifstream file(std::string(BACKEDGE_SOURCE_DIR) + "/tests/prices/expected.tsv");
  ASSERT_TRUE(file);
  int priced = 0, unpriced = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("#")) continue;
    std::vector<std::string> const c = columns(line);
    ASSERT_EQ(c.size(), 10u) << line;
    Usage const usage{std::stoll(c[3]), std::stoll(c[4]), std::stoll(c[5]),
                      std::stoll(c[6]), std::stoll(c[7]), std::stoll(c[8])};
    std::optional<std::int64_t> const ours = table.price(table.find(c[1], c[0]), std::stoll(c[2]), usage);
    if (c[9] == "unpriced") {
      EXPECT_FALSE(ours) << line;
      ++unpriced;
      continue;
    }
    ASSERT_TRUE(ours) << line;
    // Ours is rounded up to the next nano-dollar, theirs is a binary fraction with 12 digits.
    double const theirs = std::stod(c[9]) * 1e9;
    double const slack = 1e-4 + theirs * 1e-11;
    EXPECT_GE(static_cast<double>(*ours), theirs - slack) << line;
    EXPECT_LE(static_cast<double>(*ours), theirs + 1 + slack) << line;
    ++priced;
  }
  EXPECT_GT(priced, 1000);
  EXPECT_GE(unpriced, 16);
}

}  // namespace
}  // namespace backedge::prices
