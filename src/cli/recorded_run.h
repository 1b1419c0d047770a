// A run of the journal with what is needed to judge it anew: its session's events until it, and its own policy.
//
// Tested in tests/cli/replay_command_test.cpp and tests/cli/suggest_command_test.cpp.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "agent/rejudge.h"
#include "backedge/policy.h"
#include "backedge/result.h"
#include "journal/journal.h"
#include "talk/event.h"

namespace backedge::cli {

struct RecordedRun {
  journal::RunInfo info;
  std::vector<std::vector<talk::Event>> events;  // of the runs of its session up to and with it
  std::string contracts;                         // what code declared of the tools
  std::optional<Policy> own;                     // the policy it was recorded under, as far as the record tells
};

/// Errors: those of the journal.
Result<RecordedRun> recorded_run(journal::Journal const& journal, journal::RunInfo const& run);

/// The run under another policy, with the contracts that code declared. Errors: kInput, kPolicy.
Result<agent::Rejudged> judge_anew(RecordedRun const& run, Policy const& other);

}  // namespace backedge::cli
