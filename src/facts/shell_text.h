// Whether shell text consists of nothing but commands from a list: the condition behind "git status is a read".
//
// Deliberately small: words, quotes, && || ; | and redirections that touch no file are understood; substitutions,
// variables, groups, comments, background jobs, here-documents and line breaks are not, and what is not understood does
// not hold. It picks a milder or stricter contract; it is no gate. One `cd DIR &&` in front is allowed.
//
// Example: with the rule "git log", `cd src && git log -3 | git log 2>/dev/null` holds, `git log > out.txt` and
// `git log; rm x` do not. Tested in tests/facts/shell_text_test.cpp.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace backedge::facts {

struct ShellRule {
  std::vector<std::string> words;  // the first words of the command: {"git", "log"}
  std::vector<std::string> never;  // globs that no later word may match: "--output*"; "*" is no more words at all
};

/// True when `text` is at least one command and every command begins like one of `rules`.
bool only_commands(std::string_view text, std::span<ShellRule const> rules);

/// The same for a command given as words; {"bash", "-c", text} and its like are judged by their text.
bool only_commands(std::span<std::string const> words, std::span<ShellRule const> rules);

/// True when `text` matches: * is any text, ? one character. Cost: O(text · pattern) at worst.
bool glob_matches(std::string_view pattern, std::string_view text);

/// The words of `text` as separated by spaces.
std::vector<std::string> split_words(std::string_view text);

}  // namespace backedge::facts
