// A recorded conversation answers again: its messages in order, its results call by call, and nothing that it has not.
#include "models/replay.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "models/support.h"

namespace backedge::models {
namespace {

class Context : public ToolContext {
 public:
  Context(std::string arguments, std::uint32_t call) : arguments_(std::move(arguments)), call_{call} {}

  std::string_view arguments() const override { return arguments_; }
  CallId call() const override { return call_; }
  std::stop_token stop() const override { return {}; }
  void progress(std::string_view) override {}
  Result<ToolResult> run_agent(std::string_view, std::string_view) override { return Error{}; }
  Result<std::string> token() const override { return Error{}; }

 private:
  std::string arguments_;
  CallId call_;
};

std::string call(std::vector<RecordedTool> const& tools, std::string_view name, std::string arguments,
                 std::uint32_t number = 0) {
  for (RecordedTool const& tool : tools) {
    if (tool.name != name) continue;
    Context context(std::move(arguments), number);
    ToolResult const result = tool.fn(context);
    return (result.status == CallStatus::kOk ? "ok " : "error ") + result.text;
  }
  return "no such tool";
}

// A whole conversation with the model, with one result for each call; what it said, a line a message.
std::vector<std::string> talk(ReplayModel& model, std::vector<Message>& messages) {
  std::vector<std::string> out;
  for (;;) {
    Result<Reply> const reply = ask(model, {.messages = messages});
    out.push_back(line(reply));
    if (!reply) return out;
    messages.push_back(reply->message);
    Message results{Role::kTool, {}};
    for (Block const& block : reply->message.blocks) {
      if (CallBlock const* const c = std::get_if<CallBlock>(&block))
        results.blocks.emplace_back(ResultBlock{c->id, "r"});
    }
    if (results.blocks.empty()) return out;
    messages.push_back(std::move(results));
  }
}

TEST(ReplayModel, RunsOfOneSessionFollowEachOtherThroughTheRecording) {
  ReplayModel model(*Recording::load(data("openai.json")));
  std::vector<Message> messages{asked("a room")};
  EXPECT_EQ(talk(model, messages),
            (std::vector<std::string>{R"(c1:search({"nights": 2, "price": 1.50}) c2:weather({}) [tool_use])",
                                      "Which price? [stop]"}));
  messages.push_back(asked("any"));
  EXPECT_EQ(talk(model, messages),
            (std::vector<std::string>{R"(I look again. c1_2:search({"price":1.5,"nights":2}) [tool_use])",
                                      "Room 7 it is. [end_turn]"}));
  messages.push_back(asked("more"));
  EXPECT_EQ(talk(model, messages),
            (std::vector<std::string>{
                "error: " + data("openai.json") +
                ": the recording ends here: it holds 4 messages of the model, and one more is asked for"}));
}

TEST(ReplayModel, ACompactedConversationGoesOnWhereItWas) {
  ReplayModel model(*Recording::load(data("openai.json")));
  std::vector<Message> messages{asked("a room")};
  talk(model, messages);
  messages.push_back(asked("any"));
  messages.push_back(ask(model, {.messages = messages})->message);
  messages.push_back(result("c1_2", false));
  messages.erase(messages.begin() + 1, messages.end() - 2);
  EXPECT_EQ(line(ask(model, {.messages = messages})), "Room 7 it is. [end_turn]");
}

TEST(ReplayModel, WhenTheAnswerIsDueTheMessageComesWithoutItsCalls) {
  ReplayModel model(*Recording::load(data("openai.json")));
  EXPECT_EQ(line(ask(model, {.may_call = false})), "(the recording has calls here and no answer) [end_turn]");
  std::vector<Message> const two{said("x"), said("y")};
  EXPECT_EQ(line(ask(model, {.messages = two, .may_call = false})), "I look again. [end_turn]");
}

TEST(ReplayModel, AStoppedRequestIsCancelled) {
  ReplayModel model(*Recording::load(data("openai.json")));
  std::stop_source stop;
  stop.request_stop();
  Heard heard;
  EXPECT_EQ(model.ask({}, heard, stop.get_token()).error().kind, ErrorKind::kCancelled);
}

TEST(ReplayModel, RecordedToolsGiveTheResultOfTheSameCallHoweverItsArgumentsAreWritten) {
  ReplayModel const model(*Recording::load(data("openai.json")));
  std::vector<RecordedTool> const tools = model.recorded_tools();
  ASSERT_EQ(tools.size(), 2U);
  EXPECT_EQ(call(tools, "search", R"({"nights":2,"price":1.5})"), "error Error: no price given");
  EXPECT_EQ(call(tools, "search", R"({"nights":2,"price":1.5})"), "ok room 7");
  EXPECT_EQ(call(tools, "search", R"({"nights":2,"price":1.5})"), "ok room 7")
      << "the last one answers all further ones";
  EXPECT_EQ(call(tools, "weather", ""), "ok sunny") << "nothing is {}";
  std::vector<RecordedTool> const anew = model.recorded_tools();
  EXPECT_EQ(call(anew, "search", R"({"nights":2,"price":1.5})"), "error Error: no price given");
}

TEST(ReplayModel, TheNumberOfTheCallInTheRunChoosesAmongEqualCalls) {
  ReplayModel const model(*Recording::load(data("openai.json")));
  std::vector<RecordedTool> const tools = model.recorded_tools();
  EXPECT_EQ(call(tools, "search", R"({"nights":2,"price":1.5})", 3), "ok room 7");
  EXPECT_EQ(call(tools, "search", R"({"nights":2,"price":1.5})", 1), "error Error: no price given");
}

TEST(ReplayModel, ACallThatWasNeverRecordedIsAnErrorThatSaysSo) {
  ReplayModel const model(*Recording::load(data("openai.json")));
  EXPECT_EQ(call(model.recorded_tools(), "search", R"({"nights":3})"),
            R"(error the recording holds 2 calls of "search", none with these arguments: "{\"nights\":3}")");
  ReplayModel const cut(*Recording::parse(
      R"([{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"t","input":{}}]}])", "f"));
  EXPECT_EQ(call(cut.recorded_tools(), "t", "{}"), R"(error the recording ends before the result of call "a")");
}

}  // namespace
}  // namespace backedge::models
