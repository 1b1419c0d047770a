// What another policy would have decided about a run, as text for a person and as JSON for machines.
//
// Each difference with what was said then and now, then the sums, and one sentence at the end that says it all.
// Tested in tests/cli/replay_command_test.cpp.
#pragma once

#include <string>

#include "agent/rejudge.h"
#include "journal/journal.h"

namespace backedge::cli {

struct ReplayReport {
  journal::RunInfo run;
  std::string policy;      // the name of the other one
  bool own_known = false;  // the recorded policy was kept
  agent::Rejudged judged;
};

std::string replay_text(ReplayReport const& report);
std::string replay_json(ReplayReport const& report);
/// "Under strict.toml 2 calls that ran would have been refused, …: at most … saved."
std::string replay_sentence(ReplayReport const& report);

}  // namespace backedge::cli
