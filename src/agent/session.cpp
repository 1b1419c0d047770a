// Inputs, and the ends of frames; see session.h.

#include "agent/session.h"

#include <algorithm>
#include <iterator>
#include <ranges>

#include <fmt/format.h>

#include "base/sha256.h"
#include "embed/policy_state.h"
#include "talk/secret_mark.h"

namespace backedge::agent {
namespace {

RunEnd end_of(std::string_view standing) {
  if (standing == "no_progress") return RunEnd::kLoop;
  if (standing == "stopped") return RunEnd::kInterrupted;
  return RunEnd::kIncomplete;
}

// What the caller of an agent function is told of an end that is no answer.
std::string failure_text(std::string_view function, std::string_view reason, std::string_view partial) {
  std::string out = fmt::format("{} did not finish: {}", function, reason);
  if (!partial.empty()) out += fmt::format("\nWhat it had so far: {}", partial);
  return out;
}

RunOptions run_options(Setup const& setup, Micros now, Recorder* recorder) {
  RunOptions out;
  out.agent = setup.agent;
  out.parent_token = setup.parent_token;
  out.token_key = setup.token_key;
  out.host_routes = setup.before_call != nullptr;
  out.now = now;
  if (recorder->on()) out.on_event = [recorder](EventView const& event) { recorder->take(event); };
  return out;
}

}  // namespace

std::string Frame::partial_answer(std::size_t since) const {
  for (std::size_t i = messages.size(); i-- > since;) {
    if (messages[i].role != Role::kAssistant) continue;
    std::string out;
    for (Block const& block : messages[i].blocks) {
      auto const* text = std::get_if<TextBlock>(&block);
      if (text == nullptr || text->text.empty()) continue;
      if (!out.empty()) out += '\n';
      out += text->text;
    }
    if (!out.empty()) return out;
  }
  return {};
}

Session::Session(std::shared_ptr<Setup const> setup, std::string name, std::unique_ptr<Recorder> recorder, Run run)
    : setup_(std::move(setup)),
      name_(std::move(name)),
      selection_(setup_->tools, setup_->tool_policy, setup_->attended),
      recorder_(std::move(recorder)),
      run_(std::move(run)) {}

Result<std::unique_ptr<Session>> Session::open(std::shared_ptr<Setup const> setup, std::string name, Micros now) {
  auto recorder = std::make_unique<Recorder>(setup->record);
  Result<Run> run = Run::open(setup->policy, run_options(*setup, now, recorder.get()));
  if (!run) return run.error();
  std::unique_ptr<Session> out(new Session(std::move(setup), std::move(name), std::move(recorder), *std::move(run)));
  auto root = std::make_unique<Frame>();
  root->id = out->run_.root();
  out->frames_.emplace(root->id, std::move(root));
  return out;
}

void Session::step(Input input, Micros now, Batch& out) {
  now_ = std::max(now_, now);
  out_ = &out;
  recorder_->start_step(&out.events);
  std::visit([this](auto& one) { take(one); }, input);
  work_off();
  out_ = nullptr;
}

// Results first, then calls that they set free, then turns: a round is whole before its frame goes on.
void Session::work_off() {
  while (!settled_.empty() || !released_.empty() || !ready_.empty()) {
    if (!settled_.empty()) {
      settle_all();
    } else if (!released_.empty()) {
      Entered const next = std::move(released_.front());
      released_.erase(released_.begin());
      place(next);
    } else {
      FrameId const next = ready_.front();
      ready_.erase(ready_.begin());
      auto const at = frames_.find(next);
      if (at != frames_.end() && std::holds_alternative<Ready>(at->second->phase)) begin_turn(*at->second);
    }
  }
}

void Session::settle_all() {
  while (!settled_.empty()) {
    Settled const next = std::move(settled_.front());
    settled_.erase(settled_.begin());
    settle(next.call, next.result);
  }
}

// ---------------------------------------------------------------------------------------------- inputs

void Session::take(Begin& input) {
  if (running_) return;
  running_ = true;
  first_call_ = last_call_ + 1;
  sum_ = {};
  sum_.run = run_id_ = input.run;
  recorder_->start_run();
  Frame& root = *frames_.at(run_.root());
  if (recorder_->on()) {
    std::string offers;
    std::int64_t bytes = 0;
    for (ToolOffer const& o : selection_.offers()) {
      offers += o.name + '\0' + o.about + '\0' + o.schema_json + '\0';
      bytes += std::ssize(o.name) + std::ssize(o.about) + std::ssize(o.schema_json);
    }
    recorder_->run_open({name_, ++run_number_, setup_->agent, setup_->model, setup_->policy_text,
                         setup_->policy.state().contracts_text(), setup_->system, sha256_hex(offers),
                         std::ssize(selection_.offers()), bytes, setup_->attended},
                        now_);
  }
  run_.user_message(input.author, now_, input.task);
  run_.restart_routing();
  give_up_questions();
  task_ = input.task;
  heard_.clear();
  heard_before_stage_ = 0;
  root.stage_start = 0;
  root.rolls_back.clear();
  root.retry.clear();
  root.short_view.reset();
  run_start_ = root.messages.size();
  for (UserSaid& said : unheard_) {
    heard_.push_back(said.text);
    say(root, std::move(said.text));
  }
  unheard_.clear();
  say(root, std::move(input.task));
  root.phase = Ready{};
  root.turns = 0;
  root.pressed = root.last_turn_called = false;
  ready_.push_back(root.id);
}

void Session::take(UserSaid& input) {
  recorder_->user_said(run_.root(), input.text, input.author, now_);
  unheard_.push_back(std::move(input));
}

void Session::take(ModelAnswered& input) {
  auto const at = frames_.find(input.frame);
  if (at == frames_.end()) return;
  Frame& frame = *at->second;
  if (frame.still_asking == input.turn && input.turn.valid()) {  // nobody waits for it, but it was paid for
    if (input.reply) {
      recorder_->model_reply(frame.id, input.turn, *input.reply, now_);
      add(input.reply->usage);
    } else {
      recorder_->model_error(frame.id, input.turn, input.reply.error(), now_);
    }
    return end_question(frame, input.reply ? input.reply->usage : Usage{});
  }
  Asking const* const asking = std::get_if<Asking>(&frame.phase);
  if (asking == nullptr || asking->turn != input.turn) return;
  recorder_->cause(asking->propose);
  if (input.reply) return answered(frame, *asking, *std::move(input.reply));
  Error const error = input.reply.error();
  recorder_->model_error(frame.id, input.turn, error, now_);
  (void)run_.leave_turn(input.turn, {}, {}, false, now_);
  frame.phase = Ready{};
  bool const stopped = error.kind == ErrorKind::kCancelled;
  end_frame(frame, {.end = stopped ? RunEnd::kInterrupted : RunEnd::kError,
                    .answer = frame.partial_answer(start_of(frame)),
                    .code = error.kind == ErrorKind::kContext ? "model.context"
                            : stopped                         ? "stopped"
                                                              : "model.error",
                    .reason = error.text()});
}

void Session::take(ToolReturned& input) {
  PlannedCall* const call = planned(input.call);
  Running const* const running = call == nullptr ? nullptr : std::get_if<Running>(&call->state);
  if (running == nullptr || running->child.valid()) {
    // Of an earlier run it is no event of this one.
    if (input.call.value >= first_call_) recorder_->call_late({}, input.call, now_);
    return;
  }
  recorder_->cause(running->start);
  settle(input.call, input.result);
}

void Session::take(PersonAnswered& input) {
  PlannedCall* const call = planned(input.call);
  if (call == nullptr || !std::holds_alternative<Asked>(call->state)) return;
  answer_for_person(*frame_of(input.call), *call, input.answer);
}

void Session::take(AgentAsked& input) {
  recorder_->agent_ask(input, now_);
  auto const refuse = [&](std::string text) {
    out_->commands.emplace_back(AnswerTool{input.ticket, ToolResult::error(std::move(text))});
  };
  PlannedCall const* const call = planned(input.by);
  Running const* const running = call == nullptr ? nullptr : std::get_if<Running>(&call->state);
  if (running == nullptr || running->child.valid()) return refuse("the call has been stopped");
  ToolEntry const* const function = setup_->tools.find(input.agent);
  if (function == nullptr || function->kind != EntryKind::kAgent)
    return refuse(fmt::format("there is no agent function named {}", input.agent));
  Result<FrameId> const child = open_child(*frame_of(input.by), input, *function);
  if (!child) refuse(child.error().text());
}

void Session::take(Compacted& input) {
  recorder_->compacted(input, now_);
  Result<Judged> judged = run_.compacted(input.frame, input.calls, input.freed, now_);
  if (judged) out_->commands.emplace_back(Judgement{input.frame, *std::move(judged)});
}

// A hook that holds a frame back says why, and the frame goes on with that.
void Session::take(HookAnswered& input) {
  auto const at = frames_.find(input.frame);
  Leaving const* const leaving = at == frames_.end() ? nullptr : std::get_if<Leaving>(&at->second->phase);
  if (leaving == nullptr) return;
  recorder_->hook_answered(input, now_);
  Frame& frame = *at->second;
  bool goes_on = frame.id == run_.root() && !unheard_.empty();  // the person has said more meanwhile
  if (!input.hook.empty()) {
    Result<Judged> judged = run_.hook_blocks(frame.id, input.hook, input.text, now_);
    if (judged && judged->word != EventWord::kSuppress) {
      say(frame, std::move(input.text));
      goes_on = true;
    }
    if (judged) out_->commands.emplace_back(Judgement{frame.id, *std::move(judged)});
  }
  if (!goes_on) return end_frame(frame, {RunEnd::kFinished, leaving->answer, {}, {}});
  frame.phase = Ready{};
  ready_.push_back(frame.id);
}

void Session::take(Cancel& input) {
  FrameId const id = input.frame.valid() ? input.frame : run_.root();
  auto const at = frames_.find(id);
  if (!running_ || at == frames_.end() || std::holds_alternative<Ended>(at->second->phase)) return;
  (void)run_.cancel(id, now_);
  Frame& frame = *at->second;
  end_frame(frame, {.end = RunEnd::kInterrupted,
                    .answer = frame.partial_answer(start_of(frame)),
                    .code = "stopped",
                    .reason = "it was stopped"});
}

void Session::take(Resumed& input) {
  if (!running_) {  // bringing it back has brought it to its end: only the record of that was missing
    out_->commands.emplace_back(Finish{sum_});
    return;
  }
  std::vector<CallId> const calls = running_calls();
  recorder_->run_resume(input.unknown, calls, now_);
  auto const first = static_cast<std::ptrdiff_t>(out_->commands.size());
  for (CallId const id : calls) {
    PlannedCall const& call = *planned(id);
    if (input.unknown == UnknownCalls::kAgain || call.reads || (call.tool != nullptr && call.tool->idempotent))
      continue;
    settled_.push_back({id,
                        {CallStatus::kUnknown,
                         "the program ended while this ran, and nobody knows whether it was done; look before doing "
                         "it again"}});
  }
  settle_all();  // first: what ends here takes with it what would be started again below it
  for (CallId const id : calls) end_children(id);  // of tools that have ended: nobody waits for their answers
  give_up_questions();
  // What is stopped or answered up to here went down with its process.
  out_->commands.erase(std::remove_if(out_->commands.begin() + first, out_->commands.end(),
                                      [](Command const& c) { return !std::holds_alternative<Finish>(c); }),
                       out_->commands.end());
  for (CallId const id : calls) {
    PlannedCall* const call = planned(id);
    if (call == nullptr || call->done()) continue;
    if (talk::has_lost_a_secret(block_of(*frame_of(id), *call).arguments)) {
      settled_.push_back({id,
                          {CallStatus::kUnknown,
                           "not run again: its arguments held a secret that was not kept, and nobody knows whether it "
                           "was done; look before doing it again"}});
      continue;
    }
    start_again(*frame_of(id), *call);
  }
  for (FrameId const id : below(run_.root())) {
    Frame const& frame = *frames_.at(id);
    if (auto const* asking = std::get_if<Asking>(&frame.phase)) out_->commands.emplace_back(AskModel{id, asking->turn});
    if (std::holds_alternative<Leaving>(frame.phase)) out_->commands.emplace_back(AskHooks{id});
    Round const* const round = std::get_if<Round>(&frame.phase);
    for (std::size_t i = 0; round != nullptr && i < round->calls.size(); ++i) {
      if (std::holds_alternative<Asked>(round->calls[i].state)) ask_person(frame, round->calls[i], {});
    }
  }
}

// What the model did with a question that nobody waits for: it is paid for, and no more.
void Session::end_question(Frame& frame, Usage const& usage) {
  (void)run_.leave_turn(frame.still_asking, usage, {}, false, now_);
  frame.still_asking = {};
  --still_asking_;
  if (frame.id != run_.root()) frames_.erase(frame.id);
}

// The process that asked has ended, and with it the questions: no answer will be brought.
void Session::give_up_questions() {
  std::vector<FrameId> asking;
  for (auto const& [id, frame] : frames_)
    if (frame->still_asking.valid()) asking.push_back(id);
  std::sort(asking.begin(), asking.end());
  for (FrameId const id : asking) end_question(*frames_.at(id), {});
}

std::vector<CallId> Session::running_calls() const {
  std::vector<CallId> out;
  for (auto const& [id, frame] : frames_) {
    Round const* const round = std::get_if<Round>(&frame->phase);
    if (round == nullptr) continue;
    for (PlannedCall const& call : round->calls) {
      auto const* running = std::get_if<Running>(&call.state);
      if (running != nullptr && !running->child.valid()) out.push_back(call.call);
    }
  }
  std::sort(out.begin(), out.end());
  return out;
}

// ---------------------------------------------------------------------------------------------- ends

std::vector<FrameId> Session::below(FrameId top) const {
  std::vector<FrameId> out{top};
  for (std::size_t i = 0; i < out.size(); ++i) {
    for (auto const& [id, frame] : frames_) {
      if (frame->parent == out[i] && !std::holds_alternative<Ended>(frame->phase)) out.push_back(id);
    }
  }
  std::sort(out.begin() + 1, out.end());  // ids are given in order: parents before children
  return out;
}

namespace {

// What the model reads of a call that was ended from outside: it must not take what had begun for what never did.
std::string closed_text(Running const* running, std::string_view why) {
  if (running == nullptr) return fmt::format("not_started: {}; it had not begun, and nothing was done", why);
  if (running->child.valid())
    return fmt::format("interrupted_running: {}; the agent was at work, and what its calls have done stays done", why);
  return fmt::format(
      "interrupted_running: {}; it had begun, and what it did by then is not known: look before doing it again", why);
}

}  // namespace

// Ends what is under way in a frame and below it: every call gets its result, every model is told that nobody waits.
void Session::silence(Frame& top, std::string_view why) {
  std::vector<FrameId> const frames = below(top.id);
  for (FrameId const id : frames | std::views::reverse) {
    Frame& frame = *frames_.at(id);
    if (auto const* asking = std::get_if<Asking>(&frame.phase)) {
      out_->commands.emplace_back(StopModel{frame.id, asking->turn});
      frame.still_asking = asking->turn;
      ++still_asking_;
    }
    if (Round* const round = std::get_if<Round>(&frame.phase)) {
      for (PlannedCall& call : round->calls) close_call(call, why);
      answer_round(frame, *round);
    }
    frame.phase = Ended{};
    if (frame.ticket != 0 && id != top.id)
      out_->commands.emplace_back(AnswerTool{frame.ticket, {CallStatus::kCancelled, std::string(why)}});
    if (id != top.id && !frame.still_asking.valid()) frames_.erase(id);
  }
}

void Session::close_call(PlannedCall& call, std::string_view why) {
  if (call.done()) return;
  auto const* const running = std::get_if<Running>(&call.state);
  std::string text = closed_text(running, why);
  if (running != nullptr) {
    if (!running->child.valid()) out_->commands.emplace_back(StopTool{call.call});
    if (Result<Left> left = run_.leave(call.call, {CallStatus::kCancelled, text}, now_))
      std::move(left->released.begin(), left->released.end(), std::back_inserter(released_));
  } else if (std::holds_alternative<Asked>(call.state)) {  // whoever was asked need not answer any more
    if (Result<Entered> entered = run_.approve(call.call, Approval::kTimeout, now_))
      std::move(entered->released.begin(), entered->released.end(), std::back_inserter(released_));
  }
  call.state = Done{std::move(text), true};
  open_calls_.erase(call.call);
}

// The frame's end in the words of the kernel, which has ended it.
void Session::end_by_standing(Frame& frame, std::string code, std::string reason) {
  Result<Standing> const standing = run_.standing(frame.id);
  RunEnd const end = standing && standing->stopped ? end_of(standing->end) : RunEnd::kIncomplete;
  if (code.empty() && standing) code = standing->code;
  if (reason.empty()) reason = end == RunEnd::kLoop ? "it was stopped as a loop" : "a limit was reached";
  end_frame(frame, {end, frame.partial_answer(start_of(frame)), std::move(code), std::move(reason)});
}

void Session::end_frame(Frame& frame, Ending ending) {
  bool const good = ending.end == RunEnd::kFinished;
  silence(frame, good ? "not needed any more: the answer is there" : "stopped: " + ending.reason);
  if (frame.id == run_.root()) return finish_run(frame, std::move(ending));
  ToolResult result{good ? CallStatus::kOk : CallStatus::kError, std::move(ending.answer)};
  if (ending.end == RunEnd::kInterrupted) result.status = CallStatus::kCancelled;
  if (!good) result.text = failure_text(frame.function->name, ending.reason, result.text);
  if (Result<Left> left = run_.close_frame(frame.id, now_))
    std::move(left->released.begin(), left->released.end(), std::back_inserter(released_));
  if (frame.ticket != 0) {
    out_->commands.emplace_back(AnswerTool{frame.ticket, std::move(result)});
  } else {
    settled_.push_back({frame.by, std::move(result)});
  }
  if (!frame.still_asking.valid()) frames_.erase(frame.id);
}

void Session::finish_run(Frame& root, Ending ending) {
  running_ = false;
  sum_.end = ending.end;
  sum_.answer = std::move(ending.answer);
  sum_.code = std::move(ending.code);
  sum_.reason = std::move(ending.reason);
  sum_.limit_pressed = root.pressed;
  sum_.pressed_by = root.pressed ? root.pressed_by : std::string();
  std::optional<std::int64_t> limit;
  if (Result<std::optional<std::int64_t>> left = run_.turns_left(root.id, now_); left && *left)
    limit = **left + root.turns;
  // Four fifths of it are gone, and it called still, or called until it was made to answer.
  bool const near = (root.last_turn_called || root.pressed) && limit && root.turns * 5 >= *limit * 4;
  bool const beyond = ending.end == RunEnd::kIncomplete && sum_.code.starts_with("budget.");
  recorder_->run_close(sum_, near || beyond, limit, now_);
  out_->commands.emplace_back(Finish{sum_});
}

}  // namespace backedge::agent
