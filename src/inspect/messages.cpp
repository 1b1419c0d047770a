// The containers around message arrays. An object is read member by member, and what it is turns out at its end.
//
// Recursion is limited by kDeepest, not by the input. Tested in tests/inspect/messages_test.cpp.
#include "inspect/messages.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "inspect/text.h"

namespace backedge::inspect {
namespace {

constexpr int kDeepest = 3;  // levels of lists

constexpr std::array<std::string_view, 9> kLists{"conversation", "conversations", "data",
                                                 "messages",     "results",       "simulations",
                                                 "traj",         "trajectories",  "trajectory"};
static_assert(std::is_sorted(kLists.begin(), kLists.end()));

bool is_list(std::string_view name) { return std::binary_search(kLists.begin(), kLists.end(), name); }

bool is_failure(Json& json, JsonValue value) {
  if (json.type(value) == JsonType::kBool) return json.truth(value);
  return !json.text(value).empty();
}

/// Arguments as recorded: the content of a text, or the JSON itself.
std::string arguments_text(Json& json, JsonValue value) {
  if (json.type(value) == JsonType::kString) return std::string(json.text(value));
  return std::string(json.raw(value));
}

/// One element of tool_calls, or a function_call.
Block read_call(Json& json, JsonValue value) {
  Block call;
  call.kind = Block::Kind::kCall;
  json.members(value, [&](std::string_view name, JsonValue member) {
    if (name == "id") {
      call.id = json.text(member);
    } else if (name == "name") {
      call.tool = json.text(member);
    } else if (name == "arguments" || name == "args" || name == "input") {
      call.arguments = arguments_text(json, member);
    } else if (name == "function" || name == "custom") {
      json.members(member, [&](std::string_view key, JsonValue part) {
        if (key == "name") call.tool = json.text(part);
        if (key == "arguments" || key == "input") call.arguments = arguments_text(json, part);
      });
    }
  });
  return call;
}

void read_message_body(Json& json, std::string_view name, JsonValue value, RawMessage& message) {
  if (name == "content") {
    JsonValue content = value;
    if (json.type(content) == JsonType::kObject) {
      message.content_json = json.raw(content);
    } else {
      read_content(json, content, message.blocks);
    }
  } else if (name == "tool_calls") {
    if (json.type(value) != JsonType::kArray) return;
    char const* const start = Json::start(value);
    json.elements(value, [&](JsonValue call) { message.calls.push_back(read_call(json, call)); });
    message.calls_chars = spaced_length(json.since(start));
  } else if (name == "function_call") {
    if (json.type(value) != JsonType::kObject) return;
    char const* const start = Json::start(value);
    message.calls.push_back(read_call(json, value));
    message.calls_chars = spaced_length(json.since(start));
  } else if (name == "arguments" || name == "input") {
    message.arguments = arguments_text(json, value);
  } else if (name == "output") {
    message.output = read_result(json, value);
  } else if (name == "usage") {
    message.usage = read_usage(json, value);
  } else if (name == "is_error" || name == "error") {
    message.failed = message.failed || is_failure(json, value);
  } else if (name == "status") {
    message.failed = message.failed || json.text(value) == "error";
  }
}

void read_message_member(Json& json, std::string_view name, JsonValue value, RawMessage& message) {
  if (name == "role") {
    message.role = json.text(value);
  } else if (name == "type") {
    message.type = json.text(value);
  } else if (name == "id") {
    message.id = arguments_text(json, value);
  } else if (name == "name") {
    message.name = json.text(value);
  } else if (name == "model") {
    message.model = json.text(value);
  } else if (name == "tool_call_id" || name == "call_id") {
    message.call_id = json.text(value);
  } else if (name == "timestamp") {
    message.at_ms = time_ms(json.text(value));
  } else {
    read_message_body(json, name, value, message);
  }
}

void read_tool_list(Json& json, JsonValue list, MessageRecord& record) {
  if (json.type(list) != JsonType::kArray) return;
  std::int64_t count = 0;
  char const* const start = Json::start(list);
  json.elements(list, [&](JsonValue tool) { count += json.type(tool) == JsonType::kObject ? 1 : 0; });
  if (json.failed()) return;
  record.tools = count;
  record.tools_chars = code_points(json.since(start));
}

/// The list of tools of a request: an array, or the text of one.
void read_tools(Json& json, JsonValue value, MessageRecord& record) {
  if (json.type(value) != JsonType::kString) return read_tool_list(json, value, record);
  PaddedText const copy{std::string(json.text(value))};
  Json inner;
  if (!inner.open(copy.view())) return;
  MessageRecord read;
  read_tool_list(inner, inner.root(), read);
  if (inner.failed() || read.tools < 0) return;
  record.tools = read.tools;
  record.tools_chars = read.tools_chars;
}

/// True when the member was one of them.
bool read_record_member(Json& json, std::string_view name, JsonValue value, MessageRecord& record) {
  if (name == "task_id") {
    record.task = arguments_text(json, value);
  } else if (name == "trial") {
    record.trial = arguments_text(json, value);
  } else if (name == "session_id" || name == "conversation_id" || name == "instance_id") {
    record.id = arguments_text(json, value);
  } else if (name == "system") {
    record.system = read_result(json, value);
  } else if (name == "tools" || name == "functions") {
    read_tools(json, value, record);
  } else {
    return false;
  }
  return true;
}

std::string title_of(MessageRecord const& record, std::string const& id) {
  if (!record.task.empty()) {
    bool const numbered = record.task.find_first_not_of("0123456789") == std::string::npos;
    return (numbered ? "task" + record.task : record.task) + (record.trial.empty() ? "" : ".trial" + record.trial);
  }
  return record.id.empty() ? id : record.id;
}

}  // namespace

bool is_message_list(std::string_view member) { return is_list(member) || member == "input" || member == "output"; }

MessagesReader::MessagesReader(std::string path, Take take, Json& json)
    : path_(path), take_(std::move(take)), json_(json), conversation_(std::move(path)) {}

template <int Level>
MessagesReader::Element MessagesReader::read_element(Json& json, JsonValue value, Place place) {
  Element out;
  JsonType const type = json.type(value);
  bool const followed = type == JsonType::kObject || (type == JsonType::kArray && Level < kDeepest);
  if (!followed) ++out.strangers;
  if (type == JsonType::kObject) read_object<Level>(json, value, place, out);
  if constexpr (Level < kDeepest) {
    if (type == JsonType::kArray) {
      Conversation nested(path_);
      read_list<Level + 1>(json, value, place, nested, out);
      if (!nested.empty()) out.traces.push_back(nested.finish({}, Format::kUnknown));
    }
  }
  return out;
}

template <int Level>
void MessagesReader::read_list(Json& json, JsonValue list, Place place, Conversation& conversation, Element& out) {
  json.elements(list, [&](JsonValue value) {
    std::int64_t const line = place.by_document ? json.line() + 1 : place.line;
    Element element = read_element<Level>(json, value, place);
    if (json.failed() && element.traces.empty()) return;
    out.strangers += element.strangers;
    for (Trace& trace : element.traces) out.traces.push_back(std::move(trace));
    if (element.message) conversation.add(std::move(*element.message), line);
  });
}

template <int Level>
void MessagesReader::read_late_list(std::string_view list, Place place, Conversation& conversation, Element& out) {
  if (list.empty()) return;
  Json inner;
  PaddedText const copy{std::string(list)};
  place.by_document = false;
  if (inner.open(copy.view())) read_list<Level>(inner, inner.root(), place, conversation, out);
}

template <int Level>
void MessagesReader::read_object(Json& json, JsonValue value, Place place, Element& out) {
  RawMessage message;
  MessageRecord record;
  Conversation nested(path_);
  bool has_list = false;
  std::string_view input;   // lists that are messages in a record and something else in an item: it is decided by the
  std::string_view output;  // other members
  json.members(value, [&](std::string_view name, JsonValue member) {
    bool const array = json.type(member) == JsonType::kArray;
    if constexpr (Level < kDeepest) {
      if (array && is_list(name)) {
        has_list = true;
        record.tau_bench = record.tau_bench || name == "traj";
        read_list<Level + 1>(json, member, place, nested, out);
        return;
      }
    }
    if (array && (name == "input" || name == "output")) {
      (name == "input" ? input : output) = json.raw(member);
    } else if (!read_record_member(json, name, member, record)) {
      read_message_member(json, name, member, message);
    }
  });
  bool const is_item = message.type.ends_with("_output");
  if (is_item && !output.empty()) {
    Json inner;
    PaddedText const copy{std::string(output)};
    if (inner.open(copy.view())) message.output = read_result(inner, inner.root());
  } else if (!is_message(message)) {
    if (!record.system.text.empty() && (has_list || !input.empty())) {
      nested.add_system(std::move(record.system.text), record.system.chars);
    }
    if constexpr (Level < kDeepest) {
      read_late_list<Level + 1>(input, place, nested, out);
      read_late_list<Level + 1>(output, place, nested, out);
    }
  }
  if (!nested.empty()) {
    Trace& trace = out.traces.emplace_back(
        nested.finish(title_of(record, message.id), record.tau_bench ? Format::kTauBench : Format::kUnknown));
    trace.tools_offered = record.tools;
    trace.tools_chars = record.tools_chars;
  } else if (is_message(message)) {
    out.message = std::move(message);
    out.strangers = 0;  // what its own lists hold is not ours to judge
  } else if (!has_list) {
    ++out.strangers;
  }
}

void MessagesReader::collect(Json& json, JsonValue root, std::int64_t line) {
  element_ = read_element<0>(json, root, {false, line});
}

bool MessagesReader::take(std::int64_t line) {
  take_element(std::move(element_), line);
  return true;
}

void MessagesReader::take_element(Element&& element, std::int64_t line) {
  for (std::int64_t i = 0; i < element.strangers; ++i) {
    problem("an element that is neither a message nor a conversation", line);
  }
  for (Trace& trace : element.traces) take_trace(std::move(trace));
  if (element.message) conversation_.add(std::move(*element.message), line);
}

void MessagesReader::take_trace(Trace&& trace) {
  ++traces_;
  if (held_) {
    if (held_->title.empty()) held_->title = "#" + std::to_string(traces_ - 1);
    take_(std::move(*held_));
  }
  held_ = std::move(trace);
}

void MessagesReader::read_lines(LineReader& lines) {
  read_documents(lines, json_, *this);
  finish();
}

bool MessagesReader::read_text(std::string_view text, bool last) {
  Place const place{true, 0};
  if (!json_.open(text)) return false;
  JsonValue root = json_.root();
  if (json_.type(root) != JsonType::kArray) {
    Element element = read_element<0>(json_, root, place);
    if (json_.failed() && !last) return false;
    take_element(std::move(element), 0);
    return !json_.failed();
  }
  std::int64_t index = 0;
  json_.elements(root, [&](JsonValue value) {
    std::int64_t const line = json_.line() + 1;
    Element element = read_element<1>(json_, value, place);
    if (json_.failed() && !last) return;
    if (index++ < taken_) return;  // from an attempt before this one
    ++taken_;
    take_element(std::move(element), line);
  });
  return !json_.failed();
}

Result<void> MessagesReader::read_whole(LineReader& lines, std::size_t limit) {
  std::string_view text;
  Result<void> held = lines.whole(limit, text);
  if (!held) return held;
  if (!read_text(text, false)) {
    std::string const fault = json_.error();
    bool const repairable = json_.repairable();
    PaddedText const mended = repairable ? repaired(text) : PaddedText();
    std::string_view const best = repairable ? mended.view() : text;
    if (repairable) problem("a repaired file: " + fault, 0);
    if (!repairable || !read_text(best, false)) {
      problem("a file that is cut off or broken: " + json_.error(), 0);
      PaddedText const shorter = closed(best);
      read_text(shorter.view(), true);
    }
  }
  finish();
  return {};
}

void MessagesReader::finish() {
  Trace rest = conversation_.finish({}, Format::kUnknown);
  if (!rest.threads.empty() || (traces_ == 0 && !rest.problems.empty())) {
    take_trace(std::move(rest));
  } else if (held_) {
    held_->problems.merge(rest.problems);  // they are the file's; its last trace tells them
  }
  if (!held_) return;
  if (traces_ > 1 && held_->title.empty()) held_->title = "#" + std::to_string(traces_);
  take_(std::move(*held_));
  held_.reset();
}

}  // namespace backedge::inspect
