// Agent functions: agents that other agents call like tools, directly or from inside a tool, under one call stack.
//
// `planner` is called by the root, and starts `researcher` through the tool `library`; then it calls itself, deeper and
// deeper, until its contract's limit says no. Tested by ctest as example_agent_function.

#include <iostream>
#include <memory>
#include <string>

#include <backedge/backedge.h>

using namespace backedge;

Reply call(std::string const& tool, std::string const& task) {
  return {{Role::kAssistant, {CallBlock{"", tool, R"({"task":")" + task + "\"}"}}}, "tool_use", {}};
}

Reply say(std::string text) { return {{Role::kAssistant, {TextBlock{std::move(text)}}}, "end_turn", {}}; }

class Cast : public Model {
 public:
  Result<Reply> ask(Request const& request, DeltaSink&, std::stop_token) override {
    std::string const level = std::to_string(request.frame.value);
    if (request.agent == "researcher") return say("the book says so");
    if (request.agent == "planner" && request.turn == 1) return call("library", "look it up for level " + level);
    if (request.agent == "planner" && request.turn == 2) return call("planner", "plan a part smaller than " + level);
    if (request.agent.empty() && request.turn == 1) return call("planner", "plan everything");
    return say("done");
  }
  bool inline_ok() const override { return true; }
};

int main() {
  Result<Runtime> runtime = Runtime::create(Policy::defaults(), {.model = std::make_shared<Cast>()});
  if (!runtime) return 1;
  AgentSpec planner{.name = "planner", .about = "Makes a plan"};
  planner.contract.max_depth = 2;
  if (!runtime->add(planner) || !runtime->add(AgentSpec{.name = "researcher", .about = "Reads"})) return 1;
  // A tool that starts an agent below its own call, and waits for it.
  Result<void> added = runtime->add(ToolSpec{.name = "library"}, [](ToolContext& context) {
    Result<ToolResult> answer = context.run_agent("researcher", "find the page");
    return answer ? *answer : ToolResult::error(answer.error().text());
  });
  if (!added) return 1;

  int opened = 0;
  StartOptions watch;
  watch.on_event = [&](EventView const& event) {
    if (event.type == "frame.open") ++opened;
    if (event.type == "frame.open" || event.type == "verdict") std::cout << event_line(event) << '\n';
  };
  Result<RunHandle> run = runtime->start("", "go", std::move(watch));
  if (!run) return 1;
  RunResult const result = run->wait();
  std::cout << result.answer << ", " << opened << " agents started, " << result.refused << " call refused\n";
  return result.answer == "done" && opened == 4 && result.refused == 1 ? 0 : 1;
}
