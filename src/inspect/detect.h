// What a file is, by what stands in it: never by its name.
//
// A JSON text that starts with a list, or whose first line is only the beginning of an object, is one document;
// everything else is read line by line until a line says what it belongs to. Lines that say nothing (summaries,
// snapshots, broken ones) are passed over, at most kUndecidedLines of them. Tested in tests/inspect/detect_test.cpp.
#pragma once

#include <cstdint>
#include <string>

#include "inspect/json.h"
#include "inspect/lines.h"

namespace backedge::inspect {

/// A session may open with hundreds of snapshot lines.
inline constexpr int kUndecidedLines = 2000;

enum class Kind : std::uint8_t { kUnknown, kMessages, kClaudeCode, kPi };

struct Detected {
  Kind kind = Kind::kUnknown;
  bool whole = false;     // one JSON text, not one a line
  std::string found;      // for kUnknown: what stands there instead, in words
  std::string session;    // Claude Code: the session that the first message belongs to
  bool subagent = false;  // Claude Code: the first message is a subagent's, with its id
};

/// Leaves the reader at the first line.
Detected detect(LineReader& lines, Json& json);

/// "OpenAI and Anthropic message arrays (tau-bench's form included), Claude Code sessions, pi sessions".
std::string_view readable_formats();

}  // namespace backedge::inspect
