// Entries of a pi session into messages and calls. Tested in tests/inspect/pi_test.cpp.
#include "inspect/pi.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "inspect/text.h"

namespace backedge::inspect {
namespace {

constexpr std::array<std::string_view, 9> kSilentTypes{"branch_summary", "compaction",   "custom",
                                                       "custom_message", "label",        "model_change",
                                                       "session",        "session_info", "thinking_level_change"};
static_assert(std::is_sorted(kSilentTypes.begin(), kSilentTypes.end()));

}  // namespace

PiReader::PiReader(std::string path, Json& json) : builder_(std::move(path)), json_(json) {
  builder_.trace().format = Format::kPi;
}

void PiReader::read(LineReader& lines) { read_documents(lines, json_, *this); }

void PiReader::collect(Json& json, JsonValue root, std::int64_t /*line*/) {
  entry_ = Entry{};
  json.members(root, [&](std::string_view name, JsonValue value) {
    if (name == "type") {
      entry_.type = json.text(value);
    } else if (name == "id") {
      entry_.id = json.text(value);
    } else if (name == "timestamp") {
      entry_.time = json.text(value);
    } else if (name == "message") {
      collect_message(json, value);
    }
  });
}

void PiReader::collect_message(Json& json, JsonValue message) {
  entry_.has_message = json.type(message) == JsonType::kObject;
  json.members(message, [&](std::string_view name, JsonValue value) {
    if (name == "role") {
      entry_.role = json.text(value);
    } else if (name == "model") {
      entry_.model = json.text(value);
    } else if (name == "toolCallId") {
      entry_.call_id = json.text(value);
    } else if (name == "isError") {
      entry_.failed = json.truth(value);
    } else if (name == "command") {
      entry_.command = json.text(value);
    } else if (name == "usage") {
      entry_.usage = read_usage(json, value);
    } else if (name == "content") {
      read_content(json, value, entry_.blocks);
    }
  });
}

bool PiReader::take(std::int64_t line) {
  Trace& trace = builder_.trace();
  if (entry_.type == "session" && trace.session.empty()) trace.session = entry_.id;
  if (entry_.type == "message" && entry_.has_message) {
    bool const again = !entry_.id.empty() && !seen_.insert(entry_.id + "/" + entry_.time).second;
    if (again) {
      ++trace.other_lines["(copy of an earlier entry)"];
    } else {
      take_message(line);
    }
    return true;
  }
  if (std::binary_search(kSilentTypes.begin(), kSilentTypes.end(), entry_.type)) {
    ++trace.other_lines[entry_.type];
    if (entry_.type == "compaction") builder_.add_compaction(builder_.main_thread());
  } else {
    ++trace.unknown_lines[entry_.type.empty() ? "(no type)" : entry_.type];
  }
  return true;
}

void PiReader::take_assistant(std::int64_t line, std::int64_t at_ms) {
  ModelMessage message;
  message.id = entry_.id;
  message.model = std::move(entry_.model);
  message.text = joined_text(entry_.blocks);
  message.usage = entry_.usage.usage;
  message.cost_nano = entry_.usage.cost_nano;
  message.thread = builder_.main_thread();
  message.line = line;
  message.at_ms = at_ms;
  message.identity = entry_.time + entry_.id;
  for (Block const& block : entry_.blocks) {
    if (block.kind == Block::Kind::kText) message.chars += block.chars;
    message.identity += "/" + block.id;
  }
  std::uint32_t const index = builder_.add_model(std::move(message));
  for (Block& block : entry_.blocks) {
    if (block.kind != Block::Kind::kCall) continue;
    Call call;
    call.id = std::move(block.id);
    call.tool = std::move(block.tool);
    call.arguments = std::move(block.arguments);
    call.line = line;
    builder_.add_call(index, std::move(call));
  }
}

void PiReader::take_message(std::int64_t line) {
  std::int64_t const at_ms = time_ms(entry_.time);
  if (entry_.role == "assistant") {
    take_assistant(line, at_ms);
    return;
  }
  std::uint32_t const thread = builder_.main_thread();
  if (entry_.role == "toolResult") {
    ResultText result = joined_result(entry_.blocks);
    builder_.add_result(thread, {entry_.call_id, std::move(result.text), result.chars, !entry_.failed, line, at_ms});
    return;
  }
  std::string text = joined_text(entry_.blocks);
  UserMessage user;
  user.author = entry_.role == "user" || entry_.role == "bashExecution" ? Author::kPerson : Author::kAutomatic;
  user.text = text.empty() ? std::move(entry_.command) : std::move(text);
  user.chars = code_points(user.text);
  user.thread = thread;
  user.line = line;
  user.at_ms = at_ms;
  builder_.add_user(std::move(user));
}

}  // namespace backedge::inspect
