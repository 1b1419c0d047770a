// The program itself: exit statuses, one line for wrong words, help that reads well.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>

#include <gtest/gtest.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/temp_folder.h"

namespace backedge::cli {
namespace {

using support::TempFolder;

struct Ended {
  int status = -1;
  std::string text;  // of both outputs

  friend bool operator==(Ended const&, Ended const&) = default;
  friend std::ostream& operator<<(std::ostream& os, Ended const& e) {
    return os << "status " << e.status << ": " << e.text;
  }
};

/// Runs the program in a folder without a policy and without a user's one; `words` are shell text.
Ended program(TempFolder const& folder, std::string const& words) {
  std::string const command =
      "exec 2>&1; cd '" + folder.path().string() + "' && HOME= XDG_CONFIG_HOME= '" BACKEDGE_PROGRAM "' " + words;
  std::FILE* pipe = popen(command.c_str(), "r");
  if (!pipe) return {};
  Ended out;
  std::array<char, 4096> buffer{};
  while (std::size_t const n = std::fread(buffer.data(), 1, buffer.size(), pipe)) out.text.append(buffer.data(), n);
  int const status = pclose(pipe);
  out.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return out;
}

TEST(Program, WrongWordsAreOneLineAndStatusTwo) {
  struct Case {
    std::string words;
    std::string line;
  };
  TempFolder folder;
  for (Case const& c : std::to_array<Case>({
           {"polcy", "backedge: unknown command \"polcy\", did you mean \"policy\"? see backedge --help\n"},
           {"xyzzy check", "backedge: unknown command \"xyzzy\"; see backedge --help\n"},
           {"policy", "backedge: a command is missing: check, show, reference; see backedge policy --help\n"},
           {"policy chek", "backedge: unknown command \"chek\", did you mean \"check\"? see backedge policy --help\n"},
           {"policy show --jsn",
            "backedge: unknown option \"--jsn\", did you mean \"--json\"? see backedge policy show --help\n"},
           {"policy show --polcy=x",
            "backedge: unknown option \"--polcy\", did you mean \"--policy\"? see backedge policy show --help\n"},
           {"policy check a b", "backedge: one word too many: \"b\"; see backedge policy check --help\n"},
           {"--policy", "backedge: --policy needs a value; see backedge --help\n"},
           {"tools --json=3", "backedge: --json takes no value; see backedge tools --help\n"},
           {"run x --session ''", "backedge: --session: an empty word means nothing here; see backedge run --help\n"},
           {"run x --deny-tool ''",
            "backedge: --deny-tool: an empty word means nothing here; see backedge run --help\n"},
           {"show ''", "backedge: RUN: an empty word means nothing here; see backedge show --help\n"},
           {"--policy '' tools", "backedge: --policy: an empty word means nothing here; see backedge tools --help\n"},
           {"run ''", "backedge: the task is empty; say what is to be done\n"},
           {"run x --session a --no-journal",
            "backedge: --session and --no-journal do not go together; see backedge run --help\n"},
           {"run x --journal j.db --no-journal",
            "backedge: --journal and --no-journal do not go together; see backedge run --help\n"},
           {"show last --table --json", "backedge: --table and --json do not go together; see backedge show --help\n"},
           {"show last --table --texts",
            "backedge: --table and --texts do not go together; see backedge show --help\n"},
           {"runs rm last --near-limit",
            "backedge: rm and --near-limit do not go together; see backedge runs rm --help\n"},
           {"runs --json export last",
            "backedge: export and --json do not go together; see backedge runs export --help\n"},
           {"policy check a.toml --policy b.toml",
            "backedge: --policy and FILE do not go together; see backedge policy check --help\n"},
           {"init -q", "backedge: unknown option \"-q\"; see backedge init --help\n"},
           {"init \"$(printf 'a\\nb')\"", "backedge: one word too many: \"a\\nb\"; see backedge init --help\n"},
       })) {
    EXPECT_EQ(program(folder, c.words), (Ended{2, c.line})) << c.words;
  }
  Ended const nothing = program(folder, "");
  EXPECT_EQ(nothing.status, 2);
  EXPECT_TRUE(nothing.text.starts_with("backedge: a command is missing: ")) << nothing;
  EXPECT_EQ(nothing.text.find('\n'), nothing.text.size() - 1) << nothing;
}

TEST(Program, VersionAndHelpGoToStandardOutput) {
  TempFolder folder;
  EXPECT_TRUE(program(folder, "--version 2>/dev/null").text.starts_with("backedge "));
  EXPECT_EQ(program(folder, "--version").status, 0);
  for (std::string const words : {"--help", "-h", "policy --help", "policy check --help", "tools --help", "init -h"}) {
    Ended const help = program(folder, words + " 2>/dev/null");
    EXPECT_EQ(help.status, 0) << words;
    EXPECT_NE(help.text.find("Usage: backedge"), std::string::npos) << help;
    EXPECT_EQ(help.text.find("SUBCOMMAND"), std::string::npos) << help;
  }
}

TEST(Program, EndsWithTheStatusOfItsCommand) {
  TempFolder folder;
  EXPECT_EQ(program(folder, "init").status, 0);
  EXPECT_EQ(program(folder, "init").status, 1);
  EXPECT_EQ(program(folder, "policy check"), (Ended{0, "backedge.toml: ok, 0 settings\n"}));
  folder.write("bad.toml", "[limits]\nmax_turn = 1\n");
  std::string const error = "bad.toml:2:1: unknown key 'max_turn' in [limits], did you mean 'max_turns'?\n";
  EXPECT_EQ(program(folder, "policy check bad.toml"), (Ended{2, error}));
  EXPECT_EQ(program(folder, "--policy bad.toml policy show"), (Ended{2, error}));
  EXPECT_EQ(program(folder, "policy show --policy bad.toml"), (Ended{2, error}));
  EXPECT_EQ(program(folder, "--policy none.toml tools"), (Ended{2, "backedge: none.toml: no such file\n"}));
}

TEST(Program, WorksOnTheJournalThatIsNamed) {
  TempFolder folder;
  std::string const run = std::string(32, 'a');
  folder.write("run.jsonl",
               R"({"v":1,"run":")" + run + R"(","seq":1,"at_us":0,"frame":1,"type":"run.open","body":{}})");
  EXPECT_EQ(program(folder, "runs import run.jsonl --journal j.db"), (Ended{0, "imported 1 run with 1 events\n"}));
  EXPECT_EQ(program(folder, "runs --journal j.db").status, 0);
  EXPECT_EQ(program(folder, "show last --journal j.db").text.find('\033'), std::string::npos);
  EXPECT_EQ(program(folder, "--policy backedge.toml runs --journal j.db").status, 2) << "a policy that is not there";
  EXPECT_EQ(program(folder, "runs rm aa --journal j.db"), (Ended{0, "removed 1 run\n"}));
  EXPECT_EQ(program(folder, "show last --journal j.db").status, 2);
  EXPECT_EQ(program(folder, "runs rmm").text,
            "backedge: unknown command \"rmm\", did you mean \"rm\"? see backedge runs --help\n");
  EXPECT_EQ(program(folder, "explain last").status, 2);
}

/// What the program writes to a terminal of that many columns; 0: one that does not know.
std::string on_terminal(TempFolder const& folder, unsigned short columns, std::string const& words) {
  int terminal = -1;
  winsize const size{.ws_row = 24, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
  std::string const command = "cd '" + folder.path().string() + "' && HOME= XDG_CONFIG_HOME= NO_COLOR=1 " + words;
  pid_t const pid = forkpty(&terminal, nullptr, nullptr, &size);
  if (pid < 0) return "no terminal";
  if (pid == 0) {
    execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
    _exit(127);
  }
  std::string out;
  std::array<char, 4096> buffer{};
  for (ssize_t n = 0; (n = read(terminal, buffer.data(), buffer.size())) > 0;)
    out.append(buffer.data(), static_cast<std::size_t>(n));
  waitpid(pid, nullptr, 0);
  close(terminal);
  return out;
}

std::size_t widest(std::string const& text) {
  std::size_t out = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) out = std::max(out, line.find_last_not_of('\r') + 1);
  return out;
}

TEST(Program, TablesFitTheTerminalAndAreWholeElsewhere) {
  TempFolder folder;
  std::string const head = R"({"v":1,"run":")" + std::string(32, 'a') + R"(","at_us":0,"frame":1,)";
  folder.write("run.jsonl", head + R"("seq":1,"type":"run.open","body":{"session":"a long name of a session"}})" +
                                "\n" + head +
                                R"("seq":2,"type":"round.propose","body":{"calls":[{"call":1,"tool":"Bash"}]}})");
  ASSERT_EQ(program(folder, "runs import run.jsonl --journal j.db").status, 0);
  std::string const runs = "'" BACKEDGE_PROGRAM "' runs --journal j.db";
  std::string const table = "'" BACKEDGE_PROGRAM "' show last --table --journal j.db";
  for (unsigned short const columns : std::to_array<unsigned short>({40, 80, 100})) {
    EXPECT_LE(widest(on_terminal(folder, columns, runs)), std::size_t{columns});
    EXPECT_GT(widest(on_terminal(folder, columns, runs)), columns / 2U);
  }
  EXPECT_LE(widest(on_terminal(folder, 0, runs)), 80U);
  EXPECT_LE(widest(on_terminal(folder, 80, "COLUMNS=50 " + runs)), 50U);
  std::string const shown = on_terminal(folder, 72, table);
  EXPECT_LE(widest(shown.substr(shown.find("\r\n\r\n"))), 72U) << shown;
  EXPECT_GT(widest(program(folder, "runs --journal j.db").text), 80U);
  EXPECT_GT(widest(on_terminal(folder, 80, "COLUMNS=50 " + runs + " | cat")), 80U);
}

TEST(Program, AnOutputThatTakesNothingIsAnError) {
  TempFolder folder;
  EXPECT_EQ(program(folder, "tools >/dev/full"), (Ended{1, "backedge: the output cannot be written\n"}));
}

}  // namespace
}  // namespace backedge::cli
