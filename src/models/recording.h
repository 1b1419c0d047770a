// A recorded conversation: what the model said, message by message, and what each call gave.
//
// Read are arrays of chat messages in OpenAI's dialect (tool_calls, role tool) and in Anthropic's (blocks tool_use and
// tool_result), by themselves, one message a line, or under "messages" or "traj" of an object; an array of such objects
// holds several conversations. Members and blocks that say nothing of calls, results or texts are passed over. A result
// failed when is_error says so or, in OpenAI's dialect, which has no field for it, when its text begins with "Error".
// Ids that the file uses twice get a number behind them. Immutable once read. Tested in
// tests/models/recording_test.cpp and by the fuzz target models_recording.
//
// Example: [{"role":"user","content":"hi"}, {"role":"assistant","tool_calls":[{"id":"a","type":"function",
// "function":{"name":"look","arguments":"{}"}}]}, {"role":"tool","tool_call_id":"a","content":"a lamp"}] is one reply
// with one call, whose result is "a lamp".
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "backedge/model.h"
#include "backedge/result.h"

namespace backedge::models {

struct RecordedCall {
  std::string id;
  std::string tool;
  std::string arguments;              // as the model wrote them
  std::optional<std::string> result;  // empty: the recording ends before it
  bool failed = false;

  friend bool operator==(RecordedCall const&, RecordedCall const&) = default;
};

class Recording {
 public:
  /// Longer files are an error.
  static constexpr std::size_t kMaxBytes = std::size_t{1} << 28;

  /// `number`: which of several conversations, from 1; 0: the only one. Errors: kInput with file and line, and kUsage
  /// when there are several and none was chosen, or there is none of that number.
  static Result<Recording> parse(std::string text, std::string const& file, std::size_t number = 0);
  /// Errors: those of parse(), and kNotFound, kIo.
  static Result<Recording> load(std::string const& path, std::size_t number = 0);

  /// Messages of the model, in order; `stop_reason` as recorded or, when it is not, "tool_use" or "end_turn".
  std::vector<Reply> const& replies() const { return replies_; }
  /// Their calls, in order.
  std::vector<RecordedCall> const& calls() const { return calls_; }
  /// The first message of the user; may be empty.
  std::string const& task() const { return task_; }
  std::string const& file() const { return file_; }

 private:
  friend class RecordingReader;

  std::vector<Reply> replies_;
  std::vector<RecordedCall> calls_;
  std::string task_;
  std::string file_;
};

}  // namespace backedge::models
