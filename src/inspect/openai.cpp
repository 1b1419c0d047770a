// The OpenAI dialect: chat messages with tool_calls and role tool, and the items of the Responses API.
//
// The format has no field for failure, so a result is one when its text starts with "Error", or when the framework
// added a field that says so. Tested in tests/inspect/openai_test.cpp.
#include <string_view>
#include <utility>

#include "inspect/conversation.h"
#include "inspect/text.h"

namespace backedge::inspect {
namespace {

bool is_item_call(RawMessage const& message) {
  return message.type == "function_call" || message.type == "custom_tool_call";
}

bool is_result(RawMessage const& message) {
  return message.role == "tool" || message.role == "function" || message.type == "function_call_output" ||
         message.type == "custom_tool_call_output";
}

}  // namespace

void Conversation::add_item_call(RawMessage& message, std::int64_t line) {
  if (open_model_ == kNoIndex) open_model_ = add_model(message, line);
  Call call;
  call.id = std::move(message.call_id);
  call.tool = std::move(message.name);
  call.arguments = std::move(message.arguments);
  call.line = line;
  builder_.add_call(open_model_, std::move(call));
}

bool Conversation::add_openai(RawMessage& message, std::int64_t line) {
  if (is_item_call(message)) {
    seen_ = Format::kOpenAi;
    add_item_call(message, line);
    return true;
  }
  if (is_result(message)) {
    seen_ = Format::kOpenAi;
    open_model_ = kNoIndex;
    ResultText result = std::move(message.output);
    if (result.text.empty()) result = joined_result(message.blocks);
    if (result.text.empty()) result = {kept(message.content_json), code_points(message.content_json)};
    bool const ok = !message.failed && !result.text.starts_with("Error");
    builder_.add_result(builder_.main_thread(),
                        {std::move(message.call_id), std::move(result.text), result.chars, ok, line, message.at_ms});
    return true;
  }
  if (message.type == "reasoning") return true;  // a part of the model message that follows it
  if (message.calls.empty()) return false;
  seen_ = Format::kOpenAi;
  open_model_ = kNoIndex;
  std::uint32_t const model = add_model(message, line);
  builder_.trace().models[model].calls_chars = message.calls_chars;
  add_calls(model, message.calls, line);
  return true;
}

}  // namespace backedge::inspect
