// A whole agent with a tool of one's own: the runtime asks the model, checks every call, runs the tool, and ends.
//
// The model here is scripted in code; a real one is another implementation of the same interface. Tested by ctest as
// example_own_tool.

#include <iostream>
#include <memory>
#include <string>

#include <backedge/backedge.h>

using namespace backedge;

// Looks up the weather of three towns in one round, then answers with what came back.
class Forecaster : public Model {
 public:
  Result<Reply> ask(Request const& request, DeltaSink&, std::stop_token) override {
    if (request.turn == 1) {
      return Reply{{Role::kAssistant,
                    {CallBlock{"1", "weather", R"({"town":"Bergen"})"}, CallBlock{"2", "weather", R"({"town":"Oslo"})"},
                     CallBlock{"3", "weather", R"({"town":7})"}}},
                   "tool_use",
                   {}};
    }
    std::string answer;
    for (Block const& block : request.messages.back().blocks)
      if (auto const* result = std::get_if<ResultBlock>(&block)) answer += result->text + "\n";
    return Reply{{Role::kAssistant, {TextBlock{answer}}}, "end_turn", {}};
  }
  bool inline_ok() const override { return true; }
};

int main() {
  Result<Runtime> runtime = Runtime::create(Policy::defaults(), {.model = std::make_shared<Forecaster>()});
  if (!runtime) return std::cerr << runtime.error().text() << '\n', 1;

  ToolSpec weather{.name = "weather", .about = "The weather in a town"};
  weather.schema_json = R"({"type":"object","properties":{"town":{"type":"string"}},"required":["town"]})";
  weather.contract.effect = Effect::kRead;  // it changes nothing: an equal call may get the earlier result
  Result<void> added = runtime->add(
      weather, [](ToolContext& call) { return ToolResult{CallStatus::kOk, "rain: " + std::string(call.arguments())}; });
  if (!added) return std::cerr << added.error().text() << '\n', 1;

  Result<RunHandle> run = runtime->start("", "What is the weather like?");
  if (!run) return std::cerr << run.error().text() << '\n', 1;
  RunResult const result = run->wait();
  std::cout << result.answer << result.turns << " turns, " << result.calls << " calls, " << result.refused
            << " refused\n";
  return result.calls == 2 && result.refused == 1 ? 0 : 1;  // a town that is a number never reached the tool
}
