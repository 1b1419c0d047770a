// Messages, results and people; see loop_player.h. What goes into the session: loop_session.cpp.

#include "cases/loop_player.h"

#include <algorithm>

#include <fmt/format.h>

#include "cases/fields.h"

namespace backedge::cases {
namespace {

namespace json = boost::json;

constexpr char const* kRootFrame = "root";

Reply says(std::string text, std::string stop) {
  Reply out{{Role::kAssistant, {}}, std::move(stop), {}};
  if (!text.empty()) out.message.blocks.emplace_back(TextBlock{std::move(text)});
  return out;
}

}  // namespace

LoopPlayer::LoopPlayer(Case const& c, Setup setup)
    : case_(c), setup_(std::move(setup)), script_(c), account_(c.id), outside_(!setup_.unattended) {}

Result<Played> LoopPlayer::play(Case const& c, Policy const& base, bool contracts) {
  auto const not_there = [&](std::string const& detail) {
    return Error{ErrorKind::kInput, fmt::format("case {}: {}", c.id, detail), {c.file, c.line, 0}};
  };
  Result<Setup> setup = set_up(c, base, contracts);
  if (!setup) return not_there(setup.error().detail);
  LoopPlayer player(c, *std::move(setup));
  if (Result<void> started = player.start(); !started) return not_there(started.error().detail);
  for (std::size_t i = 0; i < c.steps.size(); ++i) {
    player.next_ = i;
    player.now_ += Micros{1};
    if (Result<void> done = player.step(c.steps[i]); !done)
      return not_there(fmt::format("step {}: {}", i + 1, done.error().detail));
  }
  player.next_ = c.steps.size();
  return player.count();
}

Result<void> LoopPlayer::start() {
  made_of_ = std::make_shared<agent::Setup>();
  made_of_->policy = setup_.policy;
  made_of_->attended = !setup_.unattended;
  made_of_->end_hooks = script_.has_event("hook_block");
  made_of_->gate = [this](agent::ToolEntry const& tool, std::string_view) { return setup_.rules.opinion(tool.name); };
  made_of_->on_results = [this](FrameId frame, Message const& message) { answers_.emplace_back(frame, message); };
  made_of_->estimate = [this](Request const& request) {
    auto const agent = agents_.find(request.frame);
    std::string const& name = agent == agents_.end() ? opening_ : agent->second.name;
    return Estimate{.cost_nano_usd = script_.next_cost(name, next_)};
  };
  if (Result<void> filled = fill_toolbox(); !filled) return filled;
  Result<std::unique_ptr<agent::Session>> session = agent::Session::open(made_of_, case_.id, now_);
  if (!session) return session.error();
  session_ = *std::move(session);
  calls_.clear();
  names_.clear();
  frames_.clear();
  agents_.clear();
  record_.clear();
  held_.clear();
  leaving_ = {};
  frames_[kRootFrame] = {.id = session_->root(), .by = {}};
  agents_[session_->root()].name = kRootFrame;
  over_ = false;
  return {};
}

// Every tool that is called exists and takes any arguments; an agent that is called by its own name is a function.
Result<void> LoopPlayer::fill_toolbox() {
  std::set<std::string, std::less<>> agents = script_.agents();
  agents.insert(script_.side_by_side().begin(), script_.side_by_side().end());
  agents.insert(script_.unopened().begin(), script_.unopened().end());
  std::set<std::string, std::less<>> tools = script_.tools();
  tools.insert(std::string(kStarter));
  for (std::string const& name : tools) {
    if (script_.agents().contains(name)) continue;
    agents.erase(name);
    ToolSpec spec{.name = name};
    spec.schema_json = "{}";
    if (auto added = made_of_->tools.add(spec); !added) return added.error();
  }
  for (std::string const& name : agents) {
    AgentSpec spec{.name = name};
    spec.schema_json = "{}";
    if (auto added = made_of_->tools.add(spec); !added) return added.error();
  }
  return {};
}

Result<void> LoopPlayer::step(json::object const& step) {
  if (json::value const* said = step.if_contains("user")) {
    user(std::string(said->as_string()));
    return {};
  }
  if (json::value const* e = step.if_contains("event")) {
    json::object const& body = e->as_object();
    std::string const type = text_of(body, "type");
    if (over_ && type != "session_start" && type != "session_end") return {};
    return event(body);
  }
  if (over_) return {};
  if (step.contains("model")) return model(step);
  if (json::value const* result = step.if_contains("tool_result")) tool_result(result->as_object());
  return {};  // streams and histories are assembled elsewhere and decide nothing here
}

// ---------------------------------------------------------------------------------------------- runs

void LoopPlayer::begin_if_idle() {
  if (session_->running()) return;
  finish_quietly();
  bool const first = ++runs_ == 1;
  feed(agent::Begin{fmt::format("{:032x}", runs_), "go on", first ? Author::kPerson : Author::kAutomatic});
  start_side_by_side();
}

// Agents that nobody starts and that work at the same time are started by the root, all in one round.
void LoopPlayer::start_side_by_side() {
  std::optional<TurnId> const question = agents_[session_->root()].question;
  if (script_.side_by_side().empty() || frames_.contains(script_.side_by_side().front()) || !question) return;
  std::vector<StartedCall> const starts = starts_of(script_.side_by_side());
  Reply reply = says({}, "tool_use");
  for (StartedCall const& one : starts)
    reply.message.blocks.emplace_back(CallBlock{"start " + one.agent, std::string(kStarter), one.arguments});
  round_ids_.clear();
  agents_[session_->root()].question.reset();
  feed(agent::ModelAnswered{session_->root(), *question, std::move(reply)});
  std::vector<CallId> const calls = round_calls_;
  for (std::size_t i = 0; i < starts.size() && i < calls.size(); ++i) {
    opening_ = starts[i].agent;
    opened_ = {};
    feed(agent::AgentAsked{calls[i], starts[i].agent, starts[i].arguments, ++last_ticket_});
    frames_[starts[i].agent] = {.id = opened_, .by = {}};
  }
  opening_.clear();
}

// A person, or in unattended runs a program, says something: the next run, or a word into the one under way.
void LoopPlayer::user(std::string text) {
  Author const author = setup_.unattended && account_.decided_anything() ? Author::kAutomatic : Author::kPerson;
  let_leave();
  over_ = false;
  frames_[kRootFrame].cancelled = false;
  bool const asks = agents_[session_->root()].question.has_value();
  if (session_->running() && asks && held_.empty() && author == Author::kPerson) {
    quiet_ = true;  // the person does not wait for the answer to what went before
    feed(agent::Cancel{});
    quiet_ = false;
  }
  if (session_->running()) return feed(agent::UserSaid{std::move(text), author});
  if (!held_.empty() && std::holds_alternative<agent::Begin>(held_.back())) {
    std::get<agent::Begin>(held_.back()).task += "\n" + text;
    return;
  }
  flush();
  finish_quietly();
  hold(agent::Begin{fmt::format("{:032x}", ++runs_), std::move(text), author});
}

// Models that were asked and whose answers nobody waits for any more are ended.
void LoopPlayer::finish_quietly() {
  for (auto& [id, agent] : agents_) {
    if (!agent.unwanted.valid()) continue;
    TurnId const turn = std::exchange(agent.unwanted, TurnId{});
    feed(agent::ModelAnswered{id, turn, Error{ErrorKind::kCancelled, "stopped", {}}});
  }
}

// A frame that nobody opened belongs to the first call that could have opened one; without such a call it is the root
// under another name (control was handed over, the conversation is the same).
LoopPlayer::FrameNote& LoopPlayer::frame(std::string const& name) {
  auto const it = frames_.find(name);
  if (it != frames_.end()) return it->second;
  std::string const by = infer_opener();
  bool const cancelled = frames_[kRootFrame].cancelled;
  if (by.empty() || cancelled)
    return frames_[name] = {.id = cancelled ? FrameId{} : session_->root(), .by = by, .cancelled = cancelled};
  open_agent(name, by, name);
  return frames_[name];
}

std::string LoopPlayer::infer_opener() const {
  for (auto const& [id, name] : names_) {
    auto const call = calls_.find(name);
    if (call == calls_.end() || call->second.opened || !Script::may_open(call->second.arguments)) continue;
    if (call->second.stage == Stage::kRunning || call->second.stopped) return name;
  }
  return {};
}

// False when the agent was not started.
bool LoopPlayer::open_agent(std::string const& frame, std::string const& by, std::string const& agent) {
  CallNote& call = calls_.find(by)->second;
  bool const function = made_of_->tools.find(call.tool)->kind == agent::EntryKind::kAgent;
  opening_ = frame;
  opened_ = {};
  if (function) {  // the loop has started it by itself
    if (!call.opened && agents_[call.child].open) opened_ = call.child;
    if (opened_.valid()) agents_[opened_].name = frame;
  } else {
    tickets_[++last_ticket_] = by;
    feed(agent::AgentAsked{call.id, agent, call.arguments, last_ticket_, max_turns_of(call.arguments)});
  }
  opening_.clear();
  frames_[frame] = {.id = opened_, .by = by};
  call.opened = call.opened || opened_.valid();
  call.failed_below = call.failed_below || !opened_.valid();
  return opened_.valid();
}

// ---------------------------------------------------------------------------------------------- a model message

Result<void> LoopPlayer::model(json::object const& step) {
  flush();
  let_leave();
  if (over_) return {};
  bool const cancelled = frames_[kRootFrame].cancelled;
  if (!cancelled) begin_if_idle();
  FrameNote& at = frame(frame_of(step));
  if (at.cancelled) {
    refuse_late(at, step);
    return {};
  }
  if (!at.id.valid() || !agents_[at.id].open) return {};
  for (auto const& [name, note] : frames_) {
    if (note.id == at.id) close_unanswered(name);
  }
  if (over_ || !agents_[at.id].question) return {};
  ++next_;
  answer(at, step);
  return {};
}

void LoopPlayer::answer(FrameNote& at, json::object const& step) {
  AgentNote& agent = agents_[at.id];
  if (!agent.press.empty() && !std::exchange(agent.noted, true)) {
    std::vector<Block> const& last = session_->messages(at.id).back().blocks;
    auto const* note = last.empty() ? nullptr : std::get_if<TextBlock>(&last.back());
    account_.forced_final(agent.press, note != nullptr && !note->text.empty());
  }
  account_.request();
  ++at.requests;
  json::array const& calls = step.at("model").as_array();
  std::string const name = frame_of(step);
  bool const ends = calls.empty() && (script_.hook_next(next_) || !script_.goes_on(name, next_));
  Reply reply = says(text_of(step, "text"), !calls.empty() ? "tool_use" : ends ? "end_turn" : "pause_turn");
  if (json::value const* u = step.if_contains("usage"); u != nullptr && u->is_object()) {
    reply.usage.input_tokens = count_of(u->get_object(), "in");
    reply.usage.output_tokens = count_of(u->get_object(), "out");
    account_.tokens(reply.usage.input_tokens, reply.usage.output_tokens);
  }
  round_ids_.clear();
  message_id_ = text_of(step, "id");
  for (json::value const& v : calls) {
    json::object const& call = v.as_object();
    std::string const id = text_of(call, "id");
    calls_[id] = {.id = {}, .frame = name, .tool = text_of(call, "tool"), .arguments = arguments_of(call)};
    round_ids_.push_back(id);
    reply.message.blocks.emplace_back(CallBlock{id, calls_[id].tool, calls_[id].arguments});
  }
  if (at.id == session_->root() && !calls.empty()) account_.end({});
  TurnId const turn = *std::exchange(agent.question, std::nullopt);
  asked_by_message_ = true;
  feed(agent::ModelAnswered{at.id, turn, std::move(reply)});
  asked_by_message_ = false;
}

// The answer of a model that was asked before a person stopped it: nothing of it is run.
void LoopPlayer::refuse_late(FrameNote const& at, json::object const& step) {
  json::array const& calls = step.at("model").as_array();
  for (json::value const& call : calls)
    account_.call(text_of(call.as_object(), "id"), {CallWord::kDeny, false, "stopped", false});
  if (!calls.empty()) account_.frame_ended(at.by, "stopped");
  if (!at.id.valid() || !agents_[at.id].unwanted.valid()) return;
  TurnId const turn = std::exchange(agents_[at.id].unwanted, TurnId{});
  feed(agent::ModelAnswered{at.id, turn, says(text_of(step, "text"), "end_turn")});
}

// ---------------------------------------------------------------------------------------------- results

void LoopPlayer::tool_result(json::object const& body) {
  auto const it = calls_.find(text_of(body, "id"));
  if (it == calls_.end() || it->second.stage == Stage::kEnded) return;
  CallNote& call = it->second;
  json::value const* ok = body.if_contains("ok");
  bool const good = ok == nullptr || !ok->is_bool() || ok->get_bool();
  call.scripted = ToolResult{good ? CallStatus::kOk : CallStatus::kError, text_of(body, "output")};
  if (call.stage != Stage::kRunning) return;  // given when it starts
  if (made_of_->tools.find(call.tool)->kind == agent::EntryKind::kAgent) {
    flush();
    answer_child(it->first, call.scripted->text);
  } else {
    hold(agent::ToolReturned{call.id, *call.scripted});
  }
}

// The agent that the call has started says its answer, if it has not said it yet.
// NOLINTNEXTLINE(misc-no-recursion): as deep as the agents of the case are open inside each other
void LoopPlayer::answer_child(std::string const& call, std::string text) {
  CallNote const& note = calls_.find(call)->second;
  FrameId const child = note.child;
  if (!child.valid() || !agents_[child].open) return;
  for (auto const& [name, frame] : frames_) {
    if (frame.id == child) close_unanswered(name);
  }
  std::optional<TurnId> const turn = std::exchange(agents_[child].question, std::nullopt);
  if (!turn) return;
  if (note.scripted && note.scripted->status != CallStatus::kOk) {
    feed(agent::ModelAnswered{child, *turn, Error{ErrorKind::kModel, std::move(text), {}}});
  } else {
    feed(agent::ModelAnswered{child, *turn, says(std::move(text), "end_turn")});
  }
}

// Calls of the frame whose results the case does not have: they ended, and nobody knows how. Who is still asked about
// one gives no answer any more.
// NOLINTNEXTLINE(misc-no-recursion): as answer_child()
void LoopPlayer::close_unanswered(std::string const& frame_name) {
  for (bool changed = true; changed;) {
    changed = false;
    for (auto& [id, call] : calls_) {
      if (call.frame != frame_name || call.stage == Stage::kEnded || !call.id.valid() || script_.answers(id)) continue;
      bool const function = made_of_->tools.find(call.tool)->kind == agent::EntryKind::kAgent;
      if (call.stage == Stage::kDecided && !call.asked) continue;
      changed = true;
      if (call.stage == Stage::kDecided) {
        call.asked = false;
        feed(agent::PersonAnswered{call.id, Approval::kTimeout});
      } else if (function && agents_[call.child].question) {
        answer_child(id, {});
      } else {
        feed(agent::ToolReturned{call.id, {CallStatus::kUnknown, {}}});
        call.stage = Stage::kEnded;
      }
      break;  // calls may have been added
    }
  }
}

Played LoopPlayer::count() {
  let_leave();
  quiet_ = true;
  flush();
  // What still runs is let finish, and has nothing to say.
  for (bool changed = true; changed;) {
    changed = false;
    for (auto& [id, call] : calls_) {
      bool const function = made_of_->tools.find(call.tool)->kind == agent::EntryKind::kAgent;
      if (call.stage != Stage::kRunning || call.opened || function) continue;
      feed(agent::ToolReturned{call.id, call.edit ? world_.end(*call.edit) : ToolResult{}});
      call.stage = Stage::kEnded;
      changed = true;
    }
  }
  std::vector<std::int64_t> requests;
  for (auto const& [name, f] : frames_) {
    bool const started = f.cancelled || (f.id.valid() && f.id != session_->root());
    if (!f.by.empty() && started) requests.push_back(f.requests);
  }
  if (outside_.knows_programs()) account_.out().numbers["self_processes"] = 0;
  account_.out().graph = session_->graph_json();
  account_.out().files = world_.files();
  return account_.finish(requests, most_descendants_, now_);
}

}  // namespace backedge::cases
