// What the tests of this room share: recordings written by hand, and the traces that come out of them.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "inspect/counts.h"
#include "inspect/read.h"
#include "support/temp_folder.h"

namespace backedge::inspect::testing {

using support::TempFolder;

inline std::filesystem::path traces_folder() { return std::filesystem::path(BACKEDGE_SOURCE_DIR) / "cases" / "traces"; }

inline std::string file_text(std::filesystem::path const& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// All traces of a text, as if it were the file "f".
inline std::vector<Trace> traces_of(std::string_view text) {
  std::vector<Trace> out;
  Result<void> const done = read_bytes(text, "f", [&](Trace&& trace) { out.push_back(std::move(trace)); });
  if (!done) out.clear();
  return out;
}

/// The first trace; an empty one when there is none.
inline Trace trace_of(std::string_view text) {
  std::vector<Trace> all = traces_of(text);
  return all.empty() ? Trace{} : std::move(all.front());
}

inline std::vector<Trace> traces_under(std::string const& path) {
  std::vector<Trace> out;
  std::vector<std::string> const paths{path};
  read_paths(paths, [&](Trace&& trace) { out.push_back(std::move(trace)); });
  return out;
}

/// A call of an OpenAI conversation with its result, as two messages.
inline std::string openai_call(std::string const& id, std::string const& tool, std::string const& arguments,
                               std::string const& result) {
  std::string quoted;
  for (char const c : arguments) quoted += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  return R"({"role":"assistant","content":null,"tool_calls":[{"id":")" + id +
         R"(","type":"function","function":{"name":")" + tool + R"(","arguments":")" + quoted +
         R"("}}]},{"role":"tool","tool_call_id":")" + id + R"(","content":")" + result + R"("})";
}

/// An assistant line of a Claude Code session with one block.
inline std::string claude_line(std::string const& uuid, std::string const& message, std::string const& block,
                               int input_tokens, std::string const& more = "") {
  return R"({"type":"assistant","uuid":")" + uuid + R"(","sessionId":"s","isSidechain":false)" + more +
         R"(,"message":{"id":")" + message + R"(","role":"assistant","model":"m","content":[)" + block +
         R"(],"usage":{"input_tokens":)" + std::to_string(input_tokens) + R"(,"output_tokens":1}}})" + "\n";
}

inline std::string tool_use(std::string const& id, std::string const& tool, std::string const& input) {
  return R"({"type":"tool_use","id":")" + id + R"(","name":")" + tool + R"(","input":)" + input + "}";
}

inline std::string claude_result(std::string const& uuid, std::string const& id, std::string const& text,
                                 std::string const& more = "") {
  return R"({"type":"user","uuid":")" + uuid + R"(","sessionId":"s")" + more +
         R"(,"message":{"role":"user","content":[{"type":"tool_result","tool_use_id":")" + id + R"(","content":")" +
         text + R"("}]}})" + "\n";
}

inline std::string claude_user(std::string const& uuid, std::string const& text, std::string const& more = "") {
  return R"({"type":"user","uuid":")" + uuid + R"(","sessionId":"s")" + more +
         R"(,"message":{"role":"user","content":")" + text + R"("}})" + "\n";
}

}  // namespace backedge::inspect::testing
