// Entries of a Claude Code session into threads, messages and calls; see the header for the rules.
//
// A line is collected into entry_ whatever the order of its members, then taken by its type. Tested in
// tests/inspect/claude_code_test.cpp.
#include "inspect/claude_code.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/hash.h"
#include "inspect/text.h"

namespace backedge::inspect {
namespace {

/// Entry types that say nothing of calls and tokens.
constexpr std::array<std::string_view, 27> kSilentTypes{"agent-name",
                                                        "agent-setting",
                                                        "ai-title",
                                                        "atis-latch",
                                                        "attachment",
                                                        "bridge-session",
                                                        "control_request",
                                                        "control_response",
                                                        "custom-title",
                                                        "file-history-snapshot",
                                                        "frame-link",
                                                        "last-prompt",
                                                        "mode",
                                                        "permission-mode",
                                                        "pr-link",
                                                        "progress",
                                                        "queue-operation",
                                                        "rate_limit_event",
                                                        "relocated",
                                                        "result",
                                                        "started",
                                                        "stream_event",
                                                        "summary",
                                                        "system",
                                                        "tag",
                                                        "tool_progress",
                                                        "worktree-state"};
static_assert(std::is_sorted(kSilentTypes.begin(), kSilentTypes.end()));

/// Beginnings of user texts that no person typed.
constexpr std::array<std::string_view, 8> kMachineTexts{"<local-command-",
                                                        "<bash-stdout>",
                                                        "<bash-stderr>",
                                                        "<system-reminder>",
                                                        "<task-notification>",
                                                        "[Request interrupted",
                                                        "Caveat: The messages below",
                                                        "This session is being continued"};

std::string_view trimmed(std::string_view text) {
  std::size_t const first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

bool starts_agents(std::string_view tool) { return tool == "Task" || tool == "Agent"; }

/// A text member of a JSON object given as text; empty when there is none.
std::string member_text(Json& json, std::string_view object, std::string_view wanted) {
  PaddedText const copy{std::string(object)};
  std::string out;
  if (!json.open(copy.view())) return out;
  json.members(json.root(), [&](std::string_view name, JsonValue value) {
    if (name == wanted) out = json.text(value);
  });
  return out;
}

}  // namespace

void ClaudeCodeReader::Entry::clear() {
  for (std::string* text : {&type, &subtype, &uuid, &parent, &session, &agent, &spawning_call, &result_agent,
                            &progress_agent, &progress_call, &origin, &message_id, &role, &model}) {
    text->clear();
  }
  blocks.clear();
  usage = {};
  cost_nano = -1;
  at_ms = 0;
  has_message = sidechain = meta = compact_summary = false;
}

ClaudeCodeReader::ClaudeCodeReader(std::string path, Json& json) : builder_(std::move(path)), json_(json) {
  builder_.trace().format = Format::kClaudeCode;
}

void ClaudeCodeReader::read(LineReader& lines, std::string_view meta) {
  file_ = lines.name();
  if (file_ != builder_.trace().path) builder_.trace().merged.push_back(file_);
  agent_.clear();
  read_documents(lines, json_, *this);
  if (meta.empty() || agent_.empty()) return;
  std::string const type = member_text(json_, meta, "agentType");
  std::string const call = member_text(json_, meta, "toolUseId");
  if (!call.empty()) starting_calls_.emplace(agent_, call);
  if (!type.empty()) agent_types_.emplace(agent_, type);
}

void ClaudeCodeReader::problem(std::string const& what, std::int64_t line) {
  builder_.problem_in(what, Where{file_, static_cast<int>(std::min<std::int64_t>(line, 0x7fff'ffff)), 0});
}

void ClaudeCodeReader::collect(Json& json, JsonValue root, std::int64_t /*line*/) {
  entry_.clear();
  json.members(root, [&](std::string_view name, JsonValue value) {
    if (name == "type") {
      entry_.type = json.text(value);
    } else if (name == "message") {
      collect_message(json, value);
    } else if (name == "uuid") {
      entry_.uuid = json.text(value);
    } else if (name == "parentUuid") {
      entry_.parent = json.text(value);
    } else if (name == "sessionId" || name == "session_id") {
      entry_.session = json.text(value);
    } else if (name == "isSidechain") {
      entry_.sidechain = json.truth(value);
    } else if (name == "agentId") {
      entry_.agent = json.text(value);
    } else if (name == "timestamp") {
      entry_.at_ms = time_ms(json.text(value));
    } else {
      collect_details(json, name, value);
    }
  });
}

void ClaudeCodeReader::collect_details(Json& json, std::string_view name, JsonValue value) {
  if (name == "subtype") {
    entry_.subtype = json.text(value);
  } else if (name == "isMeta") {
    entry_.meta = json.truth(value);
  } else if (name == "isCompactSummary") {
    entry_.compact_summary = json.truth(value);
  } else if (name == "parent_tool_use_id") {
    entry_.spawning_call = json.text(value);
  } else if (name == "parentToolUseID") {
    entry_.progress_call = json.text(value);
  } else if (name == "costUSD") {
    entry_.cost_nano = nano_usd(json.number(value));
  } else if (name == "toolUseResult") {
    json.members(value, [&](std::string_view key, JsonValue member) {
      if (key == "agentId") entry_.result_agent = json.text(member);
    });
  } else if (name == "data") {
    json.members(value, [&](std::string_view key, JsonValue member) {
      if (key == "agentId") entry_.progress_agent = json.text(member);
    });
  } else if (name == "origin") {
    json.members(value, [&](std::string_view key, JsonValue member) {
      if (key == "kind") entry_.origin = json.text(member);
    });
  }
}

void ClaudeCodeReader::collect_message(Json& json, JsonValue message) {
  entry_.has_message = json.type(message) == JsonType::kObject;
  json.members(message, [&](std::string_view name, JsonValue value) {
    if (name == "id") {
      entry_.message_id = json.text(value);
    } else if (name == "role") {
      entry_.role = json.text(value);
    } else if (name == "model") {
      entry_.model = json.text(value);
    } else if (name == "content") {
      read_content(json, value, entry_.blocks);
    } else if (name == "usage") {
      entry_.usage = read_usage(json, value);
    }
  });
}

std::uint32_t ClaudeCodeReader::named_thread(std::string const& key, std::string name) {
  auto const [place, fresh] = threads_.try_emplace(key, kNoIndex);
  if (fresh) {
    ThreadKind const kind = name.starts_with("acompact") ? ThreadKind::kCompaction : ThreadKind::kSubagent;
    place->second = builder_.add_thread(kind, std::move(name));
  }
  return place->second;
}

std::uint32_t ClaudeCodeReader::thread_of(Entry const& entry, std::int64_t line) {
  if (!entry.spawning_call.empty()) return named_thread("call:" + entry.spawning_call, {});
  if (!entry.sidechain) return builder_.main_thread();
  if (!entry.agent.empty()) {
    agent_ = entry.agent;
    return named_thread("agent:" + entry.agent, entry.agent);
  }
  auto const parent = chains_.find(entry.parent);
  std::uint32_t thread = kNoIndex;
  if (parent != chains_.end()) {
    thread = parent->second;
  } else {
    std::string const start = entry.uuid.empty() ? "line " + std::to_string(line) : entry.uuid;
    thread = named_thread("chain:" + start, {});
  }
  if (!entry.uuid.empty()) chains_.emplace(entry.uuid, thread);
  return thread;
}

bool ClaudeCodeReader::take(std::int64_t line) {
  std::map<std::string, std::int64_t>& others = builder_.trace().other_lines;
  if (builder_.trace().session.empty()) builder_.trace().session = entry_.session;
  if (entry_.has_message && entry_.type == "assistant") {
    take_assistant(line);
  } else if (entry_.has_message && entry_.type == "user") {
    take_user(line);
  } else if (std::binary_search(kSilentTypes.begin(), kSilentTypes.end(), entry_.type)) {
    ++others[entry_.type];
    if (entry_.sidechain && entry_.agent.empty() && !entry_.uuid.empty()) thread_of(entry_, line);
    if (entry_.type == "system" && entry_.subtype == "compact_boundary") {
      builder_.add_compaction(thread_of(entry_, line));
    }
    if (entry_.type == "progress") take_progress();
  } else {
    ++builder_.trace().unknown_lines[entry_.type.empty() ? "(no type)" : entry_.type];
  }
  return true;
}

bool ClaudeCodeReader::seen_before() {
  if (entry_.uuid.empty()) return false;
  return !seen_.insert(digest_bytes(entry_.uuid, DigestTag::kRaw).lo).second;
}

void ClaudeCodeReader::take_assistant(std::int64_t line) {
  std::uint32_t const thread = thread_of(entry_, line);
  Trace& trace = builder_.trace();
  auto const known = entry_.message_id.empty() ? models_.end() : models_.find(entry_.message_id);
  bool const elsewhere = known != models_.end() && trace.models[known->second].thread != thread;
  if (seen_before() || elsewhere) {
    ++trace.other_lines["(copy of an earlier entry)"];
    return;
  }
  std::uint32_t index = kNoIndex;
  if (known != models_.end()) {
    index = known->second;
  } else {
    ModelMessage message;
    message.id = message.identity = entry_.message_id;
    message.model = entry_.model;
    message.thread = thread;
    message.line = line;
    message.at_ms = entry_.at_ms;
    index = builder_.add_model(std::move(message));
    if (!entry_.message_id.empty()) models_.emplace(entry_.message_id, index);
  }
  for (Block& block : entry_.blocks) {
    ModelMessage& message = trace.models[index];
    if (block.kind == Block::Kind::kCall) {
      take_call(index, block, line);
    } else if (block.kind == Block::Kind::kText && !std::string_view(message.text).ends_with(block.text)) {
      if (!message.text.empty()) message.text += '\n';
      message.text += block.text;
      message.chars += block.chars;
    }
  }
  if (entry_.usage.usage) trace.models[index].usage = entry_.usage.usage;
  if (entry_.cost_nano >= 0) trace.models[index].cost_nano = entry_.cost_nano;
}

void ClaudeCodeReader::take_call(std::uint32_t model, Block& block, std::int64_t line) {
  Trace& trace = builder_.trace();
  if (trace.threads[trace.models[model].thread].kind == ThreadKind::kCompaction) return;
  auto const [place, fresh] = calls_.try_emplace(std::to_string(model) + "/" + block.id, kNoIndex);
  if (!fresh && !block.id.empty()) {
    trace.calls[place->second].arguments = std::move(block.arguments);
    return;
  }
  Call call;
  call.id = block.id;
  call.tool = std::move(block.tool);
  call.arguments = std::move(block.arguments);
  call.line = line;
  place->second = builder_.add_call(model, std::move(call));
  if (!block.id.empty()) calls_by_id_.emplace(block.id, place->second);
}

bool ClaudeCodeReader::is_person(std::uint32_t thread, bool with_results, std::string_view text) const {
  bool const by_machine = with_results || entry_.meta || entry_.compact_summary ||
                          builder_.trace().threads[thread].kind != ThreadKind::kMain ||
                          !(entry_.origin.empty() || entry_.origin == "human" || entry_.origin == "cli");
  return !by_machine && std::none_of(kMachineTexts.begin(), kMachineTexts.end(),
                                     [&](std::string_view start) { return text.starts_with(start); });
}

/// The result of a call that starts agents names the agent: "… agentId: a881341 (…" gives "a881341".
std::string ClaudeCodeReader::agent_in_result(Block const& block) const {
  constexpr std::string_view kMark = "agentId: ";
  auto const call = calls_by_id_.find(block.id);
  if (call == calls_by_id_.end() || !starts_agents(builder_.trace().calls[call->second].tool)) return {};
  std::size_t const at = block.text.find(kMark);
  if (at == std::string::npos) return {};
  std::string_view const rest = std::string_view(block.text).substr(at + kMark.size());
  return std::string(rest.substr(0, rest.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-")));
}

void ClaudeCodeReader::take_user(std::int64_t line) {
  std::uint32_t const thread = thread_of(entry_, line);
  if (seen_before()) {
    ++builder_.trace().other_lines["(copy of an earlier entry)"];
    return;
  }
  UserMessage user;
  bool with_results = false;
  for (Block& block : entry_.blocks) {
    if (block.kind == Block::Kind::kText) user.chars += block.chars;
    if (block.kind != Block::Kind::kResult) continue;
    with_results = true;
    std::string const agent = entry_.result_agent.empty() ? agent_in_result(block) : entry_.result_agent;
    if (!agent.empty() && !block.id.empty()) starting_calls_.emplace(agent, block.id);
    builder_.add_result(thread, {block.id, std::move(block.text), block.chars, !block.failed, line, entry_.at_ms});
  }
  user.beside_results = with_results;
  user.text = joined_text(entry_.blocks);
  user.author = is_person(thread, with_results, user.text) ? Author::kPerson : Author::kAutomatic;
  user.thread = thread;
  user.line = line;
  user.at_ms = entry_.at_ms;
  builder_.add_user(std::move(user));
}

void ClaudeCodeReader::take_progress() {
  if (entry_.progress_agent.empty()) return;
  ++progress_[entry_.progress_agent];
  if (!entry_.progress_call.empty()) starting_calls_.emplace(entry_.progress_agent, entry_.progress_call);
}

void ClaudeCodeReader::link_threads() {
  std::vector<Thread>& threads = builder_.trace().threads;
  for (auto const& [key, index] : threads_) {
    if (threads[index].kind != ThreadKind::kSubagent) continue;
    std::string call;
    if (key.starts_with("call:")) call = key.substr(5);
    if (auto const by = starting_calls_.find(threads[index].name); by != starting_calls_.end()) call = by->second;
    auto const found = calls_by_id_.find(call);
    if (found == calls_by_id_.end() || builder_.trace().calls[found->second].thread == index) continue;
    threads[index].spawned_by = found->second;
  }
}

void ClaudeCodeReader::link_by_prompt() {
  Trace& trace = builder_.trace();
  std::unordered_set<std::uint32_t> taken;
  for (Thread const& thread : trace.threads) taken.insert(thread.spawned_by);
  std::unordered_map<std::string, std::vector<std::uint32_t>> by_prompt;
  for (std::uint32_t i = 0; i < trace.calls.size(); ++i) {
    Call const& call = trace.calls[i];
    if (taken.contains(i) || !starts_agents(call.tool)) continue;
    by_prompt[std::string(trimmed(member_text(json_, call.arguments, "prompt")))].push_back(i);
  }
  for (std::uint32_t t = 0; t < trace.threads.size(); ++t) {
    Thread& thread = trace.threads[t];
    if (thread.kind != ThreadKind::kSubagent || thread.spawned_by != kNoIndex) continue;
    auto const first = std::find_if(thread.steps.begin(), thread.steps.end(),
                                    [](Step const& step) { return step.kind == Step::Kind::kUser; });
    if (first == thread.steps.end()) continue;
    auto const found = by_prompt.find(std::string(trimmed(trace.users[first->index].text)));
    if (found == by_prompt.end()) continue;
    std::vector<std::uint32_t>& calls = found->second;
    auto const call =
        std::find_if(calls.begin(), calls.end(), [&](std::uint32_t c) { return trace.calls[c].thread != t; });
    if (call == calls.end()) continue;
    thread.spawned_by = *call;
    calls.erase(call);
  }
}

void ClaudeCodeReader::name_threads() {
  Trace& trace = builder_.trace();
  for (Thread& thread : trace.threads) {
    if (thread.kind != ThreadKind::kSubagent) continue;
    std::string type;
    if (auto const known = agent_types_.find(thread.name); known != agent_types_.end()) type = known->second;
    if (thread.spawned_by != kNoIndex && type.empty()) {
      type = member_text(json_, trace.calls[thread.spawned_by].arguments, "subagent_type");
    }
    if (!type.empty()) thread.name = thread.name.empty() ? type : type + " " + thread.name;
    thread.agent = std::move(type);
  }
}

void ClaudeCodeReader::report_missing_files() {
  for (auto const& [agent, count] : progress_) {
    if (threads_.contains("agent:" + agent)) continue;
    builder_.trace().problems["a progress entry of a subagent whose own file is missing"].count += count;
  }
  Trace const& trace = builder_.trace();
  bool const has_main = std::any_of(trace.threads.begin(), trace.threads.end(),
                                    [](Thread const& t) { return t.kind == ThreadKind::kMain; });
  for (Thread const& thread : trace.threads) {
    if (!has_main || thread.kind != ThreadKind::kSubagent || thread.spawned_by != kNoIndex) continue;
    builder_.problem("a subagent whose starting call is not recorded", 0);
  }
}

Trace ClaudeCodeReader::finish() {
  link_threads();
  link_by_prompt();
  name_threads();
  report_missing_files();
  return builder_.finish();
}

}  // namespace backedge::inspect
