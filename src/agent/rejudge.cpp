// Two walks over one record: under its own policy, to know what can be judged, and under the other; see rejudge.h.

#include "agent/rejudge.h"

#include "agent/judge.h"

namespace backedge::agent {
namespace {

Result<Judge*> play(Judge& judge, Record const& record) {
  bool opened = false;
  for (std::vector<Record::Step> const& steps : record.runs()) {
    if (steps.empty() || steps.front().event->type != "run.open")
      return Error{ErrorKind::kInput, "the record of a run begins with run.open", {}};
    if (!opened) {
      if (Result<void> const ok = judge.open(steps.front()); !ok) return ok.error();
      opened = true;
    }
    judge.take_run(steps);
  }
  if (!opened) return Error{ErrorKind::kInput, "there is no run to judge", {}};
  return &judge;
}

}  // namespace

Amounts& Amounts::operator+=(Amounts const& other) {
  calls += other.calls;
  turns += other.turns;
  tokens += other.tokens;
  cost_nano_usd += other.cost_nano_usd;
  return *this;
}

Result<Rejudged> rejudge(std::span<std::span<talk::Event const> const> runs, Policy const& policy, Policy const* own) {
  Result<Record> const record = Record::read(runs);
  if (!record) return record.error();
  Agreed agreed;
  if (own != nullptr) {
    Judge first(*own, *record, nullptr);
    if (Result<Judge*> const played = play(first, *record); !played) return played.error();
    agreed = first.agreed();
  }
  Judge judge(policy, *record, own == nullptr ? nullptr : &agreed);
  if (Result<Judge*> const played = play(judge, *record); !played) return played.error();
  return judge.take_result();
}

}  // namespace backedge::agent
