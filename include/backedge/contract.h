// The contract of a tool, as it is declared: what the tool does to the world, what may re-enter it, what its calls are
// about.
//
// Every field may be left undeclared; layers are merged field by field (policy file > code > MCP > built-in table), and
// what stays undeclared gets the defaults of the kernel. Pointers are JSON pointers (RFC 6901) into the arguments.
// Tested in tests/facts/contract_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace backedge {

/// What a call does. Undeclared is kUnknown: never assumed harmless, never assumed harmful.
enum class Effect : std::uint8_t { kUnknown, kRead, kWrite, kPoll, kWait, kDelegate };

/// What may call the tool again while it is still on the call stack.
enum class Reentry : std::uint8_t {
  kForbid,    // nothing
  kDistinct,  // only a call with another identity, at most max_depth deep
  kBounded,   // anything, at most max_depth deep
  kAllow,     // anything
};

/// Where a paged read says which lines it wants. `start` and (`length` or `end`); `end` is exclusive.
struct RangePointers {
  std::string start;
  std::string length;
  std::string end;

  friend bool operator==(RangePointers const&, RangePointers const&) = default;
};

/// A predicate on one argument; of the value fields exactly one is set.
struct Condition {
  std::string pointer;
  std::optional<std::string> equals;  // the argument, as text, is this
  std::optional<std::string> glob;    // the argument, as text, matches; * any text, ? one character
  /// The argument is shell text that consists of nothing but these commands (each a word prefix such as "git status"),
  /// joined by &&, ||, ; or |, with no redirection to a file and no substitution.
  std::vector<std::string> commands;

  friend bool operator==(Condition const&, Condition const&) = default;
};

struct ConditionalContract;

struct Contract {
  std::optional<Effect> effect;
  std::optional<Reentry> reentry;
  /// The argument that becomes smaller at every step inside itself: a number that is not negative, or a text, list or
  /// object, of which the length counts. A call whose measure is not smaller than that of the activation it would
  /// re-enter is refused. Without `reentry` it allows re-entry as far as it shrinks, at most max_depth deep.
  std::optional<std::string> decreases;
  /// For delegates: the argument that names the agent. The call then counts as a call of that agent, not of the tool.
  std::optional<std::string> target;
  /// What the call is about: only these arguments decide whether two calls are the same in `distinct` and `idempotent`.
  std::optional<std::vector<std::string>> identity;
  /// Arguments and result fields that differ from call to call without meaning anything (request ids, times). Result
  /// entries that start with "re:" are RE2 patterns on the result text; all others are pointers.
  std::optional<std::vector<std::string>> volatile_args;
  std::optional<std::vector<std::string>> volatile_result;
  std::optional<RangePointers> range;
  /// Yes: an earlier result may stand in. No: the same identity twice is already harm.
  std::optional<bool> idempotent;
  /// Resources the call touches: a word, or "file:{/path}" with pointers in braces.
  std::optional<std::vector<std::string>> conflicts;
  std::optional<int> max_depth;            // activations of this name on the path; at least 1
  std::optional<bool> returns_direct;      // the result is the answer
  std::optional<std::int64_t> timeout_ms;  // at least 1
  std::optional<std::int64_t> max_output;  // characters; at least 1
  std::optional<std::int64_t> min_interval_ms;
  std::vector<ConditionalContract> when;  // the first that holds overrides the fields above, field by field
};

struct ConditionalContract {
  Condition condition;
  Contract contract;  // its own `when` is ignored
};

}  // namespace backedge
