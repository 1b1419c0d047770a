// The words of the command line as plain values: what the manual page and the completion of a shell are made of.
//
// main.cpp makes them of what it has told CLI11, so nothing here can differ from what the program takes. Tested in
// tests/cli/command_line_test.cpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace backedge::cli {

struct CommandOption {
  std::vector<std::string> names;  // "-h", "--help"
  std::string value;               // "FILE"; empty: a switch
  std::string about;
};

struct CommandArgument {
  std::string name;  // "RUN"
  std::string about;
  bool required = false;
  bool several = false;
};

struct CommandWords {
  std::string name;
  std::string about;
  std::vector<CommandOption> options;
  std::vector<CommandArgument> arguments;
  std::vector<CommandWords> commands;
};

/// The manual page, section 1, for man(1). `footer`: the text about exit statuses.
std::string manual(CommandWords const& program, std::string_view version, std::string_view footer);

/// Completion of commands, options and files for a shell: bash, zsh or fish; nothing for another one.
std::optional<std::string> completion(CommandWords const& program, std::string_view shell);

}  // namespace backedge::cli
