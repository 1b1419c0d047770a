// Config to policy; see setup.h.

#include "cases/setup.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "base/text.h"

namespace backedge::cases {
namespace {

namespace json = boost::json;

std::string pointer(std::string_view name) {
  return name.starts_with('/') ? std::string(name) : fmt::format("/{}", name);
}

std::vector<std::string> pointers(json::value const& list) {
  std::vector<std::string> out;
  if (!list.is_array()) return out;
  for (json::value const& v : list.get_array()) {
    if (v.is_string())
      out.push_back(v.get_string().starts_with("re:") ? std::string(v.get_string()) : pointer(v.get_string()));
  }
  return out;
}

std::optional<Effect> effect_of(std::string_view word) {
  static constexpr std::array<std::pair<std::string_view, Effect>, 6> kWords = {{{"read", Effect::kRead},
                                                                                 {"write", Effect::kWrite},
                                                                                 {"poll", Effect::kPoll},
                                                                                 {"wait", Effect::kWait},
                                                                                 {"delegate", Effect::kDelegate},
                                                                                 {"unknown", Effect::kUnknown}}};
  for (auto const& [name, effect] : kWords) {
    if (name == word) return effect;
  }
  return std::nullopt;
}

std::optional<Reentry> reentry_of(std::string_view word) {
  if (word == "forbid" || word == "no") return Reentry::kForbid;
  if (word == "distinct" || word.starts_with("decreasing:")) return Reentry::kDistinct;
  if (word == "bounded") return Reentry::kBounded;
  if (word == "allow" || word == "yes") return Reentry::kAllow;
  return std::nullopt;
}

// One key of a tool's contract, but for `when`. Errors: a known key with a value that does not fit.
Result<void> read_field(std::string_view key, json::value const& v, Contract& c) {
  auto const wrong = [&] {
    return Error{ErrorKind::kInput, fmt::format("{} cannot be {}", key, cut(json::serialize(v), 60)), {}};
  };
  if (key == "effect") {
    c.effect = v.is_string() ? effect_of(v.get_string()) : std::nullopt;
    if (!c.effect) return wrong();
  } else if (key == "poll" && v.is_bool()) {
    if (v.get_bool()) c.effect = Effect::kPoll;
  } else if (key == "reentry" || key == "reentrant") {
    c.reentry = v.is_string() ? reentry_of(v.get_string()) : std::nullopt;
    if (!c.reentry) return wrong();
    if (v.get_string().starts_with("decreasing:")) {
      if (v.get_string().size() == 11) return wrong();
      c.decreases = pointer(std::string_view(v.get_string()).substr(11));
    }
  } else if (key == "target" && v.is_string()) {
    c.target = pointer(v.get_string());
  } else if (key == "identity") {
    c.identity = pointers(v);
  } else if (key == "volatile" && v.is_object()) {
    if (json::value const* args = v.get_object().if_contains("args")) c.volatile_args = pointers(*args);
    if (json::value const* result = v.get_object().if_contains("result")) c.volatile_result = pointers(*result);
  } else if (key == "volatile_args") {
    c.volatile_args = pointers(v);
  } else if (key == "volatile_result") {
    c.volatile_result = pointers(v);
  } else if (key == "range" && v.is_object()) {
    RangePointers range;
    for (auto const& [name, at] : v.get_object()) {
      if (!at.is_string()) return wrong();
      (name == "start" ? range.start : name == "length" ? range.length : range.end) = pointer(at.get_string());
    }
    c.range = range;
  } else if (key == "idempotent") {
    if (!v.is_bool()) return wrong();
    c.idempotent = v.get_bool();
  } else if (key == "conflicts" && v.is_array()) {
    c.conflicts.emplace();
    for (json::value const& name : v.get_array()) {
      if (name.is_string()) c.conflicts->emplace_back(name.get_string());
    }
  } else if (key == "max_depth") {
    if (!v.is_int64() || v.get_int64() < 1) return wrong();
    c.max_depth = static_cast<int>(std::min<std::int64_t>(v.get_int64(), 60000));
  } else if (key == "returns_direct" && v.is_bool()) {
    c.returns_direct = v.get_bool();
  } else if (key == "min_interval_s" && v.is_number()) {
    c.min_interval_ms = static_cast<std::int64_t>(v.to_number<double>() * 1000);
  }
  return {};
}

// Each entry: a pointer with equals, glob or commands, and the fields that hold then; a `when` within is left alone.
Result<void> read_when(json::value const& list, Contract& c) {
  if (!list.is_array()) return Error{ErrorKind::kInput, "when is not a list", {}};
  for (json::value const& entry : list.get_array()) {
    if (!entry.is_object()) return Error{ErrorKind::kInput, "an entry of when is not an object", {}};
    ConditionalContract one;
    for (auto const& [name, v] : entry.get_object()) {
      std::string_view const key = name;
      if (key == "pointer" && v.is_string()) {
        one.condition.pointer = pointer(v.get_string());
      } else if (key == "equals" && v.is_string()) {
        one.condition.equals = v.get_string();
      } else if (key == "glob" && v.is_string()) {
        one.condition.glob = v.get_string();
      } else if (key == "commands" && v.is_array()) {
        for (json::value const& command : v.get_array()) {
          if (command.is_string()) one.condition.commands.emplace_back(command.get_string());
        }
      } else if (key != "when") {
        if (Result<void> read = read_field(key, v, one.contract); !read) return read;
      }
    }
    c.when.push_back(std::move(one));
  }
  return {};
}

// A limit of a case and the key of the policy file that it is.
struct LimitKey {
  std::string_view name;
  std::string_view section;
  std::string_view key;
  std::int64_t add;
};

// A step of the older cases is a round of tools; the answer after the last one is a turn more.
constexpr std::array<LimitKey, 14> kLimits = {{
    {"max_turns", "limits", "max_turns", 0},
    {"max_steps", "limits", "max_turns", 1},
    {"root_max_steps", "limits", "max_turns", 1},
    {"max_tool_calls", "limits.session", "max_calls", 0},
    {"max_tool_calls_per_prompt", "limits", "max_calls", 0},
    {"max_depth", "limits", "max_depth", 0},
    {"max_descendants", "limits", "max_descendants", 0},
    {"tokens", "limits", "max_tokens", 0},
    {"max_tokens", "limits", "max_tokens", 0},
    {"usd", "limits", "max_cost", 0},
    {"max_cost", "limits", "max_cost", 0},
    {"run_wall_s", "limits", "max_time", 0},
    {"conservative_at", "limits", "conservative_at", 0},
    {"stop_hook_blocks", "limits", "hook_blocks", 0},
}};

Result<std::string> limits_toml(json::object const& limits) {
  std::map<std::string, std::string> sections;
  for (LimitKey const& known : kLimits) {
    json::value const* v = limits.if_contains(known.name);
    if (v == nullptr) continue;
    bool const money_or_time = known.key == "max_cost" || known.key == "max_time";
    if (!v->is_number() || (!money_or_time && !v->is_int64())) {
      return Error{ErrorKind::kInput,
                   fmt::format("the limit {} is not a {}number", known.name, money_or_time ? "" : "whole "),
                   {}};
    }
    std::string const value = v->is_int64()
                                  ? fmt::format("{}", v->get_int64() < 0 ? v->get_int64() : v->get_int64() + known.add)
                                  : fmt::format("\"{}\"", v->to_number<double>());
    sections[std::string(known.section)] += fmt::format("{} = {}\n", known.key, value);
  }
  if (json::value const* per_tool = limits.if_contains("per_tool"); per_tool != nullptr && per_tool->is_object()) {
    for (auto const& [tool, most] : per_tool->get_object()) {
      if (!most.is_int64())
        return Error{
            ErrorKind::kInput,
            fmt::format("the limit of tool {} is not a whole number", backedge::in_quotes(std::string_view(tool))),
            {}};
      sections["limits.per_tool"] += fmt::format("{} = {}\n", json::serialize(json::string(tool)), most.get_int64());
    }
  }
  std::string out;
  for (auto const& [name, body] : sections) out += fmt::format("[{}]\n{}", name, body);
  return out;
}

std::vector<std::string> whole_tools(json::object const& policy, char const* key) {
  std::vector<std::string> out;
  json::value const* rules = policy.if_contains(key);
  if (rules == nullptr || !rules->is_array()) return out;
  for (json::value const& rule : rules->get_array()) {
    if (!rule.is_string()) continue;
    std::string_view const r = rule.get_string();
    if (r.ends_with("(*)")) out.emplace_back(r.substr(0, r.size() - 3));
  }
  return out;
}

Result<Policy> with_tools(Policy policy, json::object const& tools) {
  for (auto const& [tool, fields] : tools) {
    if (!fields.is_object())
      return Error{ErrorKind::kInput,
                   fmt::format("the contract of tool {} is not an object", backedge::in_quotes(std::string_view(tool))),
                   {}};
    Contract contract;
    for (auto const& [key, v] : fields.get_object()) {
      if (Result<void> read = key == "when" ? read_when(v, contract) : read_field(key, v, contract); !read) {
        return Error{ErrorKind::kInput,
                     fmt::format("tool {}: {}", backedge::in_quotes(std::string_view(tool)), read.error().detail),
                     {}};
      }
    }
    Result<Policy> with = policy.with(tool, contract);
    if (!with)
      return Error{ErrorKind::kInput,
                   fmt::format("tool {}: {}", backedge::in_quotes(std::string_view(tool)), with.error().detail),
                   {}};
    policy = *std::move(with);
  }
  return policy;
}

}  // namespace

Gate ToolRules::opinion(std::string_view tool) const {
  if (std::find(deny.begin(), deny.end(), tool) != deny.end()) return Gate::kDeny;
  if (std::find(ask.begin(), ask.end(), tool) != ask.end()) return Gate::kAsk;
  return Gate::kAllow;
}

Result<Setup> set_up(Case const& c, Policy const& base, bool contracts) {
  Setup out;
  out.policy = base;
  auto const object = [&](char const* key) -> json::object const* {
    json::value const* v = c.config.if_contains(key);
    return v != nullptr && v->is_object() ? &v->get_object() : nullptr;
  };
  if (json::object const* limits = object("limits")) {
    Result<std::string> toml = limits_toml(*limits);
    if (!toml) return toml.error();
    Result<Policy> limited = out.policy.with(*toml, "case");
    if (!limited) return limited.error();
    out.policy = *std::move(limited);
  }
  if (json::object const* tools = object("tools"); tools != nullptr && contracts) {
    Result<Policy> with = with_tools(out.policy, *tools);
    if (!with) return with.error();
    out.policy = *std::move(with);
  }
  if (json::object const* policy = object("policy")) {
    out.rules.ask = whole_tools(*policy, "ask");
    out.rules.deny = whole_tools(*policy, "deny");
  }
  json::value const* mode = c.config.if_contains("mode");
  out.unattended = mode != nullptr && mode->is_string() && mode->get_string() == "unattended";
  return out;
}

}  // namespace backedge::cases
