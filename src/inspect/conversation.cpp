// What both dialects of message arrays have in common: plain messages, and model messages with their calls.
//
// Tested in tests/inspect/openai_test.cpp and anthropic_test.cpp.
#include "inspect/conversation.h"

#include <algorithm>
#include <utility>

#include "inspect/text.h"

namespace backedge::inspect {

bool is_message(RawMessage const& message) {
  return !message.role.empty() || message.type == "function_call" || message.type == "function_call_output" ||
         message.type == "custom_tool_call" || message.type == "custom_tool_call_output" || message.type == "reasoning";
}

void Conversation::add(RawMessage&& message, std::int64_t line) {
  if (!add_anthropic(message, line) && !add_openai(message, line)) add_plain(message, line);
}

void Conversation::add_system(std::string text, std::int64_t chars) {
  if (text.empty()) return;
  UserMessage user;
  user.author = Author::kSystem;
  user.text = std::move(text);
  user.chars = chars;
  user.thread = builder_.main_thread();
  builder_.add_user(std::move(user));
  std::vector<Step>& steps = builder_.trace().threads[builder_.main_thread()].steps;
  std::rotate(steps.begin(), steps.end() - 1, steps.end());
}

std::uint32_t Conversation::add_model(RawMessage& message, std::int64_t line) {
  ModelMessage model;
  model.id = std::move(message.id);
  model.model = std::move(message.model);
  model.text = joined_text(message.blocks);
  for (Block const& block : message.blocks) model.chars += block.kind == Block::Kind::kText ? block.chars : 0;
  model.usage = message.usage.usage;
  model.cost_nano = message.usage.cost_nano;
  model.thread = builder_.main_thread();
  model.line = line;
  model.at_ms = message.at_ms;
  return builder_.add_model(std::move(model));
}

void Conversation::add_calls(std::uint32_t model, std::vector<Block>& calls, std::int64_t line) {
  for (Block& block : calls) {
    if (block.kind != Block::Kind::kCall) continue;
    Call call;
    call.id = std::move(block.id);
    call.tool = std::move(block.tool);
    call.arguments = std::move(block.arguments);
    call.line = line;
    builder_.add_call(model, std::move(call));
  }
}

void Conversation::add_plain(RawMessage& message, std::int64_t line) {
  if (message.role == "assistant" || message.role == "model") {
    std::uint32_t const model = add_model(message, line);
    open_model_ = message.type == "message" ? model : kNoIndex;
    return;
  }
  open_model_ = kNoIndex;
  UserMessage user;
  bool const system = message.role == "system" || message.role == "developer";
  user.author = system ? Author::kSystem : Author::kPerson;
  user.text = joined_text(message.blocks);
  for (Block const& block : message.blocks) user.chars += block.kind == Block::Kind::kText ? block.chars : 0;
  user.thread = builder_.main_thread();
  user.line = line;
  user.at_ms = message.at_ms;
  builder_.add_user(std::move(user));
}

Trace Conversation::finish(std::string title, Format format) {
  Trace trace = builder_.finish();
  trace.title = std::move(title);
  trace.format = format == Format::kUnknown ? seen_ : format;
  return trace;
}

}  // namespace backedge::inspect
