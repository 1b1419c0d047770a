// Layout only; what is said comes from the verdicts. See replay_report.h.

#include "cli/replay_report.h"

#include <string_view>
#include <vector>

#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>

#include "cli/journal_file.h"

namespace backedge::cli {
namespace {

namespace json = boost::json;
using agent::Amounts;
using agent::Difference;
using agent::DifferenceKind;
using agent::Rejudged;
using agent::Said;

constexpr std::size_t kArgumentsShown = 100;

std::string counted(std::int64_t n, std::string_view one) { return fmt::format("{} {}{}", n, one, n == 1 ? "" : "s"); }

std::string amounts_text(Amounts const& a) {
  std::vector<std::string> parts;
  if (a.calls > 0) parts.push_back(counted(a.calls, "call"));
  if (a.turns > 0) parts.push_back(counted(a.turns, "turn"));
  if (a.tokens > 0) parts.push_back(counted(a.tokens, "token"));
  if (a.cost_nano_usd > 0) parts.push_back(cost_text(a.cost_nano_usd));
  return parts.empty() ? "nothing" : fmt::format("{}", fmt::join(parts, ", "));
}

json::object amounts_json(Amounts const& a) {
  return {{"calls", a.calls}, {"turns", a.turns}, {"tokens", a.tokens}, {"cost_nano_usd", a.cost_nano_usd}};
}

std::string_view kind_word(DifferenceKind kind) {
  switch (kind) {
    case DifferenceKind::kRefusedNow: return "refused_now";
    case DifferenceKind::kRunsNow: return "runs_now";
    case DifferenceKind::kOtherWords: return "other_words";
    case DifferenceKind::kEndsEarlier: return "ends_earlier";
    case DifferenceKind::kEndsLater: return "ends_later";
    case DifferenceKind::kCannotJudge: break;
  }
  return "cannot_judge";
}

std::string_view kind_text(DifferenceKind kind) {
  switch (kind) {
    case DifferenceKind::kRefusedNow: return "ran then, refused now";
    case DifferenceKind::kRunsNow: return "refused then, runs now: unknown from here";
    case DifferenceKind::kOtherWords: return "the same with other words";
    case DifferenceKind::kEndsEarlier: return "ends earlier";
    case DifferenceKind::kEndsLater: return "ends later: unknown from here";
    case DifferenceKind::kCannotJudge: break;
  }
  return "cannot be judged";
}

std::string said_text(Said const& said) {
  return said.code.empty() ? said.word : fmt::format("{} ({})", said.word, said.code);
}

json::object said_json(Said const& said) {
  json::object out{{"verdict", said.word}};
  if (!said.code.empty()) out["code"] = said.code;
  if (!said.text.empty()) out["text"] = said.text;
  return out;
}

std::string difference_text(Difference const& d) {
  std::string const what = d.call.valid() ? fmt::format("call {}: {} > {} {}", d.call.value, d.path, d.tool,
                                                        one_line(d.arguments, kArgumentsShown))
                                          : fmt::format("turn {} of {}", d.turn.value, d.path);
  std::string out = one_line(what, what.size());
  if (d.count > 1) out += fmt::format(" ({} times)", d.count);
  out += fmt::format("\n  {}: {} then, {} now\n", kind_text(d.kind), said_text(d.then), said_text(d.now));
  if (!d.why.empty()) out += fmt::format("  {}\n", d.why);
  std::string const& words = d.now.text.empty() ? d.then.text : d.now.text;
  if (!words.empty()) out += fmt::format("  {}\n", one_line(words, words.size()));
  if (d.saved != Amounts{}) out += fmt::format("  saves at most {}\n", amounts_text(d.saved));
  return out;
}

json::object difference_json(Difference const& d) {
  json::object out{{"kind", kind_word(d.kind)}, {"seq", d.seq}, {"frame", d.frame.value}, {"path", d.path}};
  if (d.call.valid()) {
    out["call"] = d.call.value;
    out["tool"] = d.tool;
    out["arguments"] = one_line(d.arguments, kArgumentsShown);
  } else {
    out["turn"] = d.turn.value;
  }
  out["then"] = said_json(d.then);
  out["now"] = said_json(d.now);
  out["count"] = d.count;
  out["saved_at_most"] = amounts_json(d.saved);
  if (!d.why.empty()) out["why"] = d.why;
  return out;
}

std::vector<std::string> findings(Rejudged const& j) {
  std::vector<std::string> out;
  auto const add = [&](std::int64_t n, std::string_view one, std::string_view what) {
    if (n > 0) out.push_back(fmt::format("{} {}", counted(n, one), what));
  };
  add(j.refused_now, "call", "that ran would have been refused");
  add(j.ends_earlier, "agent", "would have ended earlier");
  add(j.runs_now, "refused call", "would have run, and what follows is unknown");
  add(j.ends_later, "agent", "would have gone on, and what follows is unknown");
  add(j.other_words, "call", "would have been told something else");
  add(j.cannot_judge, "decision", "cannot be judged");
  return out;
}

}  // namespace

std::string replay_sentence(ReplayReport const& r) {
  Rejudged const& j = r.judged;
  std::vector<std::string> const all = findings(j);
  if (all.empty()) {
    return fmt::format("Under {} nothing would have been decided otherwise: {} and {} are the same.", r.policy,
                       counted(j.same_calls, "call"), counted(j.same_turns, "turn"));
  }
  std::string out = fmt::format("Under {} {}", r.policy, fmt::join(all, ", "));
  bool const saves = j.saved != Amounts{};
  return out + (saves ? fmt::format("; at most {} of {} would have been saved.", amounts_text(j.saved),
                                    amounts_text(j.recorded))
                      : "; nothing would have been saved.");
}

std::string replay_text(ReplayReport const& r) {
  Rejudged const& j = r.judged;
  std::string out = fmt::format("run {}: {}; {} refused\n\n", r.run.id, amounts_text(j.recorded), j.refused_then);
  for (Difference const& d : j.differences) out += difference_text(d) + "\n";
  if (j.unknown != Amounts{}) out += fmt::format("not judged, because it is unknown: {}\n", amounts_text(j.unknown));
  if (j.texts_missing) out += "some texts were not kept: only limits can be judged\n";
  if (j.not_replayed > 0)
    out += fmt::format("compactions and hooks that were not replayed, their contents are not recorded: {}\n",
                       j.not_replayed);
  if (!r.own_known) out += "the policy of the run was not kept: nothing vouches for what was declared in code\n";
  return out + replay_sentence(r) + "\n";
}

std::string replay_json(ReplayReport const& r) {
  Rejudged const& j = r.judged;
  json::array differences;
  for (Difference const& d : j.differences) differences.push_back(difference_json(d));
  json::object const out{{"run", r.run.id},
                         {"session", r.run.session},
                         {"policy", r.policy},
                         {"recorded", amounts_json(j.recorded)},
                         {"refused_then", j.refused_then},
                         {"same_calls", j.same_calls},
                         {"same_turns", j.same_turns},
                         {"refused_now", j.refused_now},
                         {"runs_now", j.runs_now},
                         {"other_words", j.other_words},
                         {"ends_earlier", j.ends_earlier},
                         {"ends_later", j.ends_later},
                         {"cannot_judge", j.cannot_judge},
                         {"not_replayed", j.not_replayed},
                         {"texts_missing", j.texts_missing},
                         {"own_policy_known", r.own_known},
                         {"saved_at_most", amounts_json(j.saved)},
                         {"unknown", amounts_json(j.unknown)},
                         {"differences", std::move(differences)},
                         {"summary", replay_sentence(r)}};
  return json::serialize(out) + "\n";
}

}  // namespace backedge::cli
