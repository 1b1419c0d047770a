// The rows of [tool.NAME] and [[tool.NAME.when]]: keys that fill a Contract and its conditions.
//
// A contract key has no default of its own: what is not declared here is left to the next layer, and `backedge tools`
// shows what came of it.
#include <array>
#include <cstddef>
#include <type_traits>

#include "policy/key.h"
#include "policy/quantity.h"

namespace backedge::policy {
namespace {

constexpr std::int64_t kMicrosPerMilli = 1'000;
constexpr std::int64_t kMostTime = std::int64_t{30} * 86'400 * kMicrosPerSecond;
constexpr std::int64_t kMostOutput = 100'000'000;
constexpr std::int64_t kMostDepth = 10'000;

// In the order of the enumerators.
constexpr std::string_view kEffects[] = {"unknown", "read", "write", "poll", "wait", "delegate"};
constexpr std::string_view kReentries[] = {"forbid", "distinct", "bounded", "allow"};
static_assert(std::size(kEffects) == static_cast<std::size_t>(Effect::kDelegate) + 1);
static_assert(std::size(kReentries) == static_cast<std::size_t>(Reentry::kAllow) + 1);

template <auto Field>
using FieldType = std::remove_reference_t<decltype(*(std::declval<Contract>().*Field))>;

/// A member of Contract that is an optional<bool>, a text, a list or a number of any width.
template <auto Field>
constexpr ToolKey plain(std::string_view name, Form form, std::string_view about) {
  return {name, form, about,
          [](Contract const& c) -> std::optional<Value> {
            if (!(c.*Field)) return std::nullopt;
            return Value(*(c.*Field));
          },
          [](Contract& c, Value const& value, std::string const&) {
            if constexpr (std::is_same_v<FieldType<Field>, int>) {
              c.*Field = static_cast<int>(std::get<std::int64_t>(value));
            } else {
              c.*Field = std::get<FieldType<Field>>(value);
            }
          }};
}

/// A closed set of words, in the order of the enumerators.
template <auto Field, auto const& Words>
constexpr ToolKey word(std::string_view name, std::string_view about, std::string_view example) {
  return {name, Form{Type::kWord, {}, 0, 0, {}, Words, example}, about,
          [](Contract const& c) -> std::optional<Value> {
            if (!(c.*Field)) return std::nullopt;
            return Value(std::string(Words[static_cast<std::size_t>(*(c.*Field))]));
          },
          [](Contract& c, Value const& value, std::string const&) {
            for (std::size_t i = 0; i < std::size(Words); ++i) {
              if (Words[i] == std::get<std::string>(value)) c.*Field = static_cast<FieldType<Field>>(i);
            }
          }};
}

/// A duration that the contract keeps in milliseconds.
template <auto Field>
constexpr ToolKey duration(std::string_view name, std::int64_t low, std::string_view about, std::string_view example) {
  return {name, Form{Type::kDuration, {}, low, kMostTime, {}, {}, example}, about,
          [](Contract const& c) -> std::optional<Value> {
            if (!(c.*Field)) return std::nullopt;
            return Value(*(c.*Field) * kMicrosPerMilli);
          },
          [](Contract& c, Value const& value, std::string const&) {
            c.*Field = std::get<std::int64_t>(value) / kMicrosPerMilli;
          }};
}

/// A pointer of the range; empty is not declared.
template <std::string RangePointers::* Field>
constexpr ToolKey range(std::string_view name, std::string_view about, std::string_view example) {
  return {name, Form{Type::kPointer, {}, 0, 0, {}, {}, example}, about,
          [](Contract const& c) -> std::optional<Value> {
            if (!c.range || ((*c.range).*Field).empty()) return std::nullopt;
            return Value((*c.range).*Field);
          },
          [](Contract& c, Value const& value, std::string const&) {
            if (!c.range) c.range.emplace();
            (*c.range).*Field = std::get<std::string>(value);
          }};
}

constexpr Form form(Type type, std::string_view example) { return {type, {}, 0, 0, {}, {}, example}; }

constexpr ToolKey kToolKeys[] = {
    word<&Contract::effect, kEffects>("effect", "what a call does to the world", "\"read\""),
    word<&Contract::reentry, kReentries>("reentry",
                                         "whether it may be called while it is still on the call stack: never, only "
                                         "about something else, up to max_depth "
                                         "deep, always",
                                         "\"distinct\""),
    plain<&Contract::decreases>("decreases", form(Type::kPointer, "\"/size\""),
                                "of a tool that may call itself: the argument (a number, or a text or list by its "
                                "length) that must be smaller each time; without reentry it allows just that"),
    plain<&Contract::target>(
        "target", form(Type::kPointer, "\"/agent\""),
        "of a delegate: the argument that names the agent; the call then counts as a call of that agent"),
    plain<&Contract::identity>("identity", form(Type::kPointers, "[\"/path\"]"),
                               "the arguments that say what a call is about; without it all of them do"),
    plain<&Contract::volatile_args>("volatile.args", form(Type::kPointers, "[\"/request_id\"]"),
                                    "arguments that change from call to call without meaning anything"),
    plain<&Contract::volatile_result>(
        "volatile.result", form(Type::kPatterns, "[\"/took_ms\", \"re:at [0-9:]+\"]"),
        "parts of the result that do: pointers into JSON, or \"re:\" and a regular expression (RE2)"),
    range<&RangePointers::start>("range.start", "of a paged read: the argument with the first line", "\"/offset\""),
    range<&RangePointers::length>("range.length", "the argument with the number of lines", "\"/limit\""),
    range<&RangePointers::end>("range.end", "instead of range.length: the argument with the line after the last", ""),
    plain<&Contract::idempotent>(
        "idempotent", form(Type::kBool, "true"),
        "true: an earlier result may stand in for a call; false: the same identity twice is already harm"),
    plain<&Contract::conflicts>(
        "conflicts", form(Type::kResources, "[\"file:{/path}\"]"),
        "what a call touches, with arguments in braces; calls that touch the same wait for each other"),
    plain<&Contract::max_depth>("max_depth", {Type::kCount, "calls", 1, kMostDepth, {}, {}, "2"},
                                "calls of this tool that may be open on the call stack"),
    plain<&Contract::returns_direct>("returns_direct", form(Type::kBool, "false"), "the result is the answer"),
    duration<&Contract::timeout_ms>("timeout", kMicrosPerMilli, "how long a call may take", "\"2m\""),
    plain<&Contract::max_output>("max_output", {Type::kCount, "characters", 1, kMostOutput, {}, {}, "30000"},
                                 "of a result, before it is cut for the model"),
    duration<&Contract::min_interval_ms>(
        "min_interval", 0, "of a poll or wait: an unchanged result counts as a repeat only after this time", "\"5s\""),
};

template <std::optional<std::string> Condition::* Field>
constexpr ConditionKey condition(std::string_view name, Form form, std::string_view about) {
  return {name, form, about,
          [](Condition const& c) -> std::optional<Value> {
            if (!(c.*Field)) return std::nullopt;
            return Value(*(c.*Field));
          },
          [](Condition& c, Value const& value, std::string const&) { c.*Field = std::get<std::string>(value); }};
}

constexpr ConditionKey kConditionKeys[] = {
    {"pointer", form(Type::kPointer, "\"/command\""), "the argument that decides",
     [](Condition const& c) -> std::optional<Value> {
       if (c.pointer.empty()) return std::nullopt;
       return Value(c.pointer);
     },
     [](Condition& c, Value const& value, std::string const&) { c.pointer = std::get<std::string>(value); }},
    condition<&Condition::equals>("equals", form(Type::kScalar, ""), "it is this"),
    condition<&Condition::glob>("glob", form(Type::kText, ""), "it matches; * is any text, ? one character"),
    {"commands", form(Type::kTexts, "[\"git status\", \"git diff\"]"),
     "it is shell text of nothing but these commands, without redirection and substitution",
     [](Condition const& c) -> std::optional<Value> {
       if (c.commands.empty()) return std::nullopt;
       return Value(c.commands);
     },
     [](Condition& c, Value const& value, std::string const&) {
       c.commands = std::get<std::vector<std::string>>(value);
     }},
};

}  // namespace

std::span<ToolKey const> tool_keys() { return kToolKeys; }
std::span<ConditionKey const> condition_keys() { return kConditionKeys; }

std::string_view tool_about() {
  return "The contract of a tool: what it does, what may re-enter it, what its calls are about. Every key may be left "
         "out; "
         "then what the program, the MCP server or the built-in table says holds.";
}

std::string_view when_about() {
  return "Another contract for calls whose argument fits: pointer and exactly one of equals, glob, commands, then any "
         "keys "
         "of the contract. The first that fits counts.";
}

}  // namespace backedge::policy
