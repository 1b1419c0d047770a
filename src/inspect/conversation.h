// A conversation as an array of messages, in the dialects of OpenAI and Anthropic: one message at a time into a trace.
//
// The dialect is seen message by message, because plain text looks the same in both. OpenAI (openai.cpp): calls in
// `tool_calls` or `function_call`, results as messages of role `tool` or `function`; also the items of the Responses
// API, where calls that follow each other are one model message. Anthropic (anthropic.cpp): calls and results are
// content blocks. Tested in tests/inspect/openai_test.cpp and anthropic_test.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "inspect/builder.h"
#include "inspect/content.h"

namespace backedge::inspect {

/// The members of a message or item, under one name each.
struct RawMessage {
  std::string role;
  std::string type;  // of an item of the Responses API: "function_call", "function_call_output", …
  std::string id;
  std::string name;
  std::string model;
  std::string call_id;
  std::string arguments;
  std::vector<Block> blocks;     // of content
  std::string content_json;      // content that is a JSON object
  std::vector<Block> calls;      // of tool_calls or function_call
  std::int64_t calls_chars = 0;  // their length as JSON
  ResultText output;             // of a function_call_output
  UsageReading usage;
  std::int64_t at_ms = 0;
  bool failed = false;  // the message says that it is an error
};

/// Whether the value was a message at all.
bool is_message(RawMessage const& message);

class Conversation {
 public:
  explicit Conversation(std::string path) : builder_(std::move(path)) {}

  void add(RawMessage&& message, std::int64_t line);
  /// The system prompt, where it stands beside the messages: it comes first, because every request begins with it.
  void add_system(std::string text, std::int64_t chars);
  bool empty() const { return builder_.trace().threads.empty(); }
  void problem(std::string const& what, std::int64_t line) { builder_.problem(what, line); }
  /// `format`: kUnknown to name it after the dialect that was seen.
  Trace finish(std::string title, Format format);

 private:
  bool add_openai(RawMessage& message, std::int64_t line);     // openai.cpp; false: it is not of this dialect
  bool add_anthropic(RawMessage& message, std::int64_t line);  // anthropic.cpp; the same
  void add_plain(RawMessage& message, std::int64_t line);
  std::uint32_t add_model(RawMessage& message, std::int64_t line);
  void add_calls(std::uint32_t model, std::vector<Block>& calls, std::int64_t line);
  void add_item_call(RawMessage& message, std::int64_t line);

  TraceBuilder builder_;
  Format seen_ = Format::kMessages;
  std::uint32_t open_model_ = kNoIndex;  // the model message that further items still belong to
};

}  // namespace backedge::inspect
