// backedge replay: what another policy would have decided about a recorded run.
//
// The run is judged with the runs of its session before it, so that limits of a session count. What code declared of
// the tools is taken from the record, for both policies. Nothing runs and nothing is written. Tested in
// tests/cli/replay_command_test.cpp.

#include <ostream>
#include <utility>

#include "cli/commands.h"
#include "cli/journal_file.h"
#include "cli/policy_files.h"
#include "cli/recorded_run.h"
#include "cli/replay_report.h"

namespace backedge::cli {
namespace {

Result<ReplayReport> judge(ReplayOptions const& options, std::ostream& err) {
  Result<Policy> other = public_policy(options.journal.common, err);
  if (!other) return other.error();
  Result<journal::Journal> const journal = open_journal(options.journal, false, err);
  if (!journal) return journal.error();
  Result<journal::RunInfo> run = journal->find(options.run);
  if (!run) return run.error();
  Result<RecordedRun> const recorded = recorded_run(*journal, *run);
  if (!recorded) return recorded.error();
  Result<agent::Rejudged> judged = judge_anew(*recorded, *other);
  if (!judged) return judged.error();
  std::string const& file = options.journal.common.policy_file;
  return ReplayReport{*std::move(run), file.empty() ? "the policy that counts here" : file, recorded->own.has_value(),
                      *std::move(judged)};
}

}  // namespace

int run_replay(ReplayOptions const& options, std::ostream& out, std::ostream& err) {
  Result<ReplayReport> const report = judge(options, err);
  if (!report) return complain(err, report.error());
  out << (options.json ? replay_json(*report) : replay_text(*report));
  return kOk;
}

}  // namespace backedge::cli
