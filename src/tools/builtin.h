// The built-in tools: files and commands of one working folder, ready to be added to a runtime.
//
//   read_file     path, offset, limit       lines as NUMBER TAB TEXT
//   list_files    path, depth, glob         one path a line, folders with a closing slash
//   search_files  pattern, path, glob       FILE:LINE:TEXT
//   write_file    path, content             with allow_write only
//   run_command   command, timeout_ms       with allow_run only
//
// Results are whole; the agent cuts them for its model. The bounds here only keep a process alive, and whatever they
// leave out is told in brackets at the end. Every result is valid UTF-8. File tools stay below the folder (folder.h); a
// command may go wherever the user of this process may, and what it starts ends with it (process.h). Tested in
// tests/tools/builtin_test.cpp, run_command_test.cpp and contract_test.cpp.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "backedge/result.h"
#include "backedge/tool.h"

namespace backedge::tools {

struct BuiltinOptions {
  std::filesystem::path folder;                  // the working folder
  bool allow_write = false;                      // there is a write_file
  bool allow_run = false;                        // there is a run_command
  std::size_t max_result = 8U << 20U;            // bytes of one result
  std::size_t max_entries = 2'000;               // of list_files and search_files
  std::vector<std::filesystem::path> guarded;    // absolute: what write_file does not touch, such as the policy
  std::map<std::string, std::string> variables;  // added to the environment of commands
  std::string token_variable;                    // where a command finds the chain of its call; empty: nowhere
};

using BuiltinTool = std::pair<ToolSpec, ToolFn>;

/// The tools, in the order above. They share the folder, which stays the same one if it is renamed, and the environment
/// as it is now. Errors: kNotFound or kIo when the folder cannot be opened.
Result<std::vector<BuiltinTool>> builtin_tools(BuiltinOptions const& options);

}  // namespace backedge::tools
