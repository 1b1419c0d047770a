#include "facts/shell_text.h"

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace backedge::facts {
namespace {

std::vector<ShellRule> rules() {
  return {{{"git", "status"}, {}},
          {{"git", "log"}, {"--output*"}},
          {{"git", "branch"}, {"*"}},
          {{"ls"}, {}},
          {{"cat"}, {}},
          {{"grep"}, {}},
          {{"head"}, {}},
          {{"find"}, {"-delete", "-exec*"}},
          {{"echo"}, {}}};
}

bool only_commands(std::string_view text, ShellRules const& rules) {
  ShellText shell;
  bool const understood = shell.cut(text);
  bool const holds = shell.consists_of(rules);
  EXPECT_FALSE(holds && !understood) << text;
  return holds;
}

bool holds(std::string_view text) { return only_commands(text, ShellRules(rules())); }

TEST(OnlyCommands, HoldsForTheListedCommandsHoweverTheyAreJoined) {
  for (std::string_view const text : {
           "git status",
           "  git status  ",
           "git status\n",
           "git  status\t-s",
           "git log --oneline -5 | head -3",
           "ls && cat a.txt",
           "ls -la; git status",
           "ls;",
           "ls || echo none",
           "cd src && ls",
           "cd 'my dir' && git status && git log",
           "cat a.txt | grep foo | head",
           "git branch",
           "grep 'a|b;c&&d > e $(x) `y`' file",
           "grep \"a; b\" file",
           "grep \"say \\\"hi\\\"\" f",
           "grep foo\\ bar f",
           "grep 'it''s' f",
           "echo \"a > b\"",
           "ls 2>/dev/null",
           "ls 2> /dev/null",
           "ls >/dev/null 2>&1",
           "ls &>/dev/null",
           "ls 2>&1 | head",
           "ls 1>&2",
           "ls >>/dev/null",
           "ls>/dev/null;ls",
           "find . -name '*.cpp'",
           "cat a#b",
           "ls *.txt",
           "ls a?b [ab]",
           "ls ~/x",
           "\"ls\" -l",
           "g'it' status",
           "cat 'a\\b'",
           "echo a=b",
           "ls 日本",
       }) {
    EXPECT_TRUE(holds(text)) << text;
  }
}

TEST(OnlyCommands, DoesNotHoldWhenAnythingElseRuns) {
  for (std::string_view const text : {
           "",
           " ",
           "rm x",
           "git",
           "git push",
           "git statusx",
           "gitstatus",
           "git status && rm x",
           "git status; rm x",
           "git status | tee x",
           "git status || rm x",
           "ls & rm x",
           "ls &",
           "rm x && ls",
           "FOO=bar ls",
           "sudo ls",
           "cd src; ls",
           "cd src",
           "cd src && rm x",
           "cd a b && ls",
           "cd && ls",
           "ls && cd src && ls",
           "cd src || ls",
           "! ls",
           "time ls",
           "env ls",
           "git branch new",
           "git log --output=x",
           "find . -delete",
           "find . -exec rm {} ;",
           "find . -execdir x",
       }) {
    EXPECT_FALSE(holds(text)) << text;
  }
}

TEST(OnlyCommands, DoesNotHoldWhenAnythingIsWrittenOrSubstituted) {
  for (std::string_view const text : {
           "ls > out.txt",
           "ls >out.txt",
           "ls >> out.txt",
           "echo x > /dev/null2",
           "echo x >/dev/null/../sda",
           "ls 2>err",
           "ls &> f",
           "ls >&f",
           "ls >|f",
           "ls 2>&1x",
           "cat < in",
           "cat <<EOF",
           "cat <<< x",
           "cat <(ls)",
           "ls >(cat)",
           "echo $(rm x)",
           "echo `rm x`",
           "echo \"$(rm x)\"",
           "echo \"`rm x`\"",
           "echo $HOME",
           "echo ${x:=y}",
           "echo $((1))",
           "echo $'a'",
           "cat $FILE",
           "echo \"$HOME\"",
           "(ls)",
           "{ ls; }",
           "ls {a,b}",
           "ls # comment",
           "#ls",
           "ls \\",
           "ls 'a",
           "ls \"a",
           "ls \"a!b\"",
       }) {
    EXPECT_FALSE(holds(text)) << text;
  }
}

TEST(OnlyCommands, DoesNotHoldForTricksWithLinesAndOperators) {
  for (std::string_view const text : {
           "ls\nrm x",  "ls\r\nrm x",  "ls\rrm x", "ls \\\n rm x", "grep 'a\nb' f", "ls ;; ls",
           "; ls",      "&& ls",       "ls &&",    "ls |",         "ls | | ls",     "ls &&& ls",
           "ls |& cat", "ls && && ls", "|ls",      "ls;;",         "ls\x01",        "ls\x7f",
           "ls\vx",     "ls && ;",     "()",       "ls || ",       "a() { ls; }",   "if ls; then ls; fi",
           "ls &;",
       }) {
    EXPECT_FALSE(holds(text)) << text;
  }
  EXPECT_FALSE(holds(std::string_view("ls\0rm", 5)));
}

TEST(OnlyCommands, CdCountsAsACommandWhenItIsListed) {
  std::vector<ShellRule> with_cd = rules();
  with_cd.push_back({{"cd"}, {}});
  ShellRules const all(with_cd);
  EXPECT_TRUE(only_commands("cd src; ls && cd ..", all));
  EXPECT_FALSE(only_commands("cd $(x) && ls", all));
}

TEST(OnlyCommands, WithoutRulesNothingHolds) {
  EXPECT_TRUE(ShellRules().empty());
  EXPECT_FALSE(only_commands("ls", ShellRules()));
  EXPECT_FALSE(ShellText().consists_of(ShellRules(rules())));
}

TEST(OnlyCommands, OneObjectReadsManyTexts) {
  ShellRules const all(rules());
  ShellText shell;
  EXPECT_TRUE(shell.cut("git 'sta'tus && ls"));
  EXPECT_TRUE(shell.consists_of(all));
  EXPECT_FALSE(shell.cut("ls $(x)"));
  EXPECT_FALSE(shell.consists_of(all));
  EXPECT_TRUE(shell.cut("rm x"));
  EXPECT_FALSE(shell.consists_of(all));
  EXPECT_TRUE(shell.cut("ls"));
  EXPECT_TRUE(shell.consists_of(all));
}

TEST(OnlyCommands, JudgesWordsAndShellsAmongThem) {
  ShellRules const all(rules());
  auto const words_hold = [&](std::vector<std::string_view> const& words) {
    ShellText shell;
    shell.cut(words);
    return shell.consists_of(all);
  };
  EXPECT_TRUE(words_hold({"git", "status"}));
  EXPECT_TRUE(words_hold({"grep", "a; rm x", "$(y)"}));
  EXPECT_FALSE(words_hold({"rm", "x"}));
  EXPECT_FALSE(words_hold({}));
  EXPECT_TRUE(words_hold({"bash", "-lc", "cd src && git status"}));
  EXPECT_TRUE(words_hold({"/bin/sh", "-c", "ls"}));
  EXPECT_FALSE(words_hold({"bash", "-lc", "rm x"}));
  EXPECT_FALSE(words_hold({"bash", "-c", "ls", "extra"}));
  EXPECT_FALSE(words_hold({"bash", "-x", "ls"}));
}

TEST(GlobMatches, KnowsTwoWildcards) {
  EXPECT_TRUE(glob_matches("*", ""));
  EXPECT_TRUE(glob_matches("", ""));
  EXPECT_FALSE(glob_matches("", "a"));
  EXPECT_TRUE(glob_matches("a*c", "abbbc"));
  EXPECT_TRUE(glob_matches("a*c", "ac"));
  EXPECT_FALSE(glob_matches("a*c", "acb"));
  EXPECT_TRUE(glob_matches("*b*", "abc"));
  EXPECT_TRUE(glob_matches("?", "é"));
  EXPECT_TRUE(glob_matches("?b", "😀b"));
  EXPECT_FALSE(glob_matches("?", ""));
  EXPECT_FALSE(glob_matches("??", "é"));
  EXPECT_TRUE(glob_matches("*.cpp", "src/a.cpp"));
  EXPECT_FALSE(glob_matches("*.cpp", "a.cpp.o"));
  EXPECT_TRUE(glob_matches("a**b***", "ab"));
  EXPECT_TRUE(glob_matches("*ab", "aab"));
}

// Against a plain recursive definition, on all short patterns and texts.
bool slow_match(std::string_view p, std::string_view t) {
  if (p.empty()) return t.empty();
  if (p[0] == '*') return slow_match(p.substr(1), t) || (!t.empty() && slow_match(p, t.substr(1)));
  return !t.empty() && (p[0] == '?' || p[0] == t[0]) && slow_match(p.substr(1), t.substr(1));
}

std::vector<std::string> all_texts(std::string_view alphabet, std::size_t longest) {
  std::vector<std::string> out{""};
  for (std::size_t begin = 0, length = 1; length <= longest; ++length) {
    std::size_t const end = out.size();
    for (; begin < end; ++begin) {
      for (char const c : alphabet) out.push_back(out[begin] + c);
    }
  }
  return out;
}

TEST(GlobMatches, AgreesWithItsDefinitionOnAllShortTexts) {
  std::vector<std::string> const texts = all_texts("ab", 5);
  for (std::string const& pattern : all_texts("ab*?", 5)) {
    for (std::string const& text : texts)
      ASSERT_EQ(glob_matches(pattern, text), slow_match(pattern, text)) << pattern << " " << text;
  }
}

TEST(GlobMatches, ManyStarsTakeNoTime) {
  std::string pattern;
  for (int i = 0; i < 100; ++i) pattern += "*a";
  EXPECT_FALSE(glob_matches(pattern + "b", std::string(5000, 'a')));
}

TEST(SplitWords, SplitsAtSpaces) {
  EXPECT_EQ(split_words("  git   log "), (std::vector<std::string>{"git", "log"}));
  EXPECT_TRUE(split_words("  ").empty());
}

}  // namespace
}  // namespace backedge::facts
