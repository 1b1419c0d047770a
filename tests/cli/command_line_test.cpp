// The manual page and the completion, as the program prints them.
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
  EXPECT_NE(output_of(BACKEDGE_PROGRAM " demo --only 7 2>&1").find("there is no incident 7; they are 1 to 6"),
            std::string::npos);
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

}  // namespace
}  // namespace backedge::cli
