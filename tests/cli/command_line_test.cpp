// The manual page and the completion, as the program prints them.
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include <gtest/gtest.h>

#include "support/temp_folder.h"

namespace backedge::cli {
namespace {

using support::TempFolder;

std::string output_of(std::string const& command) {
  std::string out;
  FILE* const pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return "popen failed";
  char buffer[4096];
  for (std::size_t n = 0; (n = fread(buffer, 1, sizeof buffer, pipe)) > 0;) out.append(buffer, n);
  if (pclose(pipe) != 0) out += "\n(failed)";
  return out;
}

TEST(CommandLine, TheManualNamesEveryCommandThatHelpDoes) {
  std::string const page = output_of(BACKEDGE_PROGRAM " manual");
  EXPECT_TRUE(page.starts_with(".TH BACKEDGE 1 "));
  for (char const* const name : {"run", "resume", "runs export", "show", "explain", "graph", "inspect", "replay",
                                 "suggest", "demo", "policy check", "tools", "init", "cases"})
    EXPECT_NE(page.find(std::string("\n.SS backedge ") + name), std::string::npos) << name;
  EXPECT_NE(page.find("\n.B \\-\\-policy FILE\n"), std::string::npos);
  EXPECT_NE(page.find("\n.SH EXIT STATUS\n"), std::string::npos);
  EXPECT_EQ(page.find("(failed)"), std::string::npos);
}

TEST(CommandLine, HelpSaysWhatAnOptionIsForAndNotWhatItExcludes) {
  for (char const* const command : {"", "run ", "show ", "runs ", "policy check "}) {
    std::string const help = output_of(BACKEDGE_PROGRAM " " + std::string(command) + "--help");
    EXPECT_NE(help.find("--policy FILE"), std::string::npos) << command;
    EXPECT_EQ(help.find("Excludes"), std::string::npos) << command;
  }
}

TEST(CommandLine, TheDemonstrationIsPrintedAsTextOrAsJson) {
  TempFolder const folder;
  std::string const start = "cd '" + folder.path().string() + "' && " BACKEDGE_PROGRAM " demo --only 3 --out there ";
  std::string const text = output_of(start);
  EXPECT_NE(text.find("   calls                                 23                           4\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find("backedge runs --journal there/journal.db\n"), std::string::npos) << text;
  EXPECT_TRUE(output_of(start + "--json").starts_with(R"({"incidents":[{"number":3,)"));
  for (char const* const word : {"7", "0", "x", "1.5", "99999999999999999999"}) {
    std::string const said = output_of(BACKEDGE_PROGRAM " demo --only " + std::string(word) + " 2>&1");
    EXPECT_TRUE(said.starts_with("backedge: --only \"" + std::string(word) +
                                 "\": there is no such incident; name numbers of these: 1 ("))
        << said;
    EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 2) << said;  // and the mark of a failure
  }
}

// What bash would offer for these words, the last of which is not finished.
std::string offered(std::string const& words, int at) {
  TempFolder const folder;
  folder.write("completion.bash", output_of(BACKEDGE_PROGRAM " completion"));
  folder.write("a file.toml", "");
  folder.write("ask", "cd '" + folder.path().string() + "'; source ./completion.bash; COMP_WORDS=(" + words +
                          "); COMP_CWORD=" + std::to_string(at) + "; _backedge; printf '%s|' \"${COMPREPLY[@]}\"\n");
  return output_of("bash '" + (folder.path() / "ask").string() + "' 2>&1");
}

TEST(CommandLine, BashCompletesCommandsOptionsAndFiles) {
  EXPECT_EQ(offered("backedge expl", 1), "explain|");
  EXPECT_EQ(offered("backedge policy s", 2), "show|");
  EXPECT_EQ(offered("backedge show last --tab", 3), "--table|");
  EXPECT_EQ(offered("backedge show --poli", 2), "--policy|");
  EXPECT_EQ(offered("backedge --policy 'a f'", 2), "a file.toml|") << "a value is a file";
  EXPECT_EQ(offered("backedge --policy x.toml dem", 3), "demo|") << "a value is no command";
  EXPECT_EQ(offered("backedge inspect 'a f'", 2), "a file.toml|");
}

/// Words of the completion for one shell, read by it without being run if it is installed here.
std::string script_for(std::string const& shell) {
  TempFolder const folder;
  std::string const text = output_of(BACKEDGE_PROGRAM " completion " + shell);
  folder.write("script", text);
  std::string const read = shell + " -n '" + (folder.path() / "script").string() + "' 2>&1";
  bool const here = output_of("command -v " + shell + " > /dev/null && echo here").starts_with("here");
  if (here) {
    EXPECT_EQ(output_of(read), "") << shell;
  }
  return text;
}

TEST(CommandLine, ZshAndFishAreGivenTheSameCommandsAndOptionsAsBash) {
  std::string const bash = script_for("bash"), zsh = script_for("zsh"), fish = script_for("fish");
  EXPECT_EQ(output_of(BACKEDGE_PROGRAM " completion"), bash) << "bash is what is meant when none is named";
  auto const table = [](std::string const& text) {  // of the function that both shells share
    std::size_t const begin = text.find("_backedge_words() {");
    return text.substr(begin, text.find("\n}\n", begin) - begin);
  };
  EXPECT_EQ(table(zsh), table(bash));
  EXPECT_TRUE(zsh.starts_with("#compdef backedge\n")) << zsh;
  EXPECT_TRUE(zsh.ends_with("compdef _backedge backedge\n")) << zsh;
  EXPECT_EQ(zsh.find("COMPREPLY"), std::string::npos);
  for (char const* const line : {"complete -c backedge -n \"__backedge_at 'backedge'\" -f -a 'explain' -d 'Say why",
                                 "complete -c backedge -n \"__backedge_at 'backedge policy'\" -f -a 'check' -d '",
                                 "complete -c backedge -n \"__backedge_below 'backedge show'\" -l table -d '",
                                 "complete -c backedge -n \"__backedge_below 'backedge'\" -l policy -r -d '",
                                 "complete -c backedge -n \"__backedge_below 'backedge'\" -s h -l help -d '"})
    EXPECT_NE(fish.find(line), std::string::npos) << line;
  EXPECT_NE(fish.find("set -l places"), std::string::npos);
  EXPECT_EQ(output_of(BACKEDGE_PROGRAM " completion tcsh 2>&1"),
            "backedge: there is no completion for \"tcsh\"; there are bash, zsh and fish\n\n(failed)");
}

TEST(CommandLine, HelpIsACommandToo) {
  EXPECT_EQ(output_of(BACKEDGE_PROGRAM " help"), output_of(BACKEDGE_PROGRAM " --help"));
  for (std::string const command : {"run", "runs", "runs export", "policy check", "help"})
    EXPECT_EQ(output_of(BACKEDGE_PROGRAM " help " + command), output_of(BACKEDGE_PROGRAM " " + command + " --help"));
  EXPECT_EQ(output_of(BACKEDGE_PROGRAM " help grph 2>&1"),
            "backedge: unknown command \"grph\", did you mean \"graph\"? see backedge --help\n\n(failed)");
  EXPECT_EQ(output_of(BACKEDGE_PROGRAM " help policy xyzxyz 2>&1"),
            "backedge: unknown command \"xyzxyz\"; see backedge policy --help\n\n(failed)");
}

TEST(CommandLine, OneTurnAndOneCallAreNotSeveral) {
  TempFolder const folder;
  folder.write("one.jsonl", R"({"calls":[{"tool":"list_files","args":{}}]})"
                            "\n"
                            R"({"text":"done"})"
                            "\n");
  std::string const said = output_of("cd '" + folder.path().string() +
                                     "' && HOME=. " BACKEDGE_PROGRAM
                                     " run go --model scripted:one.jsonl --journal j.db 2>&1 && "
                                     "HOME=. " BACKEDGE_PROGRAM " show last --journal j.db");
  EXPECT_NE(said.find("finished; 2 turns, 1 call, 0 refused"), std::string::npos) << said;
  EXPECT_NE(said.find("2 turns, 1 call, 0 refused, 0 tokens"), std::string::npos) << said;
}

}  // namespace
}  // namespace backedge::cli
