// The commands of the program: each has its options as a plain struct and one function that runs it.
//
// A command lives in a file of its own and knows nothing of the command line: main.cpp reads the words into the struct.
// It writes results to `out`, complaints to `err`, and returns the exit status. To add one, add its struct and function
// here, a .cpp, and an add_ function to main.cpp. Tested in tests/cli.
#pragma once

#include <cstddef>
#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

#include "backedge/result.h"

namespace backedge::cli {

inline constexpr int kOk = 0;
inline constexpr int kFailed = 1;
inline constexpr int kUsage = 2;          // wrong words on the command line, or a policy that is wrong
inline constexpr int kIncomplete = 3;     // a run that met a limit
inline constexpr int kLoop = 4;           // a run that was stopped as a loop
inline constexpr int kDenied = 5;         // a run that the gate ended
inline constexpr int kInterrupted = 130;  // a run that was stopped from outside

/// The exit status that stands for an error.
int exit_status(Error const& error);

/// Where the program was started; handed in, so that no command reads the environment.
struct Surroundings {
  std::filesystem::path folder;       // the working directory, absolute
  std::filesystem::path home;         // $HOME, or empty
  std::filesystem::path config_home;  // $XDG_CONFIG_HOME, or empty
  std::filesystem::path state_home;   // $XDG_STATE_HOME, or empty
};

/// What every command takes.
struct CommonOptions {
  Surroundings here;
  std::string policy_file;  // of --policy; empty: find the files
  std::string price_file;   // of --prices; empty: the policy's, if it names one
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
  std::string decisions;           // file to write; empty: none
  std::vector<std::string> only;   // ids; empty: all
  bool without_contracts = false;  // the tools of the cases' configs are left out
  bool kernel = false;             // through the kernel alone instead of the whole loop
  bool explain = false;            // every refusal in words
  bool tree = false;               // the call path of every case, as a tree
};
int run_cases(CasesOptions const& options, std::ostream& out, std::ostream& err);

struct InspectOptions {
  CommonOptions common;
  std::vector<std::string> paths;
  bool full = false;  // no trace is shortened to a line
  bool json = false;
  std::string html;  // folder or file for pages; empty: none
};
int run_inspect(InspectOptions const& options, std::ostream& out, std::ostream& err);

/// Which journal a command works on; see journal_file.h. A run is named by the beginning of its id, or by "last".
struct JournalChoice {
  CommonOptions common;
  std::string journal;  // of --journal; empty: the policy's, or the default one
};

/// What a whole agent is made of, for run and resume.
struct AgentOptions {
  JournalChoice journal;
  bool keep_nothing = false;       // no journal
  std::string model;               // "scripted:FILE", "replay:FILE"
  std::string session;             // empty: a session of its own
  bool allow_write = false;        // there is a write_file
  bool allow_run = false;          // there is a run_command
  std::vector<std::string> allow;  // of a tool policy: names, "set:NAME", "source:NAME"
  std::vector<std::string> deny;
  bool json = false;
  bool quiet = false;
  bool terminal = false;  // standard error is one
  bool colour = false;    // on standard error
  std::string chain;      // of the process that started this one, signed
  std::string chain_key;  // what it is signed with; empty: no chains
};

struct RunCommandOptions {
  AgentOptions agent;
  std::string task;
};
int run_run(RunCommandOptions const& options, std::ostream& out, std::ostream& err);

struct ResumeOptions {
  AgentOptions agent;
  std::string run;
  bool again = false;  // calls whose end nobody knows are run again
};
int run_resume(ResumeOptions const& options, std::ostream& out, std::ostream& err);

struct RunsOptions {
  JournalChoice journal;
  bool near_limit = false;  // only those that came near a limit
  bool json = false;
  bool colour = false;
  std::size_t width = 0;  // characters of a line; 0: as many as it takes
};
int run_runs(RunsOptions const& options, std::ostream& out, std::ostream& err);

struct RunsRemoveOptions {
  JournalChoice journal;
  std::vector<std::string> runs;
};
int run_runs_remove(RunsRemoveOptions const& options, std::ostream& out, std::ostream& err);

struct RunsExportOptions {
  JournalChoice journal;
  std::vector<std::string> runs;
  std::string out;  // file; empty: standard output
};
int run_runs_export(RunsExportOptions const& options, std::ostream& out, std::ostream& err);

struct RunsImportOptions {
  JournalChoice journal;
  std::string file;
};
int run_runs_import(RunsImportOptions const& options, std::ostream& out, std::ostream& err);

struct ShowOptions {
  JournalChoice journal;
  std::string run;
  bool table = false;
  bool json = false;
  bool colour = false;
  bool texts = false;     // of the tree: all of them in full
  std::size_t width = 0;  // of the table: characters of a line; 0: as many as it takes
};
int run_show(ShowOptions const& options, std::ostream& out, std::ostream& err);

struct ReplayOptions {
  JournalChoice journal;  // its policy is the other one
  std::string run;
  bool json = false;
};
int run_replay(ReplayOptions const& options, std::ostream& out, std::ostream& err);

struct GraphOptions {
  JournalChoice journal;
  std::string what;             // a run, or a file with a recorded session
  std::string format = "html";  // or svg, dot, json
  std::string out;              // file; "-": standard output; empty: as the format is used to
};
int run_graph(GraphOptions const& options, std::ostream& out, std::ostream& err);

struct DemoOptions {
  CommonOptions common;
  std::string folder = "backedge-demo";  // what is written goes there
  std::vector<std::string> only;         // numbers of incidents; empty: all
  bool json = false;
};
int run_demo(DemoOptions const& options, std::ostream& out, std::ostream& err);

struct SuggestOptions {
  JournalChoice journal;
  std::vector<std::string> runs;     // runs of the journal, or files and folders with recorded sessions
  std::vector<std::string> against;  // the same; empty: all other runs of the journal
  bool json = false;
};
int run_suggest(SuggestOptions const& options, std::ostream& out, std::ostream& err);

struct ExplainOptions {
  JournalChoice journal;
  std::string run;
  std::string call;
};
int run_explain(ExplainOptions const& options, std::ostream& out, std::ostream& err);

}  // namespace backedge::cli
