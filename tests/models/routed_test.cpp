// Each request goes to the model that it names.

#include "models/routed.h"

#include <gtest/gtest.h>

namespace backedge::models {
namespace {

class Says : public Model {
 public:
  Says(std::string text, bool at_once) : text_(std::move(text)), inline_(at_once) {}
  Result<Reply> ask(Request const&, DeltaSink&, std::stop_token) override {
    return Reply{{Role::kAssistant, {TextBlock{text_}}}, "end_turn", {}};
  }
  bool inline_ok() const override { return inline_; }

 private:
  std::string text_;
  bool inline_;
};

class Silent : public DeltaSink {
 public:
  void text(std::string_view) override {}
};

TEST(RoutedModel, AsksTheModelOfThatNameElseTheOther) {
  RoutedModel model(std::make_shared<Says>("other", true), {{"small", std::make_shared<Says>("small", false)}});
  Silent sink;
  auto const answer = [&](std::string_view name) {
    Result<Reply> const reply = model.ask(Request{.model = name}, sink, {});
    return std::get<TextBlock>(reply->message.blocks.front()).text;
  };
  EXPECT_EQ(answer("small"), "small");
  EXPECT_EQ(answer("large"), "other");
  EXPECT_EQ(answer(""), "other");
  EXPECT_FALSE(model.inline_ok()) << "one of them takes its time";
}

}  // namespace
}  // namespace backedge::models
