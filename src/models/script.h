// A script: what a scripted model says, step by step, read strictly from a file.
//
// The format is described with an example in docs/models.md. A file is JSON Lines, one step a line, or an array of
// steps, or {"steps": [ … ]}; a step that is {"then": "answer" | "repeat" | "error"} and nothing else stands at the top
// and says what comes behind the last step. An unknown field, a wrong type, a number out of range and a step that can
// never be reached are errors with file and line. Immutable once read; any thread. Tested in
// tests/models/script_test.cpp and by the fuzz target models_script.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backedge/result.h"
#include "backedge/run.h"

namespace backedge::models {

struct ScriptCall {
  std::string id;  // empty: one is made
  std::string tool;
  std::string arguments;  // as written in the file

  friend bool operator==(ScriptCall const&, ScriptCall const&) = default;
};

/// One message of the model.
struct ScriptStep {
  static constexpr std::int64_t kForEver = -1;

  std::string agent;  // empty: of the root
  std::string text;
  std::vector<ScriptCall> calls;
  std::string stop;  // "tool_use" or "end_turn" when the file says nothing
  Usage usage;
  std::chrono::milliseconds delay{0};
  std::optional<std::string> error;
  ErrorKind error_kind = ErrorKind::kModel;
  std::int64_t repeat = 1;                // how many turns it answers
  std::optional<std::string> final_text;  // instead of the calls, when the answer is due
  std::vector<ScriptStep> if_refused;     // at most one: instead of this step, when the last results hold a failed one
  int line = 0;

  friend bool operator==(ScriptStep const&, ScriptStep const&) = default;
};

/// Behind the last step.
enum class Then : std::uint8_t {
  kAnswer,  // the text of the last step if it was an answer, else "done"
  kRepeat,  // from the first step again
  kError,
};

class Script {
 public:
  /// Longer files are an error.
  static constexpr std::size_t kMaxBytes = std::size_t{64} << 20;

  /// `file` names the text in errors. Errors: kInput with file and line.
  static Result<Script> parse(std::string text, std::string const& file);
  /// Errors: those of parse(), and kNotFound, kIo.
  static Result<Script> load(std::string const& path);

  /// The step that answers an agent's turn (from 1): its own steps in order or, when no step names the agent, those
  /// without an agent. Null behind the last step. O(log steps).
  ScriptStep const* at(std::string_view agent, std::int64_t turn) const;
  /// The agent's last step, or null when there is none for it.
  ScriptStep const* last(std::string_view agent) const;

  Then then() const { return then_; }
  bool delays() const { return delays_; }
  std::string const& file() const { return file_; }

 private:
  // The steps of one agent; `ends` counts the turns up to the end of each, for ever being the largest number.
  struct Part {
    std::vector<ScriptStep> steps;
    std::vector<std::int64_t> ends;
  };

  Result<void> add(ScriptStep step);
  Part const* part(std::string_view agent) const;

  std::map<std::string, Part, std::less<>> parts_;
  Then then_ = Then::kAnswer;
  bool delays_ = false;
  std::string file_;
};

}  // namespace backedge::models
