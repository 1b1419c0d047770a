// The policy: every setting with its value and where it came from, read strictly from the text of backedge.toml.
//
// Files are layered: a later one is read over the table of an earlier one and overrides it value by value (`when` of a
// tool and its range as a whole). A key that is not known, a value that does not fit, or two that contradict each other
// is an error with file, line and column, and all errors of a file are found at once. Nothing here touches the file
// system. Tested in tests/policy/table_test.cpp and tests/fuzz/policy_toml_fuzz.cpp.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "backedge/contract.h"
#include "backedge/result.h"
#include "facts/book.h"
#include "policy/settings.h"

namespace backedge::policy {

inline constexpr std::string_view kDefaultSource = "default";

struct Table {
  Settings settings;
  std::map<std::string, Contract, std::less<>> tools;
  std::map<std::string, AgentSettings, std::less<>> agents;
  std::vector<RouteSettings> routes;  // in the order in which they are asked; names are unique
  std::vector<StageSettings> stages;  // the first is where a run begins
  /// Of every value that a file set: its key, as in ShownSetting, and "FILE:LINE".
  std::map<std::string, std::string, std::less<>> sources;

  /// "backedge.toml:12", or "default".
  std::string_view source_of(std::string_view key) const;
};

/// The table without any file.
Table defaults();

/// A file read over a base. With errors the table is not to be used.
struct Reading {
  Table table;
  std::vector<Error> errors;  // in the order of the file
  int settings = 0;           // values that the file sets
};

/// Reads the text of a policy file; `file` names it in errors and sources. Linear in the length of the text.
Reading read(std::string_view toml, std::string const& file, Table base = defaults());

/// The same, with the first error only. Errors: kPolicy.
Result<Table> parse(std::string_view toml, std::string const& file, Table base = defaults());

/// Declares every contract of the table as the policy file's layer of `book`. Errors: kPolicy.
Result<void> declare_into(Table const& table, facts::ContractBook& book);

/// One line of `policy show`.
struct ShownSetting {
  std::string key;     // "limits.max_turns", "tool.Bash.effect": as it would stand in the file
  std::string value;   // as TOML
  std::string json;    // the value as JSON
  std::string unit;    // "turns"; empty when the value speaks for itself
  std::string note;    // what a value means that is no amount: "no limit" for -1; mostly empty
  std::string source;  // "backedge.toml:12", "default"
  std::string about;   // what the key means

  friend bool operator==(ShownSetting const&, ShownSetting const&) = default;
};

/// Every setting in the order of the documentation, then the declared fields of every tool by name. The lines "key =
/// value" are a policy file that parses to the same settings and tools.
std::vector<ShownSetting> show(Table const& table);

}  // namespace backedge::policy
