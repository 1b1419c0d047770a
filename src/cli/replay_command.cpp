// backedge replay: what another policy would have decided about a recorded run.
//
// The run is judged with the runs of its session before it, so that limits of a session count. What code declared of
// the tools is taken from the record, for both policies. Nothing runs and nothing is written. Tested in
// tests/cli/replay_command_test.cpp.

#include <optional>
#include <ostream>
#include <span>
#include <vector>

#include "agent/event_body.h"
#include "base/json.h"
#include "cli/commands.h"
#include "cli/journal_file.h"
#include "cli/policy_files.h"
#include "cli/replay_report.h"
#include "embed/policy_state.h"

namespace backedge::cli {
namespace {

/// What run.open names; empty where only the digest was kept, or where there is none.
struct Opening {
  std::optional<std::string> policy;
  std::string contracts;
};

Opening opening_of(std::vector<talk::Event> const& events) {
  Opening out;
  if (events.empty()) return out;
  Result<boost::json::value> const body = parse_json(events.front().body);
  if (!body || !body->is_object()) return out;
  for (RawText const& raw : events.front().raws) {
    if (raw.sha256 == agent::word(body->get_object(), "policy")) out.policy = raw.text;
    if (raw.sha256 == agent::word(body->get_object(), "contracts")) out.contracts = raw.text;
  }
  return out;
}

/// The events of the session up to and with this run.
Result<std::vector<std::vector<talk::Event>>> history(journal::Journal const& journal, journal::RunInfo const& run) {
  std::vector<std::vector<talk::Event>> out;
  Result<std::vector<journal::RunInfo>> const session = journal.session(run.session);
  if (!session) return session.error();
  for (journal::RunInfo const& one : *session) {
    if (one.id != run.id && (run.session.empty() || one.number >= run.number)) continue;
    Result<std::vector<talk::Event>> events = journal.events(one.id);
    if (!events) return events.error();
    out.push_back(*std::move(events));
  }
  return out;
}

/// The policy under which the run was recorded, as far as the record tells.
std::optional<Policy> own_policy(Opening const& opening) {
  if (!opening.policy) return std::nullopt;
  Result<Policy> const policy = Policy::parse(*opening.policy, "recorded policy");
  if (!policy) return std::nullopt;
  Result<Policy> with = embed::PolicyState::with_contracts(*policy, opening.contracts);
  return with ? std::optional<Policy>(*std::move(with)) : std::nullopt;
}

Result<ReplayReport> judge(ReplayOptions const& options, std::ostream& err) {
  Result<Policy> other = public_policy(options.journal.common, err);
  if (!other) return other.error();
  Result<journal::Journal> const journal = open_journal(options.journal, false, err);
  if (!journal) return journal.error();
  Result<journal::RunInfo> run = journal->find(options.run);
  if (!run) return run.error();
  Result<std::vector<std::vector<talk::Event>>> const events = history(*journal, *run);
  if (!events) return events.error();
  Opening const opening = opening_of(events->back());
  Result<Policy> const policy = embed::PolicyState::with_contracts(*other, opening.contracts);
  if (!policy) return policy.error();
  std::optional<Policy> const own = own_policy(opening);
  std::vector<std::span<talk::Event const>> const runs(events->begin(), events->end());
  Result<agent::Rejudged> judged = agent::rejudge(runs, *policy, own ? &*own : nullptr);
  if (!judged) return judged.error();
  std::string const& file = options.journal.common.policy_file;
  return ReplayReport{*std::move(run), file.empty() ? "the policy that counts here" : file, own.has_value(),
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
