// Claude Code sessions: JSON Lines of user and assistant entries, also as the stream that `claude -p` prints.
//
// One model message stands on up to six lines with the same message.id, one content block each, and each repeats the
// usage: it is one message, and its last line's usage counts. Copies of a message (a resumed session, the progress
// entries in which a parent repeats its subagents) count once. Subagents, in all three generations:
//   1. in the session's own file, isSidechain, one chain of parentUuid per subagent, no word of the call that started
//   it;
//   2. agent-ID.jsonl beside the session;
//   3. SESSION/subagents/agent-ID.jsonl, with agentId on every line, and agent-ID.meta.json beside it in newer
//   versions.
// The starting call is found by agentId in its result, by the progress entries, by the meta file, else by the prompt:
// the first call with exactly this prompt that has no subagent yet. agent-acompact-* is a compaction: tokens, no calls.
// Entry types that are not known are counted. Tested in tests/inspect/claude_code_test.cpp.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "inspect/builder.h"
#include "inspect/documents.h"

namespace backedge::inspect {

class ClaudeCodeReader : public DocumentTaker {
 public:
  /// `path` is the session's file, or that of a subagent that is read by itself; `json` outlives the reader.
  ClaudeCodeReader(std::string path, Json& json);

  /// Reads the session's file, or a further one that belongs to it. The meta file's text may be empty.
  void read(LineReader& lines, std::string_view meta = {});
  Trace finish();

  void collect(Json& json, JsonValue root, std::int64_t line) override;
  bool take(std::int64_t line) override;
  void problem(std::string const& what, std::int64_t line) override;

 private:
  /// One line.
  struct Entry {
    std::string type;
    std::string subtype;
    std::string uuid;
    std::string parent;
    std::string session;
    std::string agent;
    std::string spawning_call;  // parent_tool_use_id of the stream
    std::string result_agent;   // agentId in toolUseResult
    std::string progress_agent;
    std::string progress_call;
    std::string origin;
    std::string message_id;
    std::string role;
    std::string model;
    std::vector<Block> blocks;
    UsageReading usage;
    std::int64_t cost_nano = -1;
    std::int64_t at_ms = 0;
    bool has_message = false;
    bool sidechain = false;
    bool meta = false;
    bool compact_summary = false;

    /// Empty again, without giving memory back.
    void clear();
  };

  void collect_message(Json& json, JsonValue message);
  void collect_details(Json& json, std::string_view name, JsonValue value);
  std::uint32_t thread_of(Entry const& entry, std::int64_t line);
  std::uint32_t named_thread(std::string const& key, std::string name);
  void take_assistant(std::int64_t line);
  void take_call(std::uint32_t model, Block& block, std::int64_t line);
  void take_user(std::int64_t line);
  void take_progress();
  std::string agent_in_result(Block const& block) const;
  bool is_person(std::uint32_t thread, bool with_results, std::string_view text) const;
  bool seen_before();
  void link_threads();
  void link_by_prompt();
  void name_threads();
  void report_missing_files();

  TraceBuilder builder_;
  Json& json_;
  Entry entry_;
  std::string file_;                                        // that is being read
  std::string agent_;                                       // whose entries it holds, if it is a subagent's
  std::unordered_map<std::string, std::uint32_t> threads_;  // by "agent:ID", "chain:UUID", "call:ID"
  std::unordered_map<std::string, std::uint32_t> chains_;   // threads by the uuids of their entries
  std::unordered_set<std::uint64_t> seen_;                  // hashes of uuids of messages
  std::unordered_map<std::string, std::uint32_t> models_;   // by message id
  std::unordered_map<std::string, std::uint32_t> calls_;    // by message id and call id
  std::unordered_map<std::string, std::uint32_t> calls_by_id_;
  std::unordered_map<std::string, std::string> starting_calls_;  // ids of calls by ids of the agents that they started
  std::map<std::string, std::int64_t> progress_;                 // progress entries by agent
  std::map<std::string, std::string> agent_types_;               // by agent
};

}  // namespace backedge::inspect
