// Whose prices count.
#include "cli/price_file.h"

#include <sstream>

#include <gtest/gtest.h>

#include "support/temp_folder.h"

namespace backedge::cli {
namespace {

using support::TempFolder;

constexpr char kMine[] = R"({"gpt-4o": {"input_cost_per_token": 1, "output_cost_per_token": 1}})";

std::optional<std::int64_t> price(CommonOptions const& options) {
  std::ostringstream err;
  Result<prices::Table> const table = load_prices(options, err);
  EXPECT_TRUE(table) << (table ? "" : table.error().text()) << err.str();
  return table ? table->price(table->find("gpt-4o"), 0, {.fresh_input = 1}) : std::nullopt;
}

TEST(PriceFile, TheOptionCountsBeforeThePolicyAndThatBeforeWhatIsBuiltIn) {
  TempFolder const folder;
  CommonOptions options{{folder.path(), {}, {}, {}}, {}, {}};
  EXPECT_EQ(price(options), 2'500);
  folder.write("mine.json", kMine);
  folder.write("backedge.toml", "[prices]\nfile = \"mine.json\"\n");
  EXPECT_EQ(price(options), 1'000'000'000);
  folder.write("other.json", R"({"gpt-4o": {"input_cost_per_token": 2, "output_cost_per_token": 1}})");
  options.price_file = "other.json";
  EXPECT_EQ(price(options), 2'000'000'000);
}

TEST(PriceFile, AFileThatIsMissingOrWrongIsAnErrorThatNamesIt) {
  TempFolder const folder;
  CommonOptions options{{folder.path(), {}, {}, {}}, {}, "gone.json"};
  std::ostringstream err;
  Result<prices::Table> const gone = load_prices(options, err);
  ASSERT_FALSE(gone);
  EXPECT_EQ(gone.error().kind, ErrorKind::kNotFound);
  folder.write("gone.json", "[}");
  Result<prices::Table> const wrong = load_prices(options, err);
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().text().find("gone.json:1:"), 0u) << wrong.error().text();
}

}  // namespace
}  // namespace backedge::cli
