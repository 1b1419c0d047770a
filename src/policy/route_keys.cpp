// The rows of [[route]] and [stage.NAME]: rules on calls and results, and the stages of a run.
#include <algorithm>
#include <array>
#include <type_traits>

#include "policy/key.h"

namespace backedge::policy {
namespace {

constexpr std::int64_t kMostSteps = 1'000'000;
constexpr std::int64_t kMostSize = 100'000'000;
constexpr std::int64_t kMostRounds = 64;  // so many are remembered

// Actions before a call, then those on a result.
constexpr std::string_view kWords[] = {"allow", "reject", "ask",   "reuse", "pass",  "truncate",
                                       "note",  "stage",  "final", "stop",  "raise", "retry"};
constexpr std::size_t kCallWords = 4;

constexpr Form form(Type type, std::string_view example) { return {type, {}, 0, 0, {}, {}, example}; }
constexpr Form count(std::string_view unit, std::int64_t low, std::int64_t high, std::string_view example) {
  return {Type::kCount, unit, low, high, {}, {}, example};
}

/// A member that is an optional: nothing stands there when the file says nothing.
template <class Owner, auto Field>
constexpr Key<Owner> optional(std::string_view name, Form form, std::string_view about) {
  using Held = typename std::remove_reference_t<decltype(std::declval<Owner>().*Field)>::value_type;
  return {name, form, about,
          [](Owner const& o) -> std::optional<Value> {
            if (!(o.*Field)) return std::nullopt;
            return Value(*(o.*Field));
          },
          [](Owner& o, Value const& value, std::string const&) { o.*Field = std::get<Held>(value); }};
}

template <auto Field>
constexpr RouteKey route(std::string_view name, Form form, std::string_view about) {
  return optional<RouteSettings, Field>(name, form, about);
}
template <auto Field>
constexpr StageKey stage(std::string_view name, Form form, std::string_view about) {
  return optional<StageSettings, Field>(name, form, about);
}
template <std::string RouteSettings::* Field>
constexpr RouteKey text(std::string_view name, Form form, std::string_view about) {
  return {name, form, about,
          [](RouteSettings const& r) -> std::optional<Value> {
            if ((r.*Field).empty()) return std::nullopt;
            return Value(r.*Field);
          },
          [](RouteSettings& r, Value const& value, std::string const&) { r.*Field = std::get<std::string>(value); }};
}

using R = RouteSettings;
constexpr RouteKey kRouteKeys[] = {
    text<&R::name>(
        "name", form(Type::kText, "\"confirmed\""),
        "letters, digits, _ and -: the verdict's code is route.NAME; without it, the rule's number. A rule of "
        "this name in an earlier file is replaced"),
    text<&R::then>("then", Form{Type::kWord, {}, 0, 0, {}, kWords, "\"reject\""},
                   "what happens when all that the rule asks is true; the first four before a call, the others on a "
                   "result"),
    route<&R::tool>("tool", form(Type::kGlobs, "\"send_*\""), "the tool that is called"),
    route<&R::agent>("agent", form(Type::kGlobs, "\"main\""), "the agent that calls; main is a root without a name"),
    route<&R::in_stage>("in_stage", form(Type::kGlobs, "\"explore\""), "the stage that the run is in, by its name"),
    route<&R::if_seen>("if_seen", form(Type::kGlobs, ""),
                       "before in this run, a call of such a tool came back without an error"),
    route<&R::unless_seen>("unless_seen", form(Type::kGlobs, "\"confirm_recipient\""),
                           "no call of such a tool came back without an error before in this run"),
    route<&R::person_since>("person_since", form(Type::kBool, "true"),
                            "with if_seen or unless_seen: only what a person's message has followed counts as seen"),
    route<&R::in_row>("in_row", count("rounds", 2, kMostRounds, ""),
                      "of this agent, the n-th round in a row that calls this tool, whatever the arguments"),
    route<&R::over_steps>("over_steps", count("steps", 1, kMostSteps, "8"),
                          "this agent has taken more than so many steps; a step is a round in which something ran"),
    route<&R::error>("error", form(Type::kBool, "true"),
                     "the tool said that it failed, or did not; what stands in a result does not count"),
    route<&R::empty>("empty", form(Type::kBool, "false"), "the result holds nothing, or holds something"),
    route<&R::over_size>("over_size", count("characters", 0, kMostSize, "3000"), "the result is longer than this"),
    route<&R::text>("text", form(Type::kRegex, "\"(?i)not found\""), "somewhere in the result stands this"),
    route<&R::times>("times", count("results", 1, kMostRounds, "2"),
                     "results of one tool for which all of this was true, this one included"),
    route<&R::rounds>("rounds", count("rounds", 1, kMostRounds, "3"),
                      "with times: within so many rounds of this agent, this one included; without it, in the run"),
    route<&R::hint>("hint", form(Type::kText, "\"ask the user who shall get it\""),
                    "what the model is told to do instead"),
    route<&R::size>("size", count("characters", 1, kMostSize, "3000"),
                    "what truncate leaves, from the head and the tail; without it, 3000"),
    route<&R::to_stage>("to_stage", form(Type::kText, "\"report\""), "where stage leads"),
    route<&R::max_turns>("max_turns", count("turns", 1, kMostSteps, "20"),
                         "what raise makes of the run's max_turns; a run is raised once, and never lowered"),
};

constexpr TestList kLists[] = {
    {"where", "tests of the call's arguments; all must hold", "[{ pointer = \"/to\", glob = \"*@example.com\" }]",
     &R::where},
    {"seen_where", "with if_seen or unless_seen: tests of that call's arguments; all must hold",
     "[{ pointer = \"/address\", same = \"/to\" }]", &R::seen_where},
    {"result", "tests of the result, which is JSON; all must hold",
     "[{ pointer = \"/items/0/state\", equals = \"open\" }]", &R::result},
};

constexpr TestKey kTestKeys[] = {
    {"pointer", form(Type::kPointer, "\"/to\""), "the value that is tested; a test of what is not there fails",
     [](ValueTest const& t) -> std::optional<Value> {
       if (t.pointer.empty()) return std::nullopt;
       return Value(t.pointer);
     },
     [](ValueTest& t, Value const& value, std::string const&) { t.pointer = std::get<std::string>(value); }},
    optional<ValueTest, &ValueTest::equals>("equals", form(Type::kScalar, ""), "it is this"),
    optional<ValueTest, &ValueTest::glob>("glob", form(Type::kText, "\"*@example.com\""),
                                          "it matches; * is any text, ? one character"),
    optional<ValueTest, &ValueTest::regex>("regex", form(Type::kRegex, ""), "somewhere in it stands this"),
    optional<ValueTest, &ValueTest::same>("same", form(Type::kPointer, ""),
                                          "in seen_where: it is the value of this argument of the call that is judged"),
};

using S = StageSettings;
constexpr StageKey kStageKeys[] = {
    stage<&S::tools>("tools", form(Type::kGlobs, "[\"list_files\", \"search_files\"]"),
                     "what may be called; an empty list is nothing, without the key it is everything"),
    stage<&S::turns>("turns", count("turns", 1, kMostSteps, "4"),
                     "of the whole run, however often the stage is entered; a stage that is spent moves on"),
    stage<&S::about>("about", form(Type::kText, "\"find out what is there\""), "told to the model as the stage begins"),
    stage<&S::next>("next", form(Type::kText, "\"report\""),
                    "the stage that follows; without it this is the last one, and its last turn must be the answer"),
    stage<&S::if_seen>("if_seen", form(Type::kGlobs, ""),
                       "entered only when a call of such a tool came back without an error before; else its next is"),
    stage<&S::unless_seen>("unless_seen", form(Type::kGlobs, ""), "entered only when none did; else its next is"),
    stage<&S::hint>("hint", form(Type::kText, "\"look before you change anything\""),
                    "told to the model that calls what may not be called here"),
    stage<&S::ends>("ends", form(Type::kBool, "false"),
                    "a message without calls is the run's answer, as in the last stage; without it, the stage's end"),
};

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> all) {
  return std::find(all.begin(), all.end(), word) != all.end();
}

}  // namespace

std::span<RouteKey const> route_keys() { return kRouteKeys; }
std::span<TestList const> route_lists() { return kLists; }
std::span<TestKey const> test_keys() { return kTestKeys; }
std::span<StageKey const> stage_keys() { return kStageKeys; }

RouteMoment moment_of_word(std::string_view then) {
  auto const at = std::find(std::begin(kWords), std::end(kWords), then);
  return at - std::begin(kWords) < static_cast<std::ptrdiff_t>(kCallWords) ? RouteMoment::kCall : RouteMoment::kResult;
}

RouteMoment moment_of_key(std::string_view key) {
  if (is_one_of(key,
                {"error", "empty", "over_size", "text", "result", "times", "rounds", "size", "to_stage", "max_turns"}))
    return RouteMoment::kResult;
  return RouteMoment::kAny;
}

std::string_view route_about() {
  return "A rule on a call before it runs, or on a result when it comes. The first rule whose every key holds counts; "
         "rules of an earlier file stand first. docs/routing.md explains them.";
}

std::string_view test_about() { return "A test of a value: pointer and exactly one of equals, glob, regex, same."; }

std::string_view stage_about() {
  return "A part of the root agent's run: what may be called in it and for how many turns. A run begins in the first "
         "stage of the file; all stages together take no more turns than the sum of theirs.";
}

}  // namespace backedge::policy
