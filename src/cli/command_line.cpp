// Manual page and completion; see command_line.h.

#include "cli/command_line.h"

#include <algorithm>

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

// One section a command that can be run; a command with commands of its own is only the beginning of their names.
void add_command(CommandWords const& command, std::string const& above, std::string& out) {
  std::string const name = above + ' ' + command.name;
  if (command.commands.empty()) {
    out += fmt::format(".SS {}{}\n{}.\n", roff(name), roff(usage(command)), roff(command.about));
    add_parts(command, out);
  }
  for (CommandWords const& below : command.commands) add_command(below, name, out);
}

// ---------------------------------------------------------------------------------------------- completion

void add_words(CommandWords const& command, std::string const& path, std::vector<std::string> const& above,
               std::string& out) {
  std::vector<std::string> options = above;
  for (CommandOption const& o : command.options) options.insert(options.end(), o.names.begin(), o.names.end());
  std::vector<std::string> names;
  for (CommandWords const& below : command.commands) names.push_back(below.name);
  out += fmt::format("    '{}') below='{}' flags='{}' ;;\n", path, fmt::join(names, " "), fmt::join(options, " "));
  for (CommandWords const& below : command.commands) add_words(below, path + ' ' + below.name, options, out);
}

void add_value_options(CommandWords const& command, std::vector<std::string>& out) {
  for (CommandOption const& o : command.options) {
    for (std::string const& name : o.names) {
      if (!o.value.empty() && std::find(out.begin(), out.end(), name) == out.end()) out.push_back(name);
    }
  }
  for (CommandWords const& below : command.commands) add_value_options(below, out);
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

void add_places(CommandWords const& command, std::string const& place, std::string& out) {
  for (CommandWords const& below : command.commands) {
    out += fmt::format(" '{} {}'", place, below.name);
    add_places(below, place + ' ' + below.name, out);
  }
}

// Options hold for a command and all below it; where a command is to follow, no file may.
void add_fish(CommandWords const& command, std::string const& place, std::string& out) {
  for (CommandWords const& below : command.commands)
    out += fmt::format("complete -c backedge -n \"__backedge_at '{}'\" -f -a '{}' -d '{}'\n", place, below.name,
                       fish_text(below.about));
  for (CommandOption const& o : command.options) {
    out += fmt::format("complete -c backedge -n \"__backedge_below '{}'\"", place);
    for (std::string const& name : o.names)
      out += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    out += fmt::format("{} -d '{}'\n", o.value.empty() ? "" : " -r", fish_text(o.about));
  }
  for (CommandWords const& below : command.commands) add_fish(below, place + ' ' + below.name, out);
}

std::string fish(CommandWords const& program, std::vector<std::string> const& with_value) {
  std::string out = "# Completion of backedge in fish: backedge completion fish | source\nfunction __backedge_place\n";
  out += fmt::format("  set -l with_value {}\n  set -l places", fmt::join(with_value, " "));
  add_places(program, program.name, out);
  out += kFish;
  add_fish(program, program.name, out);
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
  for (CommandWords const& command : program.commands) add_command(command, program.name, out);
  out += fmt::format(".SH EXIT STATUS\n{}\n", roff(footer));
  out += ".SH FILES\n.TP\n.I backedge.toml\n" +
         roff("The policy: searched for from the working directory upwards, and in $XDG_CONFIG_HOME/backedge.") +
         "\n.TP\n.I $XDG_STATE_HOME/backedge/journal.db\n" + roff("The journal of all runs, or below ~/.local/state.") +
         "\n";
  return out;
}

std::optional<std::string> completion(CommandWords const& program, std::string_view shell) {
  std::vector<std::string> with_value;
  add_value_options(program, with_value);
  if (shell == "fish") return fish(program, with_value);
  bool const zsh = shell == "zsh";
  if (!zsh && shell != "bash") return std::nullopt;
  // zsh finds such a file by its first line, and the function of its name in $fpath.
  std::string out = zsh ? "#compdef backedge\n# Completion of backedge in zsh: source <(backedge completion zsh)\n"
                        : "# Completion of backedge in bash: source <(backedge completion)\n";
  out += fmt::format("_backedge_words() {{\n  with_value='{}'\n  case $place in\n", fmt::join(with_value, " "));
  add_words(program, program.name, {}, out);
  out += "  esac\n}\n";
  return out + std::string(zsh ? kZsh : kBash);
}

}  // namespace backedge::cli
