// backedge run and resume, through the program: what is printed where, exit statuses, interruption, sudden death.

#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/json.h"
#include "journal/journal.h"
#include "support/temp_folder.h"

namespace backedge {
namespace {

namespace fs = std::filesystem;

// A folder of its own with a policy, a script and a journal; the program runs in it.
class Ground {
 public:
  fs::path const& folder() const { return folder_; }
  void write(std::string const& name, std::string_view text) const { std::ofstream(folder_ / name) << text; }
  std::string read(std::string const& name) const {
    std::ostringstream out;
    out << std::ifstream(folder_ / name).rdbuf();
    return out.str();
  }

  // Starts the program; its output goes to files.
  pid_t start(std::vector<std::string> words, std::string const& name = "last") const {
    words.insert(words.begin(), BACKEDGE_PROGRAM);
    std::vector<char*> argv;
    for (std::string& w : words) argv.push_back(w.data());
    argv.push_back(nullptr);
    std::string const home = "HOME=" + folder_.string();
    std::string const path = "PATH=/usr/bin:/bin";
    std::array<char*, 3> env{const_cast<char*>(home.c_str()), const_cast<char*>(path.c_str()), nullptr};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addchdir_np(&actions, folder_.c_str());
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, (folder_ / (name + ".out")).c_str(), O_WRONLY | O_CREAT | O_TRUNC,
                                     0600);
    posix_spawn_file_actions_addopen(&actions, 2, (folder_ / (name + ".err")).c_str(), O_WRONLY | O_CREAT | O_TRUNC,
                                     0600);
    pid_t pid = -1;
    // Without a process there is nothing to go on with, and kill(-1) would end everything that there is.
    if (posix_spawn(&pid, BACKEDGE_PROGRAM, &actions, nullptr, argv.data(), env.data()) != 0 || pid <= 0) {
      ADD_FAILURE() << BACKEDGE_PROGRAM " cannot be started";
      std::abort();
    }
    posix_spawn_file_actions_destroy(&actions);
    return pid;
  }
  static int end(pid_t pid) {
    int status = 0;
    ::waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
  }
  int run(std::vector<std::string> words) const { return end(start(std::move(words))); }
  std::string out() const { return read("last.out"); }
  std::string err() const { return read("last.err"); }

 private:
  support::TempFolder temporary_;
  fs::path folder_ = temporary_.path();
};

// Waits until a file exists and has grown to that size.
void until_there(fs::path const& file, std::uintmax_t size) {
  std::error_code error;
  while (fs::file_size(file, error) < size || error) std::this_thread::yield();
}

constexpr std::string_view kReadThenAnswer = R"({"calls":[{"tool":"read_file","args":{"path":"notes.txt"}}]}
{"text":"the notes say hello"}
)";

TEST(RunCommand, AnswersOnStandardOutputAndReportsOnStandardError) {
  Ground g;
  g.write("notes.txt", "hello\n");
  g.write("script.jsonl", kReadThenAnswer);
  EXPECT_EQ(g.run({"run", "what do the notes say?", "--model", "scripted:script.jsonl"}), 0) << g.err();
  EXPECT_EQ(g.out(), "the notes say hello\n");
  EXPECT_NE(g.err().find("read_file"), std::string::npos) << g.err();
  EXPECT_NE(g.err().find("2 turns, 1 call, "), std::string::npos) << g.err();
}

TEST(RunCommand, RefusesToolsThatAreNotThere) {
  Ground g;
  g.write("script.jsonl", kReadThenAnswer);
  std::vector<std::string> const run = {"run", "go", "--model", "scripted:script.jsonl"};
  auto const with = [&](std::vector<std::string> const& more) {
    std::vector<std::string> words = run;
    words.insert(words.end(), more.begin(), more.end());
    return g.run(words);
  };
  EXPECT_EQ(with({"--allow-tool", "raed_file"}), 2);
  EXPECT_EQ(g.err(), "backedge: --allow-tool \"raed_file\" names no tool; did you mean read_file?\n");
  EXPECT_EQ(with({"--deny-tool", "source:bultin"}), 2);
  EXPECT_EQ(with({"--allow-tool", "write_file"}), 2);
  EXPECT_NE(g.err().find("--allow-write"), std::string::npos) << g.err();
  EXPECT_EQ(with({"--allow-tool", "source:builtin", "--deny-tool", "write_file", "run_command"}), 0) << g.err();
  EXPECT_EQ(with({"--allow-write", "--allow-tool", "write_file"}), 0) << g.err();
}

TEST(RunCommand, KeepsSecretsOutOfWhatItReports) {
  Ground g;
  std::string const key = "ghp_0123456789abcdefABCDEF0123456789abcd";
  std::string const call = R"({"calls":[{"tool":"run_command","args":{"command":"true $TOKEN )" + key + "\"}}]}\n";
  g.write("script.jsonl", call + call + call + call + R"({"text":"the key is )" + key + "\"}\n");
  EXPECT_EQ(g.run({"run", "go", "--model", "scripted:script.jsonl", "--allow-run"}), 0) << g.err();
  EXPECT_EQ(g.out(), "the key is " + key + "\n") << "the answer is the user's own";
  EXPECT_NE(g.err().find("run_command"), std::string::npos) << g.err();
  EXPECT_NE(g.err().find("[secret:"), std::string::npos) << g.err();
  EXPECT_EQ(g.err().find(key.substr(0, 12)), std::string::npos) << g.err();
  g.write("bad.jsonl", R"({"error":"no access with Authorization: Bearer )" + key + "\"}\n");
  EXPECT_EQ(g.run({"run", "go", "--model", "scripted:bad.jsonl"}), 1);
  EXPECT_NE(g.err().find("no access"), std::string::npos) << g.err();
  EXPECT_EQ(g.err().find(key.substr(0, 12)), std::string::npos) << g.err();
}

TEST(RunCommand, SpeaksJsonToMachines) {
  Ground g;
  g.write("notes.txt", "hello\n");
  g.write("script.jsonl", kReadThenAnswer);
  EXPECT_EQ(g.run({"run", "go", "--model", "scripted:script.jsonl", "--json"}), 0) << g.err();
  Result<boost::json::value> const parsed = parse_json(g.out());
  ASSERT_TRUE(parsed.ok()) << g.out();
  EXPECT_EQ(parsed->at("status").as_string(), "finished");
  EXPECT_EQ(parsed->at("answer").as_string(), "the notes say hello");
  EXPECT_EQ(parsed->at("calls").to_number<int>(), 1);
  EXPECT_NE(g.out().find("\"cost_usd\":0,"), std::string::npos) << g.out();
}

TEST(RunCommand, ExitStatusesTellTheEnds) {
  Ground g;
  g.write("loop.jsonl", R"({"calls":[{"tool":"list_files","args":{}}],"repeat":"for ever"})");
  EXPECT_EQ(g.run({"run", "go", "--model", "scripted:loop.jsonl"}), 4) << g.err();
  EXPECT_NE(g.err().find("repeat.exact"), std::string::npos) << g.err();
  g.write("tight.toml", "[limits]\nmax_turns = 1\n");
  EXPECT_EQ(g.run({"run", "go", "--model", "scripted:loop.jsonl", "--policy", "tight.toml"}), 3) << g.err();
  g.write("broken.jsonl", R"({"error":"the provider is down"})");
  EXPECT_EQ(g.run({"run", "go", "--model", "scripted:broken.jsonl"}), 1) << g.err();
  EXPECT_NE(g.err().find("the provider is down"), std::string::npos);
  EXPECT_EQ(g.run({"run", "go"}), 2);
  EXPECT_NE(g.err().find("--model"), std::string::npos);
  EXPECT_EQ(g.run({"run", "go", "--model", "scripted:nowhere.jsonl"}), 2);
  EXPECT_EQ(g.run({"run", "", "--model", "scripted:loop.jsonl"}), 2);
}

TEST(RunCommand, WritesAndCommandsNeedToBeAllowed) {
  Ground g;
  g.write("script.jsonl", R"({"calls":[{"tool":"write_file","args":{"path":"new.txt","content":"x"}}]}
{"text":"done"}
)");
  EXPECT_EQ(g.run({"run", "go", "--model", "scripted:script.jsonl"}), 0) << g.err();
  EXPECT_FALSE(fs::exists(g.folder() / "new.txt"));
  EXPECT_NE(g.err().find("args.unknown_tool"), std::string::npos) << g.err();
  EXPECT_EQ(g.run({"run", "go", "--model", "scripted:script.jsonl", "--allow-write"}), 0) << g.err();
  EXPECT_TRUE(fs::exists(g.folder() / "new.txt"));
}

TEST(RunCommand, WhatGuardsTheRunIsNotWrittenByIt) {
  Ground g;
  g.write(
      "script.jsonl",
      R"({"calls":[{"tool":"write_file","args":{"path":"./sub/../backedge.toml","content":"[ladder]\nobserve = true\n"}},)"
      R"({"tool":"write_file","args":{"path":"j.db","content":"x"}}]})"
      "\n{\"text\":\"done\"}\n");
  EXPECT_EQ(g.run({"run", "go", "--model", "scripted:script.jsonl", "--allow-write", "--journal", "j.db"}), 0)
      << g.err();
  EXPECT_FALSE(fs::exists(g.folder() / "backedge.toml"));
  EXPECT_EQ(g.run({"show", "last", "--journal", "j.db"}), 0) << g.err();
}

TEST(RunCommand, ASessionIsAtWorkInOneProcessAtATime) {
  Ground g;
  g.write("slow.jsonl", R"({"calls":[{"tool":"run_command","args":{"command":"echo > there; sleep 1000"}}]})");
  g.write("script.jsonl", "{\"text\":\"done\"}\n");
  pid_t const first =
      g.start({"run", "one", "--model", "scripted:slow.jsonl", "--allow-run", "--session", "talk", "--journal", "j.db"},
              "first");
  until_there(g.folder() / "there", 1);
  EXPECT_EQ(g.run({"run", "two", "--model", "scripted:script.jsonl", "--session", "talk", "--journal", "j.db"}), 1);
  EXPECT_NE(g.err().find("at work in another process"), std::string::npos) << g.err();
  EXPECT_EQ(g.run({"resume", "last", "--model", "scripted:script.jsonl", "--journal", "j.db"}), 1);
  ::kill(first, SIGTERM);
  EXPECT_EQ(Ground::end(first), 130);
}

TEST(RunCommand, AnInterruptReachesARunThatNeverWaits) {
  Ground g;
  g.write("backedge.toml", "[limits]\nmax_turns = -1\n[ladder]\nobserve = true\n");
  g.write("busy.jsonl", R"({"calls":[{"tool":"nope","args":{}}],"repeat":"for ever"})");
  pid_t const pid = g.start({"run", "go", "--model", "scripted:busy.jsonl", "--journal", "j.db", "--quiet"});
  until_there(g.folder() / "j.db-wal", 300'000);
  ::kill(pid, SIGINT);
  EXPECT_EQ(Ground::end(pid), 130) << g.err();
}

TEST(RunCommand, ASecretThatWasNotKeptIsNotMadeUpOnResume) {
  Ground g;
  g.write(
      "script.jsonl",
      R"({"calls":[{"tool":"run_command","args":{"command":"echo > there; sleep 1000; echo password=realpass99 > pw"}}]})"
      "\n{\"text\":\"done\"}\n");
  pid_t const pid = g.start({"run", "go", "--model", "scripted:script.jsonl", "--allow-run", "--journal", "j.db"});
  until_there(g.folder() / "there", 1);
  ::kill(pid, SIGKILL);
  (void)Ground::end(pid);
  EXPECT_EQ(
      g.run({"resume", "last", "--again", "--model", "scripted:script.jsonl", "--allow-run", "--journal", "j.db"}), 0)
      << g.err();
  EXPECT_FALSE(fs::exists(g.folder() / "pw"));
  EXPECT_EQ(g.run({"runs", "export", "last", "--journal", "j.db"}), 0);
  EXPECT_EQ(g.out().find("realpass99"), std::string::npos);
}

TEST(RunCommand, ResumeTakesTheModelThatTheRunWasBegunWith) {
  Ground g;
  g.write("script.jsonl",
          "{\"calls\":[{\"tool\":\"run_command\",\"args\":{\"command\":\"echo > there; sleep 1000\"}}]}\n"
          "{\"text\":\"done\"}\n");
  pid_t const pid = g.start({"run", "go", "--model", "scripted:script.jsonl", "--allow-run", "--journal", "j.db"});
  until_there(g.folder() / "there", 1);
  ::kill(pid, SIGKILL);
  (void)Ground::end(pid);
  fs::rename(g.folder() / "script.jsonl", g.folder() / "elsewhere.jsonl");
  EXPECT_EQ(g.run({"resume", "last", "--allow-run", "--journal", "j.db"}), 2);
  EXPECT_EQ(
      g.err(),
      "backedge: the run was begun with scripted:script.jsonl, which cannot be used now: script.jsonl: there is no "
      "such file; name one that exists, or another with --model\n");
  EXPECT_EQ(g.run({"resume", "last", "--journal", "none.db"}), 2);
  fs::rename(g.folder() / "elsewhere.jsonl", g.folder() / "script.jsonl");
  EXPECT_EQ(g.run({"resume", "last", "--allow-run", "--journal", "j.db"}), 0) << g.err();
  EXPECT_EQ(g.out(), "done\n");
}

TEST(RunCommand, NamesThatAreNoNamesReachNoTerminal) {
  Ground g;
  g.write("script.jsonl", R"({"calls":[{"tool":"bad\u001b[31m\r\nX","args":{}}]})"
                          "\n{\"text\":\"done\"}\n");
  EXPECT_EQ(g.run({"run", "go", "--model", "scripted:script.jsonl", "--journal", "j.db"}), 0) << g.err();
  EXPECT_EQ(g.err().find('\x1b'), std::string::npos) << g.err();
  EXPECT_EQ(g.run({"show", "last", "--journal", "j.db"}), 0);
  EXPECT_EQ(g.out().find('\x1b'), std::string::npos);
}

TEST(RunCommand, ASessionGoesOnFromTheJournal) {
  Ground g;
  g.write("notes.txt", "hello\n");
  g.write("script.jsonl", kReadThenAnswer);
  EXPECT_EQ(g.run({"run", "one", "--model", "scripted:script.jsonl", "--session", "talk", "--journal", "j.db"}), 0);
  EXPECT_EQ(g.run({"run", "two", "--model", "scripted:script.jsonl", "--session", "talk", "--journal", "j.db"}), 0)
      << g.err();
  Result<journal::Journal> const j = journal::Journal::open(g.folder() / "j.db");
  ASSERT_TRUE(j.ok());
  Result<std::vector<journal::RunInfo>> const runs = j->session("talk");
  ASSERT_EQ(runs->size(), 2U);
  EXPECT_EQ((*runs)[1].number, 2);
}

TEST(RunCommand, NestedAgentsAreDeclaredInThePolicy) {
  Ground g;
  g.write("notes.txt", "hello\n");
  g.write("backedge.toml", "[agent.reader]\nabout = \"Reads files\"\nmax_turns = 5\n");
  g.write("script.jsonl", R"({"calls":[{"tool":"reader","args":{"task":"read the notes"}}]}
{"text":"the reader is done"}
{"agent":"reader","calls":[{"tool":"read_file","args":{"path":"notes.txt"}}]}
{"agent":"reader","text":"hello"}
)");
  EXPECT_EQ(g.run({"run", "go", "--model", "scripted:script.jsonl"}), 0) << g.err();
  EXPECT_EQ(g.out(), "the reader is done\n");
  EXPECT_NE(g.err().find("  - read_file"), std::string::npos) << g.err();
}

TEST(RunCommand, AnInterruptEndsTheRunAndEveryProcessWithin100Milliseconds) {
  Ground g;
  g.write("script.jsonl",
          R"({"calls":[{"tool":"run_command","args":{"command":"echo $$ > pid; sleep 1000 & sleep 1000"}}]})");
  pid_t const pid = g.start({"run", "go", "--model", "scripted:script.jsonl", "--allow-run"});
  until_there(g.folder() / "pid", 2);
  pid_t const shell = std::stoi(g.read("pid"));
  auto const start = std::chrono::steady_clock::now();
  ::kill(pid, SIGINT);
  EXPECT_EQ(Ground::end(pid), 130) << g.err();
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5)) << "generous: the machine may be busy";
  EXPECT_EQ(::kill(shell, 0), -1) << "the command is gone";
  EXPECT_NE(g.err().find("interrupted"), std::string::npos) << g.err();
}

// A long run that writes a file a turn; each command counts how often it ran.
std::string long_script(int turns) {
  std::string out;
  for (int i = 0; i < turns; ++i) {
    out += R"({"calls":[{"tool":"run_command","args":{"command":"echo x >> ran)" + std::to_string(i) +
           R"("}}]})"
           "\n";
  }
  return out + R"({"text":"all done"})"
               "\n";
}

TEST(RunCommand, KilledAtAnyMomentTheJournalHoldsAPrefixAndResumeRunsNoWriteTwice) {
  constexpr int kKills = 200;
  constexpr int kTurns = 12;
  std::mt19937 random(7);
  int resumed = 0;
  auto longest = std::chrono::microseconds(1);  // of a run that nobody kills: the moments lie within it
  for (int n = 0; n < kKills; ++n) {
    Ground g;
    g.write("script.jsonl", long_script(kTurns));
    std::vector<std::string> const options = {"--model", "scripted:script.jsonl", "--allow-run", "--journal", "j.db"};
    std::vector<std::string> words = {"run", "go"};
    words.insert(words.end(), options.begin(), options.end());
    auto const start = std::chrono::steady_clock::now();
    pid_t const pid = g.start(words);
    if (n > 0) {  // the moment, not a synchronisation
      std::this_thread::sleep_for(longest * (random() % 1000) / 1000);
      ::kill(pid, SIGKILL);
    }
    (void)Ground::end(pid);
    if (n == 0)
      longest = std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - start);
    if (!fs::exists(g.folder() / "j.db")) continue;
    std::string id;
    {
      Result<journal::Journal> const j = journal::Journal::open(g.folder() / "j.db");
      ASSERT_TRUE(j.ok()) << n << ": " << j.error().text();
      Result<std::vector<journal::RunInfo>> const runs = j->runs();
      ASSERT_TRUE(runs.ok());
      if (runs->empty()) continue;
      id = runs->front().id;
      Result<std::vector<talk::Event>> const events = j->events(id);
      ASSERT_TRUE(events.ok());
      for (std::size_t i = 0; i < events->size(); ++i) ASSERT_EQ((*events)[i].seq, i + 1) << n;
      if (runs->front().status != "open") continue;
    }
    EXPECT_EQ(g.run({"show", id, "--journal", "j.db"}), 0) << g.err();
    words = {"resume", id};
    words.insert(words.end(), options.begin(), options.end());
    ASSERT_EQ(g.run(words), 0) << n << ": " << g.err();
    EXPECT_EQ(g.out(), "all done\n");
    ++resumed;
    for (int i = 0; i < kTurns; ++i) EXPECT_LE(g.read("ran" + std::to_string(i)).size(), 2U) << n << ": ran twice";
  }
  EXPECT_GT(resumed, kKills / 10) << "too few were killed in the middle to say anything";
}

}  // namespace
}  // namespace backedge
