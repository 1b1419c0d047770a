// Reading cases; see case.h.

#include "cases/case.h"

#include <array>
#include <set>

#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"

namespace backedge::cases {
namespace {

namespace json = boost::json;

constexpr std::array<std::string_view, 6> kKinds = {"user", "model", "tool_result", "stream", "history", "event"};

Error bad(std::string const& file, int line, std::string detail) {
  return {ErrorKind::kInput, std::move(detail), {file, line, 0}};
}

bool text(json::object const& o, char const* key) {
  json::value const* v = o.if_contains(key);
  return v != nullptr && v->is_string();
}

// What is wrong with one call of a model message; empty when nothing is.
std::string wrong_call(json::value const& v) {
  if (!v.is_object()) return "a call is not an object";
  json::object const& call = v.get_object();
  if (!text(call, "id")) return "a call has no id";
  if (!text(call, "tool")) return fmt::format("call {} names no tool", backedge::in_quotes(call.at("id").as_string()));
  if (call.contains("args_raw") && !text(call, "args_raw")) return "args_raw is not a text";
  if (!call.contains("args") && !call.contains("args_raw")) {
    return fmt::format("call {} has neither args nor args_raw", backedge::in_quotes(call.at("id").as_string()));
  }
  return {};
}

std::string wrong_body(std::string_view kind, json::value const& body) {
  if (kind == "user") return body.is_string() ? "" : "a user step is a text";
  if (kind == "history") return body.is_array() ? "" : "a history step is a list of messages";
  if (kind == "model") {
    if (!body.is_array()) return "a model step is a list of calls";
    for (json::value const& call : body.get_array()) {
      if (std::string wrong = wrong_call(call); !wrong.empty()) return wrong;
    }
    return {};
  }
  if (!body.is_object()) return fmt::format("a {} step is an object", kind);
  if (kind == "tool_result") return text(body.get_object(), "id") ? "" : "a tool_result names no call id";
  if (kind == "event") return text(body.get_object(), "type") ? "" : "an event has no type";
  return {};
}

std::string wrong_step(json::value const& v) {
  if (!v.is_object()) return "a step is an object";
  json::object const& step = v.get_object();
  std::string_view found;
  for (std::string_view kind : kKinds) {
    if (!step.contains(kind)) continue;
    if (!found.empty()) return fmt::format("a step is both {} and {}", found, kind);
    found = kind;
  }
  if (found.empty()) return fmt::format("a step is none of {}", fmt::join(kKinds, ", "));
  if (step.contains("frame") && !text(step, "frame")) return "the frame of a step is a text";
  return wrong_body(found, step.at(found));
}

Result<Case> parse_line(std::string_view text_line, std::string const& file, int line) {
  Result<json::value> parsed = parse_json(text_line, file);
  if (!parsed) return bad(file, line, parsed.error().detail);
  if (!parsed->is_object()) return bad(file, line, "a case is a JSON object with id, config and steps");
  json::object& o = parsed->get_object();
  if (!text(o, "id") || o.at("id").as_string().empty())
    return bad(file, line, "the case has no id; give it a text in \"id\"");
  Case out;
  out.file = file;
  out.line = line;
  out.id = o.at("id").as_string();
  if (json::value* config = o.if_contains("config")) {
    if (!config->is_object()) return bad(file, line, fmt::format("case {}: config is not an object", out.id));
    out.config = std::move(config->get_object());
  }
  json::value* steps = o.if_contains("steps");
  if (steps == nullptr || !steps->is_array())
    return bad(file, line, fmt::format("case {} has no list of steps", out.id));
  int n = 0;
  for (json::value& step : steps->get_array()) {
    ++n;
    if (std::string wrong = wrong_step(step); !wrong.empty()) {
      return bad(file, line, fmt::format("case {}, step {}: {}", out.id, n, wrong));
    }
    out.steps.push_back(std::move(step.get_object()));
  }
  return out;
}

}  // namespace

Result<std::vector<Case>> parse_cases(std::string_view text_all, std::string const& file) {
  std::vector<Case> out;
  std::set<std::string> ids;
  int line = 0;
  while (!text_all.empty()) {
    ++line;
    std::size_t const end = std::min(text_all.find('\n'), text_all.size());
    std::string_view const row = text_all.substr(0, end);
    text_all.remove_prefix(std::min(end + 1, text_all.size()));
    if (row.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    Result<Case> parsed = parse_line(row, file, line);
    if (!parsed) return parsed.error();
    if (!ids.insert(parsed->id).second) return bad(file, line, fmt::format("case {} stands twice", parsed->id));
    out.push_back(*std::move(parsed));
  }
  if (out.empty()) return bad(file, 0, "the file holds no cases; a case is one JSON object on one line");
  return out;
}

}  // namespace backedge::cases
