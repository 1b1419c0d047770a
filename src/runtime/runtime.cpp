// The second level of the public API; see backedge/runtime.h.

#include "backedge/runtime.h"

#include <map>
#include <random>

#include <fmt/format.h>

#include "agent/fold.h"
#include "runtime/drive.h"

namespace backedge {

using runtime::Drive;
using runtime::Watch;
using runtime::World;

namespace {

std::string new_id() {
  std::random_device source;
  return fmt::format("{:08x}{:08x}{:08x}{:08x}", source(), source(), source(), source());
}

}  // namespace

// ---------------------------------------------------------------------------------------------- handle

struct RunHandle::State {
  std::shared_ptr<Watch> watch;
  std::weak_ptr<Drive> drive;
  World* world = nullptr;
};

std::string RunHandle::id() const { return state_->watch->id(); }

bool RunHandle::ended() const { return state_->watch->ended(); }

RunResult RunHandle::wait() {
  World& world = *state_->world;
  if (world.pool.threaded()) return state_->watch->wait();
  constexpr std::chrono::milliseconds kSlice{10};
  while (true) {
    if (RunResult const* const result = state_->watch->wait_for(std::chrono::milliseconds(0))) return *result;
    world.timer.due();
    world.pool.run_one(world.timer.until_next(kSlice));
  }
}

void RunHandle::cancel() {
  if (std::shared_ptr<Drive> const drive = state_->drive.lock(); drive && !ended()) drive->cancel();
}

// ---------------------------------------------------------------------------------------------- runtime

struct Runtime::State {
  explicit State(RuntimeOptions options) : world(std::move(options)) {}

  Result<std::shared_ptr<Drive>> drive_of(std::string_view name, bool resuming);
  Result<RunHandle> begin(std::shared_ptr<Drive> const& drive, std::string id, StartOptions options,
                          agent::Input first);
  Result<std::unique_ptr<agent::Session>> open_session(std::string_view name, bool is_new);
  Result<void> fold_run(agent::Session& session, std::string const& run);
  void forget_quiet();

  World world;
  std::mutex mutex;
  bool started = false;
  std::map<std::string, std::shared_ptr<Drive>, std::less<>> sessions;
  std::vector<std::shared_ptr<Drive>> nameless;
};

Runtime::Runtime(std::unique_ptr<State> state) : state_(std::move(state)) {}
Runtime::Runtime(Runtime&&) noexcept = default;
Runtime& Runtime::operator=(Runtime&&) noexcept = default;

Runtime::~Runtime() {
  if (!state_) return;
  std::vector<std::shared_ptr<Drive>> all = state_->nameless;
  for (auto& [name, drive] : state_->sessions) all.push_back(drive);
  for (std::shared_ptr<Drive> const& drive : all) drive->cancel();
  state_->world.pool.finish();
}

Result<Runtime> Runtime::create(Policy policy, RuntimeOptions options) {
  if (!options.model) return Error{ErrorKind::kUsage, "a runtime needs a model", {}};
  auto state = std::make_unique<State>(std::move(options));
  World& world = state->world;
  agent::Setup& setup = *world.setup;
  setup.policy = std::move(policy);
  setup.tool_policy = world.options.tools;
  setup.system = world.options.system;
  setup.agent = world.options.agent;
  setup.attended = world.options.attended;
  setup.continue_cut = world.options.continue_cut;
  setup.before_call = world.options.before_call;
  setup.after_result = world.options.after_result;
  setup.token_key = world.options.token_key;
  setup.parent_token = world.options.parent_token;
  setup.policy_text = world.options.policy_text;
  setup.model = world.options.model_name;
  setup.record = world.options.record_events || !world.options.journal.empty();
  setup.estimate = [model = world.options.model](Request const& request) { return model->estimate(request); };
  if (!world.options.journal.empty()) {
    Result<journal::Journal> opened = journal::Journal::open(
        world.options.journal, {.sync_full = world.options.sync_full, .full_texts = world.options.keep_texts});
    if (!opened) return opened.error();
    world.journal.emplace(*std::move(opened));
    Result<journal::SessionLocks> locks = journal::SessionLocks::open(world.options.journal);
    if (!locks) return locks.error();
    world.locks.emplace(*std::move(locks));
    if (world.options.keep_days >= 0) {
      constexpr std::int64_t kDay = 86'400'000'000;  // microseconds
      Result<std::int64_t> removed = world.journal->remove_older(world.now() - Micros(world.options.keep_days * kDay));
      if (!removed) return removed.error();
    }
  }
  return Runtime(std::move(state));
}

Result<void> Runtime::add(ToolSpec spec, ToolFn fn) {
  if (state_->started) return Error{ErrorKind::kState, "tools are added before the first run starts", {}};
  if (!fn) return Error{ErrorKind::kUsage, fmt::format("the tool {} has no function", spec.name), {}};
  agent::Setup& setup = *state_->world.setup;
  Result<Policy> policy = setup.policy.with(spec.name, spec.contract);
  if (!policy) return policy.error();
  Result<agent::ToolEntry const*> entry = setup.tools.add(spec);
  if (!entry) return entry.error();
  setup.policy = *std::move(policy);
  state_->world.functions.push_back(std::move(fn));
  return {};
}

Result<void> Runtime::add(AgentSpec const& spec) {
  if (state_->started) return Error{ErrorKind::kState, "agent functions are added before the first run starts", {}};
  agent::Setup& setup = *state_->world.setup;
  Contract contract = spec.contract;
  if (!contract.effect) contract.effect = Effect::kDelegate;
  Result<Policy> policy = setup.policy.with(spec.name, contract);
  if (!policy) return policy.error();
  Result<agent::ToolEntry const*> entry = setup.tools.add(spec);
  if (!entry) return entry.error();
  setup.policy = *std::move(policy);
  state_->world.functions.emplace_back();
  return {};
}

// A session that the journal knows is brought back to where it ended.
Result<std::unique_ptr<agent::Session>> Runtime::State::open_session(std::string_view name, bool is_new) {
  Result<std::unique_ptr<agent::Session>> session = agent::Session::open(world.setup, std::string(name), world.now());
  if (!session || !world.journal || is_new) return session;
  Result<std::vector<journal::RunInfo>> runs = world.journal->session(name);
  if (!runs) return runs.error();
  for (journal::RunInfo const& run : *runs) {
    if (Result<void> folded = fold_run(**session, run.id); !folded) return folded.error();
  }
  return session;
}

Result<void> Runtime::State::fold_run(agent::Session& session, std::string const& run) {
  Result<std::vector<talk::Event>> events = world.journal->events(run);
  if (!events) return events.error();
  std::map<std::string, std::string, std::less<>> texts;
  for (talk::Event const& e : *events)
    for (RawText const& raw : e.raws) texts.emplace(raw.sha256, raw.text);
  auto const text = [&](std::string_view sha) {
    auto const at = texts.find(sha);
    return at == texts.end() ? std::string() : at->second;
  };
  Result<std::vector<talk::Event>> beyond = agent::fold(session, run, *events, text);
  if (!beyond) return beyond.error();
  std::vector<EventView> views;
  for (talk::Event const& e : *beyond) views.push_back(e.view());
  return views.empty() ? Result<void>() : world.journal->append(run, views);
}

Result<std::shared_ptr<Drive>> Runtime::State::drive_of(std::string_view name, bool resuming) {
  forget_quiet();
  auto const at = name.empty() ? sessions.end() : sessions.find(name);
  if (at != sessions.end()) return at->second;
  std::string const own = name.empty() ? new_id() : std::string(name);  // so that the journal can name it
  if (world.locks) {  // nobody else writes while the record is read, nor as long as the session is here
    if (Result<void> taken = world.locks->take(own); !taken) return taken.error();
  }
  Result<std::unique_ptr<agent::Session>> session = open_session(own, name.empty());
  bool const unfinished = session && (*session)->running() && !resuming;
  if (world.locks && (!session || unfinished)) world.locks->let_go(own);
  if (!session) return session.error();
  if (unfinished) {
    return Error{ErrorKind::kState,
                 fmt::format("the last run of the session {} has not come to its end; resume it first", own),
                 {}};
  }
  auto drive = std::make_shared<Drive>(world, *std::move(session));
  if (name.empty()) {
    nameless.push_back(drive);
  } else {
    sessions.emplace(own, drive);
  }
  return drive;
}

// Sessions without a name end with their run.
void Runtime::State::forget_quiet() {
  if (nameless.size() < 64) return;
  std::erase_if(nameless, [](std::shared_ptr<Drive> const& drive) { return drive->quiet(); });
}

Result<RunHandle> Runtime::State::begin(std::shared_ptr<Drive> const& drive, std::string id, StartOptions options,
                                        agent::Input first) {
  auto handle = std::make_shared<RunHandle::State>();
  handle->watch = std::make_shared<Watch>(std::move(id), std::move(options));
  handle->drive = drive;
  handle->world = &world;
  if (Result<void> begun = drive->begin(handle->watch, std::move(first)); !begun) return begun.error();
  return RunHandle(std::move(handle));
}

Result<RunHandle> Runtime::start(std::string_view session, std::string_view task, StartOptions options) {
  std::lock_guard lock(state_->mutex);
  state_->started = true;
  Result<std::shared_ptr<Drive>> drive = state_->drive_of(session, false);
  if (!drive) return drive.error();
  std::string id = new_id();
  agent::Begin begin{id, std::string(task), Author::kPerson};
  return state_->begin(*drive, std::move(id), std::move(options), std::move(begin));
}

Result<RunHandle> Runtime::resume(std::string_view run, UnknownCalls unknown, StartOptions options) {
  std::lock_guard lock(state_->mutex);
  state_->started = true;
  if (!state_->world.journal) return Error{ErrorKind::kUsage, "without a journal there is no run to take up", {}};
  Result<journal::RunInfo> const summary = state_->world.journal->find(run);
  if (!summary) return summary.error();
  if (summary->status != "open") {
    return Error{ErrorKind::kState,
                 fmt::format("run {} has ended ({}); start a new run in its session {} instead", summary->id,
                             summary->status, summary->session),
                 {}};
  }
  if (state_->sessions.contains(summary->session))
    return Error{ErrorKind::kState, fmt::format("the session {} is in use", summary->session), {}};
  Result<std::shared_ptr<Drive>> drive = state_->drive_of(summary->session, true);
  if (!drive) return drive.error();
  return state_->begin(*drive, summary->id, std::move(options), agent::Resumed{unknown});
}

bool Runtime::poll(std::chrono::milliseconds wait) {
  World& world = state_->world;
  bool const due = world.timer.due();
  return world.pool.run_one(due ? std::chrono::milliseconds(0) : world.timer.until_next(wait)) || due;
}

}  // namespace backedge
