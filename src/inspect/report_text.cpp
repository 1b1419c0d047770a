// The report as text: one block a trace, then the sum. Every line can be understood without knowing the program.
//
// Numbers of tokens are exact where they stand alone and shortened in lists. Tested in tests/inspect/report_test.cpp.
#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "inspect/report.h"

namespace backedge::inspect {
namespace {

constexpr std::size_t kShortenFrom = 4;  // with so many traces, those with nothing to report become one line each
constexpr std::size_t kShownTools = 6;
constexpr std::size_t kShownProblems = 3;  // places of one kind of problem

std::string grouped(std::int64_t n) {
  std::string const digits = std::to_string(n);
  std::string out;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    bool const gap = i > 0 && digits[i - 1] != '-' && (digits.size() - i) % 3 == 0;
    if (gap) out += ',';
    out += digits[i];
  }
  return out;
}

/// "1 call", "12 calls".
std::string many(std::int64_t n, std::string_view one, std::string_view more) {
  return grouped(n) + " " + std::string(n == 1 ? one : more);
}

std::string percent(std::int64_t part, std::int64_t whole) {
  if (whole <= 0) return "0 %";
  double const value = 100.0 * static_cast<double>(part) / static_cast<double>(whole);
  if (part > 0 && value < 0.1) return "under 0.1 %";
  return fmt::format("{:.{}f} %", value, value < 10 ? 1 : 0);
}

}  // namespace

/// Writes one report; lines of a block are indented by two blanks.
class ReportText {
 public:
  ReportText(Report const& report, bool full) : report_(report), full_(full) {}

  std::string write() {
    std::vector<TraceReport> const& traces = report_.traces_;
    bool const shorten = traces.size() >= kShortenFrom && !full_;
    bool block_before = true;
    for (std::size_t i = 0; i < traces.size();) {
      bool const block = !shorten || worth_a_block(traces[i]);
      if (!out_.empty() && (block || block_before)) out_ += '\n';
      block_before = block;
      if (block) {
        write_trace(traces[i++]);
        continue;
      }
      std::size_t end = i + 1;  // conversations of one file that say as little
      while (end < traces.size() && traces[end].path == traces[i].path && !worth_a_block(traces[end])) ++end;
      write_one_line({traces.data() + i, end - i});
      i = end;
    }
    if (traces.size() != 1) write_sum();
    return std::move(out_);
  }

 private:
  static std::string name(TraceReport const& trace) {
    return trace.title.empty() ? trace.path : trace.path + " " + trace.title;
  }

  static bool worth_a_block(TraceReport const& trace) {
    return !trace.rules.empty() || !trace.problems.empty() || !trace.unknown_lines.empty();
  }

  void line(std::string const& text) { out_ += "  " + text + "\n"; }

  /// Traces of one file, in one line.
  void write_one_line(std::span<TraceReport const> traces) {
    Counts sum;
    for (TraceReport const& trace : traces) add(sum, trace.counts);
    std::string const what = traces.size() == 1
                                 ? name(traces.front())
                                 : fmt::format("{} ({} conversations)", traces.front().path, traces.size());
    out_ += fmt::format("{}: {}, {} tokens, {}\n", what, many(sum.calls, "call", "calls"), grouped(sum.total_tokens),
                        quiet_words(sum));
  }

  /// Of calls none of which would have been stopped.
  static std::string_view quiet_words(Counts const& c) {
    if (c.calls == 0) return "no tool was called";
    return c.no_progress_repeats == 0 ? "no loops, nothing was avoidable" : "no loops";
  }

  void write_trace(TraceReport const& trace) {
    out_ += name(trace) + "\n";
    write_what(trace);
    write_tokens(trace.counts);
    write_cost(trace.cost);
    write_repeats(trace.counts);
    write_findings(trace.rules, trace.replay, trace.counts);
    write_tools(trace.counts);
    write_gaps(trace);
  }

  void write_what(TraceReport const& trace) {
    Counts const& c = trace.counts;
    std::string agents;
    if (c.threads > 1) {
      agents = fmt::format(" of {}", many(c.threads, "agent", "agents"));
      if (c.max_depth > 1) agents += fmt::format(", up to {} deep", c.max_depth + 1);
    }
    line(fmt::format("{}: {} in {}{}, {} from a person", format_name(trace.format), many(c.calls, "call", "calls"),
                     many(c.model_messages, "model message", "model messages"), agents,
                     many(c.person_messages, "message", "messages")));
    if (!trace.merged.empty()) {
      line(fmt::format("with {} of its subagents",
                       many(static_cast<std::int64_t>(trace.merged.size()), "file", "files")));
    }
    if (c.copied_messages > 0) {
      line(fmt::format("{} stand in a trace above; the sum counts them once",
                       many(c.copied_messages, "of its model messages", "of its model messages")));
    }
  }

  void write_tokens(Counts const& c) {
    std::string text = fmt::format("tokens: {} ({})", grouped(c.total_tokens), basis_text(c.token_basis));
    if (c.cost_nano >= 0) text += fmt::format(", ${:.2f} as recorded", static_cast<double>(c.cost_nano) / 1e9);
    line(text);
    std::int64_t const whole = c.usage.total();
    if (whole <= 0 || c.token_basis != TokenBasis::kRecorded) return;
    line(fmt::format("        {} read from the cache, {} written to it, {} other input, {} output",
                     percent(c.usage.cache_read, whole),
                     percent(c.usage.cache_write_5m + c.usage.cache_write_1h, whole),
                     percent(c.usage.fresh_input, whole), percent(c.usage.output, whole)));
  }

  void write_cost(TraceCost const& cost) {
    for (std::string const& text : cost_lines(cost, report_.prices_)) line(text);
  }

  void write_repeats(Counts const& c) {
    if (c.exact_repeats == 0) {
      line("repeats: none, no call was made twice");
      return;
    }
    line(fmt::format("repeats: {} had been made before with the same arguments ({} of the tokens);",
                     many(c.exact_repeats, "call", "calls"), percent(c.repeat_tokens, c.total_tokens)));
    line(fmt::format("         {} got an answer that was known, {} of them with no change in between",
                     grouped(c.exact_repeats_same_result), grouped(c.no_progress_repeats)));
    if (c.longest_identical_run > 1) {
      line(fmt::format("         at most {} equal calls in a row", grouped(c.longest_identical_run)));
    }
  }

  static std::string at(Place const& place) {
    std::string text;
    if (place.call > 0) {
      text = fmt::format("call {} ({})", grouped(place.call), cut(place.tool, 60));
    } else {
      text = "a message";
    }
    if (!place.thread.empty()) text += fmt::format(" of {}", cut(place.thread, 60));
    if (place.line > 0) text += fmt::format(" at line {}", place.line);
    return text;
  }

  void write_rule(RuleReport const& rule, std::int64_t tokens) {
    RuleFindings const& f = rule.findings;
    line(fmt::format("  {}: {}", f.code, rule_words(f.code)));
    if (f.refusals > 0) {
      line(fmt::format("    would have stopped {} ({} of the tokens), first {}", many(f.refusals, "call", "calls"),
                       percent(f.refused_quarters / 4, tokens), at(*rule.first_refusal)));
    }
    if (f.brought_new > 0) {
      line(fmt::format("    {} brought a new answer after all: there the stop would have been a mistake",
                       many(f.brought_new, "of them", "of them")));
    }
    if (f.malformed > 0) {
      line(fmt::format("    {}, first {}",
                       many(f.malformed, "call could not be understood", "calls could not be understood"),
                       at(rule.first)));
    }
    if (f.notes > 0) {
      line(fmt::format("    would have warned the model {}, first at {}", many(f.notes, "time", "times"),
                       at(rule.first)));
    }
  }

  void write_findings(std::vector<RuleReport> const& rules, Replay const& replay, Counts const& c) {
    if (!rules.empty()) {
      line("what a guard would have said:");
      for (RuleReport const& rule : rules) write_rule(rule, c.total_tokens);
    }
    write_verdict(replay, c);
  }

  void write_verdict(Replay const& replay, Counts const& c) {
    if (replay.refusals == 0) {
      bool const clean = c.no_progress_repeats == 0;
      line(c.calls == 0 ? "loops: none, no tool was called"
           : clean      ? "loops: none, no call would have been stopped; nothing was avoidable"
                        : "loops: none, no call would have been stopped");
      return;
    }
    std::int64_t const least = replay.useless_quarters / 4;
    std::int64_t const most = replay.after_quarters / 4;
    std::string const where =
        fmt::format("{} of {}", grouped(replay.tasks_with_refusal), many(replay.tasks, "task", "tasks"));
    line(least == most ? fmt::format("avoidable: {} tokens, those of the stopped calls, in {}", grouped(least), where)
                       : fmt::format("avoidable: at least {} tokens, those of the stopped calls; at most {}, all that "
                                     "followed in {}",
                                     grouped(least), grouped(most), where));
    if (replay.ends > 0) {
      line(fmt::format("           {} would have been ended as a loop", many(replay.ends, "task", "tasks")));
    }
  }

  void write_tools(Counts const& c) {
    if (c.calls == 0) return;
    std::vector<std::pair<std::string, ToolCount>> tools(c.tools.begin(), c.tools.end());
    std::stable_sort(tools.begin(), tools.end(),
                     [](auto const& a, auto const& b) { return a.second.tokens > b.second.tokens; });
    line("where the tokens went, each message's shared among its calls:");
    ToolCount rest;
    for (std::size_t i = 0; i < tools.size(); ++i) {
      auto const& [tool, count] = tools[i];
      if (i < kShownTools || tools.size() == kShownTools + 1) {
        write_tool(std::string(cut(tool, 40)), count, c.total_tokens);
        continue;
      }
      rest.calls += count.calls;
      rest.errors += count.errors;
      rest.tokens += count.tokens;
    }
    if (rest.calls > 0) write_tool("other tools", rest, c.total_tokens);
    if (c.tokens_without_calls > 0) {
      line(fmt::format("  {:>12} {:<24} messages without calls", percent(c.tokens_without_calls, c.total_tokens),
                       "(talk)"));
    }
  }

  void write_tool(std::string const& tool, ToolCount const& count, std::int64_t tokens) {
    std::string text =
        fmt::format("  {:>12} {:<24} {}", percent(count.tokens, tokens), tool, many(count.calls, "call", "calls"));
    if (count.errors > 0) text += fmt::format(", {} failed", grouped(count.errors));
    line(text);
  }

  void write_gaps(TraceReport const& trace) {
    Counts const& c = trace.counts;
    if (c.calls_without_result > 0) {
      line(fmt::format("missing: the results of {}", many(c.calls_without_result, "call", "calls")));
    }
    if (c.token_basis == TokenBasis::kRecorded && c.messages_without_usage > 0) {
      line(fmt::format("missing: the tokens of {}", many(c.messages_without_usage, "model message", "model messages")));
    }
    for (auto const& [what, problem] : trace.problems) {
      std::string text = fmt::format("problem: {} ({})", what, many(problem.count, "time", "times"));
      for (std::size_t i = 0; i < std::min(problem.first.size(), kShownProblems); ++i) {
        Where const& where = problem.first[i];
        if (where.line <= 0) continue;
        text += fmt::format("{} {}line {}", i == 0 ? ":" : ",", where.file == trace.path ? "" : where.file + " ",
                            where.line);
      }
      line(text);
    }
    for (auto const& [type, count] : trace.unknown_lines) {
      line(fmt::format("not understood: {} of type {}", many(count, "line", "lines"), in_quotes(type, 40)));
    }
  }

  void write_sum() {
    if (!out_.empty()) out_ += '\n';
    Counts const& c = report_.sum_;
    out_ += fmt::format("In all: {} in {}, {}\n",
                        many(static_cast<std::int64_t>(report_.traces_.size()), "trace", "traces"),
                        many(report_.files_.files, "file", "files"), many(c.calls, "call", "calls"));
    if (report_.traces_.empty()) return;
    write_tokens(c);
    write_cost(report_.cost_sum_);
    write_repeats(c);
    std::vector<RuleFindings> const& rules = report_.replay_sum_.rules;
    if (!rules.empty()) line("what a guard would have said:");
    for (RuleFindings const& rule : rules) {
      std::int64_t const traces =
          std::count_if(report_.traces_.begin(), report_.traces_.end(), [&](TraceReport const& t) {
            return std::any_of(t.rules.begin(), t.rules.end(),
                               [&](RuleReport const& r) { return r.findings.code == rule.code; });
          });
      line(fmt::format("  {}: {} stopped, {} warned of, in {}: {}", rule.code, grouped(rule.refusals),
                       grouped(rule.notes), many(traces, "trace", "traces"), rule_words(rule.code)));
    }
    write_verdict(report_.replay_sum_, c);
    if (report_.replay_sum_.brought_new > 0) {
      line(fmt::format("mistakes: {} brought a new answer after all",
                       many(report_.replay_sum_.brought_new, "of the stopped calls", "of the stopped calls")));
    }
    write_tools(c);
    if (report_.files_.passed_over > 0) {
      line(fmt::format("passed over: {} in no known format", many(report_.files_.passed_over, "file", "files")));
    }
  }

  Report const& report_;
  bool full_;
  std::string out_;
};

std::string Report::text(bool full) const { return ReportText(*this, full).write(); }

}  // namespace backedge::inspect
