#include "tools/process.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/descriptor.h"
#include "tools/fake_context.h"

namespace backedge::tools {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// A machine under load is given this much more than the 100 ms that hold on an idle one.
constexpr milliseconds kPrompt{1'000};

Command shell(std::string text) {
  return {.words = {"/bin/sh", "-c", std::move(text)}, .environment = current_environment()};
}

Ended run(Command const& command, std::stop_token stop = {}) {
  Result<Ended> out = run_process(command, std::move(stop));
  EXPECT_TRUE(out.ok());
  return out.ok() ? std::move(*out) : Ended{.how = Cancelled{}, .head = {}, .tail = {}};
}

// Neither gone nor a zombie that its new parent has not reaped yet.
bool lives(pid_t pid) {
  std::ifstream in("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  if (!std::getline(in, text)) return false;
  char const state = text[text.rfind(')') + 2];
  return state != 'Z' && state != 'X';
}

std::vector<pid_t> pids_in(TempFolder const& folder, char const* name) {
  std::istringstream in(folder.read(name));
  std::vector<pid_t> out;
  for (pid_t pid = 0; in >> pid;) out.push_back(pid);
  return out;
}

void expect_dead(TempFolder const& folder, std::size_t count) {
  std::vector<pid_t> const pids = pids_in(folder, "pids");
  EXPECT_EQ(pids.size(), count);
  for (pid_t const pid : pids) {
    EXPECT_FALSE(lives(pid)) << pid;
    if (pid > 1 && lives(pid)) ::kill(pid, SIGKILL);
  }
}

std::size_t open_descriptors() {
  auto const all = std::filesystem::directory_iterator("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

bool has_children() { return ::waitpid(-1, nullptr, WNOHANG) != -1 || errno != ECHILD; }

// Runs text that writes to the pipe "ready" once it has set itself up; then the token is triggered. How long the end
// took.
Clock::duration cancel_when_ready(TempFolder const& folder, std::string const& text, Ended& ended) {
  std::string const ready = (folder.path() / "ready").string();
  EXPECT_EQ(::mkfifo(ready.c_str(), 0600), 0);
  std::stop_source stop;
  Clock::time_point triggered;
  std::jthread const canceller([&] {
    std::ifstream in(ready);  // opens when the command does
    std::string line;
    std::getline(in, line);
    triggered = Clock::now();
    stop.request_stop();
  });
  Command command = shell("cd '" + folder.path().string() + "'\n: > pids\n" + text);
  ended = run(command, stop.get_token());
  return Clock::now() - triggered;
}

TEST(Process, TellsExitStatusSignalAndOutput) {
  Ended ended = run(shell("echo out; echo err >&2; exit 3"));
  EXPECT_EQ(std::get<Exited>(ended.how).status, 3);
  EXPECT_EQ(ended.head, "out\nerr\n");
  EXPECT_EQ(std::get<Signalled>(run(shell("kill -9 $$")).how).signal, SIGKILL);
  EXPECT_EQ(std::get<Exited>(run(shell("true")).how).status, 0);
}

TEST(Process, GivesNoInputAndOnlyTheFirstDescriptors) {
  Descriptor const leaky(::open("/dev/null", O_RDONLY));  // not close-on-exec
  EXPECT_EQ(run(shell("cat; echo end")).head, "end\n");
  // The fourth is the folder that ls reads.
  EXPECT_EQ(run({.words = {"/bin/ls", "/proc/self/fd"}}).head, "0\n1\n2\n3\n");
}

TEST(Process, SaysThatAProgramIsMissing) {
  Command const command{.words = {"/nowhere/program"}};
  EXPECT_EQ(run_process(command, {}).error().kind, ErrorKind::kIo);
  EXPECT_EQ(run_process(shell(std::string("echo a\0b", 8)), {}).error().kind, ErrorKind::kUsage);
}

TEST(Process, RunsNothingOnceTheTokenIsTriggered) {
  TempFolder const folder;
  std::stop_source stop;
  stop.request_stop();
  Ended const ended = run(shell("touch '" + (folder.path() / "x").string() + "'"), stop.get_token());
  EXPECT_TRUE(std::holds_alternative<Cancelled>(ended.how));
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "x"));
}

TEST(Process, KeepsHeadAndTailOfEndlessOutputAndReadsOn) {
  Command command = shell("echo first; yes 0123456789abcde | head -c 1000000000; echo last");
  command.max_output = 1'000;
  Ended const ended = run(command);
  EXPECT_EQ(std::get<Exited>(ended.how).status, 0);
  EXPECT_EQ(ended.head.substr(0, 6), "first\n");
  EXPECT_EQ(ended.head.size(), 500u);
  EXPECT_EQ(ended.tail.size(), 500u);
  EXPECT_EQ(ended.tail.substr(495), "last\n");
  EXPECT_EQ(ended.left_out, 1'000'000'011u - 1'000u);
}

TEST(Process, EndsAtItsTimeLimitAndKeepsWhatWasWritten) {
  Command command = shell("echo before; exec sleep 1000");
  command.time_limit = milliseconds(200);
  Clock::time_point const start = Clock::now();
  Ended const ended = run(command);
  EXPECT_TRUE(std::holds_alternative<TimedOut>(ended.how));
  EXPECT_EQ(ended.head, "before\n");
  EXPECT_LT(Clock::now() - start, milliseconds(200) + kPrompt);
}

TEST(Process, EndsEverythingOnCancelThoughItIgnoresSigterm) {
  TempFolder const folder;
  Ended ended{.how = Exited{}, .head = {}, .tail = {}};
  Clock::duration const took = cancel_when_ready(folder, R"sh(
      trap '' TERM
      sleep 1000 & echo $! >> pids
      sh -c 'trap "" TERM; echo $$ >> pids; while :; do sleep 1000; done' &
      while [ "$(wc -l < pids)" -lt 2 ]; do :; done
      echo $$ >> pids
      echo > ready
      wait; while :; do sleep 1000; done)sh",
                                                 ended);
  EXPECT_TRUE(std::holds_alternative<Cancelled>(ended.how));
  EXPECT_LT(took, kPrompt);
  RecordProperty("milliseconds", static_cast<int>(std::chrono::duration_cast<milliseconds>(took).count()));
  expect_dead(folder, 3);
}

TEST(Process, EndsAForkBombOnCancel) {
  TempFolder const folder;
  Ended ended{.how = Exited{}, .head = {}, .tail = {}};
  Clock::duration const took = cancel_when_ready(folder, R"sh(
      grow() {
        sh -c 'echo $PPID' >> pids
        [ "$1" -gt 0 ] && { grow $(($1 - 1)) & grow $(($1 - 1)) & }
        wait
        sleep 1000
      }
      for i in 1 2 3; do sh -c 'sleep 1000 & echo $! >> pids; sleep 1000 & echo $! >> pids; wait' & done
      grow 4 &
      while [ "$(wc -l < pids)" -lt 37 ]; do :; done
      echo > ready
      wait)sh",
                                                 ended);
  EXPECT_TRUE(std::holds_alternative<Cancelled>(ended.how));
  EXPECT_LT(took, kPrompt);
  expect_dead(folder, 37);
}

TEST(Process, FindsWhoMadeASessionOfItsOwn) {
  TempFolder const folder;
  Ended ended{.how = Exited{}, .head = {}, .tail = {}};
  Clock::duration const took = cancel_when_ready(folder, R"sh(
      setsid sh -c 'trap "" TERM HUP; echo $$ >> pids; sleep 1000; sleep 1000' &
      (setsid sh -c 'echo $$ >> pids; exec sleep 1000' &) &
      setsid env -i /bin/sh -c 'trap "" TERM; echo $$ >> pids; sleep 1000 & echo $! >> pids; wait; sleep 1000' &
      while [ "$(wc -l < pids)" -lt 4 ]; do :; done
      echo > ready
      wait)sh",
                                                 ended);
  EXPECT_LT(took, kPrompt);
  expect_dead(folder, 4);
}

TEST(Process, DoesNotWaitForWhoKeepsThePipeOpen) {
  TempFolder const folder;
  Clock::time_point const start = Clock::now();
  Ended const ended = run(shell("cd '" + folder.path().string() + R"('
      sleep 1000 & echo $! >> pids
      setsid sleep 1000 & echo $! >> pids
      echo done)"));
  EXPECT_LT(Clock::now() - start, kPrompt);
  EXPECT_EQ(std::get<Exited>(ended.how).status, 0);
  EXPECT_EQ(ended.head, "done\n");
  EXPECT_GE(ended.stragglers, 1u);
  expect_dead(folder, 2);
}

TEST(Process, EndsWhoFloodsThePipeInTheBackground) {
  Clock::time_point const start = Clock::now();
  Command command = shell("(trap '' TERM; yes) & echo done");
  command.max_output = 1'000;
  Ended const ended = run(command);
  EXPECT_EQ(std::get<Exited>(ended.how).status, 0);
  EXPECT_LT(Clock::now() - start, kPrompt);
}

TEST(Process, GivesAnOrderlyProgramTimeToCleanUp) {
  Command command = shell("trap 'echo cleaned; exit 0' TERM; while :; do sleep 0.01; done");
  command.time_limit = milliseconds(200);
  EXPECT_TRUE(run(command).head.ends_with("cleaned\n"));
}

TEST(Process, LeavesNoDescriptorAndNoZombie) {
  run(shell("true"));
  std::size_t const before = open_descriptors();
  for (int i = 0; i < 20; ++i) {
    Command command = shell(i % 2 == 0 ? "sleep 1000 & echo x" : "sleep 1000");
    command.time_limit = milliseconds(20);
    run(command);
    static_cast<void>(run_process({.words = {"/nowhere/program"}}, {}));
  }
  EXPECT_EQ(open_descriptors(), before);
  EXPECT_FALSE(has_children());
}

TEST(Process, RunsManyAtOnce) {
  std::vector<std::string> out(8);
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < out.size(); ++i) {
      threads.emplace_back([&out, i] {
        for (int k = 0; k < 10; ++k) out[i] += run(shell("sleep 1000 & echo " + std::to_string(i))).head;
      });
    }
  }
  for (std::size_t i = 0; i < out.size(); ++i) {
    std::string expected;
    for (int k = 0; k < 10; ++k) expected += std::to_string(i) + "\n";
    EXPECT_EQ(out[i], expected);
  }
  EXPECT_FALSE(has_children());
}

TEST(Process, CanBeCancelledAtAnyMoment) {
  for (int i = 0; i < 60; ++i) {
    std::stop_source stop;
    std::jthread const canceller([&stop, i] {
      Clock::time_point const until = Clock::now() + std::chrono::microseconds(i * 50);
      while (Clock::now() < until) {
      }
      stop.request_stop();
    });
    Ended const ended = run(shell("sleep 1000"), stop.get_token());
    ASSERT_TRUE(std::holds_alternative<Cancelled>(ended.how));
  }
  EXPECT_FALSE(has_children());
}

}  // namespace
}  // namespace backedge::tools
