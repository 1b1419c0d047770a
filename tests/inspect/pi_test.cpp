// Sessions of the pi coding agent.
#include "inspect/pi.h"

#include <gtest/gtest.h>

#include "inspect/support.h"

namespace backedge::inspect {
namespace {

using testing::trace_of;

std::string const kHeader =
    R"({"type":"session","version":3,"id":"s1","timestamp":"2026-05-12T01:02:27.657Z","cwd":"/tmp"})"
    "\n";

std::string message(std::string const& id, std::string const& body) {
  return R"({"type":"message","id":")" + id + R"(","timestamp":"2026-05-12T01:02:28.000Z","message":)" + body + "}\n";
}

std::string const kAssistant =
    R"({"role":"assistant","model":"m","content":[{"type":"text","text":"t"},{"type":"toolCall","id":"a","name":"bash","arguments":{"command":"ls"}}],)"
    R"("usage":{"input":1,"output":2,"cacheRead":3,"cacheWrite":4,"cost":{"input":0.1,"total":0.0125}}})";

TEST(Pi, CallsResultsUsageAndCostAreRead) {
  Trace const t = trace_of(
      kHeader + message("1", R"({"role":"user","content":[{"type":"text","text":"hi"}]})") + message("2", kAssistant) +
      message(
          "3",
          R"({"role":"toolResult","toolCallId":"a","toolName":"bash","content":[{"type":"text","text":"x"},{"type":"text","text":"y"}],"isError":true})") +
      R"({"type":"compaction","id":"4"})"
      "\n"
      R"({"type":"new_thing","id":"5"})"
      "\n");
  EXPECT_EQ(t.format, Format::kPi);
  EXPECT_EQ(t.session, "s1");
  ASSERT_EQ(t.calls.size(), 1U);
  EXPECT_EQ(t.calls[0].arguments, R"({"command":"ls"})");
  EXPECT_EQ(t.calls[0].result, "x\ny");
  EXPECT_FALSE(t.calls[0].ok);
  EXPECT_EQ(*t.models.at(0).usage, (Usage{.fresh_input = 1, .cache_write_5m = 4, .cache_read = 3, .output = 2}));
  EXPECT_EQ(t.models[0].cost_nano, 12'500'000);
  EXPECT_EQ(t.users.at(0).author, Author::kPerson);
  EXPECT_EQ(t.threads.at(0).steps.back().kind, Step::Kind::kCompaction);
  EXPECT_EQ(t.unknown_lines, (std::map<std::string, std::int64_t>{{"new_thing", 1}}));
}

TEST(Pi, AMessageThatStandsTwiceCountsOnce) {
  Trace const t = trace_of(kHeader + message("2", kAssistant) + message("2", kAssistant));
  EXPECT_EQ(t.calls.size(), 1U);
  EXPECT_EQ(count(t).total_tokens, 10);
}

TEST(Pi, WithoutIdsMessagesAreAllTheirOwn) {
  std::string const line =
      R"({"type":"message","timestamp":"2026-05-12T01:02:28.000Z","message":)" + kAssistant + "}\n";
  EXPECT_EQ(trace_of(line + line).models.size(), 2U);
}

}  // namespace
}  // namespace backedge::inspect
