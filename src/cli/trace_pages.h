// Recorded sessions as pages: one a session, and an index where there are several.
//
// A path that ends in .html names the one page; any other is a folder, which is made. Pages are named by their number
// and session, so that the same traces give the same names. Tested in tests/cli/graph_command_test.cpp.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "backedge/policy.h"
#include "backedge/result.h"
#include "graph/call_tree.h"
#include "inspect/trace.h"
#include "journal/redact.h"
#include "prices/table.h"

namespace backedge::cli {

/// The call tree of a trace: replayed under the policy that only watches, secrets taken out.
graph::CallTree tree_of(inspect::Trace const& trace, Policy const& watching_policy, journal::Redactor const& redactor);

/// A redactor whose marks mean nothing outside of this process.
journal::Redactor fresh_redactor();

/// Writes a file, all of it or an error: kIo with the path.
Result<void> write_file(std::filesystem::path const& file, std::string_view text);

class TracePages {
 public:
  /// `prices` outlive it.
  TracePages(std::filesystem::path target, Policy watching_policy, prices::Table const& prices);

  /// Writes the page of a trace. The first error is kept, and nothing is written after it.
  void add(inspect::Trace const& trace);

  /// The index, where it is due. What was written last: the page or the index. Errors: kIo; kUsage for several traces
  /// and a target that names one page; kInput when there was none.
  Result<std::filesystem::path> finish();

 private:
  struct Entry {
    std::string file, title, source, path;
    std::int64_t calls = 0, refused = 0, back = 0;
    std::string took;  // tokens and money
  };

  std::string index() const;

  std::filesystem::path target_;
  bool one_file_;
  Policy policy_;
  prices::Table const& prices_;
  journal::Redactor redactor_;
  std::vector<Entry> entries_;
  Result<void> state_;
};

}  // namespace backedge::cli
