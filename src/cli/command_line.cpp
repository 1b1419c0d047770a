// Manual page and completion; see command_line.h.

#include "cli/command_line.h"

#include <algorithm>
#include <ranges>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace backedge::cli {
namespace {

// Text for roff: a backslash and a line that begins with a dot or a quote mean something there, and so does a hyphen.
std::string roff(std::string_view text) {
  std::string out;
  for (char const c : text) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n')) out += "\\&";
      out += c;
    }
  }
  return out;
}

std::string option_words(CommandOption const& option) {
  std::string out = fmt::format("{}", fmt::join(option.names, ", "));
  if (!option.value.empty()) out += ' ' + option.value;
  return out;
}

std::string usage(CommandWords const& command) {
  std::string out;
  for (CommandArgument const& a : command.arguments) {
    std::string const word = a.several ? a.name + "…" : a.name;
    out += a.required ? ' ' + word : " [" + word + ']';
  }
  return out;
}

void add_parts(CommandWords const& command, std::string& out) {
  for (CommandArgument const& a : command.arguments)
    out += fmt::format(".TP\n.I {}\n{}.\n", roff(a.name), roff(a.about));
  for (CommandOption const& o : command.options)
    out += fmt::format(".TP\n.B {}\n{}.\n", roff(option_words(o)), roff(o.about));
}

// A command at its place.
struct Placed {
  CommandWords const* command;
  std::string path;                  // the words that lead to it, its own the last
  std::vector<std::string> options;  // its own and those of the commands above
};

// The program and all its commands, each before those below it.
std::vector<Placed> all_commands(CommandWords const& program) {
  std::vector<Placed> out;
  std::vector<Placed> open{{&program, program.name, {}}};
  while (!open.empty()) {
    Placed one = std::move(open.back());
    open.pop_back();
    for (CommandOption const& o : one.command->options)
      one.options.insert(one.options.end(), o.names.begin(), o.names.end());
    for (CommandWords const& below : one.command->commands | std::views::reverse)
      open.push_back({&below, fmt::format("{} {}", one.path, below.name), one.options});
    out.push_back(std::move(one));
  }
  return out;
}

// A section, if it can be run; a command with commands of its own is only the beginning of their names.
void add_command(Placed const& placed, std::string& out) {
  CommandWords const& command = *placed.command;
  if (!command.commands.empty()) return;
  out += fmt::format(".SS {}{}\n{}.\n", roff(placed.path), roff(usage(command)), roff(command.about));
  add_parts(command, out);
}

// ---------------------------------------------------------------------------------------------- completion

void add_words(Placed const& placed, std::string& out) {
  std::vector<std::string> names;
  names.reserve(placed.command->commands.size());
  for (CommandWords const& below : placed.command->commands) names.push_back(below.name);
  out += fmt::format("    '{}') below='{}' flags='{}' ;;\n", placed.path, fmt::join(names, " "),
                     fmt::join(placed.options, " "));
}

void add_value_options(CommandWords const& command, std::vector<std::string>& out) {
  for (CommandOption const& o : command.options) {
    for (std::string const& name : o.names) {
      if (!o.value.empty() && std::find(out.begin(), out.end(), name) == out.end()) out.push_back(name);
    }
  }
}

// `place` is the program and the commands that were written; a word behind an option that takes a value is none. The
// names of the variables mean nothing to either shell: zsh has arrays of its own named path, words, commands, options.
constexpr std::string_view kBash = R"sh(_backedge() {
  local word=${COMP_WORDS[COMP_CWORD]} place=backedge below flags with_value i
  _backedge_words
  for ((i = 1; i < COMP_CWORD; ++i)); do
    if [[ " $with_value " == *" ${COMP_WORDS[i - 1]} "* ]]; then continue; fi
    if [[ " $below " == *" ${COMP_WORDS[i]} "* ]]; then
      place+=" ${COMP_WORDS[i]}"
      _backedge_words
    fi
  done
  COMPREPLY=()
  if [[ $word == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$flags" -- "$word")
  elif [[ -n $below && " $with_value " != *" ${COMP_WORDS[COMP_CWORD - 1]} "* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$below" -- "$word")
  else
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
  fi
}
complete -o filenames -F _backedge backedge
)sh";

constexpr std::string_view kZsh = R"sh(_backedge() {
  local place=backedge below flags with_value i
  _backedge_words
  for ((i = 2; i < CURRENT; ++i)); do
    if [[ " $with_value " == *" ${words[i - 1]} "* ]]; then continue; fi
    if [[ " $below " == *" ${words[i]} "* ]]; then
      place+=" ${words[i]}"
      _backedge_words
    fi
  done
  if [[ ${words[CURRENT]} == -* ]]; then
    compadd -- ${=flags}
  elif [[ -n $below && " $with_value " != *" ${words[CURRENT - 1]} "* ]]; then
    compadd -- ${=below}
  else
    _files
  fi
}
compdef _backedge backedge
)sh";

constexpr std::string_view kFish = R"sh(
  set -l place backedge
  set -l before ''
  for word in (commandline -opc)[2..-1]
    if not contains -- "$before" $with_value
      if contains -- "$place $word" $places
        set place "$place $word"
      end
    end
    set before $word
  end
  echo $place
end
function __backedge_at
  test (__backedge_place) = $argv[1]
end
function __backedge_below
  set -l place (__backedge_place)
  test $place = $argv[1]; or string match -q -- "$argv[1] *" $place
end
)sh";

// Within single quotes of fish.
std::string fish_text(std::string_view text) {
  std::string out;
  for (char const c : text) {
    if (c == '\\' || c == '\'') out += '\\';
    out += c;
  }
  return out;
}

// Options hold for a command and all below it; where a command is to follow, no file may.
void add_fish(Placed const& placed, std::string& out) {
  CommandWords const& command = *placed.command;
  for (CommandWords const& below : command.commands)
    out += fmt::format("complete -c backedge -n \"__backedge_at '{}'\" -f -a '{}' -d '{}'\n", placed.path, below.name,
                       fish_text(below.about));
  for (CommandOption const& o : command.options) {
    out += fmt::format("complete -c backedge -n \"__backedge_below '{}'\"", placed.path);
    for (std::string const& name : o.names)
      out += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    out += fmt::format("{} -d '{}'\n", o.value.empty() ? "" : " -r", fish_text(o.about));
  }
}

std::string fish(std::vector<Placed> const& all, std::vector<std::string> const& with_value) {
  std::string out = "# Completion of backedge in fish: backedge completion fish | source\nfunction __backedge_place\n";
  out += fmt::format("  set -l with_value {}\n  set -l places", fmt::join(with_value, " "));
  for (Placed const& placed : all | std::views::drop(1)) out += fmt::format(" '{}'", placed.path);
  out += kFish;
  for (Placed const& placed : all) add_fish(placed, out);
  return out;
}

}  // namespace

std::string manual(CommandWords const& program, std::string_view version, std::string_view footer) {
  std::string out = fmt::format(".TH BACKEDGE 1 \"\" \"Backedge {}\" \"User Commands\"\n", version);
  out += fmt::format(".SH NAME\nbackedge \\- {}\n", roff("a call stack for AI agents"));
  out += ".SH SYNOPSIS\n.B backedge\n.I command\n[options]\n";
  out += fmt::format(".SH DESCRIPTION\n{}\n", roff(program.about));
  out += ".SH OPTIONS\n";
  add_parts(program, out);
  out += ".SH COMMANDS\n";
  for (Placed const& placed : all_commands(program)) {
    if (placed.command != &program) add_command(placed, out);
  }
  out += fmt::format(".SH EXIT STATUS\n{}\n", roff(footer));
  out += ".SH FILES\n.TP\n.I backedge.toml\n" +
         roff("The policy: searched for from the working directory upwards, and in $XDG_CONFIG_HOME/backedge.") +
         "\n.TP\n.I $XDG_STATE_HOME/backedge/journal.db\n" + roff("The journal of all runs, or below ~/.local/state.") +
         "\n";
  return out;
}

std::optional<std::string> completion(CommandWords const& program, std::string_view shell) {
  std::vector<std::string> with_value;
  std::vector<Placed> const all = all_commands(program);
  for (Placed const& placed : all) add_value_options(*placed.command, with_value);
  if (shell == "fish") return fish(all, with_value);
  bool const zsh = shell == "zsh";
  if (!zsh && shell != "bash") return std::nullopt;
  // zsh finds such a file by its first line, and the function of its name in $fpath.
  std::string out = zsh ? "#compdef backedge\n# Completion of backedge in zsh: source <(backedge completion zsh)\n"
                        : "# Completion of backedge in bash: source <(backedge completion)\n";
  out += fmt::format("_backedge_words() {{\n  with_value='{}'\n  case $place in\n", fmt::join(with_value, " "));
  for (Placed const& placed : all) add_words(placed, out);
  out += "  esac\n}\n";
  return out + std::string(zsh ? kZsh : kBash);
}

}  // namespace backedge::cli
