// Scripts: what is read, and that everything else is refused with file, line and what to do.
#include "models/script.h"

#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "models/support.h"

namespace backedge::models {
namespace {

TEST(Script, AFileOfLinesIsReadStepByStepWithItsArgumentsAsWritten) {
  Result<Script> const script = Script::load(data("demo.script.jsonl"));
  ASSERT_TRUE(script.ok()) << script.error().text();
  EXPECT_EQ(script->then(), Then::kError);
  EXPECT_TRUE(script->delays());
  ScriptStep first;
  first.text = "I look first.";
  first.calls = {{"", "read_file", R"({"path": "notes.md", "scale": 1.50})"}};
  first.stop = "tool_use";
  first.usage = {.input_tokens = 900, .output_tokens = 40, .cost_nano_usd = 2'000'000, .cache_read_tokens = 800};
  first.line = 2;
  EXPECT_EQ(*script->at("", 1), first);
  ScriptStep refused;
  refused.text = "Then I answer without a plan.";
  refused.stop = "end_turn";
  refused.line = 3;
  ScriptStep second;
  second.calls = {{"plan", "planner", R"({"task": "split the work"})"}};
  second.stop = "tool_use";
  second.final_text = "Not planned: no time was left.";
  second.if_refused = {refused};
  second.line = 3;
  EXPECT_EQ(*script->at("", 2), second);
  EXPECT_EQ(script->at("", 3)->text, "All done.");
  EXPECT_EQ(script->at("", 3)->line, 7);
  EXPECT_EQ(script->at("", 4), nullptr);
  EXPECT_EQ(script->last(""), script->at("", 3));
  EXPECT_EQ(script->at("planner", 1), script->at("planner", 2)) << "it repeats twice";
  EXPECT_EQ(script->at("planner", 2)->calls[0].arguments, R"({"path": )");
  EXPECT_EQ(script->at("planner", 3)->stop, "max_tokens");
  EXPECT_EQ(script->at("planner", 4), nullptr);
  EXPECT_EQ(script->at("", 0), nullptr);
}

TEST(Script, AnAgentThatNoStepNamesIsAnsweredByTheStepsWithoutAName) {
  Result<Script> const script = Script::load(data("demo.script.jsonl"));
  EXPECT_EQ(script->at("main", 1), script->at("", 1));
}

TEST(Script, AnObjectOfStepsKnowsItsLinesAndMayBeginAgain) {
  Result<Script> const script = Script::load(data("demo.script.json"));
  ASSERT_TRUE(script.ok()) << script.error().text();
  EXPECT_EQ(script->at("", 2)->line, 5);
  EXPECT_EQ(script->at("", 2)->calls[1].arguments, "{}");
  EXPECT_EQ(script->at("", 3)->error, "overloaded");
  EXPECT_EQ(script->at("", 4), script->at("", 1));
  EXPECT_EQ(script->at("", 302), script->at("", 2));
  EXPECT_FALSE(script->delays());
}

TEST(Script, AnArrayAndLinesWithTheSameStepsAreTheSameScript) {
  Result<Script> const array = Script::parse("[{\"then\":\"repeat\"},\n{\"text\":\"a\"},\n{\"text\":\"b\"}]", "f");
  Result<Script> const lines = Script::parse("{\"then\":\"repeat\"}\r\n{\"text\":\"a\"}\r\n{\"text\":\"b\"}", "f");
  ASSERT_TRUE(array.ok()) << array.error().text();
  ASSERT_TRUE(lines.ok()) << lines.error().text();
  for (std::int64_t turn = 1; turn < 5; ++turn) EXPECT_EQ(*array->at("", turn), *lines->at("", turn));
}

TEST(Script, AStepMayRepeatForEver) {
  Result<Script> const script = Script::parse(R"({"text":"a","repeat":"for ever"})", "f");
  ASSERT_TRUE(script.ok());
  EXPECT_NE(script->at("", 1'000'000'000'000), nullptr);
}

TEST(Script, WhateverIsWrongIsAnErrorWithFileAndLineAndWhatToDo) {
  struct Row {
    std::string text;
    std::string error;
  };
  for (
      Row const& row : std::initializer_list<Row>{
          {"", R"(f: a script without steps; write one a line: {"text": "done"})"},
          {R"({"then":"error"})", R"(f: a script without steps; write one a line: {"text": "done"})"},
          {"{\"text\":\"a\"}\n\n{\"txet\":\"b\"}", R"(f:3: a step has no field "txet"; did you mean "text")"},
          {R"({"text":"a","zzzzzz":1})",
           R"(f:1: a step has no field "zzzzzz"; known are agent, text, calls, stop, usage, delay_ms, error, repeat, )"
           "error_kind, final, if_refused"},
          {"{\"text\":\"a\"}\n{\"text\":}", "f:2:9: not JSON: unexpected \"}\""},
          {"[1]", "f:1: a step must be an object"},
          {"{\"steps\":\n3}", R"(f:1: "steps" must be a list of steps)"},
          {R"({"steps":[{"text":"a"}],"than":"error"})", R"(f:1: a script has no field "than"; did you mean "then")"},
          {R"({"then":"stop"})", R"(f:1: "then" must be "answer", "repeat" or "error")"},
          {"{\"then\":\"error\",\"text\":\"a\"}",
           R"(f:1: the line about what comes at the end has no field "text"; known are then)"},
          {"{}", R"(f:1: a step needs "text", "calls" or "error")"},
          {R"({"text":7})", R"(f:1: "text" must be a text)"},
          {R"({"calls":{}})", R"(f:1: "calls" must be a list of calls)"},
          {R"({"calls":[{}]})", R"(f:1: a call needs the name of its tool: "tool": "read_file")"},
          {"{\"steps\":[\n{\"calls\":[\n{\"tool\":\"a\",\"arg\":1}]}]}",
           R"(f:3: a call has no field "arg"; did you mean "args")"},
          {R"({"calls":[{"tool":"a","args":{},"args_raw":""}]})",
           R"(f:1: a call has both "args" and "args_raw"; keep one of them)"},
          {R"({"text":"a","repeat":0})", R"(f:1: "repeat" must be a whole number from 1 to 1000000000)"},
          {R"({"text":"a","repeat":"twice"})",
           R"(f:1: "repeat" must be a number of turns from 1 to 1000000000, or "for ever")"},
          {R"({"text":"a","delay_ms":1e3})", R"(f:1: "delay_ms" must be a whole number from 0 to 3600000)"},
          {R"({"text":"a","usage":{"in":-1}})", R"(f:1: "in" must be a whole number from 0 to 1000000000000)"},
          {R"({"text":"a","usage":{"cost_usd":-1}})", R"(f:1: "cost_usd" must be a number from 0 to 1000000)"},
          {R"({"text":"a","usage":3})", R"(f:1: "usage" must be an object)"},
          {R"({"text":"a","error":"b"})",
           R"(f:1: a step with an "error" says nothing else; take its text and calls away)"},
          {R"({"text":"a","error_kind":"model"})",
           R"(f:1: "error_kind" says of what kind an "error" is; there is none)"},
          {R"({"error":"a","error_kind":"io"})", R"(f:1: "error_kind" must be "model" or "context")"},
          {R"({"text":"a","final":"b"})",
           R"(f:1: "final" stands for the calls of its step when the answer is due; the step has none)"},
          {R"({"text":"a","if_refused":{"text":"b","agent":"c"}})",
           R"(f:1: "if_refused" has no field "agent"; known are text, calls, stop, usage, delay_ms, error, error_kind, final)"},
          {"{\"text\":\"a\",\"repeat\":\"for ever\"}\n{\"agent\":\"x\",\"text\":\"b\"}\n{\"text\":\"c\"}",
           "f:3: this step is never reached: the one in line 1 repeats for ever; end that one, or take this one away"},
      }) {
    Result<Script> const script = Script::parse(row.text, "f");
    ASSERT_FALSE(script.ok()) << row.text;
    EXPECT_EQ(script.error().text(), row.error) << row.text;
    EXPECT_EQ(script.error().kind, ErrorKind::kInput);
  }
}

TEST(Script, TheExampleOfTheDocumentationIsAScript) {
  std::ifstream in(std::string(BACKEDGE_SOURCE_DIR) + "/docs/models.md");
  std::string example;
  for (std::string text; std::getline(in, text);) {
    if (text.starts_with("    {")) example += text + "\n";
  }
  Result<Script> const script = Script::parse(example, "docs/models.md");
  ASSERT_TRUE(script.ok()) << script.error().text();
  EXPECT_EQ(script->at("", 3)->text, "All done.");
  EXPECT_EQ(script->at("planner", 1000)->final_text, "I could not finish.");
  EXPECT_EQ(script->at("", 4), nullptr);
}

TEST(Script, AFileThatIsNotThereOrIsAFolderIsNamed) {
  EXPECT_EQ(Script::load(data("no.jsonl")).error().kind, ErrorKind::kNotFound);
  EXPECT_EQ(Script::load(data("")).error().kind, ErrorKind::kIo);
}

}  // namespace
}  // namespace backedge::models
