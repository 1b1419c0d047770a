// What `backedge inspect` says of traces, for people and for programs.
//
// A report holds numbers and places, not texts, so that thousands of traces fit. The text says for each trace what it
// is, what repeated, what a guard would have refused, and where the tokens went; a trace with nothing to report is one
// line when there are many. The JSON names its numbers as counts.h does. Sums leave out what a trace has in common with
// one before it. Tested in tests/inspect/report_test.cpp.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "backedge/policy.h"
#include "inspect/cost.h"
#include "inspect/counts.h"
#include "inspect/read.h"
#include "inspect/replay.h"
#include "inspect/trace.h"

namespace backedge::inspect {

/// Where in a trace a finding is.
struct Place {
  std::int64_t call = 0;  // 1-based in the trace; 0: a message without a call
  std::string id;
  std::string tool;
  std::string thread;     // of a subagent: its name
  std::int64_t line = 0;  // in the file of its thread; 0 = unknown
};

/// One rule's findings in one trace.
struct RuleReport {
  RuleFindings findings;
  Place first;
  std::optional<Place> first_refusal;
};

/// A finding as the JSON lists it.
struct ListedFinding {
  std::string code;
  Weight weight = Weight::kNote;
  bool brought_new = false;
  Place place;
};

struct TraceReport {
  std::string path;
  std::string title;
  Format format = Format::kUnknown;
  Counts counts;              // of all of it
  std::optional<Counts> own;  // without what another trace holds, where that is less
  TraceCost cost;
  Replay replay;  // its findings moved to the two lists below
  std::vector<RuleReport> rules;
  std::vector<ListedFinding> findings;  // at most kListedFindings
  std::map<std::string, Problem> problems;
  std::map<std::string, std::int64_t> other_lines;
  std::map<std::string, std::int64_t> unknown_lines;
  std::vector<std::string> merged;

  Counts const& own_counts() const { return own ? *own : counts; }
};

inline constexpr std::size_t kListedFindings = 1000;

/// Counts, replays and prices one trace; `watching_policy` as replay() wants it.
TraceReport examine(Trace const& trace, Policy const& watching_policy, prices::Table const& prices);

/// In a few words what a rule found; for a code that is not known, the code itself.
std::string_view rule_words(std::string_view code);

class Report {
 public:
  /// `prices`: the name of the table that traces were priced by.
  explicit Report(std::string prices) : prices_(std::move(prices)) {}

  void add(TraceReport&& trace);
  void add(ReadSummary&& files);

  std::span<TraceReport const> traces() const { return traces_; }
  Counts const& sum() const { return sum_; }
  std::vector<Error> const& errors() const { return files_.errors; }

  /// For people; `full`: no trace is shortened to a line. Errors are not in it.
  std::string text(bool full) const;
  std::string json() const;

 private:
  friend class ReportText;

  std::vector<TraceReport> traces_;
  Counts sum_;
  TraceCost cost_sum_;
  std::string prices_;
  Replay replay_sum_;
  ReadSummary files_;
};

/// Reads, counts, replays and prices everything under the paths; `also` sees each trace, too. Errors: kPolicy. What
/// cannot be read is in the report's errors.
Result<Report> inspect_paths(std::span<std::string const> paths, Policy const& policy, prices::Table const& prices,
                             std::function<void(Trace const&)> const& also = {});

}  // namespace backedge::inspect
