// Playing incidents; see demo.h.

#include <algorithm>
#include <chrono>
#include <fstream>
#include <memory>
#include <system_error>
#include <utility>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "base/json.h"
#include "demo/demo.h"
#include "demo/files.h"
#include "demo/metered_model.h"
#include "demo/shop.h"
#include "embed/policy_state.h"
#include "graph/cost.h"
#include "graph/page.h"
#include "journal/call_tree.h"
#include "journal/journal.h"
#include "journal/session_locks.h"
#include "models/replay.h"
#include "models/scripted.h"
#include "prices/table.h"
#include "tools/builtin.h"

namespace backedge::demo {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPricedAs = "claude-sonnet-4-5";
constexpr char kJournal[] = "journal.db";
constexpr char kMark[] = ".backedge-demo";       // says that the folder is a demonstration's
constexpr char kAtWork[] = "the demonstration";  // one at a time in a folder

constexpr std::string_view kSystem =
    "You are an agent that works with the tools you are given. When a tool refuses, do what its message says instead "
    "of "
    "calling it again. When the task is done, or cannot be done, answer in plain words.";

Error cannot(fs::path const& what, std::error_code const& why) {
  return Error{ErrorKind::kIo, fmt::format("cannot write there: {}", why.message()), {what.string(), 0, 0}};
}

Result<void> write_file(fs::path const& path, std::string_view text) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
  out.close();
  if (!out) return cannot(path, std::error_code(errno, std::generic_category()));
  return {};
}

std::string file(Incident const& incident, std::string_view name) {
  auto const found = files().find(fmt::format("{}/{}", incident.folder, name));
  return found == files().end() ? std::string() : found->second;
}

// The persons' messages of a recorded conversation that were answered, in order.
Result<std::vector<std::string>> messages_of(std::string const& conversation) {
  Result<boost::json::value> const read = parse_json(conversation);
  if (!read) return read.error();
  std::vector<std::string> out;
  std::optional<std::string> asked;
  for (boost::json::value const& m : read->as_array()) {
    boost::json::object const& message = m.as_object();
    if (message.at("role") == "user") asked = std::string(message.at("content").as_string());
    if (message.at("role") == "assistant" && asked) out.push_back(*std::exchange(asked, std::nullopt));
  }
  return out;
}

class Player {
 public:
  Player(DemoOptions const& options, std::shared_ptr<prices::Table const> table, prices::PricedModel const* priced)
      : options_(options), table_(std::move(table)), priced_(priced) {}

  Result<Outcome> play(Incident const& incident, bool guarded);

 private:
  struct Cast {
    std::shared_ptr<Model> model;
    std::vector<std::pair<ToolSpec, ToolFn>> tools;
    std::vector<std::string> tasks;
  };

  std::string policy_of(Incident const& incident, bool guarded) const;
  Result<Cast> cast(Incident const& incident, fs::path const& work) const;
  Result<Runtime> open(Policy const& policy, std::string text, Cast cast) const;
  Result<void> tell(Outcome& outcome, std::string const& run) const;
  fs::path journal() const { return options_.folder / kJournal; }

  DemoOptions const& options_;
  std::shared_ptr<prices::Table const> table_;
  prices::PricedModel const* priced_;
};

std::string Player::policy_of(Incident const& incident, bool guarded) const {
  if (guarded) return file(incident, "guarded.toml");
  return files().find("unguarded.toml")->second + '\n' + file(incident, "unguarded.toml");
}

// Who plays: the model and the tools, on a working folder of their own.
Result<Player::Cast> Player::cast(Incident const& incident, fs::path const& work) const {
  Cast out;
  if (incident.setting == Setting::kRecorded) {
    std::string const text = file(incident, "conversation.json");
    Result<models::Recording> recording = models::Recording::parse(text, std::string(incident.folder));
    if (!recording) return recording.error();
    Result<std::vector<std::string>> tasks = messages_of(text);
    if (!tasks) return tasks.error();
    out.tasks = *std::move(tasks);
    auto model = std::make_shared<models::ReplayModel>(*std::move(recording));
    for (models::RecordedTool& tool : model->recorded_tools())
      out.tools.emplace_back(ToolSpec{.name = tool.name, .source = "recording"}, std::move(tool.fn));
    out.model = std::move(model);
    return out;
  }
  Result<models::Script> script =
      models::Script::parse(file(incident, "script.jsonl"), fmt::format("{}/script.jsonl", incident.folder));
  if (!script) return script.error();
  out.model = std::make_shared<models::ScriptedModel>(*std::move(script));
  out.tasks.emplace_back(incident.task);
  Result<std::vector<std::pair<ToolSpec, ToolFn>>> tools =
      incident.setting == Setting::kShop ? shop_tools(work / "shop.db", file(incident, "shop.sql"))
                                         : tools::builtin_tools({.folder = work, .allow_run = true});
  if (!tools) return tools.error();
  out.tools = *std::move(tools);
  return out;
}

Result<Runtime> Player::open(Policy const& policy, std::string text, Cast cast) const {
  RuntimeOptions options;
  options.model = std::make_shared<MeteredModel>(std::move(cast.model), table_, priced_);
  options.model_name = std::string(kPricedAs);
  options.policy_text = std::move(text);
  options.system = kSystem;
  options.journal = journal().string();
  Result<Runtime> runtime = Runtime::create(policy, std::move(options));
  if (!runtime) return runtime;
  for (auto& [spec, fn] : cast.tools) {
    if (Result<void> added = runtime->add(std::move(spec), std::move(fn)); !added) return added.error();
  }
  for (auto const& [name, agent] : policy.state().table.agents) {
    AgentSpec const spec{.name = name, .about = agent.about, .max_turns = agent.max_turns, .source = "policy"};
    if (Result<void> added = runtime->add(spec); !added) return added.error();
  }
  return runtime;
}

// What the journal has of the run beyond its result: the first refusal, and the picture.
Result<void> Player::tell(Outcome& outcome, std::string const& run) const {
  Result<journal::Journal> const kept = journal::Journal::open(journal());
  if (!kept) return kept.error();
  Result<journal::RunInfo> const info = kept->find(run);
  if (!info) return info.error();
  Result<std::vector<talk::Event>> const events = kept->events(info->id);
  if (!events) return events.error();
  graph::CallTree tree = journal::call_tree(*info, journal::tell(*events));
  for (graph::Call const& call : tree.calls) {
    if (outcome.first_refusal || !call.verdict.refused()) continue;
    outcome.first_refusal = Refusal{call.verdict.code, call.verdict.text};
  }
  for (graph::Turn const& turn : tree.turns) {
    if (outcome.first_refusal || turn.verdict.word != "final" || turn.verdict.observed) continue;
    std::string const& agent = tree.frames[turn.frame].agent;
    outcome.first_refusal = Refusal{turn.verdict.code, fmt::format("{} is asked for its answer ({})",
                                                                   agent.empty() ? "main" : agent, turn.verdict.code)};
  }
  graph::price(tree, *table_);
  return write_file(options_.folder / outcome.page, graph::page(tree));
}

Result<Outcome> Player::play(Incident const& incident, bool guarded) {
  std::string const name = fmt::format("{}-{}", incident.folder, guarded ? "guarded" : "unguarded");
  fs::path const work = options_.folder / "work" / name;
  std::error_code failed;
  fs::create_directories(work, failed);
  if (failed) return cannot(work, failed);
  for (auto const& [path, text] : files()) {
    if (incident.setting != Setting::kDocuments || !path.starts_with("documents/")) continue;
    if (Result<void> written = write_file(work / path.substr(path.find('/') + 1), text); !written)
      return written.error();
  }
  std::string const text = policy_of(incident, guarded);
  Result<Policy> const policy = Policy::parse(text, name + ".toml");
  if (!policy) return policy.error();
  Result<Cast> ready = cast(incident, work);
  if (!ready) return ready.error();
  std::vector<std::string> const tasks = ready->tasks;
  Result<Runtime> runtime = open(*policy, text, *std::move(ready));
  if (!runtime) return runtime.error();
  Outcome out;
  out.page = name + ".html";
  std::int64_t most = -1;
  // A name of its own, so that a second demonstration in this folder begins anew.
  std::string const session =
      fmt::format("{} {}", name, std::chrono::system_clock::now().time_since_epoch() / std::chrono::microseconds(1));
  for (std::string const& task : tasks) {
    Result<RunHandle> handle = runtime->start(tasks.size() == 1 ? std::string() : session, task);
    if (!handle) return handle.error();
    RunResult const r = handle->wait();
    out.end = r.end;
    out.code = r.code;
    out.pressed_by = r.pressed_by;
    out.answer = r.answer;
    out.turns += r.turns;
    out.calls += r.calls;
    out.refused += r.refused;
    out.tokens += r.usage.input_tokens + r.usage.output_tokens;
    out.nano_usd += r.usage.cost_nano_usd;
    if (r.calls > most) out.run = r.run;
    most = std::max(most, r.calls);
  }
  if (Result<void> told = tell(out, out.run); !told) return told.error();
  return out;
}

// The folder is new, empty, or that of an earlier demonstration: nobody else's files are written over.
Result<void> may_write_to(fs::path const& folder) {
  std::error_code failed;
  if (!fs::exists(folder, failed)) return {};
  bool const fresh = fs::is_empty(folder, failed) && !failed;
  if (fresh || fs::exists(folder / kMark, failed)) return {};
  return Error{ErrorKind::kUsage,
               fs::is_directory(folder, failed)
                   ? "the folder holds other files; name one that is new or empty with --out"
                   : "this is a file; name a folder that is new or empty with --out",
               {folder.string(), 0, 0}};
}

}  // namespace

Result<Demo> play_demo(DemoOptions const& options) {
  auto const table = std::make_shared<prices::Table const>(prices::Table::builtin());
  prices::PricedModel const* const priced = table->find(kPricedAs);
  if (priced == nullptr)
    return Error{ErrorKind::kState, fmt::format("the price table does not know {}", kPricedAs), {}};
  for (int const number : options.only) {
    if (number < 1 || number > static_cast<int>(incidents().size()))
      return Error{
          ErrorKind::kUsage, fmt::format("there is no incident {}; they are 1 to {}", number, incidents().size()), {}};
  }
  if (Result<void> mine = may_write_to(options.folder); !mine) return mine.error();
  std::error_code failed;
  fs::create_directories(options.folder, failed);
  if (failed) return cannot(options.folder, failed);
  if (Result<void> marked = write_file(options.folder / kMark, ""); !marked) return marked.error();
  Result<journal::SessionLocks> const locks = journal::SessionLocks::open(options.folder / kJournal);
  if (!locks) return locks.error();
  if (!locks->take(kAtWork))
    return Error{
        ErrorKind::kState, "another demonstration is at work here; wait for it", {options.folder.string(), 0, 0}};
  Player player(options, table, priced);
  Demo out{.prices = table->name(), .model = std::string(kPricedAs)};
  for (Incident const& incident : incidents()) {
    if (!options.only.empty() &&
        std::find(options.only.begin(), options.only.end(), incident.number) == options.only.end())
      continue;
    Result<Outcome> unguarded = player.play(incident, false);
    if (!unguarded) return unguarded.error();
    Result<Outcome> guarded = player.play(incident, true);
    if (!guarded) return guarded.error();
    out.played.push_back({incident, *std::move(unguarded), *std::move(guarded)});
  }
  return out;
}

}  // namespace backedge::demo
