#include "facts/shell_text.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace backedge::facts {
namespace {

constexpr std::string_view kNull = "/dev/null";

std::string_view trim(std::string_view s) {
  std::size_t const first = s.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return s.substr(first, s.find_last_not_of(" \t\r\n") + 1 - first);
}

bool is_shell(std::string_view program) {
  std::size_t const slash = program.rfind('/');
  std::string_view const name = program.substr(slash == std::string_view::npos ? 0 : slash + 1);
  return name == "bash" || name == "sh" || name == "zsh" || name == "dash";
}

bool follows(std::span<std::string_view const> command, ShellRule const& rule) {
  std::size_t const n = rule.words.size();
  if (n > command.size() || !std::equal(rule.words.begin(), rule.words.end(), command.begin())) return false;
  return std::ranges::none_of(command.subspan(n), [&](std::string_view word) {
    return std::ranges::any_of(rule.never, [&](std::string const& never) { return glob_matches(never, word); });
  });
}

}  // namespace

// Reads text character by character and gives up on everything it does not understand.
class ShellText::Cutter {
 public:
  Cutter(std::string_view text, ShellText& out) : text_(text), out_(out) {}

  bool run() {
    while (at_ < text_.size()) {
      if (!step()) return false;
    }
    end_word();
    if (words_in_command() > 0) {
      end_command(Joint::kNone);
      return true;
    }
    return !out_.commands_.empty() && out_.commands_.back().after == Joint::kSemicolon;
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
  std::size_t words_in_command() const { return out_.words_.size() - first_word_; }
  std::string_view word() const { return std::string_view(out_.unquoted_).substr(word_start_); }

  void add(char c) {
    in_word_ = true;
    out_.unquoted_ += c;
  }

  void end_word() {
    if (in_word_) out_.words_.push_back(word());
    in_word_ = false;
    word_start_ = out_.unquoted_.size();
  }

  void end_command(Joint after) {
    out_.commands_.push_back({first_word_, words_in_command(), after});
    first_word_ = out_.words_.size();
  }

  bool joint(Joint kind, std::size_t length) {
    end_word();
    if (words_in_command() == 0) return false;
    end_command(kind);
    at_ += length;
    return true;
  }

  bool single_quotes() {
    std::size_t const end = text_.find('\'', at_ + 1);
    if (end == std::string_view::npos) return false;
    in_word_ = true;
    out_.unquoted_ += text_.substr(at_ + 1, end - at_ - 1);
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
      out_.unquoted_ += text_[at_];
    }
    return false;
  }

  // At '>' or "&>", perhaps after a file descriptor: only to another descriptor or to /dev/null.
  bool redirection() {
    bool const both = text_[at_] == '&';
    bool const descriptor = word() == "1" || word() == "2";
    if (in_word_ && descriptor && !both) in_word_ = false;
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
  ShellText& out_;
  std::size_t at_ = 0;
  bool in_word_ = false;
  std::size_t word_start_ = 0;
  std::size_t first_word_ = 0;
};

bool ShellText::cut(std::string_view text) {
  words_.clear();
  commands_.clear();
  unquoted_.clear();
  text = trim(text);
  // Not even quoted: a break in the middle of a text is the usual way to hide a second command.
  if (text.find_first_of("\r\n") != std::string_view::npos) return false;
  unquoted_.reserve(text.size());
  bool const understood = Cutter(text, *this).run();
  if (!understood) commands_.clear();
  return understood;
}

bool ShellText::cut(std::span<std::string_view const> words) {
  if (words.size() == 3 && is_shell(words[0]) && (words[1] == "-c" || words[1] == "-lc")) return cut(words[2]);
  words_.assign(words.begin(), words.end());
  commands_.clear();
  if (!words_.empty()) commands_.push_back({0, words_.size(), Joint::kNone});
  return !words_.empty();
}

bool ShellText::consists_of(ShellRules const& rules) const {
  if (commands_.empty()) return false;
  Command const& first = commands_.front();
  bool const moves =
      words_[first.first] == "cd" && first.count == 2 && first.after == Joint::kAnd && commands_.size() > 1;
  return std::ranges::all_of(std::span(commands_).subspan(moves ? 1 : 0), [&](Command const& c) {
    return rules.allow(std::span(words_).subspan(c.first, c.count));
  });
}

ShellRules::ShellRules(std::vector<ShellRule> rules) : rules_(std::move(rules)) {
  std::ranges::stable_sort(rules_, {}, [](ShellRule const& r) -> std::string const& { return r.words.front(); });
}

bool ShellRules::allow(std::span<std::string_view const> command) const {
  auto const same = std::ranges::equal_range(rules_, command.front(), {},
                                             [](ShellRule const& r) { return std::string_view(r.words.front()); });
  return std::ranges::any_of(same, [&](ShellRule const& rule) { return follows(command, rule); });
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
