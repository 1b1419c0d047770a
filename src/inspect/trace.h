// A recorded agent session in one form, whatever framework wrote it: threads, messages and calls, in order.
//
// Three ids are kept apart: a model message (which costs tokens), a call (one tool invocation that it asked for) and a
// thread (the main agent or one subagent). All calls of one model message are one round. Indices into the vectors are
// the identities; a thread's steps say in which order its things happened. Nothing is invented: what the file does not
// say stays empty, and is named in the trace's problems. Memory is bounded by the calls and texts of one session, a
// single text by kKeptText; every reader is tested in tests/inspect against real recordings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backedge/result.h"

namespace backedge::inspect {

enum class Format : std::uint8_t { kUnknown, kMessages, kOpenAi, kAnthropic, kTauBench, kClaudeCode, kPi };

/// "OpenAI messages", "Claude Code session", …
std::string_view format_name(Format format);

/// No index: the thing does not exist or is not recorded.
inline constexpr std::uint32_t kNoIndex = 0xffff'ffff;
/// Longer results and texts keep this many bytes, and after them a line with the whole length and a digest, so that
/// equal texts stay equal and different ones stay different.
inline constexpr std::size_t kKeptText = std::size_t{1} << 20;
/// Of each kind of problem this many are named; all are counted.
inline constexpr std::size_t kNamedProblems = 20;

/// Tokens of one model message as the provider reported them. The classes do not overlap: their sum is the total.
struct Usage {
  std::int64_t fresh_input = 0;
  std::int64_t cache_write_5m = 0;
  std::int64_t cache_write_1h = 0;
  std::int64_t cache_read = 0;
  std::int64_t output = 0;

  std::int64_t total() const { return fresh_input + cache_write_5m + cache_write_1h + cache_read + output; }
  friend bool operator==(Usage const&, Usage const&) = default;
};

enum class ThreadKind : std::uint8_t {
  kMain,
  kSubagent,
  kCompaction,  // a model call that only shortens the history: it costs tokens and makes no calls
};

struct Step {
  enum class Kind : std::uint8_t { kUser, kModel, kResult, kCompaction };
  Kind kind = Kind::kUser;
  std::uint32_t index = 0;  // into users, models, calls; 0 for a compaction

  friend bool operator==(Step const&, Step const&) = default;
};

struct Thread {
  ThreadKind kind = ThreadKind::kMain;
  std::string name;                     // of a subagent: its type and id, as far as recorded
  std::string agent;                    // of a subagent: its type, by which calls name it; may be empty
  std::uint32_t spawned_by = kNoIndex;  // the call that started it
  int depth = 0;  // 0 = main; a subagent of the main agent is at 1, also when the call is not recorded
  std::vector<Step> steps;
};

struct ModelMessage {
  std::string id;
  std::string model;
  std::string text;
  std::optional<Usage> usage;
  std::int64_t cost_nano = -1;  // nano-USD as recorded; -1 = not recorded
  std::uint32_t thread = 0;
  std::vector<std::uint32_t> calls;
  std::int64_t chars = 0;        // of the text
  std::int64_t calls_chars = 0;  // of the calls as JSON, for the estimate where no usage is recorded
  std::int64_t line = 0;         // 1-based; 0 = unknown
  std::int64_t at_ms = 0;        // since 1970; 0 = unknown
  std::string identity;  // equal in a file that repeats this message from another session; empty = not comparable
  bool copied = false;   // the message stands in a trace that was read before this one
};

enum class Author : std::uint8_t {
  kPerson,
  kAutomatic,  // hooks, reminders, the task text that an agent gives its subagent
  kSystem,     // the system prompt
};

struct UserMessage {
  Author author = Author::kPerson;
  bool beside_results = false;  // it came in one message with results of tools
  std::string text;
  std::uint32_t thread = 0;
  std::int64_t chars = 0;
  std::int64_t line = 0;
  std::int64_t at_ms = 0;
};

struct Call {
  std::string id;
  std::string tool;
  std::string arguments;  // JSON text as recorded
  std::string result;
  bool has_result = false;
  bool ok = true;  // false when the recording says that the call failed
  std::uint32_t thread = 0;
  std::uint32_t message = 0;
  std::int64_t result_chars = 0;
  std::int64_t line = 0;
  std::int64_t result_line = 0;
  std::int64_t result_at_ms = 0;
};

/// One kind of problem: how often, and the first of them by file and line.
struct Problem {
  std::int64_t count = 0;
  std::vector<Where> first;
};

struct Trace {
  std::string path;
  std::string title;  // which conversation of the file, where it holds several
  Format format = Format::kUnknown;
  std::string session;
  std::int64_t tools_offered = -1;  // to the main agent's model; -1: the recording does not say
  std::int64_t tools_chars = 0;     // of that list as JSON
  std::vector<Thread> threads;
  std::vector<ModelMessage> models;
  std::vector<UserMessage> users;
  std::vector<Call> calls;                            // in the order of the file; a subagent's file after its parent's
  std::vector<std::string> merged;                    // further files that are part of this session
  std::map<std::string, Problem> problems;            // by what is wrong, in words
  std::map<std::string, std::int64_t> other_lines;    // by type: known, and of no account for calls and tokens
  std::map<std::string, std::int64_t> unknown_lines;  // by type: not known to this version
};

}  // namespace backedge::inspect
