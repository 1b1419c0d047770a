// `policy show`: the table back as keys and values.
#include <utility>

#include <fmt/format.h>

#include "policy/table.h"
#include "policy/value.h"

namespace backedge::policy {
namespace {

/// Writes a list of `when` or of rules, the values that hold tables, as TOML or as JSON.
class ListWriter {
 public:
  explicit ListWriter(bool json) : json_(json) {}

  std::string list(std::vector<ConditionalContract> const& whens) {
    std::string out = "[";
    for (auto const& when : whens) {
      if (out.size() > 1) out += ", ";
      out += one(when);
    }
    return out + "]";
  }

  std::string list(std::vector<RouteSettings> const& rules) {
    std::string out = "[";
    for (RouteSettings const& rule : rules) {
      if (out.size() > 1) out += ", ";
      std::string members;
      for (RouteKey const& key : route_keys()) add(members, key, rule);
      for (TestList const& tests : route_lists()) {
        if ((rule.*tests.list).empty()) continue;
        std::string all;
        for (ValueTest const& test : rule.*tests.list) {
          std::string one;
          for (TestKey const& key : test_keys()) add(one, key, test);
          all += (all.empty() ? "" : ", ") + in_braces(one);
        }
        if (!members.empty()) members += ", ";
        members += (json_ ? toml_string(tests.name) + ": [" : std::string(tests.name) + " = [") + all + "]";
      }
      out += in_braces(members);
    }
    return out + "]";
  }

 private:
  std::string in_braces(std::string const& members) const {
    return json_ ? "{" + members + "}" : "{ " + members + " }";
  }

  std::string one(ConditionalContract const& when) {
    std::string out;
    for (ConditionKey const& key : condition_keys()) add(out, key, when.condition);
    for (ToolKey const& key : tool_keys()) add(out, key, when.contract);
    return in_braces(out);
  }

  template <class Owner>
  void add(std::string& out, Key<Owner> const& key, Owner const& owner) {
    auto const value = key.get(owner);
    if (!value) return;
    if (!out.empty()) out += ", ";
    out += json_ ? toml_string(key.name) + ": " : std::string(key.name) + " = ";
    out += value_text(key.form, *value);
  }

  bool json_;
};

ShownSetting shown(Table const& table, std::string key, Form const& form, Value const& value, std::string_view about) {
  std::string const text = value_text(form, value);
  std::string const source(table.source_of(key));
  bool const special = value == Value(std::int64_t{-1});
  std::string const note(special ? form.minus_one : std::string_view());
  return {std::move(key), text, text, std::string(form.unit), note, source, std::string(about)};
}

void show_per_tool(Table const& table, Section const& section, std::vector<ShownSetting>& out) {
  for (auto const& limit : table.settings.limits.per_tool) {
    out.push_back(shown(table, fmt::format("{}.{}", section.name, toml_key(limit.tool)), per_tool_form(),
                        Value(limit.max_calls), section.about));
  }
}

void show_tool(Table const& table, std::string const& name, Contract const& contract, std::vector<ShownSetting>& out) {
  std::string const path = fmt::format("tool.{}", toml_key(name));
  for (ToolKey const& key : tool_keys()) {
    if (auto const value = key.get(contract)) {
      out.push_back(shown(table, fmt::format("{}.{}", path, key.name), key.form, *value, key.about));
    }
  }
  if (contract.when.empty()) return;
  std::string const key = path + ".when";
  out.push_back({key, ListWriter(false).list(contract.when), ListWriter(true).list(contract.when), "", "",
                 std::string(table.source_of(key)), std::string(when_about())});
}

// An agent of which nothing is said is an empty table, so that it is there when the lines are read again.
void show_agent(Table const& table, std::string const& name, AgentSettings const& agent,
                std::vector<ShownSetting>& out) {
  std::string const path = fmt::format("agent.{}", toml_key(name));
  std::size_t const before = out.size();
  for (AgentKey const& key : agent_keys()) {
    if (auto const value = key.get(agent))
      out.push_back(shown(table, fmt::format("{}.{}", path, key.name), key.form, *value, key.about));
  }
  if (out.size() == before)
    out.push_back({path, "{}", "{}", "", "", std::string(table.source_of(path)), std::string(agent_about())});
}

}  // namespace

void show_routes(Table const& table, std::vector<ShownSetting>& out) {
  if (table.routes.empty()) return;
  std::string const key(kRouteSection);
  out.push_back({key, ListWriter(false).list(table.routes), ListWriter(true).list(table.routes), "", "",
                 std::string(table.source_of(key)), std::string(route_about())});
}

void show_stage(Table const& table, StageSettings const& stage, std::vector<ShownSetting>& out) {
  std::string const path = fmt::format("{}.{}", kStageSection, toml_key(stage.name));
  for (StageKey const& key : stage_keys()) {
    if (auto const value = key.get(stage))
      out.push_back(shown(table, fmt::format("{}.{}", path, key.name), key.form, *value, key.about));
  }
}

std::vector<ShownSetting> show(Table const& table) {
  std::vector<ShownSetting> out;
  for (Section const& section : sections()) {
    if (section.name == kPerToolSection) show_per_tool(table, section, out);
    for (SettingKey const& key : section.keys) {
      out.push_back(
          shown(table, fmt::format("{}.{}", section.name, key.name), key.form, *key.get(table.settings), key.about));
    }
  }
  for (auto const& [name, agent] : table.agents) show_agent(table, name, agent, out);
  for (auto const& [name, contract] : table.tools) show_tool(table, name, contract, out);
  show_routes(table, out);
  for (StageSettings const& stage : table.stages) show_stage(table, stage, out);
  return out;
}

}  // namespace backedge::policy
