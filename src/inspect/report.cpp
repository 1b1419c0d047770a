// Collecting reports and summing them up. The text is made in report_text.cpp, the JSON in report_json.cpp.
//
// Tested in tests/inspect/report_test.cpp.
#include "inspect/report.h"

#include <algorithm>
#include <array>
#include <utility>

namespace backedge::inspect {
namespace {

struct RuleWords {
  std::string_view code;
  std::string_view words;
};

constexpr std::array<RuleWords, 21> kRuleWords{{
    {"args.invalid", "arguments that are no JSON object"},
    {"budget.depth", "more calls open on the call stack than allowed"},
    {"compact.no_gain", "the history is shortened again and again, and nothing becomes free"},
    {"conflict.race", "calls of one message touch the same thing side by side"},
    {"deadlock", "calls wait for each other"},
    {"delegate.passthrough", "an agent hands its own task on, unchanged"},
    {"livelock", "agents hand the work back and forth"},
    {"reentry.conflict", "a thing is read while it is being written further up"},
    {"reentry.cycle", "an agent or tool starts itself again, inside itself"},
    {"reentry.depth", "the same agent or tool too many times inside itself"},
    {"reentry.growing", "called again inside itself about something that is not smaller"},
    {"repeat.cycle", "the same calls go round in a circle, with the same answers"},
    {"repeat.effect", "the same thing is done twice that may be done only once"},
    {"repeat.error", "one and the same error, whatever is tried"},
    {"repeat.exact", "the same call with the same answer again, and nothing has changed in between"},
    {"repeat.novelty", "reading on, with next to nothing new in it"},
    {"repeat.poll", "asking how something is coming along, without news"},
    {"repeat.range", "reading lines that were read before"},
    {"repeat.stagnant", "other questions, always the same answer"},
    {"repeat.text", "the model says the same over and over"},
    {"stopped", "calls after the end"},
}};

Place place_of(Trace const& trace, Finding const& finding) {
  Place place;
  ModelMessage const& message = trace.models[finding.message];
  Thread const& thread = trace.threads[message.thread];
  if (thread.kind != ThreadKind::kMain) place.thread = thread.name.empty() ? "subagent" : thread.name;
  place.line = message.line;
  if (finding.call == kNoIndex) return place;
  Call const& call = trace.calls[finding.call];
  place.call = static_cast<std::int64_t>(finding.call) + 1;
  place.id = call.id;
  place.tool = call.tool;
  place.line = call.line;
  return place;
}

void add_replay(Replay& sum, Replay const& more) {
  for (RuleFindings const& rule : more.rules) {
    auto const place = std::lower_bound(sum.rules.begin(), sum.rules.end(), rule.code,
                                        [](RuleFindings const& r, std::string const& code) { return r.code < code; });
    if (place == sum.rules.end() || place->code != rule.code) {
      sum.rules.insert(place, rule);
      continue;
    }
    place->notes += rule.notes;
    place->refusals += rule.refusals;
    place->malformed += rule.malformed;
    place->brought_new += rule.brought_new;
    place->refused_quarters += rule.refused_quarters;
  }
  sum.refusals += more.refusals;
  sum.refused_quarters += more.refused_quarters;
  sum.useless_quarters += more.useless_quarters;
  sum.after_quarters += more.after_quarters;
  sum.brought_new += more.brought_new;
  sum.ends += more.ends;
  sum.tasks += more.tasks;
  sum.tasks_with_refusal += more.tasks_with_refusal;
  sum.not_replayed += more.not_replayed;
}

}  // namespace

std::string_view rule_words(std::string_view code) {
  for (RuleWords const& rule : kRuleWords) {
    if (code == rule.code) return rule.words;
  }
  return code;
}

TraceReport examine(Trace const& trace, Policy const& watching_policy) {
  TraceReport out;
  out.path = trace.path;
  out.title = trace.title;
  out.format = trace.format;
  out.counts = count(trace);
  if (out.counts.copied_messages > 0) out.own = count(trace, Extent::kNew);
  out.replay = replay(trace, watching_policy);
  for (RuleFindings const& rule : out.replay.rules) {
    RuleReport report{rule, place_of(trace, out.replay.findings[rule.first]), {}};
    auto const refusal = std::find_if(
        out.replay.findings.begin(), out.replay.findings.end(),
        [&](Finding const& finding) { return finding.code == rule.code && finding.weight == Weight::kRefusal; });
    if (refusal != out.replay.findings.end()) report.first_refusal = place_of(trace, *refusal);
    out.rules.push_back(std::move(report));
  }
  for (Finding const& finding : out.replay.findings) {
    if (out.findings.size() == kListedFindings) break;
    out.findings.push_back({finding.code, finding.weight, finding.brought_new, place_of(trace, finding)});
  }
  out.replay.findings.clear();
  out.problems = trace.problems;
  out.other_lines = trace.other_lines;
  out.unknown_lines = trace.unknown_lines;
  out.merged = trace.merged;
  return out;
}

void Report::add(TraceReport&& trace) {
  inspect::add(sum_, trace.own_counts());
  add_replay(replay_sum_, trace.replay);
  traces_.push_back(std::move(trace));
}

void Report::add(ReadSummary&& files) { files_ = std::move(files); }

Result<Report> inspect_paths(std::span<std::string const> paths, Policy const& policy) {
  Result<Policy> const watched = watching(policy);
  if (!watched) return watched.error();
  Report report;
  report.add(read_paths(paths, [&](Trace&& trace) { report.add(examine(trace, *watched)); }));
  return report;
}

}  // namespace backedge::inspect
