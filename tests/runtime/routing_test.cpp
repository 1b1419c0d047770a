// Callbacks through the runtime: they decide, they are recorded, and a run that is taken up does not ask them again.
#include <atomic>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "backedge/runtime.h"
#include "support/temp_folder.h"

namespace backedge {
namespace {

namespace fs = std::filesystem;

struct Folder {
  support::TempFolder temporary;
  std::string journal() const { return (temporary.path() / "journal.db").string(); }
};

// Looks, then sends, then answers.
class Clerk : public Model {
 public:
  Result<Reply> ask(Request const& request, DeltaSink&, std::stop_token) override {
    std::int64_t const n = request.turn;
    if (n > 2 || !request.may_call) return Reply{{Role::kAssistant, {TextBlock{"done"}}}, "end_turn", {}};
    std::string const id = std::to_string(request.messages.size());
    return Reply{{Role::kAssistant, {CallBlock{id, n == 1 ? "look" : "send", "{}"}}}, "tool_use", {}};
  }
  bool inline_ok() const override { return true; }
};

struct Asked {
  std::atomic<int> calls{0};
  std::atomic<int> results{0};
};

Result<Runtime> make(Folder const& folder, Asked& asked) {
  RuntimeOptions options{.model = std::make_shared<Clerk>()};
  options.journal = folder.journal();
  options.before_call = [&asked](CallSight const& call) -> CallRoute {
    ++asked.calls;
    if (call.tool == "send") return {CallRouteWord::kReject, "closed", "the post is closed"};
    return {};
  };
  options.after_result = [&asked](ResultSight const& result) -> ResultRoute {
    ++asked.results;
    if (result.text == "a secret") return {ResultRouteWord::kReplace, {}, "(hidden)", {}, 0};
    return {};
  };
  Result<Runtime> runtime = Runtime::create(Policy::defaults(), std::move(options));
  if (!runtime) return runtime;
  for (char const* const name : {"look", "send"}) {
    Result<void> const added =
        runtime->add(ToolSpec{.name = name}, [](ToolContext&) { return ToolResult{CallStatus::kOk, "a secret"}; });
    if (!added) return added.error();
  }
  return runtime;
}

TEST(RuntimeRouting, CallbacksDecideAndAreNotAskedAgainForWhatIsRecorded) {
  Folder folder;
  Asked first;
  {
    Result<Runtime> runtime = make(folder, first);
    ASSERT_TRUE(runtime.ok()) << runtime.error().text();
    std::string answers;
    StartOptions watch;
    watch.on_event = [&](EventView const& e) {
      if (e.type == "route.answer") answers += std::string(e.body) + "\n";
    };
    RunResult const result = runtime->start("desk", "work", std::move(watch))->wait();
    EXPECT_EQ(result.end, RunEnd::kFinished);
    EXPECT_EQ(result.calls, 1);
    EXPECT_EQ(result.refused, 1);
    EXPECT_NE(answers.find(R"("do":"reject")"), std::string::npos) << answers;
    EXPECT_NE(answers.find(R"("do":"replace")"), std::string::npos) << answers;
  }
  EXPECT_EQ(first.calls, 2);
  EXPECT_EQ(first.results, 1);
  Asked second;
  Result<Runtime> again = make(folder, second);
  ASSERT_TRUE(again.ok()) << again.error().text();
  Result<RunHandle> run = again->start("desk", "more");  // the session is brought back from its record first
  ASSERT_TRUE(run.ok()) << run.error().text();
  EXPECT_EQ(run->wait().end, RunEnd::kFinished);
  EXPECT_EQ(second.calls, 2) << "only those of the new run";
  EXPECT_EQ(second.results, 1);
}

}  // namespace
}  // namespace backedge
