// The runtime through its public interface: tools on threads and inline, agents of tools, cancellation, time-outs,
// sessions, the host's own executor.

#include "backedge/runtime.h"

#include <atomic>
#include <condition_variable>
#include <latch>
#include <mutex>
#include <optional>
#include <set>
#include <thread>

#include <gtest/gtest.h>

namespace backedge {
namespace {

Reply says(std::string text) { return {{Role::kAssistant, {TextBlock{std::move(text)}}}, "end_turn", {10, 5, 0}}; }

Reply asks(std::vector<std::pair<std::string, std::string>> const& calls) {
  static std::atomic<int> last{0};
  Reply out{{Role::kAssistant, {}}, "tool_use", {10, 5, 0}};
  for (auto const& [tool, arguments] : calls)
    out.message.blocks.emplace_back(CallBlock{"id" + std::to_string(++last), tool, arguments});
  return out;
}

class FnModel : public Model {
 public:
  using Fn = std::function<Result<Reply>(Request const&, std::stop_token)>;
  explicit FnModel(Fn fn, bool at_once = true) : fn_(std::move(fn)), inline_(at_once) {}
  Result<Reply> ask(Request const& request, DeltaSink& deltas, std::stop_token stop) override {
    Result<Reply> out = fn_(request, stop);
    if (out)
      if (auto const* text = std::get_if<TextBlock>(&out->message.blocks.front())) deltas.text(text->text);
    return out;
  }
  bool inline_ok() const override { return inline_; }

 private:
  Fn fn_;
  bool inline_;
};

Runtime make(FnModel::Fn fn, RuntimeOptions options = {}, bool at_once = true) {
  options.model = std::make_shared<FnModel>(std::move(fn), at_once);
  return *Runtime::create(Policy::defaults(), std::move(options));
}

ToolSpec tool(std::string name, bool at_once = false) { return {.name = std::move(name), .inline_ok = at_once}; }

std::string last_result(Request const& q) {
  for (Block const& block : q.messages.back().blocks)
    if (auto const* result = std::get_if<ResultBlock>(&block)) return result->text;
  return {};
}

// Something that a test waits for and another thread brings about.
class Event {
 public:
  void set() {
    std::lock_guard lock(mutex_);
    set_ = true;
    wake_.notify_all();
  }
  void wait() {
    std::unique_lock lock(mutex_);
    wake_.wait(lock, [this] { return set_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable wake_;
  bool set_ = false;
};

// Waits until the token is triggered.
void until_stopped(std::stop_token const& token) {
  std::mutex mutex;
  std::condition_variable_any wake;
  std::unique_lock lock(mutex);
  wake.wait(lock, token, [] { return false; });
}

TEST(Runtime, RunsToolsOnThreadsAndInline) {
  for (bool const at_once : {false, true}) {
    Runtime runtime = make(
        [](Request const& q, std::stop_token) -> Result<Reply> {
          if (q.turn == 1) return asks({{"add", R"({"a":1})"}});
          return says("it is " + last_result(q));
        },
        {}, at_once);
    ASSERT_TRUE(runtime
                    .add(tool("add", at_once),
                         [](ToolContext& c) { return ToolResult{CallStatus::kOk, std::string(c.arguments())}; })
                    .ok());
    RunResult const r = runtime.start("", "go")->wait();
    EXPECT_EQ(r.answer, "it is {\"a\":1}");
    EXPECT_EQ(r.calls, 1);
    EXPECT_EQ(r.turns, 2);
    EXPECT_EQ(r.usage.input_tokens, 20);
    EXPECT_EQ(r.run.size(), 32U);
  }
}

TEST(Runtime, CallsOfOneRoundRunSideBySide) {
  Runtime runtime = make([](Request const& q, std::stop_token) -> Result<Reply> {
    if (q.turn == 1) return asks({{"meet", R"({"n":1})"}, {"meet", R"({"n":2})"}, {"meet", R"({"n":3})"}});
    return says("met");
  });
  std::latch all(3);
  ASSERT_TRUE(runtime
                  .add({.name = "meet", .contract = {.effect = Effect::kRead}},
                       [&](ToolContext&) {
                         all.arrive_and_wait();  // ends only when all three run at the same time
                         return ToolResult{CallStatus::kOk, "here"};
                       })
                  .ok());
  EXPECT_EQ(runtime.start("", "go")->wait().answer, "met");
}

TEST(Runtime, AToolMayRunAnAgentAndWaitForIt) {
  Runtime runtime = make(
      [](Request const& q, std::stop_token) -> Result<Reply> {
        if (q.agent == "helper")
          return says("helped with " + std::get<TextBlock>(q.messages.front().blocks.back()).text);
        if (q.turn == 1) return asks({{"delegate", "{}"}});
        return says(last_result(q));
      },
      {.threads = 1});
  ASSERT_TRUE(runtime.add(AgentSpec{.name = "helper"}).ok());
  ASSERT_TRUE(runtime
                  .add(tool("delegate"),
                       [](ToolContext& c) {
                         Result<ToolResult> r = c.run_agent("helper", "the dishes");
                         return r ? *r : ToolResult::error(r.error().text());
                       })
                  .ok());
  EXPECT_EQ(runtime.start("", "go")->wait().answer, "helped with the dishes");
}

TEST(Runtime, AnUnknownAgentIsAnErrorForTheToolThatAskedForIt) {
  Runtime runtime = make([](Request const& q, std::stop_token) -> Result<Reply> {
    if (q.turn == 1) return asks({{"delegate", "{}"}});
    return says(last_result(q));
  });
  ASSERT_TRUE(runtime.add(tool("delegate"), [](ToolContext& c) { return *c.run_agent("nobody", "x"); }).ok());
  EXPECT_NE(runtime.start("", "go")->wait().answer.find("no agent function named nobody"), std::string::npos);
}

TEST(Runtime, CancellingReachesModelsAndToolsOfTheWholeTree) {
  Event started;
  std::atomic<int> ended{0};
  std::optional<Runtime> runtime = make(
      [&](Request const& q, std::stop_token stop) -> Result<Reply> {
        if (q.agent == "child") {
          started.set();
          until_stopped(stop);
          ++ended;
          return Error{ErrorKind::kCancelled, "stopped", {}};
        }
        return asks({{"child", R"({"task":"work"})"}, {"hang", "{}"}});
      },
      {}, false);
  Event hanging;
  ASSERT_TRUE(runtime->add(AgentSpec{.name = "child"}).ok());
  ASSERT_TRUE(runtime
                  ->add({.name = "hang", .contract = {.effect = Effect::kRead}},
                        [&](ToolContext& c) {
                          hanging.set();
                          until_stopped(c.stop());
                          ++ended;
                          return ToolResult{CallStatus::kOk, "never used"};
                        })
                  .ok());
  RunHandle handle = *runtime->start("talk", "go");
  started.wait();
  hanging.wait();
  handle.cancel();
  RunResult const r = handle.wait();
  EXPECT_EQ(r.end, RunEnd::kInterrupted);
  RunHandle next = *runtime->start("talk", "again");
  next.cancel();
  EXPECT_EQ(next.wait().end, RunEnd::kInterrupted) << "the session takes the next message";
  runtime.reset();  // waits for those who were told to end
  EXPECT_GE(ended, 2);
}

TEST(Runtime, NothingIsHeardOfARunThatHasEndedWhateverComesBackLater) {
  Event started;
  Event ended;
  auto heard = std::make_unique<std::atomic<int>>(0);  // gone when the tool goes on
  {
    Runtime runtime = make([](Request const&, std::stop_token) { return asks({{"deaf", "{}"}}); });
    ASSERT_TRUE(runtime
                    .add(tool("deaf"),
                         [&](ToolContext& c) {
                           c.progress("before");
                           started.set();
                           ended.wait();
                           c.progress("after");
                           return ToolResult{};
                         })
                    .ok());
    StartOptions watch;
    watch.on_event = [&heard](EventView const&) { ++*heard; };
    watch.on_text = [&heard](FrameId, std::string_view) { ++*heard; };
    RunHandle run = *runtime.start("s", "go", std::move(watch));
    started.wait();
    run.cancel();
    EXPECT_EQ(run.wait().end, RunEnd::kInterrupted);
    EXPECT_GT(*heard, 0);
    heard.reset();
    ended.set();
  }
}

TEST(Runtime, AToolThatTakesTooLongIsATimeOutAndTheRunGoesOn) {
  Runtime runtime = make([](Request const& q, std::stop_token) -> Result<Reply> {
    if (q.turn == 1) return asks({{"slow", "{}"}});
    return says(last_result(q));
  });
  ASSERT_TRUE(runtime
                  .add({.name = "slow", .contract = {.timeout_ms = 20}},
                       [](ToolContext& c) {
                         until_stopped(c.stop());
                         return ToolResult{CallStatus::kOk, "too late"};
                       })
                  .ok());
  EXPECT_EQ(runtime.start("", "go")->wait().answer, "timed out after 20 ms");
}

TEST(Runtime, ASessionRemembersAndTakesOneRunAtATime) {
  Event go_on;
  Runtime runtime = make(
      [&](Request const& q, std::stop_token) -> Result<Reply> {
        if (q.messages.size() == 1) go_on.wait();
        return says(std::to_string(q.messages.size()));
      },
      {}, false);
  RunHandle first = *runtime.start("talk", "one");
  Result<RunHandle> const second = runtime.start("talk", "two");
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().kind, ErrorKind::kState);
  go_on.set();
  EXPECT_EQ(first.wait().answer, "1");
  EXPECT_EQ(runtime.start("talk", "two")->wait().answer, "3");
}

TEST(Runtime, AHostWithItsOwnExecutorPollsAndNoThreadIsStarted) {
  Runtime runtime = make(
      [](Request const& q, std::stop_token) -> Result<Reply> {
        if (q.agent == "helper") return says("helped");
        if (q.turn == 1) return asks({{"delegate", "{}"}});
        return says(last_result(q));
      },
      {.threads = 0}, false);
  std::set<std::thread::id> threads;
  ASSERT_TRUE(runtime.add(AgentSpec{.name = "helper"}).ok());
  ASSERT_TRUE(runtime
                  .add(tool("delegate"),
                       [&](ToolContext& c) {
                         threads.insert(std::this_thread::get_id());
                         return *c.run_agent("helper", "x");
                       })
                  .ok());
  RunHandle handle = *runtime.start("", "go");
  while (!handle.ended()) (void)runtime.poll(std::chrono::milliseconds(10));
  EXPECT_EQ(handle.wait().answer, "helped");
  EXPECT_EQ(threads, std::set{std::this_thread::get_id()});
}

TEST(Runtime, EventsComeInOrderWithoutGapsAndTextAsItIsMade) {
  Runtime runtime = make([](Request const& q, std::stop_token) -> Result<Reply> {
    if (q.turn == 1) return asks({{"add", "{}"}});
    return says("hello");
  });
  ASSERT_TRUE(runtime
                  .add(tool("add"),
                       [](ToolContext& c) {
                         c.progress("half");
                         return ToolResult{CallStatus::kOk, "x"};
                       })
                  .ok());
  std::vector<std::string> types;
  std::uint64_t seq = 0;
  std::string text;
  RunHandle handle = *runtime.start("", "go",
                                    {.on_event =
                                         [&](EventView const& e) {
                                           EXPECT_EQ(e.seq, ++seq);
                                           types.emplace_back(e.type);
                                         },
                                     .on_text = [&](FrameId, std::string_view piece) { text += piece; }});
  (void)handle.wait();
  EXPECT_EQ(types, (std::vector<std::string>{"run.open", "user.message", "turn.propose", "model.reply", "turn.end",
                                             "round.propose", "verdict", "call.start", "call.end", "turn.propose",
                                             "model.reply", "turn.end", "run.close"}));
  EXPECT_EQ(text, "halfhello");
}

TEST(Runtime, ManySessionsShareOneRuntime) {
  Runtime runtime = make(
      [](Request const& q, std::stop_token) -> Result<Reply> {
        if (q.turn <= 5) return asks({{"add", R"({"n":)" + std::to_string(q.turn) + "}"}});
        return says("done");
      },
      {}, false);
  std::atomic<int> ran{0};
  ASSERT_TRUE(runtime
                  .add(tool("add"),
                       [&](ToolContext&) {
                         ++ran;
                         return ToolResult{CallStatus::kOk, "x"};
                       })
                  .ok());
  std::vector<RunHandle> all;
  for (int i = 0; i < 200; ++i) all.push_back(*runtime.start("", "go"));
  for (RunHandle& one : all) EXPECT_EQ(one.wait().answer, "done");
  EXPECT_EQ(ran, 1000);
}

TEST(Runtime, WhatDoesNotFitIsSaidBeforeTheFirstRun) {
  EXPECT_EQ(Runtime::create(Policy::defaults(), {}).error().kind, ErrorKind::kUsage);
  Runtime runtime = make([](Request const&, std::stop_token) -> Result<Reply> { return says("x"); });
  EXPECT_FALSE(runtime.add(tool("no spaces"), [](ToolContext&) { return ToolResult{}; }).ok());
  EXPECT_FALSE(runtime.add({.name = "bad", .schema_json = "[1]"}, [](ToolContext&) { return ToolResult{}; }).ok());
  EXPECT_FALSE(runtime.add(tool("empty"), {}).ok());
  EXPECT_TRUE(runtime.add(tool("once"), [](ToolContext&) { return ToolResult{}; }).ok());
  EXPECT_FALSE(runtime.add(AgentSpec{.name = "once"}).ok());
  EXPECT_FALSE(
      runtime.add({.name = "deep", .contract = {.max_depth = 0}}, [](ToolContext&) { return ToolResult{}; }).ok());
  EXPECT_EQ(runtime.start("", "go")->wait().answer, "x");
  EXPECT_EQ(runtime.add(tool("late"), [](ToolContext&) { return ToolResult{}; }).error().kind, ErrorKind::kState);
}

}  // namespace
}  // namespace backedge
