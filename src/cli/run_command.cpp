// backedge run, resume: a whole agent on the working folder. The answer goes to standard output, all else to standard
// error. Tested in tests/cli/run_test.cpp.

#include <algorithm>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <ostream>
#include <span>
#include <utility>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "backedge/runtime.h"
#include "base/plain_numbers.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/journal_file.h"
#include "cli/policy_files.h"
#include "cli/progress.h"
#include "cli/shown_text.h"
#include "cli/tool_names.h"
#include "cli/trace_pages.h"
#include "journal/story.h"
#include "models/open.h"
#include "models/replay.h"
#include "models/routed.h"
#include "policy/table.h"
#include "tools/builtin.h"

namespace backedge::cli {
namespace {

namespace json = boost::json;

// The chain of a call travels to commands in this variable (and from there to a Backedge that they start).
constexpr char kTokenVariable[] = "BACKEDGE_CHAIN";

constexpr std::string_view kSystem =
    "You are an agent that works in one folder with the tools you are given. Look before you change anything. Call "
    "independent tools in one message. When a tool refuses, do what its message says instead of calling it again. When "
    "the task is done, or cannot be done, answer in plain words.";

int status_of(RunEnd end) {
  switch (end) {
    case RunEnd::kFinished: return kOk;
    case RunEnd::kError: return kFailed;
    case RunEnd::kIncomplete: return kIncomplete;
    case RunEnd::kLoop: return kLoop;
    case RunEnd::kDenied: return kDenied;
    case RunEnd::kInterrupted: return kInterrupted;
  }
  return kFailed;
}

std::string policy_text(policy::Table const& table) {
  std::string out;
  for (policy::ShownSetting const& s : policy::show(table)) out += s.key + " = " + s.value + "\n";
  return out;
}

/// What guards the run is not for its tools: the policy, the journal.
Result<std::vector<std::filesystem::path>> guarded_files(AgentOptions const& options, policy::Table const& table) {
  Surroundings const& here = options.journal.common.here;
  std::vector<std::filesystem::path> out = {here.folder / kPolicyFileName};
  std::string const& named = options.journal.common.policy_file;
  if (!named.empty()) out.push_back(here.folder / named);
  if (options.keep_nothing) return out;
  Result<std::filesystem::path> journal = journal_path(options.journal, table.settings.journal);
  if (!journal) return journal.error();
  for (char const* const part : {"", "-wal", "-shm", "-lock"}) out.emplace_back(journal->string() + part);
  return out;
}

KnownTool known(ToolSpec const& spec, std::string brought_by = {}) {
  return {spec.name, spec.source, spec.sets, std::move(brought_by)};
}

/// Tools that are there only when they are asked for, and what asks for them.
Result<std::vector<KnownTool>> held_back(tools::BuiltinOptions builtin) {
  std::vector<KnownTool> out;
  struct Row {
    bool tools::BuiltinOptions::* allow;
    std::string_view option;
  };
  constexpr Row kRows[] = {{&tools::BuiltinOptions::allow_write, "--allow-write"},
                           {&tools::BuiltinOptions::allow_run, "--allow-run"}};
  for (Row const& row : kRows) {
    if (std::exchange(builtin.*row.allow, true)) continue;
    Result<std::vector<tools::BuiltinTool>> all = tools::builtin_tools(builtin);
    if (!all) return all.error();
    builtin.*row.allow = false;
    Result<std::vector<tools::BuiltinTool>> fewer = tools::builtin_tools(builtin);
    if (!fewer) return fewer.error();
    for (auto const& [spec, fn] : *all) {
      bool const there =
          std::any_of(fewer->begin(), fewer->end(), [&](auto const& t) { return t.first.name == spec.name; });
      if (!there) out.push_back(known(spec, std::string(row.option)));
    }
  }
  return out;
}

/// The tools of a recording answer from it; every other model works with the real ones. Gives what a tool policy may
/// name.
Result<std::vector<KnownTool>> add_tools(Runtime& runtime, AgentOptions const& options, Model& model,
                                         policy::Table const& table) {
  std::vector<KnownTool> there;
  for (auto const& [name, agent] : table.agents) {
    AgentSpec const spec{
        .name = name, .about = agent.about, .max_turns = agent.max_turns, .model = agent.model, .source = "policy"};
    there.push_back({spec.name, spec.source, spec.sets, {}});
    if (Result<void> added = runtime.add(spec); !added) return added.error();
  }
  if (auto const* const replay = dynamic_cast<models::ReplayModel const*>(&model)) {
    for (models::RecordedTool& tool : replay->recorded_tools()) {
      ToolSpec spec{.name = tool.name, .source = "recording"};
      there.push_back(known(spec));
      if (Result<void> added = runtime.add(std::move(spec), std::move(tool.fn)); !added) return added.error();
    }
    return there;
  }
  tools::BuiltinOptions builtin;
  builtin.folder = options.journal.common.here.folder;
  builtin.allow_write = options.allow_write;
  builtin.allow_run = options.allow_run;
  builtin.token_variable = kTokenVariable;
  Result<std::vector<std::filesystem::path>> guarded = guarded_files(options, table);
  if (!guarded) return guarded.error();
  builtin.guarded = *std::move(guarded);
  Result<std::vector<tools::BuiltinTool>> all = tools::builtin_tools(builtin);
  if (!all) return all.error();
  for (auto& [spec, fn] : *all) {
    there.push_back(known(spec));
    if (Result<void> added = runtime.add(std::move(spec), std::move(fn)); !added) return added.error();
  }
  Result<std::vector<KnownTool>> more = held_back(builtin);
  if (!more) return more.error();
  std::move(more->begin(), more->end(), std::back_inserter(there));
  return there;
}

/// The runtime that the words on the command line describe. `recorded`: the model is the one that the run was begun
/// with, not one that the words name.
Result<Runtime> make_runtime(AgentOptions const& options, bool recorded, std::ostream& err) {
  Result<policy::Table> table = load_policy(options.journal.common, err);
  if (!table) return table.error();
  Result<Policy> policy = public_policy(options.journal.common, err);
  if (!policy) return policy.error();
  if (options.model.empty()) {
    return Error{ErrorKind::kUsage, "no model; name one with --model scripted:FILE or --model replay:FILE", {}};
  }
  Result<std::shared_ptr<Model>> model = models::open_model(options.model);
  if (!model && recorded) {
    return Error{model.error().kind,
                 fmt::format("the run was begun with {}, which cannot be used now: {}, or another with --model",
                             options.model, model.error().text()),
                 {}};
  }
  if (!model) return model.error();
  models::RoutedModel::Named named;
  for (auto const& [name, agent] : table->agents) {
    if (agent.model.empty() || named.contains(agent.model)) continue;
    Result<std::shared_ptr<Model>> own = models::open_model(agent.model);
    if (!own) return own.error();
    named.emplace(agent.model, *std::move(own));
  }
  RuntimeOptions runtime_options;
  runtime_options.model = *model;
  if (!named.empty()) runtime_options.model = std::make_shared<models::RoutedModel>(*model, std::move(named));
  runtime_options.model_name = options.model;
  runtime_options.policy_text = policy_text(*table);
  runtime_options.system = kSystem;
  runtime_options.tools = {options.allow, options.deny};
  runtime_options.parent_token = options.chain;
  runtime_options.token_key = options.chain_key;
  runtime_options.sync_full = table->settings.journal.sync_full;
  runtime_options.keep_days = table->settings.journal.keep_days;
  runtime_options.keep_texts = table->settings.journal.full_texts;
  if (!options.keep_nothing) {
    Result<std::filesystem::path> file = journal_path(options.journal, table->settings.journal);
    if (!file) return file.error();
    runtime_options.journal = file->string();
  }
  Result<Runtime> runtime = Runtime::create(*std::move(policy), std::move(runtime_options));
  if (!runtime) return runtime;
  Result<std::vector<KnownTool>> const known = add_tools(*runtime, options, **model, *table);
  if (!known) return known.error();
  if (Result<void> right = check_tool_names({options.allow, options.deny}, *known); !right) return right.error();
  return runtime;
}

json::object result_json(RunResult const& r, std::string_view session) {
  json::object out{{"status", end_text(r.end)},
                   {"answer", r.answer},
                   {"limit_pressed", r.limit_pressed},
                   {"pressed_by", r.pressed_by},
                   {"turns", r.turns},
                   {"calls", r.calls},
                   {"refused", r.refused},
                   {"input_tokens", r.usage.input_tokens},
                   {"output_tokens", r.usage.output_tokens},
                   {"cost_usd", static_cast<double>(r.usage.cost_nano_usd) / 1e9},
                   {"run", r.run},
                   {"exit", status_of(r.end)}};
  if (!session.empty()) out["session"] = session;
  if (!r.code.empty()) out["code"] = r.code;
  if (!r.reason.empty()) out["reason"] = r.reason;
  return out;
}

void tell(RunResult const& r, AgentOptions const& options, std::ostream& out, std::ostream& err) {
  if (options.json) {
    out << plain_numbers(json::serialize(result_json(r, options.session))) << '\n';
    return;
  }
  if (!r.answer.empty()) out << r.answer << '\n';
  if (options.quiet && r.end == RunEnd::kFinished) return;
  std::string const end =
      r.end == RunEnd::kFinished
          ? (r.limit_pressed ? "finished, asked to answer by " + r.pressed_by : "finished")
          : fmt::format("{} ({}): {}", end_text(r.end), r.code, fresh_redactor().clean(r.reason).value_or(r.reason));
  err << fmt::format("backedge: {}; {}, {}, {} refused", end, many(r.turns, "turn"), many(r.calls, "call"), r.refused);
  if (!options.keep_nothing) err << fmt::format("; backedge show {}", r.run.substr(0, 8));
  err << '\n';
}

/// From the start of the run to its exit status.
int follow(AgentOptions const& options, std::ostream& out, std::ostream& err,
           std::function<Result<RunHandle>(StartOptions)> const& start) {
  std::unique_ptr<Progress> progress;
  StartOptions watch;
  if (!options.quiet) {
    progress = std::make_unique<Progress>(err, ProgressStyle{options.terminal, options.colour});
    watch.on_event = [&progress](EventView const& e) { progress->hear(e); };
  }
  std::mutex mutex;
  bool stop = false;
  std::optional<RunHandle> run;
  std::optional<Interrupt> interrupt(std::in_place, [&] {  // also one that comes before the run has started
    std::lock_guard lock(mutex);
    stop = true;
    if (run) run->cancel();
  });
  Result<RunHandle> handle = start(std::move(watch));
  if (!handle) {
    progress.reset();
    return complain(err, handle.error());
  }
  {
    std::lock_guard lock(mutex);
    run = *handle;
    if (stop) run->cancel();
  }
  RunResult const result = handle->wait();
  interrupt.reset();
  if (progress) progress->end();
  tell(result, options, out, err);
  return status_of(result.end);
}

/// The model that the run was begun with.
Result<std::string> recorded_model(ResumeOptions const& options, std::ostream& err) {
  Result<journal::Journal> journal = open_journal(options.agent.journal, false, err);
  if (!journal) return journal.error();
  Result<journal::RunInfo> const run = journal->find(options.run);
  if (!run) return run.error();
  Result<std::vector<talk::Event>> const events = journal->events(run->id);
  if (!events) return events.error();
  std::span<talk::Event const> const all = *events;
  std::string model = journal::tell(all.first(std::min<std::size_t>(1, all.size()))).model;
  if (model.empty()) {
    return Error{ErrorKind::kUsage,
                 "the record of the run names no model; name one with --model scripted:FILE or --model "
                 "replay:FILE",
                 {}};
  }
  return model;
}

}  // namespace

int run_run(RunCommandOptions const& options, std::ostream& out, std::ostream& err) {
  if (options.task.empty()) return complain(err, {ErrorKind::kUsage, "the task is empty; say what is to be done", {}});
  Result<Runtime> runtime = make_runtime(options.agent, false, err);
  if (!runtime) return complain(err, runtime.error());
  return follow(options.agent, out, err, [&](StartOptions watch) {
    return runtime->start(options.agent.session, options.task, std::move(watch));
  });
}

int run_resume(ResumeOptions const& options, std::ostream& out, std::ostream& err) {
  AgentOptions agent = options.agent;
  bool const recorded = agent.model.empty();
  if (recorded) {
    Result<std::string> model = recorded_model(options, err);
    if (!model) return complain(err, model.error());
    agent.model = *std::move(model);
  }
  Result<Runtime> runtime = make_runtime(agent, recorded, err);
  if (!runtime) return complain(err, runtime.error());
  return follow(agent, out, err, [&](StartOptions watch) {
    return runtime->resume(options.run, options.again ? UnknownCalls::kAgain : UnknownCalls::kTell, std::move(watch));
  });
}

}  // namespace backedge::cli
