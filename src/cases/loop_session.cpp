// What goes into the session and what it brings about; see loop_player.h.

#include <algorithm>

#include "base/json.h"
#include "cases/fields.h"
#include "cases/loop_player.h"

namespace backedge::cases {
namespace {

namespace json = boost::json;

std::uint32_t id_of(json::object const& body, std::string_view key) {
  json::value const* v = body.if_contains(key);
  return v != nullptr && v->is_number() ? v->to_number<std::uint32_t>() : 0;
}

CallWord word_of(std::string_view text) {
  for (CallWord const word : {CallWord::kRun, CallWord::kWarn, CallWord::kReuse, CallWord::kSerialize, CallWord::kAsk,
                              CallWord::kBlock, CallWord::kDeny}) {
    if (word_text(word) == text) return word;
  }
  return CallWord::kReject;
}

}  // namespace

void LoopPlayer::flush() {
  while (!held_.empty()) {
    agent::Input next = std::move(held_.front());
    held_.pop_front();
    auto* const returned = std::get_if<agent::ToolReturned>(&next);
    CallNote* const call = returned == nullptr ? nullptr : note_of(returned->call);
    if (call != nullptr && call->failed_below && returned->result.status == CallStatus::kOk)
      returned->result.status = CallStatus::kError;
    bool const begins = std::holds_alternative<agent::Begin>(next);
    feed(std::move(next));
    if (begins) start_side_by_side();
  }
}

void LoopPlayer::feed(agent::Input input) {
  inputs_.push_back(std::move(input));
  if (feeding_) return;
  feeding_ = true;
  while (!inputs_.empty()) {
    agent::Input next = std::move(inputs_.front());
    inputs_.pop_front();
    batch_.clear();
    session_->step(std::move(next), now_, batch_);
    for (talk::Event const& e : batch_.events) hear(e);
    for (auto const& [frame, message] : std::exchange(answers_, {})) read_results(frame, message);
    for (agent::Command const& command : batch_.commands) std::visit([this](auto const& c) { carry_out(c); }, command);
    most_descendants_ = std::max(most_descendants_, session_->descendants());
  }
  feeding_ = false;
}

LoopPlayer::CallNote* LoopPlayer::note_of(CallId id) {
  auto const name = names_.find(id);
  return name == names_.end() ? nullptr : &calls_.find(name->second)->second;
}

// ---------------------------------------------------------------------------------------------- events of the session

void LoopPlayer::hear(talk::Event const& e) {
  if (e.type == "run.open") record_.emplace_back();
  if (!record_.empty()) record_.back().push_back(e);
  Result<json::value> const parsed = parse_json(e.body);
  if (!parsed || !parsed->is_object()) return;
  json::object const& body = parsed->get_object();
  std::string const word = text_of(body, "verdict");
  AgentNote& agent = agents_[e.frame];
  if (e.type == "turn.propose") {
    agent.press = word == "final" ? text_of(body, "code") : std::string();
    if (word == "stop") agent.why = text_of(body, "code");
  } else if (e.type == "turn.end" && word == "stop") {
    agent.why = text_of(body, "code");
    if (!message_id_.empty()) account_.decided(message_id_, "stop", agent.why, {});
  } else if (e.type == "round.propose") {
    round_calls_.clear();
    for (json::value const& call : body.at("calls").as_array())
      round_calls_.push_back(CallId{id_of(call.as_object(), "call")});
    for (std::size_t i = 0; i < round_calls_.size() && i < round_ids_.size(); ++i) {
      names_[round_calls_[i]] = round_ids_[i];
      calls_[round_ids_[i]].id = round_calls_[i];
    }
  } else if (e.type == "verdict") {
    if (!agent.press.empty()) agent.why = text_of(body, "code");
    verdict(body);
  } else if (e.type == "call.start" || e.type == "call.end") {
    if (CallNote* const call = note_of(CallId{id_of(body, "call")}))
      call->stage = e.type == "call.end" ? Stage::kEnded : Stage::kRunning;
  } else if (e.type == "frame.open") {
    opened_ = e.frame;
    agent = {.name = opening_};
    if (CallNote* const call = note_of(CallId{id_of(body, "by_call")})) call->child = e.frame;
  } else if (e.type == "frame.close") {
    frame_closed(e.frame);
  }
}

void LoopPlayer::verdict(json::object const& body) {
  auto const name = names_.find(CallId{id_of(body, "call")});
  if (name == names_.end()) return;
  CallNews news{.word = word_of(text_of(body, "verdict")), .runs = false, .code = text_of(body, "code")};
  news.names_earlier = body.contains("earlier");
  news.runs = news.word == CallWord::kRun || news.word == CallWord::kWarn || body.contains("observed");
  CallNote& call = calls_[name->second];
  if (news.word == CallWord::kAsk) call.asked = true;
  if (refused(news.word) && !news.runs) call.stage = Stage::kEnded;
  if (!quiet_) account_.call(name->second, std::move(news));
}

void LoopPlayer::frame_closed(FrameId frame) {
  AgentNote& agent = agents_[frame];
  agent.open = false;
  agent.question.reset();
  auto const note = std::find_if(frames_.begin(), frames_.end(), [&](auto const& f) { return f.second.id == frame; });
  if (agent.why.empty() || note == frames_.end() || note->second.by.empty()) return;
  if (!quiet_) account_.frame_ended(note->second.by, end_reason(agent.why));
  calls_[note->second.by].failed_below = true;
}

namespace {

// "ok:…" or "error:…", unless the text itself begins with how the call ended.
std::string stated(ResultBlock const& result) {
  for (std::string_view const end : {"interrupted_running:", "not_started:"}) {
    if (result.text.starts_with(end)) return result.text;
  }
  return (result.failed ? "error:" : "ok:") + result.text;
}

}  // namespace

// The text of each call, as the frame's model is given it.
void LoopPlayer::read_results(FrameId frame, Message const& message) {
  for (Block const& block : message.blocks) {
    auto const* result = std::get_if<ResultBlock>(&block);
    auto const call = result == nullptr ? calls_.end() : calls_.find(result->id);
    if (call == calls_.end()) continue;
    Played& out = account_.out();
    bool const again = !out.results.insert_or_assign(result->id, stated(*result)).second;
    if (frame == session_->root() && !again) out.history_order.push_back(result->id);
    if (account_.refused_call(result->id)) {
      account_.told(result->id, result->text);
    } else if (std::size_t const note = result->text.rfind("\n\n["); note != std::string::npos) {
      std::string_view const text = std::string_view(result->text).substr(note + 3);
      account_.told(result->id, text.substr(0, text.size() - 1));
    }
  }
}

// ---------------------------------------------------------------------------------------------- commands

void LoopPlayer::carry_out(agent::AskModel const& c) { agents_[c.frame].question = c.turn; }

void LoopPlayer::carry_out(agent::StartTool const& c) {
  auto const name = names_.find(c.call);
  if (name == names_.end()) return;
  CallNote& call = calls_[name->second];
  call.edit = world_.start(c.arguments);
  if (outside_.invokes_itself(c.arguments)) {
    Judged const self = outside_.judge_itself();
    account_.decided(name->second, word_text(self.word), self.code, self.text);
    inputs_.emplace_back(agent::ToolReturned{c.call, {CallStatus::kCancelled, "not run"}});
  } else if (call.scripted) {
    inputs_.emplace_back(agent::ToolReturned{c.call, *call.scripted});
  }
}

void LoopPlayer::carry_out(agent::AskPerson const& /*c*/) {}  // the script answers

void LoopPlayer::carry_out(agent::AnswerTool const& c) {
  auto const name = tickets_.find(c.ticket);
  if (name == tickets_.end()) return;
  CallNote& call = calls_[name->second];
  if (c.result.status == CallStatus::kError) call.failed_below = true;
  if (call.stage == Stage::kRunning && !script_.answers(name->second))
    inputs_.emplace_back(agent::ToolReturned{call.id, c.result});  // the tool hands on what its agent said
}

void LoopPlayer::carry_out(agent::StopTool const& c) {
  CallNote* const call = note_of(c.call);
  if (call == nullptr) return;
  call->stage = Stage::kEnded;
  call->stopped = true;
}

void LoopPlayer::carry_out(agent::StopModel const& c) {
  agents_[c.frame].question.reset();
  agents_[c.frame].unwanted = c.turn;
}

void LoopPlayer::carry_out(agent::Finish const& c) {
  agents_[session_->root()].question.reset();
  leaving_ = {};
  if (quiet_ && c.result.end != RunEnd::kFinished) return;
  if (c.result.end == RunEnd::kFinished) {
    account_.end("final");
    if (asked_by_message_ || held_for_hooks_) return;
    account_.out().output = c.result.answer;  // a tool's result is the answer
    over_ = true;
    return;
  }
  account_.stop(end_reason(c.result.code));
  over_ = c.result.code != "stopped";  // what is asked after a person's stop is still refused, call by call
}

// Nothing holds back the frame that asks its hooks.
void LoopPlayer::let_leave() {
  if (!leaving_.valid()) return;
  held_for_hooks_ = true;
  feed(agent::HookAnswered{std::exchange(leaving_, FrameId{}), {}, {}});
  held_for_hooks_ = false;
}

}  // namespace backedge::cases
