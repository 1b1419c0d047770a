// A model that says what a script says: turn by turn, frame by frame, stubborn or not, and stopped when it should be.
#include "models/scripted.h"

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "models/support.h"

namespace backedge::models {
namespace {

ScriptedModel model(std::string text) { return ScriptedModel(*Script::parse(std::move(text), "f")); }

std::string turn(ScriptedModel& m, std::int64_t n, std::string_view agent = "", FrameId frame = FrameId{1}) {
  return line(ask(m, {.agent = agent, .frame = frame, .turn = n}));
}

TEST(ScriptedModel, AnswersTheTurnsOfEveryFrameFromTheBeginningOfItsAgentsSteps) {
  ScriptedModel m = model(R"({"text":"a","calls":[{"tool":"t","args":{"x": 1}},{"tool":"u","id":"mine"}]}
{"agent":"p","text":"p1"}
{"text":"b"}
{"agent":"p","text":"p2","stop":"refusal"})");
  EXPECT_EQ(turn(m, 1), R"(a call_1:t({"x": 1}) mine:u({}) [tool_use])");
  EXPECT_EQ(turn(m, 1, "p", FrameId{2}), "p1 [end_turn]");
  EXPECT_EQ(turn(m, 2), "b [end_turn]");
  EXPECT_EQ(turn(m, 2, "p", FrameId{2}), "p2 [refusal]");
  EXPECT_EQ(turn(m, 1, "p", FrameId{3}), "p1 [end_turn]") << "another activation begins anew";
}

TEST(ScriptedModel, BehindTheLastStepItAnswersOrBeginsAgainOrFails) {
  ScriptedModel answers = model(R"({"text":"a"})");
  EXPECT_EQ(turn(answers, 2), "a [end_turn]");
  ScriptedModel calls = model(R"({"text":"a","calls":[{"tool":"t"}]})");
  EXPECT_EQ(turn(calls, 2), "done [end_turn]");
  ScriptedModel repeats = model("{\"then\":\"repeat\"}\n{\"text\":\"a\"}\n{\"text\":\"b\"}");
  EXPECT_EQ(turn(repeats, 4), "b [end_turn]");
  ScriptedModel fails = model("{\"then\":\"error\"}\n{\"text\":\"a\"}");
  EXPECT_EQ(turn(fails, 2), "error: f:2: the script has no step left for the root in turn 2; add one");
  ScriptedModel other = model(R"({"agent":"p","text":"a"})");
  EXPECT_EQ(turn(other, 1, "q"), "error: f: the script has no steps for agent \"q\" in turn 1; add one");
}

TEST(ScriptedModel, WhenTheAnswerIsDueItIsStubbornUnlessTheStepHasAnAnswer) {
  ScriptedModel m = model(R"({"text":"a","calls":[{"tool":"t"}]}
{"text":"a","calls":[{"tool":"t"}],"final":"enough"})");
  EXPECT_EQ(line(ask(m, {.may_call = false, .turn = 1})), "a call_1:t({}) [tool_use]");
  EXPECT_EQ(line(ask(m, {.may_call = false, .turn = 2})), "enough [end_turn]");
  EXPECT_EQ(line(ask(m, {.may_call = true, .turn = 2})), "a call_1:t({}) [tool_use]");
}

TEST(ScriptedModel, ReactsToAFailedResultOnlyWhenItCameLast) {
  ScriptedModel m = model(R"({"text":"on","if_refused":{"text":"off"}})");
  std::vector<Message> messages{asked("x"), said("y"), result("c", true)};
  EXPECT_EQ(line(ask(m, {.messages = messages})), "off [end_turn]");
  messages.back() = result("c", false);
  EXPECT_EQ(line(ask(m, {.messages = messages})), "on [end_turn]");
  messages = {result("c", true), asked("x")};
  EXPECT_EQ(line(ask(m, {.messages = messages})), "on [end_turn]");
}

TEST(ScriptedModel, IdsOfCallsAreUniqueInTheConversation) {
  ScriptedModel m =
      model(R"({"calls":[{"tool":"t"},{"tool":"t","id":"a"},{"tool":"t","id":"a"}],"repeat":"for ever"})");
  std::vector<Message> messages;
  messages.push_back(ask(m, {.messages = messages})->message);
  EXPECT_EQ(line(ask(m, {.messages = messages})), "call_2:t({}) a_3:t({}) a_4:t({}) [tool_use]");
}

TEST(ScriptedModel, ErrorsAreOfTheKindThatTheStepNamesAndKeepItsWords) {
  ScriptedModel m = model("{\"error\":\"overloaded\"}\n{\"error\":\"too long\",\"error_kind\":\"context\"}");
  EXPECT_EQ(ask(m, {.turn = 1}).error(), (Error{ErrorKind::kModel, "overloaded", {"f", 1, 0}}));
  EXPECT_EQ(ask(m, {.turn = 2}).error(), (Error{ErrorKind::kContext, "too long", {"f", 2, 0}}));
}

TEST(ScriptedModel, EstimatesWhatItWillReport) {
  ScriptedModel m = model(R"({"text":"a","usage":{"in":10,"out":5,"cost_usd":0.5}})");
  Estimate const e = m.estimate({});
  Usage const u = ask(m, {})->usage;
  EXPECT_EQ(e.input_tokens, u.input_tokens);
  EXPECT_EQ(e.max_output_tokens, u.output_tokens);
  EXPECT_EQ(e.cost_nano_usd, u.cost_nano_usd);
  EXPECT_EQ(u.cost_nano_usd, 500'000'000);
  EXPECT_EQ(m.estimate({.turn = 2}).cost_nano_usd, 0);
}

TEST(ScriptedModel, ADelayEndsAtOnceWhenItIsStopped) {
  ScriptedModel m = model(R"({"text":"late","delay_ms":3600000})");
  EXPECT_FALSE(m.inline_ok());
  std::stop_source stop;
  Heard heard;
  Result<Reply> reply = Error{};
  std::jthread asking([&] { reply = m.ask({}, heard, stop.get_token()); });
  stop.request_stop();
  auto const stopped = std::chrono::steady_clock::now();
  asking.join();
  EXPECT_LT(std::chrono::steady_clock::now() - stopped, std::chrono::seconds(10)) << "an hour was asked for";
  ASSERT_FALSE(reply.ok());
  EXPECT_EQ(reply.error().kind, ErrorKind::kCancelled);
  EXPECT_EQ(heard.whole, "");
}

TEST(ScriptedModel, WithoutDelaysItNeedsNoThreadAndHearsTheTokenBeforeItSpeaks) {
  ScriptedModel m = model(R"({"text":"a"})");
  EXPECT_TRUE(m.inline_ok());
  std::stop_source stop;
  stop.request_stop();
  Heard heard;
  EXPECT_EQ(m.ask({}, heard, stop.get_token()).error().kind, ErrorKind::kCancelled);
}

TEST(ScriptedModel, ManyThreadsMayAskAtOnce) {
  ScriptedModel m = model("{\"text\":\"a\",\"repeat\":3}\n{\"text\":\"b\"}");
  std::vector<std::string> heard(4);
  {
    std::vector<std::jthread> threads;
    for (std::string& mine : heard) {
      threads.emplace_back([&m, &mine] {
        for (std::int64_t n = 1; n <= 400; ++n) mine += line(ask(m, {.turn = n % 4 + 1}));
      });
    }
  }
  for (std::string const& one : heard) EXPECT_EQ(one, heard[0]);
}

}  // namespace
}  // namespace backedge::models
