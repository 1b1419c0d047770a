// Sessions of the pi coding agent: JSON Lines, one message a line, calls as `toolCall` blocks, results as messages.
//
// Usage and cost stand once on each model message; the input does not include what came from the cache. A message whose
// id was seen counts once. There are no subagents. Tested in tests/inspect/pi_test.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_set>
#include <vector>

#include "inspect/builder.h"
#include "inspect/documents.h"

namespace backedge::inspect {

class PiReader : public DocumentTaker {
 public:
  /// `json` outlives the reader.
  PiReader(std::string path, Json& json);

  void read(LineReader& lines);
  Trace finish() { return builder_.finish(); }

  void collect(Json& json, JsonValue root, std::int64_t line) override;
  bool take(std::int64_t line) override;
  void problem(std::string const& what, std::int64_t line) override { builder_.problem(what, line); }

 private:
  struct Entry {
    std::string type;
    std::string id;
    std::string time;
    std::string role;
    std::string model;
    std::string call_id;
    std::string command;  // that a person ran in the agent's terminal
    std::vector<Block> blocks;
    UsageReading usage;
    bool has_message = false;
    bool failed = false;
  };

  void collect_message(Json& json, JsonValue message);
  void take_message(std::int64_t line);
  void take_assistant(std::int64_t line, std::int64_t at_ms);

  TraceBuilder builder_;
  Json& json_;
  Entry entry_;
  std::unordered_set<std::string> seen_;  // ids of messages with their times
};

}  // namespace backedge::inspect
