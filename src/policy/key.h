// What a policy file may say: one row per key with its type, unit, range, meaning, and how it reads and sets its value.
//
// These rows are the only place where a key is written down. Parsing, `policy show`, the commented file of `init` and
// docs/policy.md are all made from them, and a default is what a row reads from default-made settings, so none of them
// can disagree. To add a key, add a row to setting_keys.cpp or tool_keys.cpp. Tested in tests/policy/key_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "backedge/contract.h"
#include "policy/settings.h"

namespace backedge::policy {

enum class Type : std::uint8_t {
  kBool,
  kCount,      // an integer
  kThreshold,  // an integer, or false for 0
  kDuration,   // "1h30m", or an integer of seconds; the value is microseconds
  kMoney,      // 1.50 or "1.50"; the value is nano-USD
  kWord,       // one of a closed set
  kScalar,     // a string, an integer or a boolean, kept as text
  kText,
  kTexts,      // a list of strings, not empty
  kPointer,    // a JSON pointer (RFC 6901) that begins with a slash
  kPointers,   // a list of them
  kPatterns,   // a list of pointers and of "re:PATTERN"
  kResources,  // a list of texts with pointers in braces: "file:{/path}"
  kGlobs,      // a name or glob, or a list of them, which may be empty
  kRegex,      // a regular expression of RE2
};

/// A value as a key reads and sets it: kBool a bool; numbers an integer; lists a list; everything else text.
using Value = std::variant<bool, std::int64_t, std::string, std::vector<std::string>>;

/// What the value of a key looks like.
struct Form {
  Type type = Type::kCount;
  std::string_view unit = {};  // of numbers, for a person: "turns", "USD"
  std::int64_t low = 0;        // of numbers, in the unit of the value
  std::int64_t high = 0;
  std::string_view minus_one = {};  // what -1 means; empty: -1 is not allowed
  std::span<std::string_view const> words = {};
  std::string_view example = {};  // as TOML, for a key without a default; empty: it is the alternative to another
};

/// One key that lives in an Owner: Settings, AgentSettings, RouteSettings, Contract, …
template <class Owner>
struct Key {
  std::string_view name;
  Form form;
  std::string_view about;
  std::optional<Value> (*get)(Owner const&);  // nothing: not declared
  void (*set)(Owner&, Value const&, std::string const& source);
  std::string_view below = {};  // the key of the same section that this one must stay below, when neither is off
};

using SettingKey = Key<Settings>;
using ToolKey = Key<Contract>;
using ConditionKey = Key<Condition>;
using AgentKey = Key<AgentSettings>;
using RouteKey = Key<RouteSettings>;
using TestKey = Key<ValueTest>;
using StageKey = Key<StageSettings>;

/// A section of settings. Its name is its path: "limits.session". Without keys of its own (kPerToolSection) its keys
/// are names that the user chooses.
struct Section {
  std::string_view name;
  std::string_view about;
  std::span<SettingKey const> keys;
};

std::span<Section const> sections();

/// Keys of [tool.NAME] and of its [[tool.NAME.when]]; a dot in a name is a section within ("volatile.args").
std::span<ToolKey const> tool_keys();
/// The keys of [[tool.NAME.when]] that say when it applies.
std::span<ConditionKey const> condition_keys();

inline constexpr std::string_view kPerToolSection = "limits.per_tool";
/// Of every key in kPerToolSection: the most calls of the tool that is its name.
Form const& per_tool_form();

/// Keys of [agent.NAME].
std::span<AgentKey const> agent_keys();
inline constexpr std::string_view kAgentSection = "agent";
std::string_view agent_about();

/// Keys of [[route]], but for its lists of tests.
std::span<RouteKey const> route_keys();
/// A list of tests in [[route]].
struct TestList {
  std::string_view name;
  std::string_view about;
  std::string_view example;
  std::vector<ValueTest> RouteSettings::* list;
};
std::span<TestList const> route_lists();
/// Keys of one test.
std::span<TestKey const> test_keys();
/// Keys of [stage.NAME].
std::span<StageKey const> stage_keys();
inline constexpr std::string_view kRouteSection = "route";
inline constexpr std::string_view kStageSection = "stage";
std::string_view route_about();
std::string_view test_about();
std::string_view stage_about();

/// When a rule is asked, and what a key or an action is good for.
enum class RouteMoment : std::uint8_t { kAny, kCall, kResult };
/// Of what `then` may be.
RouteMoment moment_of_word(std::string_view then);
/// Of a key or list of [[route]].
RouteMoment moment_of_key(std::string_view key);

inline constexpr std::string_view kToolSection = "tool";
std::string_view tool_about();
std::string_view when_about();

}  // namespace backedge::policy
