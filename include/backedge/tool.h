// What can be called: a tool with its contract, and an agent function, which to other models looks like a tool.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "backedge/contract.h"
#include "backedge/ids.h"
#include "backedge/result.h"
#include "backedge/run.h"

namespace backedge {

struct ToolSpec {
  std::string name;                                  // letters, digits, _ and -, at most 64
  std::string about;                                 // for the model
  std::string schema_json = R"({"type":"object"})";  // JSON Schema of the arguments
  Contract contract;
  bool inline_ok = false;         // returns at once: runs on the thread that holds the run
  std::string source = "host";    // "builtin", "host", "mcp:NAME": what a tool policy can name
  std::vector<std::string> sets;  // toolsets that it belongs to: what a tool policy can name
  bool asks_person = false;       // needs someone there to answer: left out of unattended runs
};

struct ToolResult {
  CallStatus status = CallStatus::kOk;
  std::string text;  // uncut

  static ToolResult error(std::string text) { return {CallStatus::kError, std::move(text)}; }
};

/// What a tool is given while it runs. Valid until the tool returns; one thread.
class ToolContext {
 public:
  virtual ~ToolContext() = default;

  /// JSON text, valid under the tool's schema.
  virtual std::string_view arguments() const = 0;
  virtual CallId call() const = 0;
  /// Triggered by time-out, cancellation and stop: return soon, what is returned then is not used.
  virtual std::stop_token stop() const = 0;
  /// Told to whoever watches the run.
  virtual void progress(std::string_view text) = 0;
  /// Runs an agent function as a frame below this call and waits for its answer. Errors: kNotFound for an unknown
  /// agent, kState when the tool runs inline, kCancelled.
  virtual Result<ToolResult> run_agent(std::string_view agent, std::string_view task) = 0;
  /// The chain down to this call, signed, for a child process. Errors: kUsage without a token key.
  virtual Result<std::string> token() const = 0;
};

/// May throw nothing. Any thread, several at once.
using ToolFn = std::function<ToolResult(ToolContext&)>;

/// Which tools an agent gets: those that pass every list that is not empty, less those that are denied. Entries are
/// names, toolsets as "set:NAME", or sources as "source:NAME".
struct ToolPolicy {
  std::vector<std::string> allow;
  std::vector<std::string> deny;

  friend bool operator==(ToolPolicy const&, ToolPolicy const&) = default;
};

/// A function whose body is an agent loop. Other agents call it like a tool, with {"task": "…"} unless a schema says
/// otherwise; the text of the task is then the argument `task`, or all arguments.
struct AgentSpec {
  std::string name;
  std::string about;  // what it is for: for those who call it, and for itself
  std::string schema_json = R"({"type":"object","properties":{"task":{"type":"string"}},"required":["task"]})";
  Contract contract;
  std::optional<std::int64_t> max_turns;  // of one activation; empty: its share of what is left
  std::string model;                      // empty: the run's
  std::string source = "host";
  std::vector<std::string> sets;
};

}  // namespace backedge
