#include <chrono>
#include <string>

#include <gtest/gtest.h>

#include "tools/builtin.h"
#include "tools/fake_context.h"
#include "tools/utf8.h"

namespace backedge::tools {
namespace {

TEST(RunCommand, ShowsOutputAndStatus) {
  Bench const bench;
  bench.folder.write("a.txt", "x");
  ToolResult result = bench.call("run_command", R"({"command":"ls"})");
  EXPECT_EQ(result.status, CallStatus::kOk);
  EXPECT_EQ(result.text, "a.txt\n[exit status 0]\n");
  result = bench.call("run_command", R"({"command":"echo no >&2; exit 4"})");
  EXPECT_EQ(result.status, CallStatus::kError);
  EXPECT_EQ(result.text, "no\n[exit status 4]\n");
  EXPECT_EQ(bench.call("run_command", R"({"command":"true"})").text, "[exit status 0, no output]\n");
  EXPECT_EQ(bench.call("run_command", R"({"command":"kill -9 $$"})").text, "[ended by signal 9, Killed]\n");
  EXPECT_EQ(bench.call("run_command", "{}").text, "/command is missing: expected shell text");
}

TEST(RunCommand, RunsInTheFolderAlsoWhenItHasBeenRenamed) {
  Bench const bench;
  EXPECT_EQ(bench.call("run_command", R"({"command":"pwd"})").text,
            std::filesystem::canonical(bench.folder.path()).string() + "\n[exit status 0]\n");
}

TEST(RunCommand, AddsVariablesAndTheTokenOfTheCall) {
  Bench const bench({.folder = {},
                     .allow_run = true,
                     .variables = {{"MINE", "1 2"}, {"PATH", "/usr/bin:/bin"}},
                     .token_variable = "CHAIN"});
  EXPECT_EQ(bench.call("run_command", R"({"command":"echo \"$MINE $PATH $CHAIN\""})").text,
            "1 2 /usr/bin:/bin the-token\n[exit status 0]\n");
}

TEST(RunCommand, SaysThatTheTimeIsUp) {
  Bench const bench;
  ToolResult const result = bench.call("run_command", R"({"command":"echo a; sleep 1000","timeout_ms":100})");
  EXPECT_EQ(result.status, CallStatus::kTimeout);
  EXPECT_EQ(result.text.find("a\n[ended after 100 ms, its time limit; "), 0u);
}

TEST(RunCommand, SaysThatItWasCancelled) {
  Bench const bench;
  std::stop_source stop;
  stop.request_stop();
  ToolResult const result = bench.call("run_command", R"({"command":"sleep 1000"})", stop.get_token());
  EXPECT_EQ(result.status, CallStatus::kCancelled);
}

TEST(RunCommand, SaysThatItEndedWhatWasLeftInTheBackground) {
  Bench const bench;
  EXPECT_EQ(bench.call("run_command", R"({"command":"sleep 1000 & echo x"})").text,
            "x\n[exit status 0]\n[ended what was left in the background: 1]\n");
}

TEST(RunCommand, TurnsBinaryOutputIntoText) {
  Bench const bench;
  ToolResult const result = bench.call("run_command", R"({"command":"head -c 100000 /dev/urandom"})");
  EXPECT_TRUE(is_utf8(result.text));
}

TEST(RunCommand, LeavesOutTheMiddleOfLongOutputBetweenWholeCharacters) {
  Bench const bench({.folder = {}, .allow_run = true, .max_result = 1'000});
  ToolResult const result = bench.call("run_command", R"({"command":"yes \"€\" | tr -d '\\n' | head -c 30000"})");
  EXPECT_TRUE(is_utf8(result.text));
  EXPECT_EQ(result.text.find("\xef\xbf\xbd"), std::string::npos);
  EXPECT_NE(result.text.find("[… 29000 bytes are left out here …]"), std::string::npos) << result.text;
}

TEST(RunCommand, RefusesAZeroByte) {
  Bench const bench;
  EXPECT_EQ(bench.call("run_command", "{\"command\":\"echo a\\u0000b\"}").status, CallStatus::kError);
}

}  // namespace
}  // namespace backedge::tools
