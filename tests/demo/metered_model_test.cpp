// Tokens and money are counted from what passes.
#include "demo/metered_model.h"

#include <gtest/gtest.h>

#include "models/scripted.h"

namespace backedge::demo {
namespace {

class Silent : public DeltaSink {
 public:
  void text(std::string_view) override {}
};

TEST(MeteredModel, CountsFourBytesATokenAndPricesThemByTheTable) {
  auto const table = std::make_shared<prices::Table const>(prices::Table::builtin());
  prices::PricedModel const* const priced = table->find("claude-sonnet-4-5");
  ASSERT_NE(priced, nullptr);
  Result<models::Script> script = models::Script::parse(R"({"text":"12345678"})", "s");
  ASSERT_TRUE(script.ok());
  MeteredModel model(std::make_shared<models::ScriptedModel>(*std::move(script)), table, priced);
  std::vector<Message> const messages{{Role::kUser, {TextBlock{std::string(4000, 'x')}}}};
  Request const request{.system = "abcd", .tools = {}, .messages = messages};
  Silent deltas;
  Result<Reply> const reply = model.ask(request, deltas, {});
  ASSERT_TRUE(reply.ok());
  EXPECT_EQ(reply->usage.input_tokens, 1001);
  EXPECT_EQ(reply->usage.output_tokens, 2);
  EXPECT_EQ(reply->usage.cost_nano_usd, *table->price(priced, 0, {.fresh_input = 1001, .output = 2}));
  EXPECT_GT(reply->usage.cost_nano_usd, 0);
  Estimate const before = model.estimate(request);
  EXPECT_EQ(before.input_tokens, 1001);
  EXPECT_GE(before.cost_nano_usd.value_or(0), reply->usage.cost_nano_usd) << "an estimate is what it costs at most";
}

}  // namespace
}  // namespace backedge::demo
