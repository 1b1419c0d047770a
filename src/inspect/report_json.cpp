// The report as one JSON object: {"traces": […], "sum": {…}, "errors": […], "passed_over": n}.
//
// Money is in USD, tokens are whole numbers; a number that is not known is null. Tested in
// tests/inspect/report_test.cpp.
#include <algorithm>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/plain_numbers.h"
#include "inspect/cost_json.h"
#include "inspect/report.h"

namespace backedge::inspect {
namespace {

namespace json = boost::json;

json::object counts_json(Counts const& counts) {
  json::object out;
  out["calls"] = counts.calls;
  out["distinct_calls"] = counts.distinct_calls;
  out["exact_repeats"] = counts.exact_repeats;
  out["exact_repeats_same_result"] = counts.exact_repeats_same_result;
  out["no_progress_repeats"] = counts.no_progress_repeats;
  out["near_repeats"] = counts.near_repeats;
  out["longest_identical_run"] = counts.longest_identical_run;
  json::array& runs = out["identical_runs"].emplace_array();
  for (IdenticalRun const& run : counts.identical_runs) {
    runs.push_back(json::object{{"tool", run.tool}, {"start", run.start}, {"len", run.length}});
  }
  json::array& pairs = out["pingpongs"].emplace_array();
  for (PingPong const& pair : counts.pingpongs) {
    pairs.push_back(json::object{{"a", pair.a}, {"b", pair.b}, {"start", pair.start}, {"len", pair.length}});
  }
  out["cycles_period_3_to_8"] = counts.cycles_period_3_to_8;
  out["cycle_longest"] = counts.cycle_longest;
  out["cycle_period"] = counts.cycle_period > 0 ? json::value(counts.cycle_period) : json::value();
  out["threads"] = counts.threads;
  out["max_depth"] = counts.max_depth;
  out["tool_errors"] = counts.tool_errors;
  out["calls_without_result"] = counts.calls_without_result;
  out["model_messages"] = counts.model_messages;
  out["messages_without_usage"] = counts.messages_without_usage;
  out["person_messages"] = counts.person_messages;
  out["longest_task"] = counts.longest_task;
  out["copied_messages"] = counts.copied_messages;
  return out;
}

void add_tokens(Counts const& counts, json::object& out) {
  out["total_tokens"] = counts.total_tokens;
  out["repeat_tokens"] = counts.repeat_tokens;
  out["repeat_same_result_tokens"] = counts.repeat_same_result_tokens;
  out["tokens_without_calls"] = counts.tokens_without_calls;
  out["token_basis"] = basis_text(counts.token_basis);
  out["usage"] = json::object{{"fresh_input", counts.usage.fresh_input},
                              {"cache_write_5m", counts.usage.cache_write_5m},
                              {"cache_write_1h", counts.usage.cache_write_1h},
                              {"cache_read", counts.usage.cache_read},
                              {"output", counts.usage.output}};
  out["cost_usd_recorded"] =
      counts.cost_nano >= 0 ? json::value(static_cast<double>(counts.cost_nano) / 1e9) : json::value();
  json::object& tools = out["tools"].emplace_object();
  for (auto const& [name, tool] : counts.tools) {
    tools[name] = json::object{
        {"calls", tool.calls}, {"errors", tool.errors}, {"repeats", tool.repeats}, {"tokens", tool.tokens}};
  }
}

json::object place_json(Place const& place) {
  json::object out;
  out["call"] = place.call > 0 ? json::value(place.call) : json::value();
  out["id"] = place.id;
  out["tool"] = place.tool;
  out["thread"] = place.thread.empty() ? "main" : place.thread;
  out["line"] = place.line > 0 ? json::value(place.line) : json::value();
  return out;
}

json::object rule_json(RuleFindings const& rule) {
  return {{"words", rule_words(rule.code)},  {"notes", rule.notes},
          {"refusals", rule.refusals},       {"malformed", rule.malformed},
          {"brought_new", rule.brought_new}, {"refused_tokens", rule.refused_quarters / 4}};
}

void add_replay(Replay const& replay, json::object& out) {
  out["refusals"] = replay.refusals;
  out["refused_tokens"] = replay.refused_quarters / 4;
  out["avoidable_tokens_at_least"] = replay.useless_quarters / 4;
  out["avoidable_tokens_at_most"] = replay.after_quarters / 4;
  out["brought_new"] = replay.brought_new;
  out["ended_tasks"] = replay.ends;
  out["tasks"] = replay.tasks;
  out["tasks_with_refusal"] = replay.tasks_with_refusal;
}

std::string_view weight_text(Weight weight) {
  switch (weight) {
    case Weight::kNote: return "note";
    case Weight::kRefusal: return "refusal";
    case Weight::kMalformed: return "malformed";
  }
  return "";
}

json::object numbers_json(std::map<std::string, std::int64_t> const& numbers) {
  json::object out;
  for (auto const& [name, number] : numbers) out[name] = number;
  return out;
}

json::object problems_json(std::map<std::string, Problem> const& problems) {
  json::object out;
  for (auto const& [what, problem] : problems) {
    json::array first;
    for (Where const& where : problem.first) {
      first.push_back(json::object{{"file", where.file}, {"line", where.line}});
    }
    out[what] = json::object{{"count", problem.count}, {"first", std::move(first)}};
  }
  return out;
}

json::object trace_json(TraceReport const& trace, std::string const& prices) {
  json::object out;
  out["path"] = trace.path;
  out["title"] = trace.title;
  out["format"] = format_name(trace.format);
  json::array& merged = out["merged_files"].emplace_array();
  for (std::string const& path : trace.merged) merged.push_back(json::value(path));
  for (auto const& member : counts_json(trace.counts)) out[member.key()] = member.value();
  add_tokens(trace.counts, out);
  out["cost"] = cost_json(trace.cost, prices, true);
  add_replay(trace.replay, out);
  json::object& rules = out["rules"].emplace_object();
  for (RuleReport const& rule : trace.rules) {
    json::object entry = rule_json(rule.findings);
    entry["first"] = place_json(rule.first);
    if (rule.first_refusal) entry["first_refusal"] = place_json(*rule.first_refusal);
    rules[rule.findings.code] = std::move(entry);
  }
  json::array& findings = out["findings"].emplace_array();
  for (ListedFinding const& finding : trace.findings) {
    json::object entry{{"code", finding.code}, {"weight", weight_text(finding.weight)}};
    if (finding.brought_new) entry["brought_new"] = true;
    for (auto const& member : place_json(finding.place)) entry[member.key()] = member.value();
    findings.push_back(std::move(entry));
  }
  out["problems"] = problems_json(trace.problems);
  out["other_lines"] = numbers_json(trace.other_lines);
  out["unknown_lines"] = numbers_json(trace.unknown_lines);
  return out;
}

}  // namespace

std::string Report::json() const {
  json::object out;
  json::array& traces = out["traces"].emplace_array();
  for (TraceReport const& trace : traces_) traces.push_back(trace_json(trace, prices_));
  json::object sum = counts_json(sum_);
  sum.erase("identical_runs");
  sum.erase("pingpongs");
  add_tokens(sum_, sum);
  sum["cost"] = cost_json(cost_sum_, prices_, false);
  add_replay(replay_sum_, sum);
  json::object& rules = sum["rules"].emplace_object();
  for (RuleFindings const& rule : replay_sum_.rules) rules[rule.code] = rule_json(rule);
  auto const traces_with = [&](auto const& condition) {
    return static_cast<std::int64_t>(std::count_if(traces_.begin(), traces_.end(), condition));
  };
  sum["files"] = files_.files;
  sum["traces"] = static_cast<std::int64_t>(traces_.size());
  sum["traces_with_calls"] = traces_with([](TraceReport const& t) { return t.counts.calls > 0; });
  sum["traces_with_exact_repeat"] = traces_with([](TraceReport const& t) { return t.counts.exact_repeats > 0; });
  sum["traces_with_pingpong"] = traces_with([](TraceReport const& t) { return !t.counts.pingpongs.empty(); });
  sum["traces_with_refusal"] = traces_with([](TraceReport const& t) { return t.replay.refusals > 0; });
  out["sum"] = std::move(sum);
  json::array& errors = out["errors"].emplace_array();
  for (Error const& error : files_.errors) {
    errors.push_back(json::object{{"file", error.where.file}, {"detail", error.detail}});
  }
  out["passed_over"] = files_.passed_over;
  return plain_numbers(json::serialize(out));
}

}  // namespace backedge::inspect
