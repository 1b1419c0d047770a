// The shop's database behind its two tools.
#include "demo/shop.h"

#include <gtest/gtest.h>

#include "demo/files.h"
#include "support/temp_folder.h"

namespace backedge::demo {
namespace {

class Asked : public ToolContext {
 public:
  explicit Asked(std::string arguments) : arguments_(std::move(arguments)) {}
  std::string_view arguments() const override { return arguments_; }
  CallId call() const override { return CallId{1}; }
  std::stop_token stop() const override { return {}; }
  void progress(std::string_view) override {}
  Result<ToolResult> run_agent(std::string_view, std::string_view) override {
    return Error{ErrorKind::kNotFound, "no agents here", {}};
  }
  Result<std::string> token() const override { return Error{ErrorKind::kUsage, "no key", {}}; }

 private:
  std::string arguments_;
};

TEST(Shop, FindsRowsAndSaysWhatIsNotThere) {
  support::TempFolder const folder;
  auto const tools = shop_tools(folder.path() / "shop.db", files().find("2-orders/shop.sql")->second);
  ASSERT_TRUE(tools.ok()) << tools.error().text();
  ASSERT_EQ(tools->size(), 2U);
  Asked order(R"({"order": 1042})");
  EXPECT_EQ((*tools)[0].second(order).text,
            R"({"id":"1042","customer":"M. Okafor","item":"standing desk","state":"see shipment S-7731"})");
  Asked shipment(R"({"shipment": "S-7731"})");
  EXPECT_NE((*tools)[1].second(shipment).text.find("kept with order 1042"), std::string::npos);
  Asked nothing(R"({"order": 7})");
  ToolResult const none = (*tools)[0].second(nothing);
  EXPECT_EQ(none.status, CallStatus::kError);
  EXPECT_EQ(none.text, "there is no order 7");
  Asked forged(R"({"shipment": "x' OR '1'='1"})");
  EXPECT_EQ((*tools)[1].second(forged).status, CallStatus::kError);
}

TEST(Shop, BadSqlIsAnError) {
  support::TempFolder const folder;
  auto const tools = shop_tools(folder.path() / "shop.db", "CREATE TABEL x;");
  ASSERT_FALSE(tools.ok());
  EXPECT_NE(tools.error().text().find("shop.db: near \"TABEL\""), std::string::npos) << tools.error().text();
}

}  // namespace
}  // namespace backedge::demo
