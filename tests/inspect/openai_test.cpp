// Conversations in the OpenAI dialect.
#include <gtest/gtest.h>

#include "inspect/support.h"

namespace backedge::inspect {
namespace {

using testing::openai_call;
using testing::trace_of;

TEST(OpenAi, CallsResultsAndErrorsAreRead) {
  Trace const t = trace_of(R"([{"role":"system","content":"s"},{"role":"user","content":"hello"},
    {"role":"assistant","content":"let me see","tool_calls":[
      {"id":"a","type":"function","function":{"name":"f","arguments":"{\"x\":1}"}},
      {"id":"b","type":"function","function":{"name":"g","arguments":"{}"}}]},
    {"role":"tool","tool_call_id":"b","content":"Error: no"},
    {"role":"tool","tool_call_id":"a","content":[{"type":"text","text":"yes"}]},
    {"role":"assistant","content":"done"}])");
  EXPECT_EQ(t.format, Format::kOpenAi);
  ASSERT_EQ(t.calls.size(), 2U);
  EXPECT_EQ(t.calls[0].tool, "f");
  EXPECT_EQ(t.calls[0].arguments, R"({"x":1})");
  EXPECT_EQ(t.calls[0].result, "yes");
  EXPECT_TRUE(t.calls[0].ok);
  EXPECT_FALSE(t.calls[1].ok);
  EXPECT_EQ(t.calls[0].message, t.calls[1].message) << "one message, one round";
  ASSERT_EQ(t.models.size(), 2U);
  EXPECT_EQ(t.models[0].text, "let me see");
  ASSERT_EQ(t.users.size(), 2U);
  EXPECT_EQ(t.users[0].author, Author::kSystem);
  EXPECT_EQ(t.users[1].author, Author::kPerson);
  EXPECT_EQ(t.calls[1].line, 2);
  EXPECT_EQ(t.calls[1].result_line, 5);
}

TEST(OpenAi, AnErrorInTheMiddleOfATextIsNone) {
  Trace const t = trace_of("[" + openai_call("a", "f", "{}", "The log says: Error: no") + "]");
  EXPECT_TRUE(t.calls.at(0).ok);
}

TEST(OpenAi, FieldsThatFrameworksAddForFailureCount) {
  Trace const t = trace_of(
      R"([{"role":"assistant","tool_calls":[{"id":"a","name":"f","arguments":{"x":1}},{"id":"b","name":"f","args":{}}]},
    {"role":"tool","tool_call_id":"a","content":"no","status":"error"},{"role":"tool","tool_call_id":"b","content":"no","error":true}])");
  ASSERT_EQ(t.calls.size(), 2U);
  EXPECT_EQ(t.calls[0].arguments, R"({"x":1})");
  EXPECT_FALSE(t.calls[0].ok);
  EXPECT_FALSE(t.calls[1].ok);
}

TEST(OpenAi, FunctionCallsWithoutIdsPairInOrder) {
  Trace const t = trace_of(R"([{"role":"user","content":"x"},
    {"role":"assistant","content":null,"function_call":{"name":"f","arguments":"{}"}},{"role":"function","name":"f","content":"1"},
    {"role":"assistant","content":null,"function_call":{"name":"f","arguments":"{}"}},{"role":"function","name":"f","content":"2"}])");
  ASSERT_EQ(t.calls.size(), 2U);
  EXPECT_EQ(t.calls[0].result, "1");
  EXPECT_EQ(t.calls[1].result, "2");
}

TEST(OpenAi, ItemsThatFollowEachOtherAreOneMessage) {
  Trace const t = trace_of(R"({"model":"m","input":[{"role":"user","content":[{"type":"input_text","text":"hi"}]},
    {"type":"reasoning","summary":[]},
    {"type":"function_call","call_id":"a","name":"f","arguments":"{}"},
    {"type":"function_call","call_id":"b","name":"f","arguments":"{\"x\":1}"},
    {"type":"function_call_output","call_id":"a","output":"1"},
    {"type":"function_call_output","call_id":"b","output":[{"type":"input_text","text":"2"}]}],
    "output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"done"}]}]})");
  ASSERT_EQ(t.calls.size(), 2U);
  EXPECT_EQ(t.calls[0].message, t.calls[1].message);
  EXPECT_EQ(t.calls[0].result, "1");
  EXPECT_EQ(t.calls[1].result, "2");
  EXPECT_EQ(t.models.size(), 2U);
  EXPECT_EQ(t.models.at(1).text, "done");
}

TEST(OpenAi, UsageThatIncludesCachedInputIsTakenApart) {
  Trace const t = trace_of(R"([{"role":"user","content":"x"},{"role":"assistant","content":"y",
    "usage":{"prompt_tokens":100,"completion_tokens":7,"prompt_tokens_details":{"cached_tokens":60}}}])");
  ASSERT_TRUE(t.models.at(0).usage);
  EXPECT_EQ(*t.models[0].usage, (Usage{.fresh_input = 40, .cache_read = 60, .output = 7}));
  EXPECT_EQ(count(t).total_tokens, 107);
}

TEST(OpenAi, TokensAreEstimatedWithEverythingBefore) {
  // 8 + 4 characters, then a message of 8; 20 / 4 = 5.
  EXPECT_EQ(
      count(
          trace_of(
              R"([{"role":"system","content":"12345678"},{"role":"user","content":"ääöü"},{"role":"assistant","content":"87654321"}])"))
          .total_tokens,
      5);
}

TEST(OpenAi, ArgumentsThatAreBrokenStayAsTheyAre) {
  Trace const t = trace_of("[" + openai_call("a", "f", R"({"x": tru)", "Error") + "," +
                           openai_call("b", "f", R"( {"x": tru )", "Error") + "]");
  EXPECT_EQ(t.calls.at(0).arguments, R"({"x": tru)");
  EXPECT_EQ(count(t).exact_repeats, 1) << "blanks around them do not tell calls apart";
}

}  // namespace
}  // namespace backedge::inspect
