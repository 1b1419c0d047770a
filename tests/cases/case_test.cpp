// Malformed cases: one clear line each, with file and line, and nothing played.
#include "cases/case.h"

#include <string>

#include <gtest/gtest.h>

#include "cases/play.h"

namespace backedge::cases {
namespace {

struct Bad {
  std::string text;
  std::string complaint;
};

class BadCase : public ::testing::TestWithParam<Bad> {};

TEST_P(BadCase, GivesOneLineWithFileAndLine) {
  Result<std::vector<Case>> const cases = parse_cases("\n" + GetParam().text + "\n", "c.jsonl");
  ASSERT_FALSE(cases.ok());
  EXPECT_EQ(cases.error().text(), "c.jsonl:2: " + GetParam().complaint);
  EXPECT_EQ(cases.error().kind, ErrorKind::kInput);
}

INSTANTIATE_TEST_SUITE_P(
    Case, BadCase,
    ::testing::Values(
        Bad{"[1]", "a case is a JSON object with id, config and steps"},
        Bad{R"({"steps": []})", "the case has no id; give it a text in \"id\""},
        Bad{R"({"id": "x"})", "case x has no list of steps"},
        Bad{R"({"id": "x", "config": 3, "steps": []})", "case x: config is not an object"},
        Bad{R"({"id": "x", "steps": [3]})", "case x, step 1: a step is an object"},
        Bad{R"({"id": "x", "steps": [{"user": "a"}, {"usr": "b"}]})",
            "case x, step 2: a step is none of user, model, tool_result, stream, history, event"},
        Bad{R"({"id": "x", "steps": [{"user": "a", "model": []}]})", "case x, step 1: a step is both user and model"},
        Bad{R"({"id": "x", "steps": [{"model": [{"tool": "t", "args": {}}]}]})", "case x, step 1: a call has no id"},
        Bad{R"({"id": "x", "steps": [{"model": [{"id": "c1", "tool": "t"}]}]})",
            "case x, step 1: call \"c1\" has neither args nor args_raw"},
        Bad{R"({"id": "x", "steps": [{"tool_result": {}}]})", "case x, step 1: a tool_result names no call id"},
        Bad{R"({"id": "x", "steps": [{"event": {}}]})", "case x, step 1: an event has no type"}),
    [](auto const& row) { return std::to_string(row.index); });

TEST(Case, TwoCasesOfOneIdAreAnErrorAtTheSecond) {
  std::string const one = R"({"id": "x", "steps": []})";
  EXPECT_EQ(parse_cases(one + "\n" + one + "\n", "c.jsonl").error().text(), "c.jsonl:2: case x stands twice");
}

TEST(Case, WhatIsExpectedIsNotRead) {
  std::vector<Case> const cases = *parse_cases(R"({"id": "x", "steps": [], "expected": {"stuck": true}})", "c.jsonl");
  EXPECT_EQ(cases.at(0).id, "x");
  EXPECT_EQ(cases.at(0).line, 1);
}

TEST(Case, AConfigThatDoesNotFitIsAnErrorWithFileAndLine) {
  auto const complaint = [](std::string const& config) {
    auto const cases = *parse_cases(R"({"id": "x", "config": )" + config + R"(, "steps": []})", "c.jsonl");
    Result<std::vector<Played>> const played = play_all(cases, Policy::defaults(), true);
    return played.ok() ? std::string("played") : played.error().text();
  };
  EXPECT_EQ(complaint(R"({"limits": {"max_turns": 1.5}})"),
            "c.jsonl:1: case x: the limit max_turns is not a whole number");
  EXPECT_EQ(complaint(R"({"tools": {"t": {"effect": "reed"}}})"),
            "c.jsonl:1: case x: tool \"t\": effect cannot be \"reed\"");
  EXPECT_EQ(complaint(R"({"tools": {"t": 3}})"), "c.jsonl:1: case x: the contract of tool \"t\" is not an object");
  EXPECT_EQ(complaint(R"({"sweep": {"x": [1]}})"), "c.jsonl:1: case x: a sweep goes over limits, not \"x\"");
}

}  // namespace
}  // namespace backedge::cases
