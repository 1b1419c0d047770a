// Programs in shell text; see programs.h.

#include "cases/programs.h"

#include <algorithm>
#include <array>

namespace backedge::cases {
namespace {

constexpr std::array<std::string_view, 12> kWrappers = {"command", "env",  "exec", "nohup", "sudo", "time",
                                                        "timeout", "nice", "eval", "xargs", "then", "do"};

bool separates(char c) {
  return c == ';' || c == '|' || c == '&' || c == '\n' || c == '(' || c == ')' || c == '`' || c == '{';
}

// A word without its quotes, and whether a command can stand behind it.
struct Word {
  std::string text;
  bool quoted = false;
};

bool assigns(std::string_view word) {
  std::size_t const eq = word.find('=');
  return eq != std::string_view::npos && eq > 0 && word.find('/') > eq;
}

std::string base_name(std::string const& word) { return word.substr(word.rfind('/') + 1); }

Word read_word(std::string_view text, std::size_t& at) {
  Word out;
  char quote = '\0';
  for (; at < text.size(); ++at) {
    char const c = text[at];
    if (quote != '\0') {
      if (c == quote)
        quote = '\0';
      else
        out.text += c;
    } else if (c == '\'' || c == '"') {
      quote = c;
      out.quoted = true;
    } else if (c == ' ' || c == '\t' || separates(c)) {
      break;
    } else {
      out.text += c;
    }
  }
  return out;
}

}  // namespace

std::vector<std::string> programs_in(std::string_view shell_text) {
  std::vector<std::string> out;
  std::vector<std::string> texts{std::string(shell_text)};  // grows by what stands behind -c
  for (std::size_t i = 0; i < texts.size() && i < 16; ++i) {
    std::string const text = texts[i];
    bool command = true;  // a command can stand here
    bool script = false;  // the word before was -c
    for (std::size_t at = 0; at < text.size();) {
      if (text[at] == ' ' || text[at] == '\t' || text[at] == '$' || separates(text[at])) {
        command = command || separates(text[at]);
        ++at;
        continue;
      }
      Word const word = read_word(text, at);
      if (script || (command && word.quoted && word.text.find(' ') != std::string::npos)) texts.push_back(word.text);
      script = word.text == "-c" || word.text == "-lc";
      if (!command || assigns(word.text)) continue;
      std::string const name = base_name(word.text);
      bool const option =
          name.starts_with('-') ||
          (!name.empty() && std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; }));
      if (!option) out.push_back(name);
      command = option || std::find(kWrappers.begin(), kWrappers.end(), name) != kWrappers.end();
    }
  }
  return out;
}

}  // namespace backedge::cases
