// Names as traces write them, files of both shapes, and what is said of files that are wrong.
#include "prices/table.h"

#include <string>

#include <gtest/gtest.h>

namespace backedge::prices {
namespace {

Table const& builtin() {
  static Table const table = Table::builtin();
  return table;
}

std::string id_of(std::string_view model, std::string_view provider = {}) {
  PricedModel const* const found = builtin().find(model, provider);
  return found == nullptr ? "unpriced" : found->id;
}

TEST(Table, TheBuiltInOneNamesItsVersionAndDay) {
  EXPECT_EQ(builtin().name(), "genai-prices 0.1.8 of 2026-09-23");
  EXPECT_GT(builtin().size(), 1500u);
}

TEST(Table, NamesAreFoundAsTracesWriteThem) {
  EXPECT_EQ(id_of("claude-sonnet-4-5-20250929"), "claude-sonnet-4-5");
  EXPECT_EQ(id_of("anthropic/claude-sonnet-4-5-20250929"), "claude-sonnet-4-5");
  EXPECT_EQ(id_of("litellm/anthropic/claude-sonnet-4-5-20250929"), "claude-sonnet-4-5");
  EXPECT_EQ(id_of("anthropic/claude-sonnet-4-5", "anthropic"), "claude-sonnet-4-5");
  EXPECT_EQ(id_of("us.anthropic.claude-sonnet-4-5-20250929-v1:0"),
            "regional.anthropic.claude-sonnet-4-5-20250929-v1:0");
  EXPECT_EQ(id_of("bedrock/global.anthropic.claude-sonnet-4-5-20250929-v1:0"),
            "global.anthropic.claude-sonnet-4-5-20250929-v1:0");
  EXPECT_EQ(id_of("gpt-4o-2024-08-06"), id_of("gpt-4o-2024-08-06", "openai"));
  EXPECT_NE(id_of("gpt-4o-2024-08-06"), "unpriced");
  EXPECT_EQ(id_of("openai/gpt-4o-2024-08-06"), id_of("gpt-4o-2024-08-06"));
  EXPECT_NE(id_of("openrouter/anthropic/claude-sonnet-4.5"), "unpriced");
  EXPECT_EQ(builtin().find("openrouter/anthropic/claude-sonnet-4.5"),
            builtin().find("anthropic/claude-sonnet-4.5", "openrouter"));
  EXPECT_NE(id_of("models/gemini-2.5-pro"), "unpriced");
}

TEST(Table, WhatIsNotKnownIsUnpriced) {
  EXPECT_EQ(id_of(""), "unpriced");
  EXPECT_EQ(id_of("<synthetic>"), "unpriced");
  EXPECT_EQ(id_of("my-own-model"), "unpriced");
  EXPECT_EQ(id_of("claude-sonnet-4-5", "openai"), "unpriced");
  EXPECT_FALSE(builtin().price(nullptr, 0, {1, 1, 1, 1, 1, 1}));
}

TEST(Table, AModelWithoutAPriceForAUsedClassIsUnpricedAndNotFree) {
  Result<Table> const table = Table::read(
      R"([{"id":"p","models":[{"id":"m","match":{"equals":"m"},"prices":{"input_mtok":1}},
                              {"id":"n","match":{"equals":"n"},"prices":{}}]}])",
      "f.json");
  ASSERT_TRUE(table) << table.error().text();
  EXPECT_EQ(table->price(table->find("m", "p"), 0, {.fresh_input = 7}), 7000);
  EXPECT_FALSE(table->price(table->find("m", "p"), 0, {.fresh_input = 7, .output = 1}));
  EXPECT_FALSE(table->price(table->find("n", "p"), 0, {}));
}

TEST(Table, AnHoursCacheCostsTwiceTheInputWhereTheTableHasNoPriceForIt) {
  PricedModel const* const model = builtin().find("us.anthropic.claude-sonnet-4-5-20250929-v1:0");
  ASSERT_NE(model, nullptr);
  EXPECT_EQ(builtin().price(model, 0, {.cache_write_1h = 1000}), 6'600'000);
  EXPECT_EQ(builtin().price(model, 0, {.cache_write_5m = 1000}), 4'125'000);
}

TEST(Table, AFileOfLiteLlmsShapeIsRead) {
  Result<Table> const table = Table::read(R"({
    "sample_spec": {"input_cost_per_token": 0.0},
    "claude-x": {"litellm_provider": "anthropic", "input_cost_per_token": 3e-06, "output_cost_per_token": 1.5e-05,
                 "cache_read_input_token_cost": 3e-07, "cache_creation_input_token_cost": 3.75e-06,
                 "input_cost_per_token_above_200k_tokens": 6e-06, "max_input_tokens": 200000},
    "openrouter/org/m": {"input_cost_per_token": 1e-06, "output_cost_per_token": 2e-06},
    "picture": {"output_cost_per_image": 0.04}})",
                                          "mine.json");
  ASSERT_TRUE(table) << table.error().text();
  EXPECT_EQ(table->size(), 2u);
  EXPECT_EQ(table->price(table->find("anthropic/Claude-X"), 0, {.fresh_input = 10, .cache_read = 10, .output = 2}),
            30'000 + 3'000 + 30'000);
  EXPECT_EQ(table->price(table->find("claude-x"), 0, {.fresh_input = 200'001}), 200'001LL * 6'000);
  EXPECT_EQ(table->price(table->find("claude-x"), 0, {.cache_write_1h = 1}), 6'000);
  EXPECT_EQ(table->price(table->find("org/m", "openrouter"), 0, {.output = 1}), 2'000);
  EXPECT_EQ(table->find("picture"), nullptr);
}

TEST(Table, ATableLaidOverAnotherIsAskedFirst) {
  Result<Table> mine =
      Table::read(R"({"gpt-4o": {"input_cost_per_token": 1, "output_cost_per_token": 1}})", "mine.json");
  ASSERT_TRUE(mine) << mine.error().text();
  Table const both = (*std::move(mine)).over(Table::builtin());
  EXPECT_EQ(both.name(), "mine.json, then genai-prices 0.1.8 of 2026-09-23");
  EXPECT_EQ(both.price(both.find("gpt-4o"), 0, {.fresh_input = 1}), 1'000'000'000);
  EXPECT_NE(both.find("claude-sonnet-4-5"), nullptr);
}

std::string complaint(std::string_view text) {
  Result<Table> const table = Table::read(text, "f.json");
  return table ? "none" : table.error().text();
}

TEST(Table, WhatIsWrongWithAFileIsSaidOnOneLine) {
  EXPECT_EQ(complaint("[1]"), "f.json: each provider is an object with an \"id\"");
  EXPECT_EQ(complaint("7"), "f.json:1:1: prices are a list of providers, or an object of models");
  EXPECT_EQ(
      complaint(R"([{"id":"p","models":[{"id":"m","match":{"equals":"m"},"prices":{"input_mtok":-1}}]}])"),
      "f.json: provider \"p\": model \"m\": input_mtok: a price is a number from 0 to a million dollars per million "
      "tokens");
  EXPECT_EQ(
      complaint(R"([{"id":"p","models":[{"id":"m","match":{"equal":"m"},"prices":{}}]}])"),
      "f.json: provider \"p\": model \"m\": no rule about names is called \"equal\"; known are equals, starts_with, "
      "ends_with, contains, regex, and, or");
  EXPECT_EQ(complaint(R"([{"id":"p","models":[{"id":"m","match":{"equals":"m"},"prices":{"inputs":1}}]}])"),
            "f.json: provider \"p\": model \"m\": \"inputs\" is no price; known are input_mtok, output_mtok, "
            "cache_read_mtok, cache_write_mtok, cache_write_1h_mtok, output_reasoning_mtok, requests_kcount");
  EXPECT_EQ(complaint(R"({"m": {"input_cost_per_token": "3"}})"),
            "f.json: model \"m\": input_cost_per_token: a price is a number from 0 to a million dollars per million "
            "tokens");
  EXPECT_NE(complaint(R"({"m": {}})").find("no model has a price"), std::string::npos);
}

TEST(Table, ADayIsOneOfTheCalendar) {
  EXPECT_EQ(day_of("1970-01-02"), 1);
  EXPECT_EQ(day_of("2026-02-30"), std::nullopt);
  EXPECT_EQ(day_of("2026-2-3"), std::nullopt);
}

}  // namespace
}  // namespace backedge::prices
