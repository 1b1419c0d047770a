// Lines and summaries; see report.h.

#include "cases/report.h"

#include <map>

#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <boost/json/value_from.hpp>
#include <fmt/format.h>

namespace backedge::cases {
namespace {

namespace json = boost::json;

// Whole numbers as such: 3, not 3E0.
json::value number(double n) {
  auto const whole = static_cast<std::int64_t>(n);
  return static_cast<double>(whole) == n ? json::value(whole) : json::value(n);
}

// "3" under "model_requests/3" becomes {"model_requests": {"3": 3}}.
json::object numbers(std::map<std::string, double> const& flat) {
  json::object out;
  for (auto const& [name, n] : flat) {
    std::size_t const slash = name.find('/');
    if (slash == std::string::npos) {
      out[name] = number(n);
      continue;
    }
    json::value& per_value = out[name.substr(0, slash)];
    if (!per_value.is_object()) per_value = json::object();
    per_value.get_object()[name.substr(slash + 1)] = number(n);
  }
  return out;
}

// The program's own exit statuses: 0 finished, 3 incomplete, 4 stopped as a loop, 5 denied.
int exit_status(std::string const& end) {
  if (end.empty() || end == "final") return 0;
  if (end == "stop:no_progress") return 4;
  if (end == "stop:stopped") return 130;
  return end == "stop:refused" ? 5 : 3;
}

std::string counted(std::map<std::string, int> const& counts) {
  std::string out;
  for (auto const& [name, n] : counts) out += fmt::format("{}{} {}", out.empty() ? "" : ", ", n, name);
  return out;
}

}  // namespace

std::string decisions_line(Played const& p) {
  json::object decisions;
  json::object results;
  for (Decision const& d : p.decisions) {
    json::object one{{"decision", d.word}};
    if (!d.code.empty()) one["code"] = d.code;
    decisions[d.id] = std::move(one);
    if (!d.text.empty() && d.word != "run" && d.word != "warn" && d.word != "serialize") results[d.id] = d.text;
  }
  json::object out{{"id", p.id}, {"decisions", std::move(decisions)}};
  if (!p.end.empty()) {
    out["end"] = p.end;
    out["exit"] = exit_status(p.end);
  }
  if (!p.output.empty()) out["output"] = p.output;
  for (auto const& [id, text] : p.results) results[id] = text;  // where there are messages, what they hold
  if (!results.empty()) out["results"] = std::move(results);
  if (p.history_order.size() > 1) out["history_order"] = json::value_from(p.history_order);
  if (!p.files.empty()) out["file"] = json::value_from(p.files);
  out["numbers"] = numbers(p.numbers);
  json::object status;
  for (auto const& [call, word] : p.status) status[call] = word;
  if (!status.empty()) out["status"] = std::move(status);
  json::object properties;
  for (auto const& [name, holds] : p.properties) properties[name] = holds;
  if (!properties.empty()) out["properties"] = std::move(properties);
  return json::serialize(out);
}

std::string summary(std::vector<Played> const& all) {
  std::map<std::string, int> words;
  std::map<std::string, int> codes;
  std::map<std::string, int> ends;
  int decisions = 0;
  for (Played const& p : all) {
    for (Decision const& d : p.decisions) {
      ++decisions;
      ++words[d.word];
      if (!d.code.empty()) ++codes[d.code];
    }
    ++ends[p.end.empty() ? "open" : p.end];
  }
  return fmt::format("cases      {}\ndecisions  {}: {}\nreasons    {}\nends       {}\n", all.size(), decisions,
                     counted(words), counted(codes), counted(ends));
}

std::string explanation(Played const& p) {
  std::string out =
      fmt::format("{}: {} decisions, ends {}\n", p.id, p.decisions.size(), p.end.empty() ? "open" : p.end);
  for (Decision const& d : p.decisions) {
    if (!d.text.empty()) out += fmt::format("  {:<5} {}\n", d.id, d.text);
  }
  return out;
}

}  // namespace backedge::cases
