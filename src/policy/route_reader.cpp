// [[route]] and [stage.NAME] of a policy file: read key by key, then held against each other.
//
// Rules are kept in the order in which they are asked: those of earlier files first, a rule of a known name in the
// place of that rule. Stages are held against each other once the whole file is read: every name must be that of a
// stage, `next` never leads in a circle, and every stage can be reached, so that a plan is bounded by the sum of its
// stages. Tested in tests/policy/route_test.cpp.
#include <algorithm>
#include <set>
#include <utility>

#include "base/text.h"
#include "policy/file_reader.h"

namespace backedge::policy {
namespace {

constexpr std::size_t kLongestName = 64;

bool is_name(std::string_view name) {
  return !name.empty() && name.size() <= kLongestName && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

template <class Owner>
Key<Owner> const* find_key(std::span<Key<Owner> const> keys, std::string_view name) {
  auto const at = std::find_if(keys.begin(), keys.end(), [&](Key<Owner> const& key) { return key.name == name; });
  return at == keys.end() ? nullptr : &*at;
}

template <class Owner>
std::vector<std::string_view> names_of(std::span<Key<Owner> const> keys) {
  std::vector<std::string_view> out;
  for (Key<Owner> const& key : keys) out.push_back(key.name);
  return out;
}

bool is_table_list(Node const& node) {
  return node.kind == NodeKind::kList && std::all_of(node.items.begin(), node.items.end(),
                                                     [](Node const& item) { return item.kind == NodeKind::kTable; });
}

std::string route_path(std::string_view name) { return fmt::format("route.{}", toml_key(name)); }
std::string stage_path(std::string_view name) { return fmt::format("stage.{}", toml_key(name)); }

StageSettings const* find_stage(Table const& table, std::string_view name) {
  auto const at = std::find_if(table.stages.begin(), table.stages.end(),
                               [&](StageSettings const& stage) { return stage.name == name; });
  return at == table.stages.end() ? nullptr : &*at;
}

}  // namespace

// ---------------------------------------------------------------------------------------------- rules

void FileReader::read_routes(Member const& member) {
  if (!is_table_list(member.node)) {
    fail(member.place,
         fmt::format("rules must be sections [[{}]], not {}", kRouteSection, kind_text(member.node.kind)));
    return;
  }
  for (Node const& item : member.node.items) read_route(item);
  if (member.node.items.empty()) return;
  out_.table.sources[std::string(kRouteSection)] = source(member.place);
}

void FileReader::read_route(Node const& node) {
  std::string const label = fmt::format("[[{}]]", kRouteSection);
  std::size_t const errors_before = out_.errors.size();
  RouteSettings rule;
  for (Member const& member : node.members) {
    auto const lists = route_lists();
    auto const list =
        std::find_if(lists.begin(), lists.end(), [&](TestList const& one) { return one.name == member.name; });
    if (list != lists.end()) {
      read_tests(member, *list, rule);
    } else if (RouteKey const* key = find_key(route_keys(), member.name)) {
      take(*key, label, member, rule);
    } else {
      Names known = names_of(route_keys());
      for (TestList const& one : lists) known.push_back(one.name);
      unknown(label, label, member, known);
    }
  }
  rule.source = source(node.place);
  if (out_.errors.size() == errors_before) check_route(node.place, rule);
  if (out_.errors.size() == errors_before) keep_route(node.place, std::move(rule));
}

void FileReader::read_tests(Member const& member, TestList const& list, RouteSettings& rule) {
  std::string const label = fmt::format("{} of [[{}]]", list.name, kRouteSection);
  if (!is_table_list(member.node) || member.node.items.empty()) {
    fail(member.place,
         fmt::format("'{}' in [[{}]] must be a list of tests such as {}", list.name, kRouteSection, list.example));
    return;
  }
  for (Node const& item : member.node.items) {
    ValueTest test;
    read_test(label, item, list.name == "seen_where", test);
    (rule.*list.list).push_back(std::move(test));
  }
  ++out_.settings;
}

void FileReader::read_test(std::string const& label, Node const& node, bool may_be_same, ValueTest& test) {
  std::size_t const errors_before = out_.errors.size();
  for (Member const& member : node.members) {
    if (TestKey const* key = find_key(test_keys(), member.name)) {
      take(*key, label, member, test);
    } else {
      unknown(label, label, member, names_of(test_keys()));
    }
  }
  if (out_.errors.size() != errors_before) return;
  int const tests = (test.equals ? 1 : 0) + (test.glob ? 1 : 0) + (test.regex ? 1 : 0) + (test.same ? 1 : 0);
  if (test.pointer.empty()) {
    fail(node.place, fmt::format("a test in {} needs 'pointer'", label));
  } else if (test.same && !may_be_same) {
    fail(node.place, fmt::format("'same' is for tests in seen_where; in {} compare with equals, glob or regex", label));
  } else if (tests != 1) {
    fail(node.place, fmt::format("a test in {} needs exactly one of equals, glob, regex{}, and has {}", label,
                                 may_be_same ? ", same" : "", tests == 0 ? "none" : "more"));
  }
}

void FileReader::check_route(Place place, RouteSettings const& rule) {
  std::string const label = fmt::format("[[{}]]", kRouteSection);
  if (rule.then.empty()) return fail(place, fmt::format("{} needs 'then'", label));
  if (!rule.name.empty() && !is_name(rule.name)) {
    return fail(place, fmt::format("a rule cannot be named {}; use 1 to {} letters, digits, _ and -",
                                   in_quotes(rule.name), kLongestName));
  }
  bool const on_call = moment_of_word(rule.then) == RouteMoment::kCall;
  auto const has = [&](std::string_view name, bool set) {
    if (set && on_call && moment_of_key(name) == RouteMoment::kResult) {
      fail(place, fmt::format("{} with then = \"{}\" is asked before the call, where there is no '{}' yet", label,
                              rule.then, name));
    }
  };
  for (RouteKey const& key : route_keys()) has(key.name, key.get(rule).has_value());
  for (TestList const& list : route_lists()) has(list.name, !(rule.*list.list).empty());
  auto const belongs = [&](std::string_view key, bool set, std::string_view word) {
    if (set && rule.then != word)
      fail(place, fmt::format("'{}' in {} goes with then = \"{}\", not \"{}\"", key, label, word, rule.then));
  };
  belongs("size", rule.size.has_value(), "truncate");
  belongs("to_stage", rule.to_stage.has_value(), "stage");
  belongs("max_turns", rule.max_turns.has_value(), "raise");
  if (rule.then == "stage" && !rule.to_stage) fail(place, fmt::format("{} to a stage needs 'to_stage'", label));
  if (rule.then == "raise" && !rule.max_turns) fail(place, fmt::format("{} that raises needs 'max_turns'", label));
  if (rule.then == "note" && !rule.hint) fail(place, fmt::format("{} with a note needs 'hint', its text", label));
  bool const seen = rule.if_seen || rule.unless_seen;
  if (!seen && rule.person_since)
    fail(place, fmt::format("'person_since' in {} goes with 'if_seen' or 'unless_seen'", label));
  if (!seen && !rule.seen_where.empty())
    fail(place, fmt::format("'seen_where' in {} goes with 'if_seen' or 'unless_seen'", label));
  if (rule.rounds && !rule.times) fail(place, fmt::format("'rounds' in {} goes with 'times'", label));
}

void FileReader::keep_route(Place place, RouteSettings rule) {
  std::vector<RouteSettings>& all = out_.table.routes;
  auto const find = [&](std::string_view name) {
    return std::find_if(all.begin(), all.end(), [&](RouteSettings const& one) { return one.name == name; });
  };
  for (std::size_t n = all.size() + 1; rule.name.empty(); ++n) {
    std::string const number = std::to_string(n);
    if (find(number) == all.end()) rule.name = number;
  }
  std::string const path = route_path(rule.name);
  if (set_here_.contains(path)) {
    return fail(place, fmt::format("there are two rules named {}; the first is in line {}", in_quotes(rule.name),
                                   set_here_.at(path).line));
  }
  set_here_[path] = place;
  auto const known = find(rule.name);
  if (known == all.end()) {
    all.push_back(std::move(rule));
  } else {
    *known = std::move(rule);
  }
}

// ---------------------------------------------------------------------------------------------- stages

void FileReader::read_stages(Node const& node) {
  for (Member const& member : node.members) {
    if (find_key(stage_keys(), member.name) && member.node.kind != NodeKind::kTable) {
      fail(member.place, fmt::format("unknown key '{}' in [stage]; it belongs in [stage.NAME]", member.name));
    } else if (member.node.kind == NodeKind::kTable && !is_name(member.name)) {
      fail(member.place, fmt::format("a stage cannot be named {}; use 1 to {} letters, digits, _ and -",
                                     in_quotes(member.name), kLongestName));
    } else if (is_section(stage_path(member.name), member)) {
      read_stage(member);
    }
  }
}

void FileReader::read_stage(Member const& member) {
  std::string const path = stage_path(member.name);
  std::string const label = fmt::format("[{}]", path);
  std::vector<StageSettings>& all = out_.table.stages;
  auto at = std::find_if(all.begin(), all.end(), [&](StageSettings const& s) { return s.name == member.name; });
  if (at == all.end()) {
    all.emplace_back().name = member.name;
    at = all.end() - 1;
  }
  std::size_t const errors_before = out_.errors.size();
  set_here_[path] = member.place;
  at->source = source(member.place);
  for (Member const& inner : member.node.members) {
    if (StageKey const* key = find_key(stage_keys(), inner.name)) {
      if (take(*key, label, inner, *at)) remember(path, inner.name, inner.place);
    } else {
      unknown(path, label, inner, names_of(stage_keys()));
    }
  }
  if (!at->turns && out_.errors.size() == errors_before)
    fail(member.place, fmt::format("{} needs 'turns', its budget", label));
}

Place FileReader::place_of(std::string const& path) const {
  auto const at = set_here_.find(path);
  if (at != set_here_.end()) return at->second;
  for (auto const& [key, place] : set_here_)
    if (key.starts_with("route.") || key.starts_with("stage.")) return place;
  return {1, 1};
}

void FileReader::check_stage_name(std::string_view section, std::string_view key, std::string const& name,
                                  Place place) {
  if (find_stage(out_.table, name) != nullptr) return;
  std::vector<std::string_view> known;
  known.reserve(out_.table.stages.size());
  for (StageSettings const& stage : out_.table.stages) known.emplace_back(stage.name);
  std::string detail = fmt::format("'{}' in {} is {}, which is no stage", key, section, in_quotes(name));
  if (auto const near = nearest(name, known, 1); !near.empty()) {
    detail += fmt::format("; did you mean {}?", in_quotes(near.front()));
  } else if (known.empty()) {
    detail += "; there are none";
  } else {
    detail += fmt::format("; known are {}", fmt::join(known, ", "));
  }
  fail(place, std::move(detail));
}

void FileReader::check_stages() {
  if (!out_.errors.empty()) return;  // what could not be read would be missed here
  Table const& table = out_.table;
  for (RouteSettings const& rule : table.routes) {
    Place const place = place_of(route_path(rule.name));
    std::string const section = fmt::format("[[{}]]", kRouteSection);
    if (rule.to_stage) check_stage_name(section, "to_stage", *rule.to_stage, place);
    for (std::string const& name : rule.in_stage.value_or(std::vector<std::string>{}))
      check_stage_name(section, "in_stage", name, place);
  }
  for (StageSettings const& stage : table.stages) {
    if (stage.next)
      check_stage_name(fmt::format("[stage.{}]", stage.name), "next", *stage.next, place_of(stage_path(stage.name)));
  }
  if (!out_.errors.empty()) return;
  std::set<std::string_view> reached;
  auto const follow = [&](std::string_view from) {
    for (StageSettings const* at = find_stage(table, from); at != nullptr && reached.insert(at->name).second;)
      at = at->next ? find_stage(table, *at->next) : nullptr;
  };
  if (!table.stages.empty()) follow(table.stages.front().name);
  for (RouteSettings const& rule : table.routes)
    if (rule.to_stage) follow(*rule.to_stage);
  for (StageSettings const& stage : table.stages) {
    Place const place = place_of(stage_path(stage.name));
    if (!reached.contains(stage.name)) {
      fail(place,
           fmt::format("no way leads to [stage.{}]: it is not the first, no 'next' names it and no rule goes to it",
                       stage.name));
    }
    std::set<std::string_view> path;
    StageSettings const* at = &stage;
    while (at != nullptr && path.insert(at->name).second) at = at->next ? find_stage(table, *at->next) : nullptr;
    if (at == &stage) {
      fail(place, fmt::format("from [stage.{}] 'next' leads back to itself ({}); a plan must come to an end",
                              stage.name, fmt::join(path, ", ")));
    }
  }
}

}  // namespace backedge::policy
