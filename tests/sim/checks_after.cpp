// After every step: what was commanded, what is outstanding, and the messages. See checks.h.

#include <algorithm>

#include <fmt/format.h>

#include "sim/checks.h"

namespace backedge::sim {

void Checks::process_ended() {
  tools_.clear();
  questions_.clear();
  stopped_.clear();
  asked_by_.clear();
  asked_.clear();
  finish_due_ = false;
}

void Checks::commands(std::span<agent::Command const> commands, agent::Input const& input) {
  if (auto const* returned = std::get_if<agent::ToolReturned>(&input)) tools_.erase(returned->call);
  if (auto const* answered = std::get_if<agent::ModelAnswered>(&input)) {
    auto const drop = [&](std::map<TurnId, FrameId>& from) {
      auto const at = from.find(answered->turn);
      if (at != from.end() && at->second == answered->frame) from.erase(at);
    };
    drop(questions_);
    drop(stopped_);
  }
  if (auto const* answered = std::get_if<agent::PersonAnswered>(&input)) asked_.erase(answered->call);
  if (auto const* asked = std::get_if<agent::AgentAsked>(&input)) asked_by_.emplace(asked->ticket, asked->by);
  bool const resumed = std::holds_alternative<agent::Resumed>(input);
  for (agent::Command const& one : commands) std::visit([&](auto const& c) { command(c, resumed); }, one);
  if (finish_due_) say("the run has ended and nobody is told");
  outstanding_lives();
}

void Checks::command(agent::AskModel const& c, bool resumed) {
  auto const turn = turns_.find(c.turn);
  if (turn == turns_.end() || turn->second.frame != c.frame || turn->second.settled)
    return say(fmt::format("frame {} asks its model in turn {}, which is not open", c.frame.value, c.turn.value));
  if (frames_.at(c.frame).dead) say(fmt::format("frame {} asks its model and has ended", c.frame.value));
  for (auto const* all : {&questions_, &stopped_}) {
    for (auto const& [id, frame] : *all)
      if (frame == c.frame) say(fmt::format("frame {} asks its model twice at a time", c.frame.value));
  }
  if (turn->second.asked && !resumed) say(fmt::format("turn {} is asked twice", c.turn.value));
  turn->second.asked = true;
  questions_.emplace(c.turn, c.frame);
}

void Checks::command(agent::StartTool const& c, bool resumed) {
  auto const at = calls_.find(c.call);
  if (at == calls_.end() || !at->second.started || at->second.ended || at->second.frame != c.frame)
    return say(fmt::format("tool {} is started for call {}, which does not run", c.tool->name, c.call.value));
  CallBook& call = at->second;
  if (frames_.at(c.frame).dead) say(fmt::format("call {} is started in a frame that has ended", c.call.value));
  if (c.tool->name != call.tool) say(fmt::format("call {} of {} starts {}", c.call.value, call.tool, c.tool->name));
  if (c.tool->kind == agent::EntryKind::kAgent) say("an agent function is started as if it were a tool");
  if (call.commanded && !resumed) say(fmt::format("call {} is started twice", c.call.value));
  call.commanded = true;
  std::vector<std::string> const& denied = world_->chosen.deny;
  if (enforced() && std::find(denied.begin(), denied.end(), c.tool->name) != denied.end())
    say(fmt::format("{} is started and denied", c.tool->name));
  if (enforced() && c.tool->asks_person && !world_->attended)
    say("a tool that needs a person starts and nobody is there");
  if (!tools_.emplace(c.call, c.frame).second) say(fmt::format("call {} runs twice at a time", c.call.value));
}

void Checks::command(agent::AskPerson const& c, bool /*resumed*/) {
  auto const at = calls_.find(c.request.call);
  if (at == calls_.end() || at->second.started || frames_.at(at->second.frame).dead)
    say(fmt::format("a person is asked about call {}, which does not wait for it", c.request.call.value));
  if (!asked_.insert(c.request.call).second)
    say(fmt::format("a person is asked twice about call {}", c.request.call.value));
}

void Checks::command(agent::AnswerTool const& c, bool /*resumed*/) {
  if (asked_by_.erase(c.ticket) == 0) say(fmt::format("ticket {} is answered and nobody waits for it", c.ticket));
}

void Checks::command(agent::StopTool const& c, bool /*resumed*/) {
  if (tools_.erase(c.call) == 0) say(fmt::format("call {} is stopped and does not run", c.call.value));
}

void Checks::command(agent::StopModel const& c, bool /*resumed*/) {
  if (questions_.erase(c.turn) == 0) say(fmt::format("turn {} is stopped and was not asked", c.turn.value));
  stopped_.emplace(c.turn, c.frame);
}

void Checks::command(agent::Finish const& c, bool /*resumed*/) {
  if (!std::exchange(finish_due_, false)) return say("an end is told and no run has ended");
  Usage const& u = c.result.usage;
  if (c.result.turns != sum_.turns || c.result.calls != sum_.calls) say("the result's counts are not the run's");
  if (u.input_tokens != sum_.usage.input_tokens || u.output_tokens != sum_.usage.output_tokens ||
      u.cost_nano_usd != sum_.usage.cost_nano_usd)
    say(fmt::format("the result's usage ({} in, {} out) is not what was answered ({} in, {} out)", u.input_tokens,
                    u.output_tokens, sum_.usage.input_tokens, sum_.usage.output_tokens));
  if ((c.result.end == RunEnd::kFinished) != (c.result.code.empty() && c.result.reason.empty()))
    say("a result is finished for a reason, or unfinished for none");
}

// What was started and not stopped belongs to frames that are at work.
void Checks::outstanding_lives() {
  for (auto const& [call, frame] : tools_)
    if (frames_.at(frame).dead) say(fmt::format("call {} is left running below an end", call.value));
  for (auto const& [turn, frame] : questions_)
    if (frames_.at(frame).dead) say(fmt::format("turn {} is left waiting below an end", turn.value));
  for (auto const& [ticket, call] : asked_by_)
    if (!tools_.contains(call)) say(fmt::format("ticket {} is left without an answer: its call has ended", ticket));
  std::erase_if(asked_, [&](CallId call) { return frames_.at(calls_.at(call).frame).dead; });  // nobody need answer
  if (!run_open_ && (!tools_.empty() || !questions_.empty())) say("the run has ended and something still runs");
}

void Checks::session(agent::Session const& session) {
  if (session.running() != run_open_) say("the session and its events do not agree on whether a run is under way");
  bool const waits = std::any_of(turns_.begin(), turns_.end(), [](auto const& t) { return !t.second.settled; });
  if (session.idle() != (!run_open_ && !waits)) say("the session and its events do not agree on whether it is idle");
  std::vector<CallId> running;
  for (auto const& [call, frame] : tools_) running.push_back(call);
  if (session.running_calls() != running) say("the calls that run are not those that were started and not stopped");
  for (auto const& [id, frame] : frames_) {
    if (!frame.dead || id == session.root()) messages(id, session.messages(id));
  }
}

void Checks::messages(FrameId frame, std::vector<Message> const& all) {
  std::set<std::string_view> ids;
  for (std::size_t i = 0; i < all.size(); ++i) {
    auto const fault = [&](std::string_view what) {
      say(fmt::format("frame {}, message {}: {}", frame.value, i, what));
    };
    std::vector<std::string_view> called;
    std::vector<std::string_view> answered;
    for (Block const& block : all[i].blocks) {
      if (auto const* call = std::get_if<CallBlock>(&block)) called.emplace_back(call->id);
      if (auto const* result = std::get_if<ResultBlock>(&block)) answered.emplace_back(result->id);
    }
    for (std::string_view const id : called)
      if (id.empty() || !ids.insert(id).second) fault("an id is empty or has been used before");
    Role const role = all[i].role;
    if (i == 0 && role != Role::kUser) fault("a conversation begins with a user");
    if (i > 0 && (role == Role::kAssistant) == (all[i - 1].role == Role::kAssistant)) fault("roles do not alternate");
    if (role != Role::kAssistant && !called.empty()) fault("calls of somebody who is not the model");
    if ((role == Role::kTool) != !answered.empty()) fault("results stand in tool messages and nowhere else");
    std::vector<std::string_view> due;
    if (i > 0) {
      for (Block const& block : all[i - 1].blocks)
        if (auto const* call = std::get_if<CallBlock>(&block)) due.emplace_back(call->id);
    }
    if (due != answered) fault("the calls before it are not answered once each, in their order");
    bool const last = i + 1 == all.size();
    if (last && !called.empty() && frames_.at(frame).dead) fault("a conversation ends in calls without answers");
  }
}

}  // namespace backedge::sim
