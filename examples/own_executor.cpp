// A host with its own loop: no thread is started, everything happens inside poll(), between other work of the host.
//
// Tested by ctest as example_own_executor.

#include <chrono>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include <backedge/backedge.h>

using namespace backedge;

class Counter : public Model {
 public:
  Result<Reply> ask(Request const& request, DeltaSink&, std::stop_token) override {
    if (request.turn > 3) return Reply{{Role::kAssistant, {TextBlock{"counted"}}}, "end_turn", {}};
    std::string const arguments = R"({"n":)" + std::to_string(request.turn) + "}";
    return Reply{{Role::kAssistant, {CallBlock{"", "count", arguments}}}, "tool_use", {}};
  }
};

int main() {
  RuntimeOptions options;
  options.model = std::make_shared<Counter>();
  options.threads = 0;
  Result<Runtime> runtime = Runtime::create(Policy::defaults(), std::move(options));
  if (!runtime) return 1;
  int counted = 0;  // no lock: tools run where poll() is called
  if (!runtime->add(ToolSpec{.name = "count"}, [&](ToolContext&) {
        ++counted;
        return ToolResult{CallStatus::kOk, "one more"};
      })) {
    return 1;
  }
  std::vector<RunHandle> runs;
  for (int i = 0; i < 3; ++i) {
    Result<RunHandle> run = runtime->start("", "count to three");
    if (!run) return 1;
    runs.push_back(*run);
  }
  int frames = 0;
  auto const all_ended = [&] {
    for (RunHandle const& run : runs)
      if (!run.ended()) return false;
    return true;
  };
  while (!all_ended()) {
    while (runtime->poll()) {
    }
    ++frames;  // the host's own work goes here
  }
  std::cout << counted << " calls in " << frames << " frames of the host\n";
  return counted == 9 ? 0 : 1;
}
