// Conversations in the Anthropic dialect.
#include <gtest/gtest.h>

#include "inspect/support.h"

namespace backedge::inspect {
namespace {

using testing::trace_of;

TEST(Anthropic, CallsAndResultsAreBlocks) {
  Trace const t = trace_of(R"({"system":"be good","messages":[{"role":"user","content":"hello"},
    {"role":"assistant","content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"a"},{"type":"text","text":"b"},
      {"type":"tool_use","id":"1","name":"f","input":{"x": [1, 2]}},{"type":"tool_use","id":"2","name":"g","input":{}}]},
    {"role":"user","content":[{"type":"tool_result","tool_use_id":"2","content":"no","is_error":true},
      {"type":"tool_result","tool_use_id":"1","content":[{"type":"text","text":"x"},{"type":"text","text":"y"}]},
      {"type":"text","text":"<reminder>"}]}]})");
  EXPECT_EQ(t.format, Format::kAnthropic);
  ASSERT_EQ(t.calls.size(), 2U);
  EXPECT_EQ(t.calls[0].arguments, R"({"x": [1, 2]})");
  EXPECT_EQ(t.calls[0].result, "x\ny");
  EXPECT_TRUE(t.calls[0].ok);
  EXPECT_FALSE(t.calls[1].ok);
  EXPECT_EQ(t.models.at(0).text, "a\nb");
  ASSERT_EQ(t.users.size(), 3U);
  EXPECT_EQ(t.users[1].author, Author::kAutomatic);
  EXPECT_TRUE(t.users[1].beside_results);
  EXPECT_EQ(t.users[2].author, Author::kSystem);
  EXPECT_EQ(t.threads.at(0).steps.at(0), (Step{Step::Kind::kUser, 2})) << "the system prompt comes first";
}

TEST(Anthropic, ImagesStandAsWhatTheyAreNotAsTheirBytes) {
  auto const with = [](std::string const& data) {
    return trace_of(
               R"([{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"f","input":{}}]},{"role":"user","content":[
      {"type":"tool_result","tool_use_id":"1","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":")" +
               data + R"("}}]}]}])")
        .calls.at(0)
        .result;
  };
  std::string const big(100'000, 'A');
  EXPECT_LT(with(big).size(), 200U);
  EXPECT_NE(with(big).find("image/png, 100000 characters"), std::string::npos);
  EXPECT_EQ(with(big), with(big));
  EXPECT_NE(with(big), with(big.substr(1) + "B"));
}

TEST(Anthropic, UsageIsCountedByClass) {
  Trace const t = trace_of(R"([{"role":"user","content":"x"},{"role":"assistant","content":[{"type":"text","text":"y"}],
    "usage":{"input_tokens":1,"cache_creation_input_tokens":10,"cache_read_input_tokens":100,"output_tokens":1000,
             "cache_creation":{"ephemeral_5m_input_tokens":4,"ephemeral_1h_input_tokens":6}}}])");
  EXPECT_EQ(*t.models.at(0).usage,
            (Usage{.fresh_input = 1, .cache_write_5m = 4, .cache_write_1h = 6, .cache_read = 100, .output = 1000}));
}

TEST(Anthropic, UsageOfAHostileFileStaysInBounds) {
  Trace const t = trace_of(R"([{"role":"assistant","content":"x","usage":{"input_tokens":-5,"output_tokens":1e300}},
    {"role":"assistant","content":"x","usage":{"input_tokens":99999999999999999999,"output_tokens":"many"}}])");
  EXPECT_GT(count(t).total_tokens, 0);
}

}  // namespace
}  // namespace backedge::inspect
