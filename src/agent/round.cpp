// Act: the calls of one model message, from their verdicts to the message that answers them all. See session.h.

#include <algorithm>
#include <iterator>
#include <utility>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "agent/session.h"
#include "base/hash.h"
#include "base/json.h"
#include "talk/cut.h"
#include "talk/note.h"

namespace backedge::agent {
namespace {

CallFault fault_of(facts::SchemaFault const& fault) {
  return fault.kind == facts::SchemaFault::Kind::kMissing ? CallFault::kMissing : CallFault::kMistyped;
}

// A call whose arguments were cut off is no call.
bool whole(std::string_view arguments) {
  Result<boost::json::value> const parsed = parse_json(arguments);
  return parsed && parsed->is_object();
}

// The argument `task`, or all arguments as they are.
std::string task_of(std::string_view arguments) {
  Result<boost::json::value> const parsed = parse_json(arguments);
  if (parsed && parsed->is_object()) {
    boost::json::value const* const task = parsed->as_object().if_contains("task");
    if (task != nullptr && task->is_string()) return std::string(task->as_string());
  }
  return std::string(arguments);
}

std::string with_note(std::string_view text, std::string_view note) { return fmt::format("{}\n\n[{}]", text, note); }

}  // namespace

CallBlock const& Session::block_of(Frame const& frame, PlannedCall const& call) const {
  return std::get<CallBlock>(frame.messages.back().blocks[call.block]);
}

Frame* Session::frame_of(CallId call) {
  auto const at = open_calls_.find(call);
  return at == open_calls_.end() ? nullptr : frames_.at(at->second).get();
}

PlannedCall* Session::planned(CallId call) {
  Frame* const frame = frame_of(call);
  Round* const round = frame == nullptr ? nullptr : std::get_if<Round>(&frame->phase);
  if (round == nullptr) return nullptr;
  auto const at =
      std::find_if(round->calls.begin(), round->calls.end(), [&](PlannedCall const& c) { return c.call == call; });
  return at == round->calls.end() ? nullptr : &*at;
}

std::string Session::path(FrameId frame) const {
  std::vector<std::string_view> names;
  for (auto at = frames_.find(frame); at != frames_.end(); at = frames_.find(at->second->parent)) {
    Frame const& f = *at->second;
    std::string_view const root = setup_->agent.empty() ? std::string_view("main") : setup_->agent;
    names.push_back(f.function != nullptr ? std::string_view(f.function->name) : root);
  }
  std::reverse(names.begin(), names.end());
  return fmt::format("{}", fmt::join(names, " > "));
}

// ---------------------------------------------------------------------------------------------- into the round

// What is no name of a tool would upset terminals and providers alike: other characters become _.
void clean_name(std::string& name) {
  constexpr std::size_t kLongest = 128;
  for (char& c : name) {
    bool const good = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
                      c == '-' || c == '.' || c == ':' || c == '/';
    if (!good) c = '_';
  }
  if (name.size() > kLongest) name.resize(kLongest);
}

// Ids that a provider left out or gave before would leave a call without its own answer.
void Session::name_calls(Frame& frame) {
  for (Block& block : frame.messages.back().blocks) {
    auto* const call = std::get_if<CallBlock>(&block);
    if (call == nullptr) continue;
    clean_name(call->tool);
    if (call->id.empty() || !frame.ids.insert(digest_name(call->id)).second) {
      do {
        call->id = fmt::format("call_{}", ++named_calls_);
      } while (!frame.ids.insert(digest_name(call->id)).second);
    }
  }
}

Round Session::refuse_all(Frame& frame, std::string const& text) {
  name_calls(frame);
  Round round;
  std::vector<Block> const& blocks = frame.messages.back().blocks;
  for (std::uint32_t i = 0; i < blocks.size(); ++i) {
    if (!std::holds_alternative<CallBlock>(blocks[i])) continue;
    round.calls.push_back({.block = i, .state = Done{text, true}});
  }
  return round;
}

// A call whose arguments were cut off is neither run nor kept as if it were whole.
void Session::drop_cut_call(Message& message, Round& round, std::vector<Call>& calls) {
  auto* const last = std::get_if<CallBlock>(&message.blocks.back());
  if (last == nullptr || whole(last->arguments)) return;
  last->arguments = "{}";
  calls.pop_back();
  round.calls.back().state = Done{
      "not run: the message was cut off at its token limit in the middle of this call; make the call again, shorter",
      true};
}

void Session::act(Frame& frame, bool cut) {
  name_calls(frame);
  Round round;
  std::vector<Call> calls;
  std::vector<std::string> faults;
  faults.reserve(frame.messages.back().blocks.size());  // views into it must not move
  Message& message = frame.messages.back();
  for (std::uint32_t i = 0; i < message.blocks.size(); ++i) {
    auto const* block = std::get_if<CallBlock>(&message.blocks[i]);
    if (block == nullptr) continue;
    ToolEntry const* const tool = setup_->tools.find(block->tool);
    Call call{block->tool, block->arguments};
    if (tool == nullptr) {
      call.fault = CallFault::kUnknownTool;
      call.fault_text = faults.emplace_back(selection_.unknown_text(block->tool));
    } else if (!selection_.allows(*tool)) {
      call.gate = Gate::kDeny;
    } else if (auto fault = tool->schema->check(block->arguments)) {
      call.fault = fault_of(*fault);
      call.fault_text = faults.emplace_back(std::move(fault->text));
    } else {
      if (setup_->gate) call.gate = setup_->gate(*tool, block->arguments);
      if (setup_->before_call) call.route = ask_host(frame, *block, calls.size());
    }
    calls.push_back(call);
    round.calls.push_back({.block = i, .tool = tool});
  }
  if (cut) drop_cut_call(message, round, calls);
  Result<std::vector<Entered>> const entered = run_.enter(frame.id, calls, now_);
  for (std::size_t i = 0; i < calls.size(); ++i) {
    PlannedCall& call = round.calls[i];
    if (!entered) {
      call.state = Done{entered.error().text(), true};
      continue;
    }
    Entered const& e = (*entered)[i];
    call.call = e.call;
    last_call_ = std::max(last_call_, e.call.value);
    call.timeout_ms = e.timeout_ms;
    call.max_output = e.max_output;
    call.reads = e.reads;
    if (e.rolls_back) frame.rolls_back = e.text;
    open_calls_.emplace(e.call, frame.id);
  }
  frame.phase = std::move(round);
  for (std::size_t i = 0; entered && i < calls.size(); ++i)
    place((*entered)[i], frame, std::get<Round>(frame.phase).calls[i]);
  if (std::get<Round>(frame.phase).done()) finish_round(frame);
}

void Session::place(Entered const& entered) {
  Frame* const frame = frame_of(entered.call);
  PlannedCall* const call = planned(entered.call);
  if (call == nullptr || call->done()) return;
  place(entered, *frame, *call);
  Round const* const round = std::get_if<Round>(&frame->phase);
  if (round != nullptr && round->done()) finish_round(*frame);
}

void Session::place(Entered const& e, Frame& frame, PlannedCall& call) {
  if (e.runs) return start(frame, call, e.code.empty() ? std::string_view() : std::string_view(e.text));
  switch (e.word) {
    case CallWord::kSerialize: call.state = Waiting{}; return;
    case CallWord::kAsk:
      call.state = Asked{};
      if (setup_->attended) return ask_person(frame, call, e.text);
      return answer_for_person(frame, call, Approval::kDeny);
    case CallWord::kReuse: return reuse(frame, call, e);
    default: break;
  }
  ++sum_.refused;
  finish_call(frame, call, e.text, true);
}

void Session::ask_person(Frame const& frame, PlannedCall const& call, std::string_view why) {
  CallBlock const& block = block_of(frame, call);
  out_->commands.emplace_back(AskPerson{{call.call, block.tool, block.arguments, std::string(why), path(frame.id)}});
}

void Session::answer_for_person(Frame& /*frame*/, PlannedCall& call, Approval answer) {
  Result<Entered> entered = run_.approve(call.call, answer, now_);
  if (!entered) return;
  call.state = Waiting{};
  std::move(entered->released.begin(), entered->released.end(), std::back_inserter(released_));
  entered->released.clear();
  released_.push_back(*std::move(entered));
}

// The earlier result stands for this one too, with a word that it is already there.
void Session::reuse(Frame& frame, PlannedCall& call, Entered const& e) {
  ++sum_.refused;
  std::vector<PlannedCall> const& round = std::get<Round>(frame.phase).calls;
  auto const earlier =
      std::find_if(round.begin(), round.end(), [&](PlannedCall const& c) { return c.call == e.earlier; });
  if (earlier != round.end() && !earlier->done()) {
    call.note = e.text;
    call.state = Joining{e.earlier};
    return;
  }
  std::string text = e.text;
  bool failed = true;
  if (earlier != round.end()) {
    auto const& done = std::get<Done>(earlier->state);
    text = with_note(done.text, e.text);
    failed = done.failed;
  } else if (e.earlier.valid() && e.earlier.value <= results_.size()) {
    Place const& at = results_[e.earlier.value - 1];
    if (auto const aside = set_aside_.find(e.earlier); aside != set_aside_.end()) {
      text = with_note(aside->second.text, e.text);
      failed = aside->second.failed;
    } else if (at.frame.valid() && frames_.contains(at.frame)) {
      auto const& result = std::get<ResultBlock>(frames_.at(at.frame)->messages[at.message].blocks[at.block]);
      text = with_note(result.text, e.text);
      failed = result.failed;
    }
  }
  finish_call(frame, call, std::move(text), failed);
}

// ---------------------------------------------------------------------------------------------- running

void Session::start(Frame& frame, PlannedCall& call, std::string_view note) {
  call.note = note;
  ++sum_.calls;
  std::string const& name = block_of(frame, call).tool;
  call.state = Running{.start = recorder_->call_start(frame.id, call.call, name, 1, now_), .attempt = 1, .child = {}};
  if (call.tool == nullptr) {  // only where verdicts are observed and not enforced
    settled_.push_back({call.call, ToolResult::error(selection_.unknown_text(name))});
  } else if (call.tool->kind == EntryKind::kAgent) {
    start_function(frame, call);
  } else {
    command_start(frame, call);
  }
}

// After the process that ran it has ended.
void Session::start_again(Frame const& frame, PlannedCall& call) {
  auto& running = std::get<Running>(call.state);
  running.start = recorder_->call_start(frame.id, call.call, block_of(frame, call).tool, ++running.attempt, now_);
  command_start(frame, call);
}

void Session::command_start(Frame const& frame, PlannedCall const& call) {
  out_->commands.emplace_back(
      StartTool{call.call, frame.id, call.tool, block_of(frame, call).arguments, call.timeout_ms});
}

void Session::start_function(Frame& frame, PlannedCall& call) {
  CallId const id = call.call;
  AgentAsked const ask{id, call.tool->name, task_of(block_of(frame, call).arguments), 0, {}};
  Result<FrameId> const child = open_child(frame, ask, *call.tool);
  if (child) {
    std::get<Running>(call.state).child = *child;
  } else {
    settled_.push_back({id, ToolResult::error(child.error().text())});
  }
}

Result<FrameId> Session::open_child(Frame& parent, AgentAsked const& ask, ToolEntry const& function) {
  Result<FrameId> const id =
      run_.open_frame(ask.by, function.name, ask.max_turns ? ask.max_turns : function.max_turns, now_);
  if (!id) return id.error();
  auto frame = std::make_unique<Frame>();
  frame->id = *id;
  frame->parent = parent.id;
  frame->by = ask.by;
  frame->ticket = ask.ticket;
  frame->function = &function;
  frames_.emplace(*id, std::move(frame));
  frames_.at(*id)->messages.push_back(
      {Role::kUser,
       {TextBlock{talk::situational_note(function.name, path(*id), function.about)}, TextBlock{ask.task}}});
  ready_.push_back(*id);
  return *id;
}

// ---------------------------------------------------------------------------------------------- results

void Session::settle(CallId id, ToolResult const& result) {
  PlannedCall* const call = planned(id);
  if (call == nullptr || call->done()) return;
  Result<Left> left = run_.leave(id, {result.status, result.text}, now_);
  if (!left) return;
  Frame& frame = *frame_of(id);
  std::move(left->released.begin(), left->released.end(), std::back_inserter(released_));
  end_children(id);
  if (left->answers) std::get<Round>(frame.phase).answer = result.text;
  std::string text = talk::cut_for_model(result.text, call->max_output);
  text = route_result(frame, *call, result, *left, std::move(text));
  if (result.status == CallStatus::kTimeout && text.empty())
    text = fmt::format("timed out after {} ms", call->timeout_ms);
  if (!call->note.empty()) text = with_note(text, call->note);
  finish_call(frame, *call, std::move(text), result.status != CallStatus::kOk);
  if (std::get<Round>(frame.phase).done()) finish_round(frame);
}

// Agents that a tool started do not outlive its call.
void Session::end_children(CallId by) {
  std::vector<FrameId> children;
  for (auto const& [id, frame] : frames_) {
    if (frame->by == by && !std::holds_alternative<Ended>(frame->phase)) children.push_back(id);
  }
  std::sort(children.begin(), children.end());
  for (FrameId const id : children) {
    Frame& frame = *frames_.at(id);
    if (Result<Left> left = run_.close_frame(id, now_))  // unless the end of the call has closed it
      std::move(left->released.begin(), left->released.end(), std::back_inserter(released_));
    silence(frame, "not needed any more: the call that asked for it has ended");
    if (frame.ticket != 0)
      out_->commands.emplace_back(AnswerTool{frame.ticket, {CallStatus::kCancelled, "the call has ended"}});
    if (!frame.still_asking.valid()) frames_.erase(id);
  }
}

// Also for those that were to get its result.
void Session::finish_call(Frame& frame, PlannedCall& call, std::string text, bool failed) {
  bool const ran = std::holds_alternative<Running>(call.state);
  for (PlannedCall& other : std::get<Round>(frame.phase).calls) {
    auto const* joining = std::get_if<Joining>(&other.state);
    if (joining == nullptr || joining->earlier != call.call) continue;
    other.state = Done{ran ? with_note(text, other.note) : text, failed};
    open_calls_.erase(other.call);
  }
  call.state = Done{std::move(text), failed};
  open_calls_.erase(call.call);
}

// The message that answers every call of the round, in its order.
void Session::answer_round(Frame& frame, Round const& round) {
  std::vector<Block> const& asked = frame.messages.back().blocks;
  Message message{Role::kTool, {}};
  message.blocks.reserve(round.calls.size());
  auto const index = static_cast<std::uint32_t>(frame.messages.size());
  for (PlannedCall const& call : round.calls) {
    auto const& done = std::get<Done>(call.state);
    if (call.call.valid()) {
      if (results_.size() < call.call.value) results_.resize(call.call.value);
      results_[call.call.value - 1] = {frame.id, index, static_cast<std::uint32_t>(message.blocks.size())};
    }
    message.blocks.emplace_back(ResultBlock{std::get<CallBlock>(asked[call.block]).id, done.text, done.failed});
  }
  if (setup_->on_results) setup_->on_results(frame.id, message);
  frame.messages.push_back(std::move(message));
}

void Session::finish_round(Frame& frame) {
  Round const round = std::move(std::get<Round>(frame.phase));
  frame.phase = Ready{};
  answer_round(frame, round);
  if (!frame.rolls_back.empty()) roll_back(frame);
  if (round.answer) return end_frame(frame, {RunEnd::kFinished, *round.answer, {}, {}});
  Result<Standing> const standing = run_.standing(frame.id);
  if (standing && standing->stopped) return end_by_standing(frame, standing->code, {});
  ready_.push_back(frame.id);
}

}  // namespace backedge::agent
