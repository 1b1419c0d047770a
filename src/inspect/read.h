// From paths to traces: folders are searched, formats found by content, a session's subagents joined to it.
//
// Everything is read in the order of the paths' bytes, so that the same files give the same traces. A subagent's file
// belongs to its session and is read there, once; it is a trace of its own only when its session is not among what is
// read. A message that stands in two files (a resumed or forked session) is marked as copied in the later one. One
// trace is in memory at a time. A file in no known format is an error when it was named, and is counted when it was
// found in a folder. Tested in tests/inspect/read_test.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backedge/result.h"
#include "inspect/trace.h"

namespace backedge::inspect {

using TakeTrace = std::function<void(Trace&&)>;

/// One JSON text of a file that is not JSON Lines has to fit into memory; longer ones are an error.
inline constexpr std::size_t kLongestText = std::size_t{1} << 31;

struct ReadSummary {
  std::int64_t files = 0;  // read as traces, subagents' files included
  std::int64_t traces = 0;
  std::vector<Error> errors;          // paths that could not be read, or are in no known format
  std::int64_t passed_over = 0;       // files of folders that hold no trace
  std::vector<std::string> examples;  // the first of them
};

/// Reads every trace of the paths (files and folders) and hands each on as soon as it is complete.
ReadSummary read_paths(std::span<std::string const> paths, TakeTrace const& take);

/// Reads one file from memory; subagents' files are not looked for. `name` stands for the path. Errors: kInput when the
/// bytes are in no known format.
Result<void> read_bytes(std::string_view bytes, std::string const& name, TakeTrace const& take);

}  // namespace backedge::inspect
