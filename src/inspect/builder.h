// Puts a trace together from what a reader finds, in the order in which it stands in the file.
//
// Its one rule is how results find their calls. A result belongs to the call of its thread with its id; where an id is
// used again, to the latest model message that still waits for it, and there to the first such call. A result whose id
// was never seen waits for its call (files are not always in order); one that comes a second time is a problem, not a
// result. Calls and results without ids pair in order. Tested in tests/inspect/builder_test.cpp.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "inspect/content.h"
#include "inspect/trace.h"

namespace backedge::inspect {

/// A result as it is found, before its call is known.
struct FoundResult {
  std::string id;
  std::string text;
  std::int64_t chars = 0;
  bool ok = true;
  std::int64_t line = 0;
  std::int64_t at_ms = 0;
};

class TraceBuilder {
 public:
  explicit TraceBuilder(std::string path) { trace_.path = std::move(path); }

  Trace& trace() { return trace_; }
  Trace const& trace() const { return trace_; }

  std::uint32_t add_thread(ThreadKind kind, std::string name);
  /// The thread of the main agent; made when it is first asked for.
  std::uint32_t main_thread();

  std::uint32_t add_model(ModelMessage message);
  /// Its thread is that of the model message.
  std::uint32_t add_call(std::uint32_t model, Call call);
  void add_result(std::uint32_t thread, FoundResult result);
  /// Messages without text are passed over.
  void add_user(UserMessage message);
  void add_compaction(std::uint32_t thread);
  void problem(std::string const& what, std::int64_t line);
  /// The same in a file that was merged into the trace.
  void problem_in(std::string const& what, Where where);

  /// The finished trace: depths of threads from the calls that started them, and results that found no call as
  /// problems. Threads that start each other in a circle lose the calls that started them.
  Trace finish();

 private:
  std::string key(std::uint32_t thread, std::string_view id) const;
  void attach(std::uint32_t call, FoundResult result);
  void set_depths();
  void measure_calls();

  Trace trace_;
  std::uint32_t main_ = kNoIndex;
  std::unordered_map<std::string, std::vector<std::uint32_t>> waiting_;  // calls without result, by thread and id
  std::map<std::string, std::vector<FoundResult>> early_;                // results without call; ordered for the report
  std::unordered_set<std::string> answered_;                             // ids that had a result
};

}  // namespace backedge::inspect
