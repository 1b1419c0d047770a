// Whether shell text consists of nothing but commands from a list: the condition behind "git status is a read".
//
// Deliberately small: words, quotes, && || ; | and redirections that touch no file are understood; substitutions,
// variables, groups, comments, background jobs, here-documents and line breaks are not, and what is not understood does
// not hold. It picks a milder or stricter contract; it is no gate. One `cd DIR &&` in front is allowed.
//
// Example: with the rule "git log", `cd src && git log -3 | git log 2>/dev/null` holds, `git log > out.txt` and
// `git log; rm x` do not. Tested in tests/facts/shell_text_test.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace backedge::facts {

struct ShellRule {
  std::vector<std::string> words;  // the first words of the command: {"git", "log"}; at least one
  std::vector<std::string> never;  // globs that no later word may match: "--output*"; "*" is no more words at all
};

/// Rules, in an order in which the ones for a command are found quickly.
class ShellRules {
 public:
  ShellRules() = default;
  explicit ShellRules(std::vector<ShellRule> rules);

  bool empty() const { return rules_.empty(); }
  /// True when the command begins like one of the rules and holds none of its forbidden words.
  bool allow(std::span<std::string_view const> command) const;

 private:
  std::vector<ShellRule> rules_;  // by first word
};

/// Shell text cut into commands and words. One object is used for many texts and allocates only when they get longer.
class ShellText {
 public:
  /// Reads shell text, which must outlive the object's use. False when it is not understood; then nothing holds.
  bool cut(std::string_view text);
  /// Reads a command given as words; of {"bash", "-c", text} and its like the text is read instead.
  bool cut(std::span<std::string_view const> words);

  /// True when what was read is at least one command, and every command is allowed by `rules`.
  bool consists_of(ShellRules const& rules) const;

 private:
  enum class Joint : std::uint8_t { kNone, kAnd, kOr, kSemicolon, kPipe };
  struct Command {
    std::size_t first = 0;  // word
    std::size_t count = 0;
    Joint after = Joint::kNone;
  };
  class Cutter;

  std::vector<std::string_view> words_;
  std::vector<Command> commands_;
  std::string unquoted_;  // the words' letters; never grows while words point into it
};

/// True when `text` matches: * is any text, ? one character. Cost: O(text · pattern) at worst.
bool glob_matches(std::string_view pattern, std::string_view text);

/// The words of `text` as separated by spaces.
std::vector<std::string> split_words(std::string_view text);

}  // namespace backedge::facts
