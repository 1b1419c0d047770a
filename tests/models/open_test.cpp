// Models by name.
#include "models/open.h"

#include <string>

#include <gtest/gtest.h>

#include "models/support.h"

namespace backedge::models {
namespace {

TEST(OpenModel, OpensWhatItKnows) {
  EXPECT_TRUE(open_model("scripted:" + data("demo.script.jsonl")).ok());
  EXPECT_TRUE(open_model("replay:" + data("openai.json")).ok());
  Result<std::shared_ptr<Model>> const second = open_model("replay:" + data("tau.json") + "#2");
  ASSERT_TRUE(second.ok()) << second.error().text();
  EXPECT_EQ(line(ask(**second, {})), R"(a:calculate({"expression": "1+1"}) [tool_use])");
}

TEST(OpenModel, SaysOfEveryOtherNameWhatIsKnown) {
  for (std::string const spec : {"", "gpt", "scripted", "scripted:", "replay:", "http://x"}) {
    Result<std::shared_ptr<Model>> const model = open_model(spec);
    ASSERT_FALSE(model.ok()) << spec;
    EXPECT_EQ(model.error().kind, ErrorKind::kUsage);
    EXPECT_NE(model.error().text().find("known are scripted:FILE, replay:FILE and replay:FILE#N"), std::string::npos);
  }
  EXPECT_NE(open_model("scriptd:x").error().text().find("did you mean scripted:FILE"), std::string::npos);
}

TEST(OpenModel, PassesOnWhatIsWrongWithTheFile) {
  EXPECT_EQ(open_model("scripted:no").error().kind, ErrorKind::kNotFound);
  EXPECT_EQ(open_model("replay:no#x").error().where.file, "no#x") << "without a number the mark is part of the name";
  EXPECT_EQ(open_model("replay:" + data("demo.script.json")).error().kind, ErrorKind::kInput);
}

}  // namespace
}  // namespace backedge::models
