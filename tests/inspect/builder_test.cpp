// Pairing of results with calls, and depths of threads.
#include "inspect/builder.h"

#include <string>
#include <utility>

#include <gtest/gtest.h>

namespace backedge::inspect {
namespace {

class BuilderTest : public ::testing::Test {
 protected:
  std::uint32_t model(std::uint32_t thread = 0) {
    ModelMessage message;
    message.thread = thread;
    return builder_.add_model(std::move(message));
  }
  std::uint32_t call(std::uint32_t model, std::string id) {
    Call call;
    call.id = std::move(id);
    return builder_.add_call(model, std::move(call));
  }
  void result(std::string id, std::string text, std::uint32_t thread = 0) {
    FoundResult found;
    found.id = std::move(id);
    found.text = std::move(text);
    builder_.add_result(thread, std::move(found));
  }
  std::string results(Trace const& trace) {
    std::string out;
    for (Call const& call : trace.calls) out += (call.has_result ? call.result : "-") + " ";
    return out;
  }

  TraceBuilder builder_{"f"};
};

TEST_F(BuilderTest, ResultsFindTheirCallsInAnyOrder) {
  builder_.main_thread();
  std::uint32_t const m = model();
  call(m, "a");
  call(m, "b");
  result("b", "1");
  result("a", "2");
  EXPECT_EQ(results(builder_.finish()), "2 1 ");
}

TEST_F(BuilderTest, AResultMayComeBeforeItsCall) {
  builder_.main_thread();
  result("a", "1");
  call(model(), "a");
  Trace const trace = builder_.finish();
  EXPECT_EQ(results(trace), "1 ");
  EXPECT_TRUE(trace.problems.empty());
}

TEST_F(BuilderTest, AnIdThatIsUsedAgainBelongsToTheLatestMessage) {
  builder_.main_thread();
  call(model(), "call_0");  // never answered
  call(model(), "call_0");
  result("call_0", "1");
  call(model(), "call_0");
  result("call_0", "2");
  EXPECT_EQ(results(builder_.finish()), "- 1 2 ");
}

TEST_F(BuilderTest, EqualIdsInOneMessageAreAnsweredInOrder) {
  builder_.main_thread();
  std::uint32_t const m = model();
  call(m, "");
  call(m, "");
  result("", "1");
  result("", "2");
  EXPECT_EQ(results(builder_.finish()), "1 2 ");
}

TEST_F(BuilderTest, ASecondResultIsAProblemAndChangesNothing) {
  builder_.main_thread();
  call(model(), "a");
  result("a", "1");
  result("a", "2");
  call(model(), "a");
  Trace const trace = builder_.finish();
  EXPECT_EQ(results(trace), "1 - ");
  ASSERT_TRUE(trace.problems.contains("a second result for the same call"));
  EXPECT_EQ(trace.problems.at("a second result for the same call").count, 1);
}

TEST_F(BuilderTest, AResultWithoutACallIsNamed) {
  builder_.main_thread();
  result("nobody", "1");
  Trace const trace = builder_.finish();
  EXPECT_EQ(trace.problems.at("a result without a call").count, 1);
}

TEST_F(BuilderTest, ThreadsDoNotAnswerForEachOther) {
  builder_.main_thread();
  std::uint32_t const other = builder_.add_thread(ThreadKind::kSubagent, "x");
  call(model(0), "a");
  call(model(other), "a");
  result("a", "1", other);
  EXPECT_EQ(results(builder_.finish()), "- 1 ");
}

TEST_F(BuilderTest, DepthGrowsFromCallToThread) {
  builder_.main_thread();
  std::uint32_t const a = builder_.add_thread(ThreadKind::kSubagent, "a");
  std::uint32_t const b = builder_.add_thread(ThreadKind::kSubagent, "b");
  std::uint32_t const alone = builder_.add_thread(ThreadKind::kSubagent, "c");
  builder_.trace().threads[b].spawned_by = call(model(a), "x");
  builder_.trace().threads[a].spawned_by = call(model(0), "y");
  Trace const trace = builder_.finish();
  EXPECT_EQ(trace.threads[0].depth, 0);
  EXPECT_EQ(trace.threads[a].depth, 1);
  EXPECT_EQ(trace.threads[b].depth, 2);
  EXPECT_EQ(trace.threads[alone].depth, 1);
}

TEST_F(BuilderTest, ThreadsInACircleAreCutLoose) {
  std::uint32_t const a = builder_.add_thread(ThreadKind::kSubagent, "a");
  std::uint32_t const b = builder_.add_thread(ThreadKind::kSubagent, "b");
  builder_.trace().threads[b].spawned_by = call(model(a), "x");
  builder_.trace().threads[a].spawned_by = call(model(b), "y");
  Trace const trace = builder_.finish();
  EXPECT_EQ(trace.threads[a].spawned_by, kNoIndex);
  EXPECT_EQ(trace.threads[b].spawned_by, kNoIndex);
  EXPECT_EQ(trace.problems.at("subagents that start each other in a circle").count, 2);
}

}  // namespace
}  // namespace backedge::inspect
