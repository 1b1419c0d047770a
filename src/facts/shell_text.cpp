#include "facts/shell_text.h"

#include <algorithm>
#include <cstddef>
#include <optional>

namespace backedge::facts {
namespace {

enum class Joint { kNone, kAnd, kOr, kSemicolon, kPipe };

struct Command {
  std::vector<std::string> words;
  Joint after = Joint::kNone;
};

constexpr std::string_view kNull = "/dev/null";

// Cuts shell text into simple commands; gives up on everything it does not understand.
class Cutter {
 public:
  explicit Cutter(std::string_view text) : text_(text) {}

  std::optional<std::vector<Command>> cut() {
    while (at_ < text_.size()) {
      if (!step()) return std::nullopt;
    }
    end_word();
    if (!current_.words.empty()) {
      commands_.push_back(current_);
    } else if (commands_.empty() || commands_.back().after != Joint::kSemicolon) {
      return std::nullopt;
    }
    return commands_;
  }

 private:
  bool step() {
    char const c = text_[at_];
    switch (c) {
      case ' ':
      case '\t':
        end_word();
        ++at_;
        return true;
      case '\'': return single_quotes();
      case '"': return double_quotes();
      case '\\':
        if (at_ + 1 == text_.size()) return false;
        add(text_[at_ + 1]);
        at_ += 2;
        return true;
      case ';': return joint(Joint::kSemicolon, 1);
      case '|': return next_is('|') ? joint(Joint::kOr, 2) : !next_is('&') && joint(Joint::kPipe, 1);
      case '&': return next_is('&') ? joint(Joint::kAnd, 2) : next_is('>') && redirection();
      case '>': return redirection();
      case '#':
        if (!in_word_) return false;
        break;
      case '<':
      case '(':
      case ')':
      case '{':
      case '}':
      case '$':
      case '`': return false;
      default:
        // Line breaks, other control characters.
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) return false;
    }
    add(c);
    ++at_;
    return true;
  }

  bool next_is(char c) const { return at_ + 1 < text_.size() && text_[at_ + 1] == c; }

  void add(char c) {
    in_word_ = true;
    word_ += c;
  }

  void end_word() {
    if (in_word_) current_.words.push_back(word_);
    in_word_ = false;
    word_.clear();
  }

  bool joint(Joint kind, std::size_t length) {
    end_word();
    if (current_.words.empty()) return false;
    current_.after = kind;
    commands_.push_back(current_);
    current_ = {};
    at_ += length;
    return true;
  }

  bool single_quotes() {
    std::size_t const end = text_.find('\'', at_ + 1);
    if (end == std::string_view::npos) return false;
    in_word_ = true;
    word_ += text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return true;
  }

  bool double_quotes() {
    in_word_ = true;
    for (++at_; at_ < text_.size(); ++at_) {
      char const c = text_[at_];
      if (c == '"') {
        ++at_;
        return true;
      }
      if (c == '$' || c == '`' || c == '!') return false;
      if (c == '\\' && (next_is('"') || next_is('\\') || next_is('$') || next_is('`'))) ++at_;
      word_ += text_[at_];
    }
    return false;
  }

  // At '>' or "&>", perhaps after a file descriptor: only to another descriptor or to /dev/null.
  bool redirection() {
    bool const both = text_[at_] == '&';
    bool const descriptor = word_ == "1" || word_ == "2";
    if (in_word_ && descriptor && !both) {
      in_word_ = false;
      word_.clear();
    }
    end_word();
    at_ += both ? 2 : 1;
    std::string_view rest = text_.substr(at_);
    if (!both && (rest.starts_with("&1") || rest.starts_with("&2"))) return after_target(2);
    if (rest.starts_with('>')) rest.remove_prefix(1);
    std::size_t const spaces = std::min(rest.find_first_not_of(' '), rest.size());
    if (!rest.substr(spaces).starts_with(kNull)) return false;
    return after_target(text_.size() - at_ - rest.size() + spaces + kNull.size());
  }

  // Skips the target of a redirection, which must end there.
  bool after_target(std::size_t length) {
    at_ += length;
    return at_ == text_.size() || std::string_view(" \t;|&").find(text_[at_]) != std::string_view::npos;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool in_word_ = false;
  std::string word_;
  Command current_;
  std::vector<Command> commands_;
};

bool follows(Command const& command, ShellRule const& rule) {
  if (rule.words.empty() || rule.words.size() > command.words.size()) return false;
  if (!std::equal(rule.words.begin(), rule.words.end(), command.words.begin())) return false;
  return std::none_of(command.words.begin() + static_cast<std::ptrdiff_t>(rule.words.size()), command.words.end(),
                      [&](std::string const& word) {
                        return std::ranges::any_of(rule.never,
                                                   [&](std::string const& never) { return glob_matches(never, word); });
                      });
}

bool all_follow(std::span<Command const> commands, std::span<ShellRule const> rules) {
  return std::ranges::all_of(commands, [&](Command const& command) {
    return std::ranges::any_of(rules, [&](ShellRule const& rule) { return follows(command, rule); });
  });
}

std::string_view trim(std::string_view s) {
  std::size_t const first = s.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return s.substr(first, s.find_last_not_of(" \t\r\n") + 1 - first);
}

bool is_shell(std::string_view program) {
  std::string_view const name =
      program.substr(program.rfind('/') == std::string_view::npos ? 0 : program.rfind('/') + 1);
  return name == "bash" || name == "sh" || name == "zsh" || name == "dash";
}

}  // namespace

bool only_commands(std::string_view text, std::span<ShellRule const> rules) {
  if (trim(text).find_first_of("\r\n") != std::string_view::npos) return false;
  std::optional<std::vector<Command>> const commands = Cutter(trim(text)).cut();
  if (!commands) return false;
  Command const& first = commands->front();
  bool const moves =
      first.words.front() == "cd" && first.words.size() == 2 && first.after == Joint::kAnd && commands->size() > 1;
  return all_follow(std::span(*commands).subspan(moves ? 1 : 0), rules);
}

bool only_commands(std::span<std::string const> words, std::span<ShellRule const> rules) {
  if (words.empty()) return false;
  if (words.size() == 3 && is_shell(words[0]) && (words[1] == "-c" || words[1] == "-lc"))
    return only_commands(std::string_view(words[2]), rules);
  Command const command{{words.begin(), words.end()}, Joint::kNone};
  return all_follow(std::span(&command, 1), rules);
}

bool glob_matches(std::string_view pattern, std::string_view text) {
  std::size_t p = 0;
  std::size_t t = 0;
  std::size_t star = std::string_view::npos;  // the last * seen, and the text it covers so far ends at `covered`
  std::size_t covered = 0;
  auto const next = [&](std::size_t i) {  // one UTF-8 character further
    ++i;
    while (i < text.size() && (static_cast<unsigned char>(text[i]) & 0xc0) == 0x80) ++i;
    return i;
  };
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      covered = t;
    } else if (p < pattern.size() && pattern[p] == '?') {
      ++p;
      t = next(t);
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++covered;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

std::vector<std::string> split_words(std::string_view text) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t const begin = std::min(text.find_first_not_of(' ', i), text.size());
    std::size_t const end = std::min(text.find(' ', begin), text.size());
    if (end > begin) out.emplace_back(text.substr(begin, end - begin));
    i = end;
  }
  return out;
}

}  // namespace backedge::facts
