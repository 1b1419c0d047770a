#include "policy/file_reader.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "base/hash.h"
#include "base/text.h"
#include "policy/value.h"

namespace backedge::policy {
namespace {

constexpr std::string_view kWhen = "when";
constexpr std::string_view kRange = "range";

Section const* find_section(std::string_view name) {
  for (Section const& section : sections()) {
    if (section.name == name) return &section;
  }
  return nullptr;
}

template <class Owner>
Key<Owner> const* find_key(std::span<Key<Owner> const> keys, std::string_view name) {
  for (auto const& key : keys) {
    if (key.name == name) return &key;
  }
  return nullptr;
}

constexpr std::size_t kLongestToolName = 64;  // what providers accept

bool is_tool_name(std::string_view name) {
  return !name.empty() && name.size() <= kLongestToolName && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

/// False for a quoted name with a dot, which is no way to write a section or a key within one.
bool is_plain(std::string_view name) { return name.find('.') == std::string_view::npos; }

/// The section that has a key of this name, for keys that stand in the wrong one; empty if there is none.
std::string_view home_of(std::string_view name) {
  if (!is_plain(name)) return {};
  for (Section const& section : sections()) {
    if (find_key(section.keys, name)) return section.name;
  }
  return find_key(tool_keys(), name) ? "tool.NAME" : std::string_view();
}

/// Keys and sections that may stand directly in the section `path`; "" is the file itself.
std::vector<std::string_view> known_in(std::string_view path) {
  std::vector<std::string_view> out;
  if (Section const* section = find_section(path)) {
    for (SettingKey const& key : section->keys) out.push_back(key.name);
  }
  auto add_child = [&](std::string_view name) {
    bool const below =
        path.empty() || (name.size() > path.size() && name.substr(0, path.size()) == path && name[path.size()] == '.');
    std::string_view const rest = path.empty() || !below ? name : name.substr(path.size() + 1);
    if (below && rest.find('.') == std::string_view::npos) out.push_back(rest);
  };
  for (Section const& section : sections()) add_child(section.name);
  for (std::string_view const name : {kAgentSection, kToolSection, kRouteSection, kStageSection}) add_child(name);
  return out;
}

/// "effect", "volatile", …: what may stand directly in a contract, or, with a group, within it.
std::vector<std::string_view> contract_members(std::string_view group = {}) {
  std::vector<std::string_view> out;
  for (ToolKey const& key : tool_keys()) {
    std::size_t const dot = key.name.find('.');
    std::string_view const first = key.name.substr(0, dot);
    if (!group.empty() && first == group && dot != std::string_view::npos) out.push_back(key.name.substr(dot + 1));
    if (group.empty() && (out.empty() || out.back() != first)) out.push_back(first);
  }
  return out;
}

std::string label_of(std::string_view path) { return fmt::format("[{}]", path); }

/// A name in a message: in quotes that show where it ends.
std::string named(std::string_view name) {
  return toml_key(name) == name ? fmt::format("'{}'", name) : in_quotes(name);
}

bool declares_nothing(Contract const& contract) {
  auto const keys = tool_keys();
  return contract.when.empty() &&
         std::none_of(keys.begin(), keys.end(), [&](ToolKey const& key) { return key.get(contract).has_value(); });
}

std::int64_t number(SettingKey const& key, Settings const& settings) {
  return std::get<std::int64_t>(*key.get(settings));
}

}  // namespace

FileReader::FileReader(std::string file, Table base) : file_(std::move(file)) { out_.table = std::move(base); }

Reading FileReader::read(std::string_view toml) && {
  Result<Node> const root = parse_toml(toml, file_);
  if (!root) {
    out_.errors.push_back(root.error());
    return std::move(out_);
  }
  read_root(*root);
  check_thresholds();
  check_stages();
  std::sort(out_.errors.begin(), out_.errors.end(), [](Error const& a, Error const& b) {
    return std::tie(a.where.line, a.where.column, a.detail) < std::tie(b.where.line, b.where.column, b.detail);
  });
  return std::move(out_);
}

void FileReader::read_root(Node const& root) {
  std::vector<OpenSection> open;
  for (Member const& member : root.members) {
    if (Section const* section = find_section(member.name); section && is_plain(member.name)) {
      if (is_section(member.name, member)) open.push_back({section, &member.node});
    } else if (member.name == kAgentSection) {
      if (is_section(member.name, member)) read_agents(member.node);
    } else if (member.name == kToolSection) {
      if (is_section(member.name, member)) read_tools(member.node);
    } else if (member.name == kRouteSection) {
      read_routes(member);
    } else if (member.name == kStageSection) {
      if (is_section(member.name, member)) read_stages(member.node);
    } else {
      unknown("", "", member, known_in(""));
    }
  }
  while (!open.empty()) {
    OpenSection const next = open.back();
    open.pop_back();
    if (next.section->name == kPerToolSection) {
      read_per_tool(*next.node);
    } else {
      read_section(next, open);
    }
  }
}

void FileReader::read_section(OpenSection const& section, std::vector<OpenSection>& open) {
  std::string const path(section.section->name);
  for (Member const& member : section.node->members) {
    std::string const child = path + "." + member.name;
    if (SettingKey const* key = find_key(section.section->keys, member.name)) {
      if (take(*key, label_of(path), member, out_.table.settings)) remember(path, member.name, member.place);
    } else if (Section const* inner = find_section(child)) {
      if (is_section(child, member)) open.push_back({inner, &member.node});
    } else {
      unknown(path, label_of(path), member, known_in(path));
    }
  }
}

void FileReader::read_per_tool(Node const& node) {
  std::string const path(kPerToolSection);
  auto& limits = out_.table.settings.limits.per_tool;
  for (Member const& member : node.members) {
    if (member.name.empty()) {
      fail(member.place, fmt::format("a tool in {} has an empty name", label_of(path)));
      continue;
    }
    Result<Value> const value = read_value(per_tool_form(), member.node);
    if (!value) {
      Where const& where = value.error().where;
      fail({where.line, where.column},
           fmt::format("{} in {} {}", named(member.name), label_of(path), value.error().detail));
      continue;
    }
    auto at =
        std::lower_bound(limits.begin(), limits.end(), member.name,
                         [](kernel::ToolLimit const& limit, std::string const& name) { return limit.tool < name; });
    if (at == limits.end() || at->tool != member.name) at = limits.emplace(at);
    *at = {digest_name(member.name), member.name, std::get<std::int64_t>(*value), source(member.place)};
    ++out_.settings;
    remember(path, toml_key(member.name), member.place);
  }
}

void FileReader::read_agents(Node const& node) {
  for (Member const& member : node.members) {
    if (member.node.kind == NodeKind::kTable && !is_tool_name(member.name)) {
      fail(member.place, fmt::format("an agent cannot be named {}; use 1 to {} letters, digits, _ and -",
                                     in_quotes(member.name), kLongestToolName));
    } else if (find_key(agent_keys(), member.name) && member.node.kind != NodeKind::kTable) {
      fail(member.place, fmt::format("unknown key {} in [agent]; it belongs in [agent.NAME]", named(member.name)));
    } else if (is_section(fmt::format("agent.{}", toml_key(member.name)), member)) {
      read_agent(member);
    }
  }
}

void FileReader::read_agent(Member const& member) {
  std::string const path = fmt::format("agent.{}", toml_key(member.name));
  AgentSettings& agent = out_.table.agents[member.name];
  for (Member const& inner : member.node.members) {
    if (AgentKey const* key = find_key(agent_keys(), inner.name)) {
      if (take(*key, label_of(path), inner, agent)) remember(path, inner.name, inner.place);
    } else {
      Names known;
      for (AgentKey const& one : agent_keys()) known.push_back(one.name);
      unknown(path, label_of(path), inner, known);
    }
  }
}

void FileReader::read_tools(Node const& node) {
  for (Member const& member : node.members) {
    if (member.name.empty()) {
      fail(member.place, fmt::format("a tool in {} has an empty name", label_of(kToolSection)));
    } else if (find_key(tool_keys(), member.name) && member.node.kind != NodeKind::kTable) {
      fail(member.place, fmt::format("unknown key {} in [tool]; it belongs in [tool.NAME]", named(member.name)));
    } else if (is_section(fmt::format("tool.{}", toml_key(member.name)), member)) {
      read_tool(member);
    }
  }
}

void FileReader::read_tool(Member const& member) {
  std::string const path = fmt::format("tool.{}", toml_key(member.name));
  Scope const scope{label_of(path), path};
  std::size_t const errors_before = out_.errors.size();
  auto const found = out_.table.tools.find(member.name);
  Contract contract = found == out_.table.tools.end() ? Contract{} : found->second;
  for (Member const& inner : member.node.members) {
    if (inner.name == kWhen) {
      read_when_list(scope, inner, contract);
    } else {
      read_contract_member(scope, inner, contract, {kWhen});
    }
  }
  if (out_.errors.size() == errors_before) check_by_book(member.place, member.name, contract);
  if (!declares_nothing(contract)) out_.table.tools[member.name] = std::move(contract);
}

void FileReader::read_contract_member(Scope const& scope, Member const& member, Contract& contract,
                                      Names const& also_known) {
  ToolKey const* key = find_key(tool_keys(), member.name);
  if (key && is_plain(member.name)) {
    if (take(*key, scope.label, member, contract)) remember(scope.path, member.name, member.place);
  } else if (!contract_members(member.name).empty()) {
    read_contract_group(scope, member, contract);
  } else {
    Names known = contract_members();
    known.insert(known.end(), also_known.begin(), also_known.end());
    unknown(scope.path, scope.label, member, known);
  }
}

void FileReader::read_contract_group(Scope const& scope, Member const& group, Contract& contract) {
  std::string const label = fmt::format("{} of {}", group.name, scope.label);
  if (group.node.kind != NodeKind::kTable) {
    fail(group.node.place, fmt::format("'{}' in {} must be a table of {}, not {}", group.name, scope.label,
                                       fmt::join(contract_members(group.name), ", "), kind_text(group.node.kind)));
    return;
  }
  std::size_t const errors_before = out_.errors.size();
  if (group.name == kRange) {  // one field in three keys: a later file replaces all of it
    contract.range.reset();
    for (std::string_view const part : contract_members(kRange)) {
      out_.table.sources.erase(fmt::format("{}.{}.{}", scope.path, kRange, part));
    }
  }
  for (Member const& member : group.node.members) {
    std::string const name = group.name + "." + member.name;
    ToolKey const* key = find_key(tool_keys(), name);
    if (!key) {
      unknown(scope.path + "." + group.name, label, member, contract_members(group.name));
    } else if (take(*key, scope.label, member, contract)) {
      remember(scope.path, name, member.place);
    }
  }
  if (group.name == kRange && out_.errors.size() == errors_before) check_range(scope, group.place, contract);
}

void FileReader::read_when_list(Scope const& scope, Member const& member, Contract& contract) {
  std::string const path = fmt::format("{}.{}", scope.path, kWhen);
  Scope const inner{label_of(label_of(path)), ""};
  auto const& items = member.node.items;
  bool const tables =
      member.node.kind == NodeKind::kList &&
      std::all_of(items.begin(), items.end(), [](Node const& item) { return item.kind == NodeKind::kTable; });
  if (!tables) {
    fail(member.place, fmt::format("'{}' in {} must be sections {}", kWhen, scope.label, inner.label));
    return;
  }
  contract.when.clear();
  for (Node const& item : items) {
    std::size_t const errors_before = out_.errors.size();
    ConditionalContract when;
    read_when(inner, item, when);
    if (out_.errors.size() == errors_before) check_when(inner, item.place, when);
    contract.when.push_back(std::move(when));
  }
  remember(scope.path, kWhen, member.place);
}

void FileReader::read_when(Scope const& scope, Node const& node, ConditionalContract& when) {
  Names condition_names;
  for (ConditionKey const& key : condition_keys()) condition_names.push_back(key.name);
  for (Member const& member : node.members) {
    if (ConditionKey const* key = find_key(condition_keys(), member.name)) {
      take(*key, scope.label, member, when.condition);
    } else {
      read_contract_member(scope, member, when.contract, condition_names);
    }
  }
}

void FileReader::check_thresholds() {
  for (Section const& section : sections()) {
    for (SettingKey const& key : section.keys) {
      if (key.below.empty()) continue;
      SettingKey const& upper = *find_key(section.keys, key.below);
      std::int64_t const low = number(key, out_.table.settings);
      std::int64_t const high = number(upper, out_.table.settings);
      if (low == 0 || high == 0 || low < high) continue;
      std::string const low_path = fmt::format("{}.{}", section.name, key.name);
      std::string const high_path = fmt::format("{}.{}", section.name, upper.name);
      auto const low_here = set_here_.find(low_path);
      auto const high_here = set_here_.find(high_path);
      if (low_here != set_here_.end()) {
        fail(low_here->second, fmt::format("'{}' in [{}] is {}, must be below '{}', which is {} ({})", key.name,
                                           section.name, low, upper.name, high, out_.table.source_of(high_path)));
      } else if (high_here != set_here_.end()) {
        fail(high_here->second, fmt::format("'{}' in [{}] is {}, must be above '{}', which is {} ({})", upper.name,
                                            section.name, high, key.name, low, out_.table.source_of(low_path)));
      }
    }
  }
}

void FileReader::check_range(Scope const& scope, Place place, Contract const& contract) {
  if (!contract.range || contract.range->start.empty()) {
    fail(place, fmt::format("range of {} needs 'start'", scope.label));
  } else if (contract.range->length.empty() == contract.range->end.empty()) {
    fail(place, fmt::format("range of {} needs 'length' or 'end', {}", scope.label,
                            contract.range->end.empty() ? "and has none" : "and has both"));
  }
}

void FileReader::check_when(Scope const& scope, Place place, ConditionalContract const& when) {
  Condition const& condition = when.condition;
  int const tests = (condition.equals ? 1 : 0) + (condition.glob ? 1 : 0) + (condition.commands.empty() ? 0 : 1);
  if (condition.pointer.empty()) {
    fail(place, fmt::format("{} needs 'pointer'", scope.label));
  } else if (tests != 1) {
    fail(place, fmt::format("{} needs exactly one of 'equals', 'glob' and 'commands', and has {}", scope.label,
                            tests == 0 ? "none" : "more"));
  } else if (declares_nothing(when.contract)) {
    fail(place, fmt::format("{} says when, but nothing of the contract that then holds", scope.label));
  }
}

void FileReader::check_by_book(Place place, std::string const& tool, Contract const& contract) {
  auto book = facts::ContractBook::blank();
  auto const declared = book.declare(facts::Layer::kPolicy, tool, contract);
  if (!declared) fail(place, declared.error().detail);
}

void FileReader::remember(std::string const& path, std::string_view name, Place place) {
  if (path.empty()) return;
  std::string key = fmt::format("{}.{}", path, name);
  out_.table.sources[key] = source(place);
  set_here_[std::move(key)] = place;
}

bool FileReader::is_section(std::string const& path, Member const& member) {
  if (member.node.kind == NodeKind::kTable) return true;
  fail(member.place, fmt::format("{} must be a section, not {}", label_of(path), kind_text(member.node.kind)));
  return false;
}

void FileReader::unknown(std::string const& path, std::string const& label, Member const& member, Names const& known) {
  bool const is_table =
      member.node.kind == NodeKind::kTable || (member.node.kind == NodeKind::kList && !member.node.items.empty() &&
                                               member.node.items.front().kind == NodeKind::kTable);
  std::string const prefix = path.empty() ? "" : path + ".";
  std::string detail;
  if (is_table) {
    detail = fmt::format("unknown section [{}{}]", prefix, toml_key(member.name));
  } else {
    detail =
        fmt::format("unknown key {}{}", named(member.name), label.empty() ? " outside any section" : " in " + label);
  }
  std::string_view const home = is_table ? std::string_view() : home_of(member.name);
  if (!home.empty()) {
    detail += fmt::format("; it belongs in [{}]", home);
  } else if (auto const near = nearest(member.name, known, 1); !near.empty()) {
    bool const section = label.empty() || find_section(prefix + std::string(near.front()));
    detail += section ? fmt::format(", did you mean [{}{}]?", prefix, near.front())
                      : fmt::format(", did you mean '{}'?", near.front());
  } else {
    detail += fmt::format("; known are {}", fmt::join(known, ", "));
  }
  fail(member.place, std::move(detail));
}

void FileReader::fail(Place place, std::string detail) {
  out_.errors.push_back({ErrorKind::kPolicy, std::move(detail), {file_, place.line, place.column}});
}

}  // namespace backedge::policy
