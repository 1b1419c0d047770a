// Reading ahead; see script.h.

#include "cases/script.h"

#include <algorithm>

#include <boost/json/serialize.hpp>

#include "cases/fields.h"

namespace backedge::cases {
namespace {

namespace json = boost::json;

std::string_view event_type(json::object const& step) {
  json::value const* const e = step.if_contains("event");
  json::value const* const type = e == nullptr ? nullptr : e->as_object().if_contains("type");
  return type != nullptr && type->is_string() ? std::string_view(type->get_string()) : std::string_view();
}

}  // namespace

std::vector<StartedCall> starts_of(std::vector<std::string> const& agents) {
  std::vector<StartedCall> out;
  out.reserve(agents.size());
  for (std::string const& agent : agents)
    out.push_back({agent, json::serialize(json::object{{"agent", agent}, {"prompt", "your part, " + agent}})});
  return out;
}

Script::Script(Case const& c) : case_(c) {
  for (json::object const& step : c.steps) read(step);
  find_side_by_side();
}

void Script::read(json::object const& step) {
  if (json::value const* result = step.if_contains("tool_result"))
    results_[text_of(result->as_object(), "id")] = text_of(result->as_object(), "output");
  if (json::value const* calls = step.if_contains("model")) {
    for (json::value const& call : calls->as_array()) tools_.insert(text_of(call.as_object(), "tool"));
  }
  if (json::value const* e = step.if_contains("event")) {
    json::object const& body = e->as_object();
    events_.insert(text_of(body, "type"));
    if (text_of(body, "type") == "spend" && frame_of(body) != "root") unopened_.insert(frame_of(body));
    if (text_of(body, "type") != "open_frame") return;
    openers_[text_of(body, "frame")] = text_of(body, "by_call");
    agents_.insert(text_of(body, "agent"));
  }
}

std::string Script::result(std::string_view call) const {
  auto const at = results_.find(call);
  return at == results_.end() ? std::string() : at->second;
}

bool Script::may_open(std::string_view arguments) {
  return arguments.find("\"prompt\"") != std::string_view::npos || arguments.find("\"task\"") != std::string_view::npos;
}

// Two frames that nobody starts and that both have calls under way are not one conversation under two names.
void Script::find_side_by_side() {
  std::vector<std::string> unopened;
  std::map<std::string, std::string, std::less<>> pending;  // by call: the frame
  std::set<std::string, std::less<>> may_open_calls;
  bool at_once = false;
  for (json::object const& step : case_.steps) {
    if (json::value const* result = step.if_contains("tool_result")) {
      pending.erase(text_of(result->as_object(), "id"));
      may_open_calls.erase(text_of(result->as_object(), "id"));
    }
    json::value const* const calls = step.if_contains("model");
    if (calls == nullptr) continue;
    std::string const name = frame_of(step);
    if (name != "root" && !openers_.contains(name)) unopened_.insert(name);
    bool const known = std::find(unopened.begin(), unopened.end(), name) != unopened.end();
    if (name != "root" && !openers_.contains(name) && !known) {
      if (!may_open_calls.empty()) continue;  // one of these calls has started it
      unopened.push_back(name);
    }
    bool const of_nobody = name == "root" || !openers_.contains(name);
    at_once = at_once || (of_nobody &&
                          std::any_of(pending.begin(), pending.end(), [&](auto const& p) { return p.second != name; }));
    for (json::value const& call : calls->as_array()) {
      std::string const id = text_of(call.as_object(), "id");
      if (of_nobody) pending[id] = name;
      if (may_open(arguments_of(call.as_object()))) may_open_calls.insert(id);
    }
  }
  if (at_once) side_by_side_ = std::move(unopened);
}

bool Script::same_frame(std::string_view a, std::string_view b) const {
  if (a == b) return true;
  return side_by_side_.empty() && !openers_.contains(a) && !openers_.contains(b);
}

bool Script::goes_on(std::string_view frame, std::size_t from) const {
  for (std::size_t i = from; i < case_.steps.size(); ++i) {
    json::object const& step = case_.steps[i];
    std::string_view const event = event_type(step);
    if (step.contains("user") || event == "session_start") return false;
    if (event == "close_frame" && text_of(step.at("event").as_object(), "frame") == frame) return false;
    if (step.contains("model") && same_frame(frame_of(step), frame)) return true;
    if (event == "spend" && same_frame(frame_of(step.at("event").as_object()), frame)) return true;
  }
  return false;
}

std::int64_t Script::next_cost(std::string_view frame, std::size_t from) const {
  for (std::size_t i = from; i < case_.steps.size(); ++i) {
    json::object const& step = case_.steps[i];
    if (step.contains("model") && same_frame(frame_of(step), frame)) return 0;
    if (event_type(step) != "spend") continue;
    json::object const& e = step.at("event").as_object();
    if (same_frame(frame_of(e), frame)) return nano_usd_of(e).value_or(0);
  }
  return 0;
}

bool Script::hook_next(std::size_t from) const {
  for (std::size_t i = from; i < case_.steps.size(); ++i) {
    if (event_type(case_.steps[i]) == "hook_block") return true;
    if (case_.steps[i].contains("model") || case_.steps[i].contains("user")) return false;
  }
  return false;
}

}  // namespace backedge::cases
