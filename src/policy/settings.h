// The settings of a policy file: what the kernel decides by, and what the rooms above it take from the same file.
//
// Plain values whose defaults are the policy's. A room above the kernel adds its part here and its rows to the keys.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernel/settings.h"

namespace backedge::policy {

/// [journal]
struct JournalSettings {
  std::string path;             // empty: the default place
  bool sync_full = false;       // survives the loss of power, not only of the process
  bool full_texts = true;       // false: digests only
  std::int64_t keep_days = -1;  // -1: for ever

  friend bool operator==(JournalSettings const&, JournalSettings const&) = default;
};

/// [prices]
struct PriceSettings {
  std::string file;  // empty: only the table that the program carries

  friend bool operator==(PriceSettings const&, PriceSettings const&) = default;
};

/// [agent.NAME]: an agent function. Its contract is that of the tool of its name.
struct AgentSettings {
  std::string about;                      // what it is for: for those who call it, and for itself
  std::optional<std::int64_t> max_turns;  // of one activation; empty: its share of what is left
  std::string model;                      // empty: the run's

  friend bool operator==(AgentSettings const&, AgentSettings const&) = default;
};

/// A test of one value in JSON; of equals, glob, regex and same exactly one is set.
struct ValueTest {
  std::string pointer;
  std::optional<std::string> equals;
  std::optional<std::string> glob;
  std::optional<std::string> regex;
  std::optional<std::string> same;  // pointer into the arguments of the call that is judged

  friend bool operator==(ValueTest const&, ValueTest const&) = default;
};

/// [[route]]: one rule, before a call or on a result. What is not set is not asked.
struct RouteSettings {
  std::string name;  // never empty once it is read: its number in the order of all rules
  std::string then;  // one of route_words()
  std::optional<std::vector<std::string>> tool;
  std::optional<std::vector<std::string>> agent;
  std::optional<std::vector<std::string>> in_stage;
  std::vector<ValueTest> where;
  std::optional<std::vector<std::string>> if_seen;
  std::optional<std::vector<std::string>> unless_seen;
  std::vector<ValueTest> seen_where;
  std::optional<bool> person_since;
  std::optional<std::int64_t> in_row;
  std::optional<std::int64_t> over_steps;
  std::optional<bool> error;
  std::optional<bool> empty;
  std::optional<std::int64_t> over_size;
  std::optional<std::string> text;
  std::vector<ValueTest> result;
  std::optional<std::int64_t> times;
  std::optional<std::int64_t> rounds;
  std::optional<std::string> hint;
  std::optional<std::int64_t> size;
  std::optional<std::string> to_stage;
  std::optional<std::int64_t> max_turns;
  std::string source;  // "FILE:LINE"
};

/// [stage.NAME]
struct StageSettings {
  std::string name;
  std::optional<std::vector<std::string>> tools;  // empty: no tools; none: all
  std::optional<std::int64_t> turns;
  std::optional<std::string> about;
  std::optional<std::string> next;
  std::optional<std::vector<std::string>> if_seen;
  std::optional<std::vector<std::string>> unless_seen;
  std::optional<std::string> hint;
  std::optional<bool> ends;
  std::string source;  // "FILE:LINE"
};

struct Settings : kernel::Settings {
  JournalSettings journal;
  PriceSettings prices;
  std::int64_t expected = 0;  // [limits] expected: steps, from which the limit of turns is made; 0: none
};

}  // namespace backedge::policy
