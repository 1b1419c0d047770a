// Request, Wait, Respond, Decide: one question to a model and what follows from its answer. See session.h.

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "agent/session.h"

namespace backedge::agent {
namespace {

std::string text_of(Message const& message) {
  std::string out;
  for (Block const& block : message.blocks) {
    auto const* text = std::get_if<TextBlock>(&block);
    if (text == nullptr) continue;
    if (!out.empty()) out += '\n';
    out += text->text;
  }
  return out;
}

std::int64_t bytes_of(std::span<Message const> messages) {
  std::int64_t out = 0;
  for (Message const& message : messages) {
    for (Block const& block : message.blocks) {
      std::visit(
          [&](auto const& one) {
            using T = std::decay_t<decltype(one)>;
            if constexpr (std::is_same_v<T, CallBlock>) {
              out += static_cast<std::int64_t>(one.arguments.size());
            } else {
              out += static_cast<std::int64_t>(one.text.size());
            }
          },
          block);
    }
  }
  return out;
}

// What follows a pause belongs to the message that was paused: roles keep alternating.
void take_message(Frame& frame, Message message) {
  if (frame.messages.empty() || frame.messages.back().role != Role::kAssistant) {
    frame.messages.push_back(std::move(message));
    return;
  }
  std::vector<Block>& blocks = frame.messages.back().blocks;
  std::move(message.blocks.begin(), message.blocks.end(), std::back_inserter(blocks));
  --frame.counted;  // the message has grown
}

}  // namespace

std::string_view Session::model_of(FrameId frame) const {
  auto const at = frames_.find(frame);
  ToolEntry const* const function = at == frames_.end() ? nullptr : at->second->function;
  return function != nullptr && !function->model.empty() ? std::string_view(function->model) : setup_->model;
}

Request Session::request(FrameId id) const {
  Frame const& frame = *frames_.at(id);
  auto const* asking = std::get_if<Asking>(&frame.phase);
  return {.model = model_of(id),
          .system = setup_->system,
          .tools = selection_.offers(),
          .messages = frame.short_view ? std::span<Message const>(*frame.short_view) : frame.messages,
          .may_call = asking == nullptr || !asking->final,
          .max_output_tokens = 0,
          .agent = frame.function == nullptr ? std::string_view(setup_->agent) : frame.function->name,
          .frame = id,
          .turn = frame.turns};
}

Estimate Session::estimate(Request const& request) const {
  return setup_->estimate ? setup_->estimate(request) : Estimate{.cost_nano_usd = 0};
}

void Session::add(Usage const& u) {
  sum_.usage.input_tokens += u.input_tokens;
  sum_.usage.output_tokens += u.output_tokens;
  sum_.usage.cost_nano_usd += u.cost_nano_usd;
  sum_.usage.cache_read_tokens += u.cache_read_tokens;
  sum_.usage.cache_write_tokens += u.cache_write_tokens;
  sum_.usage.reasoning_tokens += u.reasoning_tokens;
}

// A word to the model. It goes into the message that the model has not seen yet, so that roles keep alternating.
void Session::say(Frame& frame, std::string text) {
  if (frame.messages.empty() || frame.messages.back().role == Role::kAssistant)
    frame.messages.push_back({Role::kUser, {}});
  frame.messages.back().blocks.emplace_back(TextBlock{std::move(text)});
}

void Session::hear_person(Frame& root) {
  for (UserSaid& said : unheard_) {
    run_.user_message(said.author, now_, said.text);
    heard_.push_back(said.text);
    say(root, std::move(said.text));
  }
  unheard_.clear();
}

void Session::begin_turn(Frame& frame) {
  if (frame.id == run_.root()) hear_person(frame);
  ++frame.turns;
  Request const question = request(frame.id);
  Estimate const e = estimate(question);
  std::int64_t const input =
      std::max(e.input_tokens, frame.last_input + bytes_of(question.messages.subspan(frame.counted)) / 4);
  frame.counted = frame.messages.size();
  frame.last_input = input;
  Result<Turn> const turn = run_.enter_turn(frame.id, {input, e.max_output_tokens, e.cost_nano_usd}, now_);
  if (!turn || !turn->goes()) {
    --frame.turns;
    return stop_turn(frame, turn ? *turn
                                 : Turn{.id = {},
                                        .word = TurnWord::kStop,
                                        .code = "stopped",
                                        .text = turn.error().text(),
                                        .frame = frame.id});
  }
  ++sum_.turns;
  if (!turn->note.empty()) enter_stage(frame, turn->note);
  bool const final = turn->word == TurnWord::kFinal;
  if (final) {
    frame.pressed = true;
    frame.pressed_by = turn->code;
    say(frame, turn->text);
  }
  if (!frame.retry.empty()) shorten_view(frame);
  frame.phase = Asking{turn->id, recorder_->seq(), final};
  out_->commands.emplace_back(AskModel{frame.id, turn->id});
}

// The verdict names the frame that ends: this one or one above it.
void Session::stop_turn(Frame& frame, Turn const& turn) {
  auto const named = frames_.find(turn.frame);
  Frame& ends = named == frames_.end() ? frame : *named->second;
  end_by_standing(ends, turn.code, turn.text);
}

void Session::answered(Frame& frame, Asking asking, Reply reply) {
  recorder_->model_reply(frame.id, asking.turn, reply, now_);
  add(reply.usage);
  if (reply.usage.input_tokens > 0) frame.last_input = reply.usage.input_tokens;
  frame.phase = Ready{};
  frame.short_view.reset();
  reply.message.role = Role::kAssistant;
  bool const has_calls = std::any_of(reply.message.blocks.begin(), reply.message.blocks.end(),
                                     [](Block const& b) { return std::holds_alternative<CallBlock>(b); });
  frame.last_turn_called = has_calls;
  std::string const text = text_of(reply.message);
  Result<Turn> const turn = run_.leave_turn(asking.turn, reply.usage, text, has_calls, now_);
  std::optional<StopReason> const reason = stop_reason(reply.stop_reason);
  std::string const word = std::move(reply.stop_reason);
  take_message(frame, std::move(reply.message));
  bool const stops = turn && turn->word == TurnWord::kStop;
  if (has_calls && (stops || !reason)) {  // no call is left without an answer
    Round const round =
        refuse_all(frame, stops ? "not run: " + turn->text : "not run: the message ended for an unknown reason");
    answer_round(frame, round);
  }
  if (stops) return stop_turn(frame, *turn);
  if (!reason) {
    return end_frame(frame, {.end = RunEnd::kError,
                             .answer = text,
                             .code = "model.stop_reason",
                             .reason = fmt::format("the model stopped for a reason that is not known: {}", word)});
  }
  decide(frame, *reason, text, has_calls);
}

void Session::decide(Frame& frame, StopReason reason, std::string_view text, bool has_calls) {
  switch (reason) {
    case StopReason::kRefusal:
    case StopReason::kContext: {
      bool const refused = reason == StopReason::kRefusal;
      std::string_view const why =
          refused ? "the model refused to answer" : "the conversation is longer than the model's window";
      if (has_calls) answer_round(frame, refuse_all(frame, fmt::format("not run: {}", why)));
      return end_frame(frame, {RunEnd::kError, frame.partial_answer(start_of(frame)),
                               refused ? "model.refusal" : "model.context", std::string(why)});
    }
    case StopReason::kMaxTokens:
      if (!setup_->continue_cut) {
        if (has_calls) answer_round(frame, refuse_all(frame, "not run: the message was cut off at its token limit"));
        return end_frame(frame, {RunEnd::kIncomplete, frame.partial_answer(start_of(frame)), "model.max_tokens",
                                 "the model's message was cut off at its token limit"});
      }
      if (has_calls) return act(frame, true);
      say(frame, "Your message was cut off at its token limit. Go on exactly where it ended.");
      break;
    case StopReason::kPause: break;
    case StopReason::kDone:
    case StopReason::kToolUse:
      if (has_calls) return act(frame, false);
      if (frame.id == run_.root() && !unheard_.empty()) break;  // the person has said more meanwhile
      if (Result<bool> const goes_on = run_.answered(frame.id); goes_on && *goes_on) break;
      if (!setup_->end_hooks) return end_frame(frame, {RunEnd::kFinished, std::string(text), {}, {}});
      frame.phase = Leaving{std::string(text)};
      out_->commands.emplace_back(AskHooks{frame.id});
      return;
  }
  if (has_calls) return act(frame, false);
  ready_.push_back(frame.id);
}

}  // namespace backedge::agent
