// The program: reads the words on the command line, runs the command they name, returns its exit status.
//
// The only file that knows CLI11. Wrong words give one line on standard error and status 2, with the nearest command or
// option, never a page of help. To add a command: a struct and a function in commands.h, a .cpp, and an add_ function
// here. Tested in tests/cli/program_test.cpp.
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/command_line.h"
#include "cli/commands.h"

namespace backedge::cli {
namespace {

std::string environment(char const* name) {
  char const* value = std::getenv(name);
  return value ? value : "";
}

Surroundings surroundings() {
  std::error_code ignored;  // a folder that was removed: relative paths are then tried as they are
  return {std::filesystem::current_path(ignored), environment("HOME"), environment("XDG_CONFIG_HOME"),
          environment("XDG_STATE_HOME")};
}

/// "backedge policy show": the command that was being read.
std::string full_name(CLI::App const* app) {
  std::string name = app->get_name();
  while ((app = app->get_parent())) name.insert(0, app->get_name() + " ");
  return name;
}

CLI::App const* deepest(CLI::App const* app) {
  while (!app->get_subcommands().empty()) app = app->get_subcommands().front();
  return app;
}

std::vector<std::string> subcommand_names(CLI::App const* app) {
  std::vector<std::string> out;
  for (CLI::App const* command : app->get_subcommands([](CLI::App const*) { return true; }))
    out.push_back(command->get_name());
  return out;
}

/// "--json" and so on, of a command and all above it.
std::vector<std::string> option_names(CLI::App const* app) {
  std::vector<std::string> out;
  for (; app; app = app->get_parent()) {
    for (CLI::Option const* option : app->get_options()) {
      for (std::string const& name : option->get_lnames()) out.push_back("--" + name);
    }
  }
  return out;
}

std::string did_you_mean(std::string const& word, std::vector<std::string> const& known) {
  std::vector<std::string_view> const names(known.begin(), known.end());
  auto const near = nearest(word, names, 1);
  return near.empty() ? "" : fmt::format(", did you mean {}?", backedge::in_quotes(near.front()));
}

/// What is wrong with the words, in one line.
std::string complaint(CLI::App const& app, CLI::ParseError const& error) {
  CLI::App const* command = deepest(&app);
  std::vector<std::string> const commands = subcommand_names(command);
  std::vector<std::string> const left = app.remaining(true);
  if (!left.empty() && left.front().starts_with('-')) {
    std::string const option = left.front().substr(0, left.front().find('='));
    return fmt::format("unknown option {}{}", backedge::in_quotes(option), did_you_mean(option, option_names(command)));
  }
  if (!left.empty() && !commands.empty()) {
    return fmt::format("unknown command {}{}", backedge::in_quotes(left.front()), did_you_mean(left.front(), commands));
  }
  if (!left.empty()) return fmt::format("one word too many: {}", backedge::in_quotes(left.front()));
  if (!commands.empty() && dynamic_cast<CLI::RequiredError const*>(&error)) {
    return fmt::format("a command is missing: {}", fmt::join(commands, ", "));
  }
  std::string const text = error.what();
  if (dynamic_cast<CLI::ExcludesError const*>(&error)) {  // "--table excludes --json"
    constexpr std::string_view kBetween = " excludes ";
    std::size_t const at = text.find(kBetween);
    if (at != std::string::npos)
      return fmt::format("{} and {} do not go together", text.substr(0, at), text.substr(at + kBetween.size()));
  }
  if (dynamic_cast<CLI::ArgumentMismatch const*>(&error)) {  // "--policy: 1 required FILE missing", "json was given …"
    std::size_t const colon = text.find(": ");
    if (colon != std::string::npos) return fmt::format("{} needs a value", text.substr(0, colon));
    return fmt::format("--{} takes no value", text.substr(0, text.find(' ')));
  }
  return text.substr(0, text.find('\n'));
}

CLI::App* add_command(CLI::App& parent, std::string const& name, std::string const& about) {
  CLI::App* command = parent.add_subcommand(name, about)->group("Commands");
  command->fallthrough();  // so that --policy may stand behind the command
  command->footer("Every command takes --policy FILE and --prices FILE, too.");
  return command;
}

/// The commands directly below this one.
template <typename App>
std::vector<App*> commands_of(App& app) {
  return app.get_subcommands([](CLI::App const*) { return true; });
}

/// No word on the command line may be empty: none of them means anything then. The task says more of that itself.
void refuse_empty_words(CLI::App& app) {
  CLI::Validator const filled(
      [](std::string& word) { return word.empty() ? std::string("an empty word means nothing here") : std::string(); },
      "");
  std::vector<CLI::App*> open{&app};
  while (!open.empty()) {
    CLI::App& command = *open.back();
    open.pop_back();
    for (CLI::Option* option : command.get_options()) {
      if (option->get_items_expected_max() > 0 && option->get_name() != "TASK") option->check(filled);
    }
    for (CLI::App* below : commands_of(command)) open.push_back(below);
  }
}

/// A switch that is there or not.
void add_switch(CLI::App& command, std::string const& name, bool& on, std::string const& about) {
  command.add_flag(name, on, about)->disable_flag_override();
}

/// Help says what an option is for; which ones do not go together is said to who puts them together.
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_option_opts(CLI::Option const* option) const override {
    std::string const text = CLI::Formatter::make_option_opts(option);
    return text.substr(0, text.find(" Excludes:"));
  }
};

/// Where the words of the command line are put, and what came of the command they named.
struct Line {
  CommonOptions common;
  PolicyCheckOptions check;
  PolicyShowOptions show;
  ToolsOptions tools;
  InitOptions init;
  CasesOptions cases;
  InspectOptions inspect;
  std::string journal;
  RunCommandOptions run;
  ResumeOptions resume;
  RunsOptions runs;
  RunsRemoveOptions runs_remove;
  RunsExportOptions runs_export;
  RunsImportOptions runs_import;
  ShowOptions show_run;
  ExplainOptions explain;
  ReplayOptions replay;
  GraphOptions graph;
  SuggestOptions suggest;
  DemoOptions demo;
  std::string shell = "bash";
  std::vector<std::string> help;
  int status = kOk;
};

void add_policy(CLI::App& app, Line& line) {
  CLI::App* policy = add_command(app, "policy", "Check and show the policy files that count here");
  policy->require_subcommand(1);

  CLI::App* check = add_command(*policy, "check", "Say whether a policy file is right, and all that is not");
  check->add_option("FILE", line.check.file, "The file to check, instead of those that count here")->type_name("");
  check->get_option("FILE")->excludes(app.get_option("--policy"));  // each names the file that is checked
  check->callback([&line] {
    line.check.common = line.common;
    line.status = run_policy_check(line.check, std::cout, std::cerr);
  });

  CLI::App* show = add_command(*policy, "show", "Print every setting with its value and where that came from");
  add_switch(*show, "--json", line.show.json, "As JSON, with what each setting means");
  show->callback([&line] {
    line.show.common = line.common;
    line.status = run_policy_show(line.show, std::cout, std::cerr);
  });

  CLI::App* reference = add_command(*policy, "reference", "Print the reference of the policy file, as Markdown");
  reference->callback([&line] { line.status = run_policy_reference(std::cout); });
}

void add_tools(CLI::App& app, Line& line) {
  CLI::App* tools = add_command(app, "tools", "Print the contracts of tools, field by field, and who declared them");
  tools->add_option("TOOL", line.tools.tools, "Only these, with the fields that nobody declared")->type_name("");
  add_switch(*tools, "--json", line.tools.json, "As JSON, with all fields");
  tools->callback([&line] {
    line.tools.common = line.common;
    line.status = run_tools(line.tools, std::cout, std::cerr);
  });
}

void add_init(CLI::App& app, Line& line) {
  CLI::App* init = add_command(app, "init", "Write a commented backedge.toml into this folder");
  add_switch(*init, "--force", line.init.force, "Overwrite the one that is there");
  init->callback([&line] {
    line.init.folder = line.common.here.folder;
    line.status = run_init(line.init, std::cout, std::cerr);
  });
}

void add_cases(CLI::App& app, Line& line) {
  CLI::App* cases = add_command(app, "cases", "Play recorded cases through the agent loop and print what is decided");
  cases->add_option("FILE", line.cases.files, "Files with one case a line")->type_name("")->required();
  cases->add_option("--decisions", line.cases.decisions, "Write the decisions there, one line a case")
      ->type_name("FILE");
  cases->add_option("--only", line.cases.only, "Play only the cases with these ids")->type_name("ID");
  add_switch(*cases, "--without-contracts", line.cases.without_contracts, "As if no tool had a contract of its own");
  add_switch(*cases, "--kernel", line.cases.kernel, "Play them through the kernel alone, without the loop");
  add_switch(*cases, "--explain", line.cases.explain, "Print every refusal in words");
  add_switch(*cases, "--tree", line.cases.tree, "Print the call path of every case as a tree");
  cases->callback([&line] {
    line.cases.common = line.common;
    line.status = run_cases(line.cases, std::cout, std::cerr);
  });
}

void add_inspect(CLI::App& app, Line& line) {
  CLI::App* inspect = add_command(app, "inspect", "Read recorded sessions and say what was avoidable in them");
  inspect->add_option("PATH", line.inspect.paths, "Files and folders with recorded sessions")
      ->type_name("")
      ->required();
  add_switch(*inspect, "--full", line.inspect.full, "Every session in full, also those with nothing to report");
  add_switch(*inspect, "--json", line.inspect.json, "As JSON");
  inspect->add_option("--html", line.inspect.html, "Write their call graphs as pages, too: a folder, or one .html file")
      ->type_name("PATH");
  inspect->callback([&line] {
    line.inspect.common = line.common;
    line.status = run_inspect(line.inspect, std::cout, std::cerr);
  });
}

/// Colours are for a person who looks at a terminal and has not said otherwise (no-color.org).
bool wants_colour() { return isatty(STDOUT_FILENO) == 1 && environment("NO_COLOR").empty(); }

/// Characters of a line of standard output; 0: as many as it takes, because it is no terminal.
std::size_t output_width() {
  if (isatty(STDOUT_FILENO) != 1) return 0;
  std::string const said = environment("COLUMNS");
  std::size_t columns = 0;
  std::from_chars(said.data(), said.data() + said.size(), columns);
  winsize size{};
  if (columns == 0 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) columns = size.ws_col;
  return columns == 0 ? 80 : columns;
}

JournalChoice journal_of(Line const& line) { return {line.common, line.journal}; }

void add_journal(CLI::App& command, Line& line) {
  command.add_option("--journal", line.journal, "The journal's file, instead of the one of the policy")
      ->type_name("FILE");
}

void add_run(CLI::App& command, std::string& run) {
  command.add_option("RUN", run, "The beginning of its id, or: last")->type_name("")->required();
}

void add_agent(CLI::App& command, Line& line, AgentOptions& agent, std::string const& model) {
  command.add_option("--model", agent.model, model)->type_name("MODEL");
  add_switch(command, "--allow-write", agent.allow_write, "Let it write files in this folder");
  add_switch(command, "--allow-run", agent.allow_run, "Let it run commands");
  command.add_option("--allow-tool", agent.allow, "Only these tools: names, set:NAME, source:NAME")->type_name("TOOL");
  command.add_option("--deny-tool", agent.deny, "Without these tools")->type_name("TOOL");
  add_journal(command, line);
  add_switch(command, "--json", agent.json, "The result as JSON");
  add_switch(command, "--quiet", agent.quiet, "No progress on standard error");
}

/// What the surroundings add to the words.
void complete(AgentOptions& agent, Line const& line) {
  agent.journal = journal_of(line);
  agent.terminal = isatty(STDERR_FILENO) == 1;
  agent.colour = agent.terminal && environment("NO_COLOR").empty();
  agent.chain = environment("BACKEDGE_CHAIN");
  agent.chain_key = environment("BACKEDGE_CHAIN_KEY");
}

void add_run_command(CLI::App& app, Line& line) {
  CLI::App* run = add_command(app, "run", "Let an agent do a task in this folder");
  run->add_option("TASK", line.run.task, "What is to be done, in words")->type_name("")->required();
  add_agent(*run, line, line.run.agent, "Who answers: scripted:FILE or replay:FILE");
  run->add_option("--session", line.run.agent.session, "Go on with the conversation of that name")->type_name("NAME");
  add_switch(*run, "--no-journal", line.run.agent.keep_nothing, "Keep nothing of it");
  // Without a journal nothing is there to go on with, and the next run finds nothing of this one.
  run->get_option("--no-journal")->excludes(run->get_option("--session"))->excludes(run->get_option("--journal"));
  run->callback([&line] {
    complete(line.run.agent, line);
    line.status = run_run(line.run, std::cout, std::cerr);
  });

  CLI::App* resume = add_command(app, "resume", "Go on with a run that ended before its end");
  add_run(*resume, line.resume.run);
  add_agent(*resume, line, line.resume.agent, "Who answers, instead of the model that the run was begun with");
  add_switch(*resume, "--again", line.resume.again, "Run calls again whose end nobody knows");
  resume->callback([&line] {
    complete(line.resume.agent, line);
    line.status = run_resume(line.resume, std::cout, std::cerr);
  });
}

void add_runs(CLI::App& app, Line& line) {
  CLI::App* runs = add_command(app, "runs", "List the runs in the journal; remove, export and import them");
  add_journal(*runs, line);
  add_switch(*runs, "--near-limit", line.runs.near_limit, "Only those that came near a limit");
  add_switch(*runs, "--json", line.runs.json, "As JSON");
  runs->require_subcommand(0, 1);
  runs->callback([&line, runs] {
    if (!runs->get_subcommands().empty()) return;
    line.runs.journal = journal_of(line);
    line.runs.colour = wants_colour();
    line.runs.width = output_width();
    line.status = run_runs(line.runs, std::cout, std::cerr);
  });

  CLI::App* remove = add_command(*runs, "rm", "Remove runs, with the texts that nothing else names");
  remove->add_option("RUN", line.runs_remove.runs, "Beginnings of their ids, or: last")->type_name("")->required();
  // Of the list alone; a switch that did nothing would look as if it chose what is removed.
  auto const not_of_the_list = [runs](CLI::App* command) {
    for (char const* const name : {"--near-limit", "--json"}) command->excludes(runs->get_option(name));
  };
  not_of_the_list(remove);
  remove->callback([&line] {
    line.runs_remove.journal = journal_of(line);
    line.status = run_runs_remove(line.runs_remove, std::cout, std::cerr);
  });

  CLI::App* save = add_command(*runs, "export", "Write runs as lines of JSON");
  save->add_option("RUN", line.runs_export.runs, "Beginnings of their ids, or: last")->type_name("")->required();
  save->add_option("--out", line.runs_export.out, "The file to write, instead of standard output")->type_name("FILE");
  not_of_the_list(save);
  save->callback([&line] {
    line.runs_export.journal = journal_of(line);
    line.status = run_runs_export(line.runs_export, std::cout, std::cerr);
  });

  CLI::App* load = add_command(*runs, "import", "Read runs from lines of JSON: all of a file or nothing");
  load->add_option("FILE", line.runs_import.file, "What backedge runs export has written")->type_name("")->required();
  not_of_the_list(load);
  load->callback([&line] {
    line.runs_import.journal = journal_of(line);
    line.status = run_runs_import(line.runs_import, std::cout, std::cerr);
  });
}

void add_show(CLI::App& app, Line& line) {
  CLI::App* show = add_command(app, "show", "Print a run as a tree of its agents, turns and calls");
  add_run(*show, line.show_run.run);
  add_journal(*show, line);
  add_switch(*show, "--table", line.show_run.table, "As a table of its calls");
  add_switch(*show, "--texts", line.show_run.texts, "With all texts in full: what was said, arguments, results");
  add_switch(*show, "--json", line.show_run.json, "As JSON, with all texts");
  show->get_option("--table")->excludes(show->get_option("--json"))->excludes(show->get_option("--texts"));
  show->callback([&line] {
    line.show_run.journal = journal_of(line);
    line.show_run.colour = wants_colour();
    line.show_run.width = output_width();
    line.status = run_show(line.show_run, std::cout, std::cerr);
  });

  CLI::App* explain = add_command(app, "explain", "Say why the verdict on a call of a run fell");
  add_run(*explain, line.explain.run);
  explain->add_option("CALL", line.explain.call, "Its number, as backedge show prints it")->type_name("")->required();
  add_journal(*explain, line);
  explain->callback([&line] {
    line.explain.journal = journal_of(line);
    line.status = run_explain(line.explain, std::cout, std::cerr);
  });
}

void add_replay(CLI::App& app, Line& line) {
  CLI::App* replay = add_command(app, "replay", "Say what another policy would have decided about a run");
  add_run(*replay, line.replay.run);
  add_journal(*replay, line);
  add_switch(*replay, "--json", line.replay.json, "As JSON");
  replay->callback([&line] {
    line.replay.journal = journal_of(line);
    line.status = run_replay(line.replay, std::cout, std::cerr);
  });
}

void add_graph(CLI::App& app, Line& line) {
  CLI::App* graph = add_command(app, "graph", "Draw the call graph of a run, or of a recorded session");
  graph->add_option("RUN", line.graph.what, "The beginning of a run's id, or: last; or a recorded session's file")
      ->type_name("")
      ->required();
  graph->add_option("--format", line.graph.format, "html, a page that needs nothing else (the default); svg; dot; json")
      ->type_name("FORMAT");
  graph
      ->add_option("--out", line.graph.out,
                   "The file to write; without it a page goes to backedge-RUN.html, the rest to standard output")
      ->type_name("FILE");
  add_journal(*graph, line);
  graph->callback([&line] {
    line.graph.journal = journal_of(line);
    line.status = run_graph(line.graph, std::cout, std::cerr);
  });
}

void add_suggest(CLI::App& app, Line& line) {
  CLI::App* suggest = add_command(app, "suggest", "Propose rules and contracts that would have stopped runs");
  suggest->add_option("RUN", line.suggest.runs, "Runs of the journal, or: last; files and folders with sessions")
      ->type_name("")
      ->required();
  suggest->add_option("--against", line.suggest.against, "Runs that must go on, instead of all others in the journal")
      ->type_name("RUN");
  add_journal(*suggest, line);
  add_switch(*suggest, "--json", line.suggest.json, "As JSON");
  suggest->callback([&line] {
    line.suggest.journal = journal_of(line);
    line.status = run_suggest(line.suggest, std::cout, std::cerr);
  });
}

void add_demo(CLI::App& app, Line& line) {
  CLI::App* demo = add_command(app, "demo", "Run five incidents and a healthy conversation, unguarded and guarded");
  demo->add_option("--out", line.demo.folder, "The folder for pages and journal; backedge-demo without it")
      ->type_name("FOLDER");
  demo->add_option("--only", line.demo.only, "Numbers of incidents, 1 to 6")->type_name("NUMBER");
  add_switch(*demo, "--json", line.demo.json, "As JSON");
  demo->callback([&line] {
    line.demo.common = line.common;
    line.status = run_demo(line.demo, std::cout, std::cerr);
  });
}

constexpr char kFooter[] =
    "Exit status: 0 done, 1 failed, 2 wrong words on the command line or a wrong policy; of run and resume also 3 "
    "incomplete (a limit), 4 stopped as a loop, 130 interrupted.";

/// What CLI11 has been told of a command, but for the commands below it.
CommandWords own_words_of(CLI::App const& app) {
  CommandWords out{.name = app.get_name(), .about = app.get_description()};
  for (CLI::Option const* o : app.get_options()) {
    bool const many = o->get_items_expected_max() > 1;
    std::string const about = o->get_description();
    if (o->get_positional()) {
      out.arguments.push_back({o->get_name(true), about, o->get_required(), many});
      continue;
    }
    CommandOption option{.value = o->get_items_expected_max() == 0 ? "" : o->get_type_name(), .about = about};
    for (std::string const& name : o->get_snames()) option.names.push_back("-" + name);
    for (std::string const& name : o->get_lnames()) option.names.push_back("--" + name);
    out.options.push_back(std::move(option));
  }
  return out;
}

/// What CLI11 has been told of a command and of all below it.
CommandWords words_of(CLI::App const& app) {
  CommandWords out = own_words_of(app);
  std::vector<std::pair<CLI::App const*, CommandWords*>> open{{&app, &out}};
  while (!open.empty()) {
    auto const [command, words] = open.back();
    open.pop_back();
    std::vector<CLI::App const*> const below = commands_of(*command);
    words->commands.reserve(below.size());  // what points into it stays valid
    for (CLI::App const* one : below) open.emplace_back(one, &words->commands.emplace_back(own_words_of(*one)));
  }
  return out;
}

void add_manual(CLI::App& app, Line& line) {
  CLI::App* manual_page = add_command(app, "manual", "Print the manual page, for man -l -");
  manual_page->callback([&app, &line] {
    std::cout << manual(words_of(app), BACKEDGE_VERSION, kFooter);
    line.status = kOk;
  });
  CLI::App* complete = add_command(app, "completion", "Print the completion of commands and options for a shell");
  complete->add_option("SHELL", line.shell, "bash, which is the default; zsh; fish")->type_name("");
  complete->callback([&app, &line] {
    std::optional<std::string> const text = completion(words_of(app), line.shell);
    line.status = text ? kOk : kUsage;
    if (text) {
      std::cout << *text;
    } else {
      std::cerr << fmt::format("backedge: there is no completion for {}; there are bash, zsh and fish\n",
                               backedge::in_quotes(line.shell));
    }
  });
}

void add_help(CLI::App& app, Line& line) {
  CLI::App* help = add_command(app, "help", "Print what a command is for and what it takes, as its --help does");
  help->add_option("COMMAND", line.help, "The command, as in: help policy check; all of them without it")
      ->type_name("");
  help->callback([&app, &line] {
    CLI::App const* command = &app;
    for (std::string const& word : line.help) {
      std::vector<CLI::App const*> const all = command->get_subcommands([](CLI::App const*) { return true; });
      auto const below = std::find_if(all.begin(), all.end(), [&](CLI::App const* c) { return c->get_name() == word; });
      if (below == all.end()) {
        std::string const meant = did_you_mean(word, subcommand_names(command));
        std::cerr << fmt::format("backedge: unknown command {}{}{} see {} --help\n", backedge::in_quotes(word), meant,
                                 meant.empty() ? ";" : "", full_name(command));
        line.status = kUsage;
        return;
      }
      command = *below;
    }
    // App::help() would print that of the command that was chosen, which is this one.
    std::cout << command->get_formatter()->make_help(command, full_name(command), CLI::AppFormatMode::Normal);
    line.status = kOk;
  });
}

int run(int argc, char** argv) {
  CLI::App app{"A call stack for AI agents: what they may do next, and what they did.", "backedge"};
  app.set_version_flag("--version", "backedge " BACKEDGE_VERSION, "Print the version and exit");
  app.set_help_flag("-h,--help", "Print this text and exit");
  app.formatter(std::make_shared<HelpFormatter>());
  app.get_formatter()->label("OPTIONS", "options");
  app.get_formatter()->label("SUBCOMMAND", "command");
  app.get_formatter()->label("SUBCOMMANDS", "command");
  app.get_formatter()->label("Positionals", "Arguments");
  app.get_formatter()->column_width(30);
  app.footer(kFooter);
  app.require_subcommand(1);

  Line line;
  line.common.here = surroundings();
  app.add_option("--policy", line.common.policy_file, "The policy file that counts, instead of those that are found")
      ->type_name("FILE");
  app.add_option("--prices", line.common.price_file, "Prices of models that count before those that are built in")
      ->type_name("FILE");
  add_run_command(app, line);
  add_inspect(app, line);
  add_runs(app, line);
  add_show(app, line);
  add_graph(app, line);
  add_replay(app, line);
  add_suggest(app, line);
  add_demo(app, line);
  add_policy(app, line);
  add_tools(app, line);
  add_init(app, line);
  add_cases(app, line);
  add_manual(app, line);
  add_help(app, line);
  refuse_empty_words(app);

  try {
    app.parse(argc, argv);
  } catch (CLI::CallForHelp const&) {
    std::cout << app.help();
  } catch (CLI::CallForVersion const& version) {
    std::cout << version.what() << '\n';
  } catch (CLI::ParseError const& error) {
    std::string const what = complaint(app, error);
    std::string_view const stop = what.back() == '?' ? "" : ";";
    std::cerr << fmt::format("backedge: {}{} see {} --help\n", what, stop, full_name(deepest(&app)));
    return kUsage;
  }
  errno = 0;
  std::cout.flush();
  if (!std::cout) {
    if (errno == EPIPE) return line.status;  // whoever read it has seen enough
    std::cerr << "backedge: the output cannot be written\n";
    return kFailed;
  }
  return line.status;
}

}  // namespace
}  // namespace backedge::cli

int main(int argc, char** argv) {
  // Who reads no longer, and a file at its greatest size, are errors of a write, not the end of the program.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    return backedge::cli::run(argc, argv);
  } catch (std::exception const& error) {
    std::cerr << "backedge: unexpected: " << error.what() << '\n';
    return backedge::cli::kFailed;
  }
}
