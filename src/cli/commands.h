// The commands of the program: each has its options as a plain struct and one function that runs it.
//
// A command lives in a file of its own and knows nothing of the command line: main.cpp reads the words into the struct.
// It writes results to `out`, complaints to `err`, and returns the exit status. To add one, add its struct and function
// here, a .cpp, and an add_ function to main.cpp. Tested in tests/cli.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

#include "backedge/result.h"

namespace backedge::cli {

inline constexpr int kOk = 0;
inline constexpr int kFailed = 1;
inline constexpr int kUsage = 2;  // wrong words on the command line, or a policy that is wrong

/// The exit status that stands for an error.
int exit_status(Error const& error);

/// Where the program was started; handed in, so that no command reads the environment.
struct Surroundings {
  std::filesystem::path folder;       // the working directory, absolute
  std::filesystem::path home;         // $HOME, or empty
  std::filesystem::path config_home;  // $XDG_CONFIG_HOME, or empty
};

/// What every command takes.
struct CommonOptions {
  Surroundings here;
  std::string policy_file;  // of --policy; empty: find the files
};

struct PolicyCheckOptions {
  CommonOptions common;
  std::string file;  // empty: those that count here
};
int run_policy_check(PolicyCheckOptions const& options, std::ostream& out, std::ostream& err);

struct PolicyShowOptions {
  CommonOptions common;
  bool json = false;
};
int run_policy_show(PolicyShowOptions const& options, std::ostream& out, std::ostream& err);

/// Prints docs/policy.md.
int run_policy_reference(std::ostream& out);

struct ToolsOptions {
  CommonOptions common;
  std::vector<std::string> tools;  // empty: all that are known
  bool json = false;
};
int run_tools(ToolsOptions const& options, std::ostream& out, std::ostream& err);

struct InitOptions {
  std::filesystem::path folder;
  bool force = false;  // overwrite
};
int run_init(InitOptions const& options, std::ostream& out, std::ostream& err);

struct CasesOptions {
  CommonOptions common;
  std::vector<std::string> files;
  std::string decisions;          // file to write; empty: none
  std::vector<std::string> only;  // ids; empty: all
  bool contracts = true;          // false: the tools of the cases' configs are left out
  bool kernel = false;            // through the kernel alone instead of the whole loop
  bool explain = false;           // every refusal in words
  bool tree = false;              // the call path of every case, as a tree
};
int run_cases(CasesOptions const& options, std::ostream& out, std::ostream& err);

struct InspectOptions {
  CommonOptions common;
  std::vector<std::string> paths;
  bool full = false;  // no trace is shortened to a line
  bool json = false;
};
int run_inspect(InspectOptions const& options, std::ostream& out, std::ostream& err);

}  // namespace backedge::cli
