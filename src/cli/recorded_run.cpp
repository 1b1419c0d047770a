// Reading a run for judging; see recorded_run.h.
#include "cli/recorded_run.h"

#include <span>
#include <utility>

#include "agent/event_body.h"
#include "base/json.h"
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

}  // namespace

Result<RecordedRun> recorded_run(journal::Journal const& journal, journal::RunInfo const& run) {
  Result<std::vector<std::vector<talk::Event>>> events = history(journal, run);
  if (!events) return events.error();
  Opening const opening = opening_of(events->back());
  return RecordedRun{run, *std::move(events), opening.contracts, own_policy(opening)};
}

Result<agent::Rejudged> judge_anew(RecordedRun const& run, Policy const& other) {
  Result<Policy> const policy = embed::PolicyState::with_contracts(other, run.contracts);
  if (!policy) return policy.error();
  std::vector<std::span<talk::Event const>> const runs(run.events.begin(), run.events.end());
  return agent::rejudge(runs, *policy, run.own ? &*run.own : nullptr);
}

}  // namespace backedge::cli
