// Recorded conversations in each dialect, and what is said of files that are none.
#include "models/recording.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "models/support.h"

namespace backedge::models {
namespace {

using Lines = std::vector<std::string>;

Lines lines(Recording const& recording) {
  Lines out;
  for (Reply const& reply : recording.replies()) out.push_back(line(reply));
  return out;
}

TEST(Recording, OpenAiMessagesAreReadWithTheirArgumentsAsTheyWereAndTheirResultsById) {
  Result<Recording> const r = Recording::load(data("openai.json"));
  ASSERT_TRUE(r.ok()) << r.error().text();
  EXPECT_EQ(lines(*r),
            (Lines{R"(c1:search({"nights": 2, "price": 1.50}) c2:weather({}) [tool_use])", "Which price? [stop]",
                   R"(I look again. c1_2:search({"price":1.5,"nights":2}) [tool_use])", "Room 7 it is. [end_turn]"}));
  std::vector<RecordedCall> const calls{
      {"c1", "search", R"({"nights": 2, "price": 1.50})", "Error: no price given", true},
      {"c2", "weather", "{}", "sunny", false},
      {"c1_2", "search", R"({"price":1.5,"nights":2})", "room 7", false}};
  EXPECT_EQ(r->calls(), calls);
  EXPECT_EQ(r->task(), "A room for two nights, please.");
}

TEST(Recording, AnthropicMessagesAreReadWithTheirBlocks) {
  Result<Recording> const r = Recording::load(data("anthropic.json"));
  ASSERT_TRUE(r.ok()) << r.error().text();
  EXPECT_EQ(lines(*r), (Lines{R"(I run it. t1:bash({"command": "make  test", "timeout": 1.0}) [tool_use])",
                              "It fails at line 3. [end_turn]"}));
  std::vector<RecordedCall> const calls{{"t1", "bash", R"({"command": "make  test", "timeout": 1.0})", "exit 2", true}};
  EXPECT_EQ(r->calls(), calls);
  EXPECT_EQ(r->task(), "Fix the test.");
}

TEST(Recording, OfSeveralConversationsOneIsChosenByItsNumber) {
  EXPECT_EQ(lines(*Recording::load(data("tau.json"), 1)), (Lines{"one [end_turn]"}));
  EXPECT_EQ(lines(*Recording::load(data("tau.json"), 2)),
            (Lines{R"(a:calculate({"expression": "1+1"}) [tool_use])", "two [end_turn]"}));
  for (std::size_t const number : {0U, 3U}) {
    Result<Recording> const r = Recording::load(data("tau.json"), number);
    ASSERT_FALSE(r.ok());
    EXPECT_EQ(r.error().kind, ErrorKind::kUsage);
    EXPECT_EQ(r.error().detail, "holds 2 conversations; choose one by its number, as in " + data("tau.json") + "#1");
  }
}

TEST(Recording, MessagesMayStandOneALine) {
  Result<Recording> const r =
      Recording::parse("{\"role\":\"user\",\"content\":\"hi\"}\n{\"role\":\"assistant\",\"content\":\"hello\"}\n", "f");
  ASSERT_TRUE(r.ok()) << r.error().text();
  EXPECT_EQ(lines(*r), Lines{"hello [end_turn]"});
}

TEST(Recording, IdsThatTheFileUsesTwiceGetANumberAndEachCallItsOwnResult) {
  Result<Recording> const r = Recording::parse(R"([
{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"t","arguments":"1"}},
                                  {"id":"a","function":{"name":"t","arguments":"2"}},
                                  {"function":{"name":"t","arguments":"3"}}]},
{"role":"tool","tool_call_id":"a","content":"one"},{"role":"tool","tool_call_id":"a","content":"two"}])",
                                               "f");
  ASSERT_TRUE(r.ok()) << r.error().text();
  std::vector<RecordedCall> const calls{
      {"a", "t", "1", "one", false}, {"a_2", "t", "2", "two", false}, {"call_1", "t", "3", std::nullopt, false}};
  EXPECT_EQ(r->calls(), calls);
}

TEST(Recording, WhateverIsWrongIsAnErrorThatNamesLineAndMessage) {
  struct Row {
    std::string text;
    std::string error;
  };
  for (Row const& row : std::initializer_list<Row>{
           {"", R"(f: is no conversation: expected a list of {"role": …}, or an object with "messages" or "traj")"},
           {"[", "f:1:2: the JSON ends too early"},
           {"\n[1]",
            R"(f:2: is no conversation: expected a list of {"role": …}, or an object with "messages" or "traj")"},
           {R"({"messages":[]})", R"(f: holds no message of a model; a recording has role "assistant" in it)"},
           {"[{\"role\":\"user\",\"content\":\"a\"},\n7]",
            "f:2: message 2: is no object; take it out, or make it {\"role\": …}"},
           {R"([{"role":"robot"}])",
            R"(f:1: message 1: has the role "robot"; known are assistant, developer, system, tool, user)"},
           {"[{\"role\":\"assistant\",\"content\":\"a\"},\n{\"role\":\"tool\",\"tool_call_id\":\"x\",\"content\":\"\"}"
            "]",
            R"(f:2: message 2: is the result of a call "x" that no message before it makes; take it out)"},
           {R"([{"role":"assistant","content":5}])",
            "f:1: message 1: its content is neither a text nor a list of blocks"},
           {R"([{"role":"assistant","tool_calls":5}])", R"(f:1: message 1: "tool_calls" is no list)"},
           {R"([{"role":"assistant","tool_calls":[{"id":"a"}]}])",
            R"(f:1: message 1: a tool call names no function; give it "function": {"name": …})"},
           {R"([{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"t","arguments":{}}}]}])",
            "f:1: message 1: the arguments of a tool call are no text; write them as a JSON text in quotes"},
           {R"([{"role":"assistant","function_call":{"name":"t"}}])",
            R"(f:1: message 1: "function_call" is the form before tool_calls; convert the file to tool_calls)"},
           {R"([{"role":"assistant","content":[{"type":"tool_use","id":"a"}]}])",
            R"(f:1: message 1: a tool_use block names no tool; give it a "name")"},
           {"[{\"traj\":[]},\n{\"role\":\"user\"}]",
            R"(f:2: stands among conversations and has no "messages" or "traj"; take it out)"},
       }) {
    Result<Recording> const r = Recording::parse(row.text, "f");
    ASSERT_FALSE(r.ok()) << row.text;
    EXPECT_EQ(r.error().text(), row.error) << row.text;
  }
}

}  // namespace
}  // namespace backedge::models
