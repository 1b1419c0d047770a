// Reading recorded conversations; see recording.h.

#include "models/recording.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "base/text.h"
#include "models/json_text.h"

namespace backedge::models {
namespace {

namespace json = boost::json;

std::string_view string_or_empty(JsonPart const& of, std::string_view name) {
  JsonPart const part = of.member(name);
  return part.string() == nullptr ? std::string_view() : std::string_view(*part.string());
}

// A member that stands for nothing when it is not there or null.
JsonPart given(JsonPart const& of, std::string_view name) {
  JsonPart const part = of.member(name);
  return part && !part.value->is_null() ? part : JsonPart{};
}

// The list of messages that an object holds, if it is a conversation.
JsonPart list_of(JsonPart const& object) {
  for (std::string_view const name : {"messages", "traj"}) {
    if (JsonPart const list = object.member(name); list && list.value->is_array()) return list;
  }
  return {};
}

bool is_message(JsonPart const& part) { return static_cast<bool>(part.member("role")); }

}  // namespace

class RecordingReader {
 public:
  explicit RecordingReader(std::string file) { out_.file_ = std::move(file); }

  Result<Recording> read(std::vector<JsonPart> const& messages) {
    for (JsonPart const& message : messages) {
      ++index_;
      read_message(message);
      if (error_) return *error_;
    }
    if (out_.replies_.empty())
      return Error{ErrorKind::kInput, "holds no message of a model; a recording has role \"assistant\" in it",
                   where(0)};
    return std::move(out_);
  }

 private:
  // The calls of one id, and which of them got the last result.
  struct Open {
    std::vector<std::size_t> calls;
    std::size_t next = 0;
  };

  Where where(int line) const { return {out_.file_, line, 0}; }

  void fail(JsonPart const& at, std::string const& what) {
    if (!error_) error_ = Error{ErrorKind::kInput, fmt::format("message {}: {}", index_, what), where(at.line)};
  }

  void read_message(JsonPart const& message) {
    if (message.object() == nullptr) return fail(message, "is no object; take it out, or make it {\"role\": …}");
    std::string_view const role = string_or_empty(message, "role");
    if (role == "assistant") return read_reply(message);
    if (role == "tool") return read_tool(message);
    if (role == "user") return read_user(message);
    if (role == "system" || role == "developer") return;
    fail(message, fmt::format("has the role {}; known are assistant, developer, system, tool, user",
                              role.empty() ? "of nobody" : in_quotes(role, 40)));
  }

  // A text, or blocks of which the texts are joined by line ends.
  std::string text_of(JsonPart const& content) {
    if (!content) return {};
    if (content.string() != nullptr) return std::string(*content.string());
    if (!content.value->is_array()) {
      fail(content, "its content is neither a text nor a list of blocks");
      return {};
    }
    std::string out;
    for (JsonPart const& block : content.elements()) {
      JsonPart const text = block.member("text");
      if (text.string() == nullptr) continue;
      if (!out.empty()) out += '\n';
      out += *text.string();
    }
    return out;
  }

  void read_reply(JsonPart const& message) {
    Reply reply;
    reply.message.role = Role::kAssistant;
    JsonPart const content = given(message, "content");
    if (content && content.value->is_array()) {
      for (JsonPart const& block : content.elements()) read_block(block, reply);
    } else if (std::string text = text_of(content); !text.empty()) {
      reply.message.blocks.emplace_back(TextBlock{std::move(text)});
    }
    if (JsonPart const calls = given(message, "tool_calls")) {
      if (!calls.value->is_array()) return fail(calls, "\"tool_calls\" is no list");
      for (JsonPart const& call : calls.elements()) read_openai_call(call, reply);
    }
    if (given(message, "function_call"))
      return fail(message, "\"function_call\" is the form before tool_calls; convert the file to tool_calls");
    bool const calls = std::ranges::any_of(reply.message.blocks,
                                           [](Block const& block) { return std::holds_alternative<CallBlock>(block); });
    std::string_view recorded = string_or_empty(message, "stop_reason");
    if (recorded.empty()) recorded = string_or_empty(message, "finish_reason");
    reply.stop_reason = !recorded.empty() ? std::string(recorded) : calls ? "tool_use" : "end_turn";
    out_.replies_.push_back(std::move(reply));
  }

  void read_block(JsonPart const& block, Reply& reply) {
    std::string_view const type = string_or_empty(block, "type");
    if (type == "text") {
      reply.message.blocks.emplace_back(TextBlock{std::string(string_or_empty(block, "text"))});
    } else if (type == "tool_use") {
      JsonPart const input = block.member("input");
      std::string_view const name = string_or_empty(block, "name");
      if (name.empty()) return fail(block, "a tool_use block names no tool; give it a \"name\"");
      add_call(string_or_empty(block, "id"), name, input ? input.text : "{}", reply);
    }
  }

  void read_openai_call(JsonPart const& call, Reply& reply) {
    JsonPart const function = call.member("function");
    std::string_view const name = string_or_empty(function, "name");
    JsonPart const arguments = function.member("arguments");
    if (name.empty()) return fail(call, "a tool call names no function; give it \"function\": {\"name\": …}");
    if (arguments && arguments.string() == nullptr)
      return fail(arguments, "the arguments of a tool call are no text; write them as a JSON text in quotes");
    add_call(string_or_empty(call, "id"), name, string_or_empty(function, "arguments"), reply);
  }

  void add_call(std::string_view id, std::string_view tool, std::string_view arguments, Reply& reply) {
    std::string const stem = id.empty() ? "call" : std::string(id);
    std::string own(id);
    for (std::size_t& n = tries_.try_emplace(stem, id.empty() ? 0 : 1).first->second;
         own.empty() || ids_.contains(own);)
      own = fmt::format("{}_{}", stem, ++n);
    ids_.insert(own);
    // A result belongs to the oldest call of its id that has none; one too many replaces the last.
    open_[std::string(id)].calls.push_back(out_.calls_.size());
    reply.message.blocks.emplace_back(CallBlock{own, std::string(tool), std::string(arguments)});
    out_.calls_.push_back({std::move(own), std::string(tool), std::string(arguments), std::nullopt, false});
  }

  void add_result(JsonPart const& at, std::string_view id, std::string text, bool failed) {
    auto const found = open_.find(std::string(id));
    if (found == open_.end())
      return fail(at, fmt::format("is the result of a call {} that no message before it makes; take it out",
                                  id.empty() ? "without an id" : in_quotes(id, 64)));
    Open& open = found->second;
    if (open.next + 1 < open.calls.size() && out_.calls_[open.calls[open.next]].result) ++open.next;
    RecordedCall& call = out_.calls_[open.calls[open.next]];
    call.result = std::move(text);
    call.failed = failed;
  }

  void read_tool(JsonPart const& message) {
    std::string text = text_of(given(message, "content"));
    bool const failed = text.starts_with("Error");
    add_result(message, string_or_empty(message, "tool_call_id"), std::move(text), failed);
  }

  void read_user(JsonPart const& message) {
    JsonPart const content = given(message, "content");
    if (out_.task_.empty()) out_.task_ = text_of(content);
    for (JsonPart const& block : content.elements()) {
      if (string_or_empty(block, "type") != "tool_result") continue;
      JsonPart const failed = block.member("is_error");
      add_result(block, string_or_empty(block, "tool_use_id"), text_of(given(block, "content")),
                 failed && failed.value->is_bool() && failed.value->get_bool());
    }
  }

  Recording out_;
  std::size_t index_ = 0;
  std::optional<Error> error_;
  std::unordered_set<std::string> ids_;                 // of calls so far, as handed out
  std::unordered_map<std::string, std::size_t> tries_;  // numbers that an id has been given
  std::unordered_map<std::string, Open> open_;          // by the file's id
};

Result<Recording> Recording::parse(std::string text, std::string const& file, std::size_t number) {
  Result<JsonDocument> document = JsonDocument::read(std::move(text), file);
  if (!document) return document.error();
  std::vector<JsonPart> parts = document->roots();
  if (!document->by_lines() && parts[0].value->is_array()) parts = parts[0].elements();
  std::vector<std::vector<JsonPart>> conversations;
  for (JsonPart const& part : parts) {
    if (JsonPart const list = list_of(part)) conversations.push_back(list.elements());
  }
  bool const plain = conversations.empty();
  if (plain) conversations.push_back(parts);
  if (plain && (parts.empty() || !is_message(parts[0])))
    return Error{ErrorKind::kInput,
                 R"(is no conversation: expected a list of {"role": …}, or an object with "messages" or "traj")",
                 {file, parts.empty() ? 0 : parts[0].line, 0}};
  if (!plain && conversations.size() < parts.size()) {
    for (JsonPart const& part : parts) {
      if (!list_of(part))
        return Error{ErrorKind::kInput,
                     R"(stands among conversations and has no "messages" or "traj"; take it out)",
                     {file, part.line, 0}};
    }
  }
  std::size_t const count = conversations.size();
  if (number > count || (number == 0 && count > 1))
    return Error{ErrorKind::kUsage,
                 fmt::format("holds {} conversation{}; choose one by its number, as in {}#1", count,
                             count == 1 ? "" : "s", file),
                 {file}};
  return RecordingReader(file).read(conversations[number == 0 ? 0 : number - 1]);
}

Result<Recording> Recording::load(std::string const& path, std::size_t number) {
  Result<std::string> text = read_file(path, kMaxBytes);
  if (!text) return text.error();
  return parse(std::move(*text), path, number);
}

}  // namespace backedge::models
