// See drive.h.

#include "runtime/drive.h"

#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "runtime/context.h"

namespace backedge::runtime {
namespace {

class TextSink : public DeltaSink {
 public:
  explicit TextSink(std::function<void(std::string_view)> to) : to_(std::move(to)) {}
  void text(std::string_view piece) override { to_(piece); }

 private:
  std::function<void(std::string_view)> to_;
};

}  // namespace

Micros World::now() const {
  if (options.clock) return options.clock();
  return std::chrono::duration_cast<Micros>(std::chrono::system_clock::now().time_since_epoch());
}

// ---------------------------------------------------------------------------------------------- the end of a run

void Watch::finish(RunResult result) {
  {
    std::scoped_lock const lock(text_mutex_, mutex_);
    if (result_) return;
    result_ = std::move(result);
  }
  ended_.notify_all();
}

void Watch::tell(std::vector<EventView> const& events) const {
  if (!options_.on_event || ended()) return;
  for (EventView const& event : events) options_.on_event(event);
}

void Watch::tell_text(FrameId frame, std::string_view text) {
  if (!options_.on_text) return;
  std::lock_guard lock(text_mutex_);
  if (!ended()) options_.on_text(frame, text);
}

bool Watch::ended() const {
  std::lock_guard lock(mutex_);
  return result_.has_value();
}

RunResult const* Watch::wait_for(std::chrono::milliseconds wait) {
  std::unique_lock lock(mutex_);
  return ended_.wait_for(lock, wait, [this] { return result_.has_value(); }) ? &*result_ : nullptr;
}

RunResult const& Watch::wait() {
  std::unique_lock lock(mutex_);
  ended_.wait(lock, [this] { return result_.has_value(); });
  return *result_;
}

// ---------------------------------------------------------------------------------------------- the mailbox

Drive::Drive(World& world, std::unique_ptr<agent::Session> session) : world_(world), session_(std::move(session)) {}

Drive::~Drive() {
  if (world_.locks) world_.locks->let_go(session_->name());
}

Result<void> Drive::begin(std::shared_ptr<Watch> watch, agent::Input first) {
  {
    std::lock_guard lock(mutex_);
    if (failed_) return Error{ErrorKind::kIo, "the journal has refused what this session did; it cannot go on", {}};
    if (busy_)
      return Error{ErrorKind::kState, "a run of this session is still under way; wait for it, or cancel it", {}};
    busy_ = true;
    next_watch_ = std::move(watch);
    next_run_.push_back(std::move(first));
    if (models_ > 0 || held_) return {};
    held_ = true;
  }
  world_.pool.submit([self = shared_from_this()] { self->pump(); });
  return {};
}

void Drive::post_later(agent::Input input) {
  {
    std::lock_guard lock(mutex_);
    mailbox_.push_back(std::move(input));
    if (std::exchange(held_, true)) return;
  }
  world_.pool.submit([self = shared_from_this()] { self->pump(); });
}

void Drive::cancel() {
  {
    std::lock_guard lock(mutex_);
    if (!next_run_.empty()) {  // after its start, whenever that comes
      next_run_.emplace_back(agent::Cancel{});
      return;
    }
  }
  cancelled_ = true;
  post_later(agent::Cancel{});
}

bool Drive::quiet() {
  std::lock_guard lock(mutex_);
  return !busy_ && !held_ && under_way_ == 0;
}

// Holds the session until the mailbox is empty, then does the last piece of work itself, and so on.
void Drive::pump() {
  std::shared_ptr<Drive> const self = shared_from_this();
  std::vector<agent::Input> inputs;
  while (true) {
    Work own;
    {
      std::lock_guard lock(mutex_);
      inputs.swap(mailbox_);
      if (inputs.empty() && models_ == 0 && !next_run_.empty()) {
        inputs.swap(next_run_);
        watch_ = std::move(next_watch_);
      }
      if (inputs.empty()) {
        if (!off_.empty()) {
          own = std::move(off_.back());
          off_.pop_back();
        }
        for (Work& work : off_) {
          world_.pool.submit([self, work = std::move(work)] {
            if (self->bring(work())) self->pump();
          });
        }
        off_.clear();
        held_ = false;
      }
    }
    for (agent::Input& input : inputs) step(std::move(input));
    if (!inputs.empty()) {
      inputs.clear();
    } else if (!own || !bring(own())) {
      return;
    }
  }
}

bool Drive::bring(agent::Input input) {
  std::lock_guard lock(mutex_);
  --under_way_;
  if (std::holds_alternative<agent::ModelAnswered>(input)) --models_;
  mailbox_.push_back(std::move(input));
  return !std::exchange(held_, true);
}

// What an input says has ended is not under way any more.
void Drive::forget(agent::Input const& input) {
  if (auto const* answered = std::get_if<agent::ModelAnswered>(&input)) turns_.erase(answered->turn.value);
  auto const* returned = std::get_if<agent::ToolReturned>(&input);
  auto const at = returned == nullptr ? calls_.end() : calls_.find(returned->call.value);
  if (at == calls_.end()) return;
  if (at->second.deadline) world_.timer.call_off(*at->second.deadline);
  calls_.erase(at);
}

void Drive::step(agent::Input input) {
  at_once_.push_back(std::move(input));
  while (!at_once_.empty()) {
    if (cancelled_.exchange(false) && !std::holds_alternative<agent::Begin>(at_once_.front()))
      at_once_.emplace(at_once_.begin(), agent::Cancel{});
    agent::Input next = std::move(at_once_.front());
    at_once_.erase(at_once_.begin());
    if (failed_) continue;
    forget(next);
    batch_.clear();
    session_->step(std::move(next), world_.now(), batch_);
    if (!keep(batch_.events)) continue;
    carry_out(batch_.commands);
  }
}

// False when what happened cannot be kept: then nothing more is done.
bool Drive::keep(std::vector<talk::Event> const& events) {
  if (events.empty()) return true;
  std::vector<EventView> views;
  views.reserve(events.size());
  for (talk::Event const& e : events) views.push_back(e.view());
  std::shared_ptr<Watch> watch;
  {
    std::lock_guard lock(mutex_);
    watch = watch_;
  }
  if (world_.journal && watch) {
    if (Result<void> kept = world_.journal->append(watch->id(), views); !kept) {
      fail(kept.error());
      return false;
    }
  }
  if (watch) watch->tell(views);
  return true;
}

// The journal refuses: what goes on unrecorded could be done twice, so everything ends here.
void Drive::fail(Error const& error) {
  for (auto& [id, task] : calls_) task.stop.request_stop();
  for (auto& [id, task] : turns_) task.stop.request_stop();
  std::shared_ptr<Watch> watch, next;
  {
    std::lock_guard lock(mutex_);
    busy_ = false;
    failed_ = true;
    watch = watch_;
    next = std::move(next_watch_);
    next_run_.clear();
  }
  for (std::shared_ptr<Watch> const& one : {watch, next}) {
    if (!one) continue;
    RunResult result;
    result.run = one->id();
    result.end = RunEnd::kError;
    result.code = "journal";
    result.reason = error.text();
    one->finish(std::move(result));
  }
}

// ---------------------------------------------------------------------------------------------- commands

void Drive::carry_out(std::vector<agent::Command>& commands) {
  for (agent::Command& command : commands) std::visit([this](auto& one) { carry_out(one); }, command);
}

void Drive::off_holder(Work work) {
  std::lock_guard lock(mutex_);
  ++under_way_;
  off_.push_back(std::move(work));
}

void Drive::tell_text(FrameId frame, std::string_view text) {
  std::shared_ptr<Watch> watch;
  {
    std::lock_guard lock(mutex_);
    watch = watch_;
  }
  if (watch) watch->tell_text(frame, text);
}

void Drive::carry_out(agent::AskModel& command) {
  Request const request = session_->request(command.frame);
  Model& model = *world_.options.model;
  std::stop_source const stop;
  FrameId const frame = command.frame;
  TurnId const turn = command.turn;
  auto ask = [this, &model, request, frame, turn, token = stop.get_token()] {
    TextSink sink([this, frame](std::string_view piece) { tell_text(frame, piece); });
    return agent::Input(agent::ModelAnswered{frame, turn, model.ask(request, sink, token)});
  };
  if (model.inline_ok()) {
    at_once_.emplace_back(ask());
    return;
  }
  turns_[turn.value].stop = stop;
  off_holder(std::move(ask));
  std::lock_guard lock(mutex_);
  ++models_;
}

void Drive::carry_out(agent::StartTool& command) {
  Task task;
  if (command.tool->inline_ok) {
    at_once_.push_back(
        run_tool(command.call, command.frame, *command.tool, command.arguments, task.stop.get_token(), true));
    return;
  }
  if (command.timeout_ms > 0) {
    auto const when = Timer::Clock::now() + std::chrono::milliseconds(command.timeout_ms);
    task.deadline = world_.timer.at(when, [weak = weak_from_this(), call = command.call, stop = task.stop]() mutable {
      stop.request_stop();
      if (std::shared_ptr<Drive> const self = weak.lock())
        self->post_later(agent::ToolReturned{call, {CallStatus::kTimeout, {}}});
    });
  }
  std::stop_token token = task.stop.get_token();
  calls_[command.call.value] = std::move(task);
  off_holder([this, call = command.call, frame = command.frame, tool = command.tool,
              arguments = std::string(command.arguments),
              token = std::move(token)] { return run_tool(call, frame, *tool, arguments, token, false); });
}

agent::Input Drive::run_tool(CallId call, FrameId frame, agent::ToolEntry const& tool, std::string_view arguments,
                             std::stop_token stop, bool inline_call) {
  std::string token;
  if (!world_.options.token_key.empty()) {
    if (Result<std::string> sealed = session_->token(call)) token = *std::move(sealed);
  }
  Context context(*this, call, frame, arguments, std::move(stop), std::move(token), inline_call);
  return agent::ToolReturned{call, world_.functions[tool.index](context)};
}

void Drive::carry_out(agent::AskPerson& command) {
  if (!world_.options.approver) {
    at_once_.emplace_back(agent::PersonAnswered{command.request.call, Approval::kDeny});
    return;
  }
  world_.options.approver->request(command.request,
                                   [weak = weak_from_this(), call = command.request.call](Approval answer) {
                                     if (std::shared_ptr<Drive> const self = weak.lock())
                                       self->post_later(agent::PersonAnswered{call, answer});
                                   });
}

// A runtime has no hooks of its own yet: nothing stands in the way.
void Drive::carry_out(agent::AskHooks& command) { at_once_.emplace_back(agent::HookAnswered{command.frame, {}, {}}); }

void Drive::carry_out(agent::Judgement& /*command*/) {}

void Drive::carry_out(agent::AnswerTool& command) {
  std::function<void(ToolResult)> waiting;
  {
    std::lock_guard lock(mutex_);
    auto const at = tickets_.find(command.ticket);
    if (at == tickets_.end()) return;
    waiting = std::move(at->second);
    tickets_.erase(at);
  }
  waiting(std::move(command.result));
}

void Drive::carry_out(agent::StopTool& command) {
  auto const at = calls_.find(command.call.value);
  if (at == calls_.end()) return;
  at->second.stop.request_stop();
  if (at->second.deadline) world_.timer.call_off(*at->second.deadline);
  calls_.erase(at);
}

void Drive::carry_out(agent::StopModel& command) {
  auto const at = turns_.find(command.turn.value);
  if (at != turns_.end()) at->second.stop.request_stop();
}

void Drive::carry_out(agent::Finish& command) {
  std::shared_ptr<Watch> watch;
  {
    std::lock_guard lock(mutex_);
    busy_ = false;
    watch = watch_;
  }
  if (watch) watch->finish(std::move(command.result));
}

// ---------------------------------------------------------------------------------------------- agents of tools

Result<ToolResult> Drive::run_agent(CallId by, std::string_view agent, std::string_view task,
                                    std::stop_token const& stop) {
  struct Waiting {
    std::mutex mutex;
    std::condition_variable_any wake;
    std::optional<ToolResult> result;
  };
  auto const waiting = std::make_shared<Waiting>();
  std::uint64_t ticket = 0;
  {
    std::lock_guard lock(mutex_);
    ticket = ++last_ticket_;
    tickets_.emplace(ticket, [waiting](ToolResult result) {
      {
        std::lock_guard inner(waiting->mutex);
        waiting->result = std::move(result);
      }
      waiting->wake.notify_all();
    });
  }
  Pool::Blocked const blocked(world_.pool);
  post_later(agent::AgentAsked{by, std::string(agent), std::string(task), ticket});
  if (!world_.pool.threaded()) {
    constexpr std::chrono::milliseconds kSlice{10};
    while (!stop.stop_requested()) {
      {
        std::lock_guard lock(waiting->mutex);
        if (waiting->result) return *std::move(waiting->result);
      }
      world_.timer.due();
      world_.pool.run_one(world_.timer.until_next(kSlice));
    }
    return Error{ErrorKind::kCancelled, "the call was stopped", {}};
  }
  std::unique_lock lock(waiting->mutex);
  if (!waiting->wake.wait(lock, stop, [&] { return waiting->result.has_value(); }))
    return Error{ErrorKind::kCancelled, "the call was stopped", {}};
  return *std::move(waiting->result);
}

}  // namespace backedge::runtime
