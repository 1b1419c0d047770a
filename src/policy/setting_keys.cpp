// The rows of [limits], [repeat], [ladder], [journal] and [prices]: keys that fill Settings.
//
// Upper ends of ranges only catch slips of the keyboard; where a smaller one matters, the row says so.
#include <array>
#include <type_traits>

#include "policy/key.h"
#include "policy/quantity.h"

namespace backedge::policy {
namespace {

using kernel::Ladder;
using kernel::Limits;
using kernel::Meter;
using kernel::Repeat;
using kernel::Scope;

constexpr std::int64_t kMostCounted = 1'000'000'000'000;
constexpr std::int64_t kMostDepth = 10'000;
constexpr std::int64_t kMostSteps = 1'000'000;
constexpr std::int64_t kMostMoney = 1'000'000'000 * kNanosPerDollar;
constexpr std::int64_t kMostTime = std::int64_t{3'650} * 86'400 * kMicrosPerSecond;
constexpr std::int64_t kMostRepeats = 10'000;
constexpr std::string_view kNoLimit = "no limit";

constexpr Form count(std::string_view unit, std::int64_t high = kMostCounted) {
  return {Type::kCount, unit, 0, high, kNoLimit, {}, {}};
}
constexpr Form threshold(std::int64_t low, std::int64_t high, std::string_view unit) {
  return {Type::kThreshold, unit, low, high, {}, {}, {}};
}
constexpr Form kBoolForm{Type::kBool, {}, 0, 0, {}, {}, {}};

template <Scope S, Meter M>
constexpr SettingKey limit(std::string_view name, Form form, std::string_view about) {
  return {name, form, about, [](Settings const& s) { return std::optional<Value>(s.limits.at(S, M).value); },
          [](Settings& s, Value const& value, std::string const& source) {
            s.limits.at(S, M) = {std::get<std::int64_t>(value), source};
          }};
}

/// Members of one of the parts of Settings: an integer of any width, or a bool.
template <auto Part, auto Field>
constexpr SettingKey field(std::string_view name, Form form, std::string_view about, std::string_view below = {}) {
  return {name,
          form,
          about,
          [](Settings const& s) -> std::optional<Value> {
            auto const value = s.*Part.*Field;
            if constexpr (std::is_same_v<std::remove_const_t<decltype(value)>, bool>)
              return Value(value);
            else
              return Value(std::int64_t{value});
          },
          [](Settings& s, Value const& value, std::string const&) {
            using Type = std::remove_reference_t<decltype(s.*Part.*Field)>;
            if constexpr (std::is_same_v<Type, bool>)
              s.*Part.*Field = std::get<bool>(value);
            else
              s.*Part.*Field = static_cast<Type>(std::get<std::int64_t>(value));
          },
          below};
}

template <auto Field>
constexpr SettingKey limits_field(std::string_view name, Form form, std::string_view about) {
  return field<&kernel::Settings::limits, Field>(name, form, about);
}
template <auto Field>
constexpr SettingKey repeat(std::string_view name, Form form, std::string_view about, std::string_view below = {}) {
  return field<&kernel::Settings::repeat, Field>(name, form, about, below);
}

constexpr Form kMoneyForm{Type::kMoney, "USD", 0, kMostMoney, kNoLimit, {}, {}};
constexpr Form kTimeForm{Type::kDuration, {}, 0, kMostTime, kNoLimit, {}, {}};

/// What one agent uses itself, or with all below it, is said where it is not the whole run or session.
template <Scope S>
constexpr std::string_view words(std::string_view of_all, std::string_view of_a_frame) {
  return S == Scope::kFrame ? of_a_frame : of_all;
}

template <Scope S>
constexpr auto kTurns =
    limit<S, Meter::kTurns>("max_turns", count("turns"),
                            words<S>("requests to the model, the final one included; 1 keeps its tools",
                                     "its own requests to the model, the final one included; 1 keeps its tools"));
template <Scope S>
constexpr auto kCalls = limit<S, Meter::kCalls>("max_calls", count("calls"),
                                                words<S>("calls that were run; refused ones do not count",
                                                         "its own calls that were run; refused ones do not count"));
template <Scope S>
constexpr auto kDescendants = limit<S, Meter::kDescendants>(
    "max_descendants", count("agents"),
    words<S>("agents started below, at any depth", "agents started below it, at any depth"));
template <Scope S>
constexpr auto kTokens = limit<S, Meter::kTokens>(
    "max_tokens", count("tokens"),
    words<S>("input and output tokens together; a turn reserves them before it is sent",
             "input and output tokens of its own turns together; a turn reserves them before it is sent"));
template <Scope S>
constexpr auto kCost =
    limit<S, Meter::kCost>("max_cost", kMoneyForm,
                           words<S>("money for model calls; a turn reserves it before it is sent",
                                    "money for its own model calls; a turn reserves it before it is sent"));
template <Scope S>
constexpr auto kTime = limit<S, Meter::kTime>(
    "max_time", kTimeForm,
    S == Scope::kSession
        ? "wall time of its runs together, each from its message to its last event; waiting for a person costs none"
        : words<S>("wall time; waiting for a person costs none",
                   "wall time since it was started, its agents' included; waiting for a person costs none"));

constexpr SettingKey kRun[] = {
    kTurns<Scope::kRun>,
    {"expected", Form{Type::kCount, "steps", 0, kMostSteps, {}, {}, {}},
     "steps that the work is expected to take: max_turns is then at most this and a fifth more, rounded up (6 makes "
     "8); "
     "0 is no expectation",
     [](Settings const& s) { return std::optional<Value>(s.expected); },
     [](Settings& s, Value const& value, std::string const&) { s.expected = std::get<std::int64_t>(value); }},
    kCalls<Scope::kRun>,
    limit<Scope::kRun, Meter::kDepth>("max_depth", count("calls", kMostDepth),
                                      "calls that may be open on the call stack, the new one included"),
    kDescendants<Scope::kRun>,
    kTokens<Scope::kRun>,
    kCost<Scope::kRun>,
    kTime<Scope::kRun>,
    limits_field<&Limits::conservative_at>(
        "conservative_at", {Type::kCount, "turns", 0, kMostCounted, "a quarter of the limit, at most 3", {}, {}},
        "from so many turns left on, only tools that have worked in this run may be called; 0 is never"),
    limits_field<&Limits::hook_blocks>(
        "hook_blocks", {Type::kCount, "times", 1, kMostRepeats, kNoLimit, {}, {}},
        "a hook that refuses the end of a turn again and again with nothing changed: the n-th refusal is overridden"),
    limits_field<&Limits::allow_unpriced>("allow_unpriced", kBoolForm,
                                          "allow models without a known price although max_cost is set"),
};

constexpr SettingKey kSession[] = {kTurns<Scope::kSession>,  kCalls<Scope::kSession>, kDescendants<Scope::kSession>,
                                   kTokens<Scope::kSession>, kCost<Scope::kSession>,  kTime<Scope::kSession>};
constexpr SettingKey kFrame[] = {kTurns<Scope::kFrame>,  kCalls<Scope::kFrame>, kDescendants<Scope::kFrame>,
                                 kTokens<Scope::kFrame>, kCost<Scope::kFrame>,  kTime<Scope::kFrame>};

// A rule acts at the second occurrence at the earliest: the first repeats nothing.
constexpr Form kActs = threshold(2, kMostRepeats, "times");
constexpr Form kWarns = threshold(1, kMostRepeats, "times");
constexpr Form size(std::int64_t low, std::int64_t high, std::string_view unit) {
  return {Type::kCount, unit, low, high, {}, {}, {}};
}

constexpr SettingKey kRepeat[] = {
    repeat<&Repeat::exact>("exact", kActs,
                           "the same call with the same result since the last change: the n-th is not run"),
    repeat<&Repeat::exact_warn>(
        "exact_warn", kWarns,
        "the same call with the same result since the last change: the n-th runs with a note to the model", "exact"),
    repeat<&Repeat::exact_error>("exact_error", kActs, "the same call that fails in the same way: the n-th is not run"),
    repeat<&Repeat::effect>(
        "effect", kActs,
        "a call declared idempotent = false with the same identity, after a success: the n-th is not run"),
    repeat<&Repeat::cycle>(
        "cycle", threshold(2, 10, "repeats"),
        "a sequence of calls and results over and over: after so many full repeats the next call of it is not run"),
    repeat<&Repeat::cycle_max_period>("cycle_max_period", size(2, 16, "rounds"),
                                      "the longest sequence that rule cycle looks for"),
    repeat<&Repeat::stagnant_warn>(
        "stagnant_warn", kWarns,
        "reads with other arguments but one result, in a row: the n-th runs with a note to the model", "stagnant"),
    repeat<&Repeat::stagnant>("stagnant", kActs,
                              "reads with other arguments but one result, in a row: the n-th is not run"),
    repeat<&Repeat::stagnant_empty>("stagnant_empty", kActs,
                                    "reads with other arguments but an empty result, in a row: the n-th is not run"),
    repeat<&Repeat::error_warn>("error_warn", kWarns,
                                "one error over other arguments and tools: the n-th call runs with a note to the model",
                                "error"),
    repeat<&Repeat::error>("error", kActs, "one error over other arguments and tools: the n-th call is not run"),
    repeat<&Repeat::range_warn>("range_warn", kWarns,
                                "paged reads that show no new line, in a row: the n-th runs with a note to the model",
                                "range"),
    repeat<&Repeat::range>("range", kActs, "paged reads that show no new line, in a row: the n-th is not run"),
    repeat<&Repeat::poll_warn>(
        "poll_warn", kWarns, "a declared poll or wait with an unchanged result: the n-th runs with a note to the model",
        "poll"),
    repeat<&Repeat::poll>("poll", kActs, "a declared poll or wait with an unchanged result: the n-th is not run"),
    repeat<&Repeat::novelty_calls>("novelty_calls", threshold(2, 64, "calls"),
                                   "so many reads in a row are searched together for anything new; if there is next to "
                                   "nothing, a note to the model"),
    repeat<&Repeat::novelty_percent>("novelty_percent", size(1, 100, "%"),
                                     "less than this share of their content is next to nothing"),
    repeat<&Repeat::text>(
        "text", kActs,
        "the model's own text over and over, within a message or as the same message: the n-th ends the turn"),
    repeat<&Repeat::text_max_period>("text_max_period", size(1, 16, "tokens"),
                                     "the longest block of text that rule text looks for within a message"),
    repeat<&Repeat::compact>("compact", kWarns, "compactions in a row that free nothing: the n-th is refused"),
};

constexpr SettingKey kLadder[] = {
    field<&kernel::Settings::ladder, &Ladder::observe>("observe", kBoolForm, "report every verdict, hold nothing up"),
    field<&kernel::Settings::ladder, &Ladder::refusals>("refusals",
                                                        {Type::kCount, "refusals", 1, kMostRepeats, {}, {}, {}},
                                                        "of one loop, before the next turn must be the answer"),
};

constexpr std::int64_t kMostDays = 36'500;
constexpr std::string_view kSyncs[] = {"normal", "full"};
constexpr std::string_view kStores[] = {"full", "digests"};

/// A bool of JournalSettings that is written as one of two words.
template <bool JournalSettings::* Field, auto const& Words, bool First>
constexpr SettingKey journal_word(std::string_view name, std::string_view about) {
  return {name, Form{Type::kWord, {}, 0, 0, {}, Words, {}}, about,
          [](Settings const& s) { return std::optional<Value>(std::string(Words[s.journal.*Field == First ? 0 : 1])); },
          [](Settings& s, Value const& value, std::string const&) {
            s.journal.*Field = (std::get<std::string>(value) == Words[0]) == First;
          }};
}

constexpr SettingKey kJournal[] = {
    {"path", Form{Type::kText, {}, 0, 0, {}, {}, {}},
     "the file that runs are kept in; empty: backedge/journal.db in $XDG_STATE_HOME, or in ~/.local/state",
     [](Settings const& s) { return std::optional<Value>(s.journal.path); },
     [](Settings& s, Value const& value, std::string const&) { s.journal.path = std::get<std::string>(value); }},
    journal_word<&JournalSettings::sync_full, kSyncs, false>(
        "sync", "what a kept event survives: the end of the program, or (full) also the loss of power"),
    journal_word<&JournalSettings::full_texts, kStores, true>(
        "store",
        "of arguments, results and messages: their text without secrets, or (digests) only that it was the same"),
    field<&Settings::journal, &JournalSettings::keep_days>(
        "keep", {Type::kCount, "days", 1, kMostDays, kNoLimit, {}, {}}, "runs whose last event is older are removed"),
};

constexpr SettingKey kPrices[] = {
    {"file", Form{Type::kText, {}, 0, 0, {}, {}, {}},
     "prices that count before those that the program carries: a file as genai-prices or LiteLLM have it",
     [](Settings const& s) { return std::optional<Value>(s.prices.file); },
     [](Settings& s, Value const& value, std::string const&) { s.prices.file = std::get<std::string>(value); }},
};

constexpr Section kSections[] = {
    {"limits", "What one run may use: from a person's message to its end.", kRun},
    {"limits.session", "What a session may use: runs that share a history.", kSession},
    {"limits.frame",
     "What one agent may use each time it is started; the first one starts with each run. Turns, calls, tokens and "
     "money "
     "are its own, those of the agents below it are not among them; agents and time are meant with all below it.",
     kFrame},
    {kPerToolSection, "How often one tool may be run in a session: its name and a number.", {}},
    {"repeat", "When calls that repeat themselves are a loop. Counts start anew when something changes.", kRepeat},
    {"ladder", "How far a loop is answered: note, refusal, final answer, stop.", kLadder},
    {"journal", "Where runs are kept, for how long, and how much of them.", kJournal},
    {"prices", "What models cost, for reports.", kPrices},
};

constexpr Form kPerTool{Type::kCount, "calls", 0, kMostCounted, kNoLimit, {}, "20"};

}  // namespace

std::span<Section const> sections() { return kSections; }

Form const& per_tool_form() { return kPerTool; }

}  // namespace backedge::policy
