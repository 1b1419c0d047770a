// Word lists and a scanner for shell text that knows quotes and nothing more. Tested in tests/inspect/writing_test.cpp.
#include "inspect/writing.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

#include "inspect/text.h"

namespace backedge::inspect {
namespace {

template <std::size_t N>
bool listed(std::array<std::string_view, N> const& sorted, std::string_view word) {
  return std::binary_search(sorted.begin(), sorted.end(), word);
}

constexpr std::array<std::string_view, 33> kWritingWords{
    "add",     "apply",  "book", "cancel",    "commit", "create", "delete",  "drop",   "edit",   "exchange", "insert",
    "merge",   "modify", "move", "multiedit", "patch",  "post",   "publish", "push",   "put",    "remove",   "rename",
    "replace", "return", "save", "schedule",  "send",   "set",    "str",     "submit", "update", "upload",   "write"};
static_assert(std::is_sorted(kWritingWords.begin(), kWritingWords.end()));

constexpr std::array<std::string_view, 12> kShells{"bash",
                                                   "cmd",
                                                   "exec",
                                                   "execute_bash",
                                                   "exec_command",
                                                   "execute_command",
                                                   "local_shell",
                                                   "powershell",
                                                   "run_shell_command",
                                                   "run_terminal_cmd",
                                                   "shell",
                                                   "terminal"};

constexpr std::array<std::string_view, 20> kWritingCommands{
    "apply_patch", "chmod", "chown", "cp",  "dd",    "ln",  "mkdir", "mkfifo",   "mv",     "patch",
    "rm",          "rmdir", "rsync", "scp", "shred", "tee", "touch", "truncate", "unlink", "unzip"};
static_assert(std::is_sorted(kWritingCommands.begin(), kWritingCommands.end()));

constexpr std::array<std::string_view, 17> kWritingGit{"add",   "am",     "apply", "checkout", "cherry-pick", "clean",
                                                       "clone", "commit", "init",  "merge",    "mv",          "pull",
                                                       "push",  "rebase", "reset", "restore",  "rm"};
static_assert(std::is_sorted(kWritingGit.begin(), kWritingGit.end()));

constexpr std::array<std::string_view, 9> kInstallers{"apt", "apt-get", "brew", "cargo", "gem",
                                                      "npm", "pip",     "pnpm", "yarn"};
static_assert(std::is_sorted(kInstallers.begin(), kInstallers.end()));

/// Words of a name: "updateFile" and "update_file" give "update", "file".
std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> words(1);
  bool lower_before = false;
  for (char const c : name) {
    auto const u = static_cast<unsigned char>(c);
    bool const upper = std::isupper(u) != 0;
    if (std::isalnum(u) == 0 || (upper && lower_before)) words.emplace_back();
    lower_before = std::islower(u) != 0;
    if (std::isalnum(u) != 0) words.back() += static_cast<char>(std::tolower(u));
  }
  return words;
}

struct ShellText {
  std::vector<std::vector<std::string>> commands;  // words of each simple command, quotes removed
  bool redirects = false;                          // into something that is a file
};

bool starts_number(std::string_view text, std::size_t at) {
  return at < text.size() && (text[at] == '&' || text.substr(at).starts_with("/dev/null"));
}

/// Cuts the text at ; & | and line ends outside quotes. Iterative; quotes need not be closed.
ShellText cut_commands(std::string_view text) {
  ShellText out;
  out.commands.emplace_back();
  std::string word;
  char quote = 0;
  auto const end_word = [&] {
    if (!word.empty()) out.commands.back().push_back(std::move(word));
    word.clear();
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    char const c = text[i];
    if (quote != 0) {
      if (c == '\\' && quote == '"' && i + 1 < text.size())
        word += text[++i];
      else if (c == quote)
        quote = 0;
      else
        word += c;
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == '\\' && i + 1 < text.size()) {
      word += text[++i];
    } else if (c == '>') {
      std::size_t target = i + 1;
      while (target < text.size() && (text[target] == '>' || text[target] == ' ')) ++target;
      if (!starts_number(text, target) && target < text.size()) out.redirects = true;
      if (word == "1" || word == "2") word.clear();
      end_word();
      if (target < text.size() && text[target] == '&') i = target;
    } else if (c == ';' || c == '&' || c == '|' || c == '\n' || c == '(' || c == ')') {
      end_word();
      if (!out.commands.back().empty()) out.commands.emplace_back();
    } else if (c == ' ' || c == '\t') {
      end_word();
    } else {
      word += c;
    }
  }
  end_word();
  return out;
}

bool has_word(std::vector<std::string> const& words, std::string_view wanted) {
  return std::find(words.begin(), words.end(), wanted) != words.end();
}

bool writes(std::vector<std::string> const& words) {
  std::size_t first = 0;
  while (first < words.size() && (words[first] == "sudo" || words[first].find('=') != std::string::npos)) ++first;
  if (first >= words.size()) return false;
  std::string const& command = words[first];
  if (listed(kWritingCommands, command)) return true;
  if (command == "git") {
    return std::any_of(words.begin(), words.end(), [](std::string const& w) { return listed(kWritingGit, w); });
  }
  if (command == "sed" || command == "perl") {
    return std::any_of(words.begin(), words.end(), [](std::string const& w) { return w.starts_with("-i"); });
  }
  if (!listed(kInstallers, command)) return false;
  constexpr std::array<std::string_view, 8> kVerbs{"add",    "ci",        "i",      "install",
                                                   "remove", "uninstall", "update", "upgrade"};
  return std::any_of(words.begin(), words.end(), [&](std::string const& w) { return listed(kVerbs, w); });
}

std::string_view trimmed(std::string_view text) {
  std::size_t const first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/// Without a leading "cd DIRECTORY &&" or "cd DIRECTORY ;".
std::string_view without_cd(std::string_view command) {
  if (!command.starts_with("cd ") && !command.starts_with("cd\t")) return command;
  std::size_t at = command.find_first_not_of(" \t", 3);
  while (at < command.size() && !is_blank(command[at]) && command[at] != ';' && command[at] != '&') ++at;
  at = std::min(command.find_first_not_of(" \t\n", at), command.size());
  if (command.substr(at).starts_with("&&")) return trimmed(command.substr(at + 2));
  if (command.substr(at).starts_with(";")) return trimmed(command.substr(at + 1));
  return command;
}

/// The end of a "| head" or "| tail" stage that starts at `at`, or `at` when there is none.
std::size_t after_cut_stage(std::string_view text, std::size_t at) {
  std::size_t const word = text.find_first_not_of(" \t\n", at + 1);
  if (word == std::string_view::npos) return at;
  bool const cuts = text.substr(word).starts_with("head") || text.substr(word).starts_with("tail");
  std::size_t end = word + 4;
  if (!cuts ||
      (end < text.size() && !is_blank(text[end]) && text[end] != '|' && text[end] != ';' && text[end] != '&')) {
    return at;
  }
  while (end < text.size() && text[end] != '|' && text[end] != ';' && text[end] != '&') ++end;
  return end;
}

}  // namespace

std::string shell_command(Json& json, std::string_view tool, std::string_view arguments) {
  std::string name;
  for (char const c : tool) name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (std::find(kShells.begin(), kShells.end(), name) == kShells.end() && !name.ends_with("_bash") &&
      !name.ends_with("_shell")) {
    return {};
  }
  PaddedText const copy{std::string(arguments)};
  std::string out;
  if (!json.open(copy.view())) return out;
  json.members(json.root(), [&](std::string_view member, JsonValue value) {
    if (member != "command" && member != "cmd" && member != "script" && member != "code") return;
    if (json.type(value) == JsonType::kString) out = json.text(value);
    json.elements(value, [&](JsonValue part) {
      if (!out.empty()) out += ' ';
      out += json.text(part);
    });
  });
  return out;
}

bool looks_writing(std::string_view tool, std::string_view command) {
  if (!command.empty()) {
    ShellText const text = cut_commands(command);
    return text.redirects || std::any_of(text.commands.begin(), text.commands.end(), writes);
  }
  std::vector<std::string> const words = words_of(tool);
  if (has_word(words, "todo") || has_word(words, "todos")) return false;  // a list that only the agent itself reads
  return std::any_of(words.begin(), words.end(), [](std::string const& w) { return listed(kWritingWords, w); });
}

std::string core_command(std::string_view command) {
  std::string_view const text = without_cd(trimmed(command));
  std::string out;
  bool blank = false;
  for (std::size_t i = 0; i < text.size();) {
    if (text.substr(i).starts_with("2>&1")) {
      i += 4;
      continue;
    }
    bool const either = text.substr(i, 2) == "||";
    std::size_t const end = text[i] == '|' && !either ? after_cut_stage(text, i) : i;
    if (end > i) {
      i = end;
      continue;
    }
    if (is_blank(text[i])) {
      blank = true;
    } else {
      if (blank && !out.empty()) out += ' ';
      blank = false;
      out += text[i];
      if (either) out += text[++i];
    }
    ++i;
  }
  return out;
}

}  // namespace backedge::inspect
