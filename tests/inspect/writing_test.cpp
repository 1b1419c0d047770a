// The guess which calls change something.
#include "inspect/writing.h"

#include <string>

#include <gtest/gtest.h>

namespace backedge::inspect {
namespace {

bool writes(std::string const& command) { return looks_writing("Bash", command); }

TEST(Writing, IsSeenInNamesOfTools) {
  for (char const* tool :
       {"Edit", "MultiEdit", "write_file", "updateRecord", "book_reservation", "cancel_reservation", "send_certificate",
        "apply_patch", "str_replace_editor", "modify_pending_order_items", "git_commit"}) {
    EXPECT_TRUE(looks_writing(tool, "")) << tool;
  }
  for (char const* tool : {"Read", "get_user_details", "search_direct_flight", "TodoWrite", "calculate", "think",
                           "settings", "Glob", ""}) {
    EXPECT_FALSE(looks_writing(tool, "")) << tool;
  }
}

TEST(Writing, IsSeenInShellCommands) {
  for (char const* command :
       {"echo x > f", "echo x >> f", "cat a | tee b", "rm -rf x", "cd /a && git commit -m 'x'", "git add .; ls",
        "npm install", "pip install x", "sudo apt-get install -y x", "sed -i s/a/b/ f", "A=1 mkdir d", "mv a b"}) {
    EXPECT_TRUE(writes(command)) << command;
  }
  for (char const* command :
       {"ls -la", "npm run build 2>&1", "grep x f 2>/dev/null", "git status && git diff", "echo 'a > b'",
        "make 2>&1 | tail -5", "cat 'rm'", "sed -n 1,5p f", "echo \"x; rm y\"", "ls > /dev/null", "cargo test"}) {
    EXPECT_FALSE(writes(command)) << command;
  }
}

TEST(CoreCommand, IsWhatTheCommandIsAbout) {
  EXPECT_EQ(core_command("cd /a/b && make  test 2>&1 | tail -5"), "make test");
  EXPECT_EQ(core_command(" cd x; ls | head"), "ls");
  EXPECT_EQ(core_command("ls | head -3 | sort"), "ls | sort");
  EXPECT_EQ(core_command("ls | headers"), "ls | headers");
  EXPECT_EQ(core_command("a || tail f"), "a || tail f");
  EXPECT_EQ(core_command("cdx && y"), "cdx && y");
  EXPECT_EQ(core_command("cd /a"), "cd /a");
  EXPECT_EQ(core_command(""), "");
}

TEST(ShellCommand, IsFoundInTheArgumentsOfShells) {
  Json json;
  EXPECT_EQ(shell_command(json, "Bash", R"({"command":"ls","description":"x"})"), "ls");
  EXPECT_EQ(shell_command(json, "shell", R"({"command":["bash","-lc","ls"]})"), "bash -lc ls");
  EXPECT_EQ(shell_command(json, "exec_command", R"({"cmd":"ls"})"), "ls");
  EXPECT_EQ(shell_command(json, "Read", R"({"command":"ls"})"), "");
  EXPECT_EQ(shell_command(json, "Bash", "broken"), "");
}

}  // namespace
}  // namespace backedge::inspect
