// The world around a session; see simulation.h. Crashes and records: faults.cpp.

#include "sim/simulation.h"

#include <algorithm>

#include <fmt/format.h>

#include "sim/model.h"

namespace backedge::sim {
namespace {

constexpr int kMostSteps = 4000;  // the longest history that comes to an end has a few hundred

}  // namespace

Simulation::Simulation(std::uint64_t seed) : world_(make_world(seed)), setup_(make_setup(world_)), random_(mix(~seed)) {
  session_ = open();
  checks_ = std::make_unique<Checks>(world_, settings_of(setup_->policy));
}

void Simulation::say(std::string fault) {
  if (fault_.empty()) fault_ = std::move(fault);
}

std::string Simulation::run() {
  while (fault_.empty()) {
    if (told_.steps > kMostSteps) say("the run comes to no end");
    bool const may_begin = !session_->running() && runs_begun_ < world_.runs;
    if (due_.empty() || (may_begin && session_->idle() && random_.chance(30))) {
      if (session_->running()) say("the run is under way and waits for nothing");
      if (!may_begin) break;
      begin();
      continue;
    }
    auto const next = std::min_element(due_.begin(), due_.end(), [](Due const& a, Due const& b) {
      return std::pair(a.at, a.order) < std::pair(b.at, b.order);
    });
    now_ = std::max(now_, next->at);
    std::function<void()> const act = std::move(next->act);
    due_.erase(next);
    act();
    chance();
  }
  if (fault_.empty()) replay();
  if (fault_.empty()) last_look();
  return fault_;
}

void Simulation::later(Micros delay, std::function<void()> act) {
  due_.push_back({now_ + delay, random_.chance(20) ? random_.below(order_ + 1) : order_, std::move(act)});
  ++order_;
}

Micros Simulation::delay() {
  return Micros{random_.pick<std::int64_t>({0, 1, 10, random_.between(0, 500), random_.between(0, 500'000)})};
}

void Simulation::begin() {
  ++runs_begun_;
  ++told_.runs;
  step(agent::Begin{fmt::format("{:032x}", world_.seed * 16 + static_cast<std::uint64_t>(told_.runs)),
                    fmt::format("task {}", runs_begun_), random_.chance(90) ? Author::kPerson : Author::kAutomatic});
}

void Simulation::step(agent::Input input) {
  if (!fault_.empty()) return;
  lines_.push_back(fmt::format("{:>9} {}", now_.count(), describe(input)));
  agent::Batch batch;
  session_->step(agent::Input(input), now_, batch);
  ++told_.steps;
  if (!world_.crashes.empty() && told_.steps >= world_.crashes.front()) {
    world_.crashes.erase(world_.crashes.begin());
    return crash(batch, input);
  }
  taken_.push_back({input, now_});
  brought_.insert(brought_.end(), batch.events.begin(), batch.events.end());
  keep(batch.events);
  checks_->events(batch.events);
  checks_->commands(batch.commands, input);
  checks_->session(*session_);
  if (!checks_->fault().empty()) return say(checks_->fault());
  carry_out(batch.commands, input);
}

// ---------------------------------------------------------------------------------------------- commands

void Simulation::carry_out(std::vector<agent::Command> const& commands, agent::Input const& input) {
  for (agent::Command const& one : commands) std::visit([&](auto const& c) { command(c, input); }, one);
}

void Simulation::command(agent::AskModel const& c, agent::Input const& /*input*/) {
  Request const request = session_->request(c.frame);
  questions_[c.turn] = {request, {request.messages.begin(), request.messages.end()}, false};
  later(delay(), [this, c] { answer(c.frame, c.turn); });
}

void Simulation::answer(FrameId frame, TurnId turn) {
  auto const at = questions_.find(turn);
  if (at == questions_.end()) return;
  Question const question = std::move(at->second);
  questions_.erase(at);
  if (!std::equal(question.as_asked.begin(), question.as_asked.end(), question.request.messages.begin(),
                  question.request.messages.end()))
    return say(fmt::format("the messages of frame {} have changed while its model was asked", frame.value));
  if (question.stopped && random_.chance(60))
    return step(agent::ModelAnswered{frame, turn, Error{ErrorKind::kCancelled, "stopped", {}}});
  Result<Reply> reply = model_answer(world_, question.request, random_);
  int const process = told_.crashes;
  step(agent::ModelAnswered{frame, turn, reply});
  if (process == told_.crashes && random_.chance(world_.twice))
    later(delay(), [this, frame, turn, reply] { step(agent::ModelAnswered{frame, turn, reply}); });
}

void Simulation::command(agent::StopModel const& c, agent::Input const& /*input*/) {
  auto const at = questions_.find(c.turn);
  if (at != questions_.end()) at->second.stopped = true;
}

void Simulation::command(agent::StartTool const& c, agent::Input const& input) {
  auto const* resumed = std::get_if<agent::Resumed>(&input);
  auto const spec =
      std::find_if(world_.tools.begin(), world_.tools.end(), [&](ToolSpec const& s) { return s.name == c.tool->name; });
  Contract const& contract = spec->contract;
  bool const harmless = contract.idempotent.value_or(contract.effect == Effect::kRead);
  bool const wished = resumed != nullptr && (harmless || resumed->unknown == UnknownCalls::kAgain);
  if (++starts_[c.call] > 1 && !wished)
    return say(fmt::format("{} runs twice for call {} and nobody wished it", c.tool->name, c.call.value));
  Work job{c.tool->name, std::string(c.arguments), 0, true};
  if (job.tool == "host" && !world_.agents.empty()) {
    job.agents = static_cast<int>(random_.between(0, 3));
    job.waits = random_.chance(70);
  }
  work_[c.call] = std::move(job);
  later(delay(), [this, call = c.call] { work(call); });
  if (c.timeout_ms > 0) {
    later(Micros{c.timeout_ms * 1000}, [this, call = c.call] {
      if (work_.erase(call) == 0) return;
      int const process = told_.crashes;
      step(agent::ToolReturned{call, {CallStatus::kTimeout, {}}});
      if (process == told_.crashes && random_.chance(world_.late))
        later(delay(), [this, call] { step(agent::ToolReturned{call, {}}); });
    });
  }
}

void Simulation::work(CallId call) {
  auto const at = work_.find(call);
  if (at == work_.end()) return;
  if (at->second.agents <= 0) return give_back(call);
  --at->second.agents;
  if (!at->second.waits) later(delay(), [this, call] { work(call); });  // it goes on, or returns, meanwhile
  ask_agent(call);
}

void Simulation::ask_agent(CallId call) {
  std::string const name = random_.chance(95) ? random_.pick(world_.agents).name : "nobody";
  std::uint64_t const ticket = ++last_ticket_;
  tickets_[ticket] = call;
  step(agent::AgentAsked{call, name, fmt::format("help with {} please", random_.below(1000)), ticket});
}

void Simulation::command(agent::AnswerTool const& c, agent::Input const& /*input*/) {
  auto const at = tickets_.find(c.ticket);
  if (at == tickets_.end()) return;
  CallId const call = at->second;
  tickets_.erase(at);
  auto const job = work_.find(call);
  if (job != work_.end() && job->second.waits) later(delay(), [this, call] { work(call); });
}

void Simulation::give_back(CallId call) {
  Work const job = std::move(work_.at(call));
  work_.erase(call);
  ToolResult const result = tool_answer(world_, job.tool, job.arguments, ++answers_, random_);
  int const process = told_.crashes;
  step(agent::ToolReturned{call, result});
  if (process == told_.crashes && random_.chance(world_.twice))
    later(delay(), [this, call, result] { step(agent::ToolReturned{call, result}); });
}

void Simulation::command(agent::StopTool const& c, agent::Input const& /*input*/) {
  work_.erase(c.call);
  if (!random_.chance(world_.late)) return;
  later(delay(), [this, call = c.call] { step(agent::ToolReturned{call, {CallStatus::kOk, "too late"}}); });
}

void Simulation::command(agent::AskPerson const& c, agent::Input const& /*input*/) {
  Approval const said = random_.pick({Approval::kAllow, Approval::kAllow, Approval::kDeny, Approval::kTimeout});
  later(delay() * 3, [this, call = c.request.call, said] { step(agent::PersonAnswered{call, said}); });
}

void Simulation::command(agent::Finish const& /*c*/, agent::Input const& /*input*/) {}

// ---------------------------------------------------------------------------------------------- chance

void Simulation::chance() {
  if (!fault_.empty() || told_.runs == 0) return;
  if (random_.chance(world_.cancels))
    interfere(random_.pick(checks_->living().empty() ? std::vector<FrameId>{FrameId{1}} : checks_->living()));
  if (random_.chance(world_.talks)) step(agent::UserSaid{fmt::format("by the way, {}", random_.below(100))});
  if (random_.chance(world_.nonsense)) nonsense();
}

void Simulation::interfere(FrameId frame) {
  step(agent::Cancel{frame == session_->root() && random_.chance(50) ? FrameId{} : frame});
}

// Inputs that fit nothing that is open.
void Simulation::nonsense() {
  auto const number = static_cast<std::uint32_t>(random_.below(40));
  switch (random_.below(6)) {
    case 0:
      if (!work_.contains(CallId{number})) step(agent::ToolReturned{CallId{number}, {CallStatus::kOk, "hello"}});
      return;
    case 1: return step(agent::PersonAnswered{CallId{number}, Approval::kAllow});
    case 2:
      if (!questions_.contains(TurnId{number}))
        step(agent::ModelAnswered{FrameId{number % 4}, TurnId{number}, Reply{}});
      return;
    case 3: return step(agent::Cancel{FrameId{number + 100}});
    case 4: {
      if (work_.contains(CallId{number})) return;
      std::uint64_t const ticket = ++last_ticket_;
      return step(agent::AgentAsked{CallId{number}, "planner", "no", ticket});
    }
    default: {
      if (!session_->running()) return;
      std::size_t const before = told_.events;
      int const process = told_.crashes;
      step(agent::Begin{std::string(32, 'f'), "not now", Author::kPerson});
      if (process == told_.crashes && told_.events != before) say("a run begins while another is under way");
    }
  }
}

// ---------------------------------------------------------------------------------------------- words

std::string describe(agent::Input const& input) {
  struct Words {
    std::string operator()(agent::Begin const& i) const { return fmt::format("begin {}: {}", i.run, i.task); }
    std::string operator()(agent::UserSaid const& i) const { return fmt::format("the person says: {}", i.text); }
    std::string operator()(agent::ModelAnswered const& i) const {
      std::string out = fmt::format("model of frame {}, turn {}: ", i.frame.value, i.turn.value);
      if (!i.reply) return out + "fails: " + i.reply.error().text();
      for (Block const& block : i.reply->message.blocks) {
        if (auto const* call = std::get_if<CallBlock>(&block))
          out += fmt::format("[{} {} {}] ", call->id, call->tool, call->arguments);
        if (auto const* text = std::get_if<TextBlock>(&block)) out += fmt::format("\"{}\" ", text->text);
      }
      return out + fmt::format("({}; {} in, {} out)", i.reply->stop_reason, i.reply->usage.input_tokens,
                               i.reply->usage.output_tokens);
    }
    std::string operator()(agent::ToolReturned const& i) const {
      return fmt::format("tool of call {}: status {}, {}", i.call.value, static_cast<int>(i.result.status),
                         i.result.text);
    }
    std::string operator()(agent::PersonAnswered const& i) const {
      return fmt::format("the person answers {} to call {}", static_cast<int>(i.answer), i.call.value);
    }
    std::string operator()(agent::AgentAsked const& i) const {
      return fmt::format("the tool of call {} asks for {} (ticket {})", i.by.value, i.agent, i.ticket);
    }
    std::string operator()(agent::Cancel const& i) const { return fmt::format("cancel frame {}", i.frame.value); }
    std::string operator()(agent::Resumed const& i) const {
      return i.unknown == UnknownCalls::kTell ? "resumed, unknown calls are told" : "resumed, unknown calls run again";
    }
  };
  return std::visit(Words{}, input);
}

std::string Simulation::history() const {
  std::string out = world_.policy;
  for (std::string const& line : lines_) out += line + '\n';
  return out;
}

}  // namespace backedge::sim
