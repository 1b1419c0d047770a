// The rows of [agent.NAME]: agent functions that a run has beside its tools.
#include "policy/key.h"

namespace backedge::policy {
namespace {

constexpr std::int64_t kMostTurns = 1'000'000;

constexpr AgentKey kAgentKeys[] = {
    {"about", Form{Type::kText, {}, 0, 0, {}, {}, "\"Reads files and says what stands in them\""},
     "what it is for: for those who call it, and for itself",
     [](AgentSettings const& a) -> std::optional<Value> {
       return a.about.empty() ? std::nullopt : std::optional(Value(a.about));
     },
     [](AgentSettings& a, Value const& value, std::string const&) { a.about = std::get<std::string>(value); }},
    {"max_turns", Form{Type::kCount, "turns", 1, kMostTurns, {}, {}, "10"},
     "turns of one activation; without it, its share of what its caller has left",
     [](AgentSettings const& a) -> std::optional<Value> {
       return a.max_turns ? std::optional(Value(*a.max_turns)) : std::nullopt;
     },
     [](AgentSettings& a, Value const& value, std::string const&) { a.max_turns = std::get<std::int64_t>(value); }},
    {"model", Form{Type::kText, {}, 0, 0, {}, {}, "\"scripted:reader.jsonl\""},
     "its model, as --model names one; without it, the run's",
     [](AgentSettings const& a) -> std::optional<Value> {
       return a.model.empty() ? std::nullopt : std::optional(Value(a.model));
     },
     [](AgentSettings& a, Value const& value, std::string const&) { a.model = std::get<std::string>(value); }},
};

}  // namespace

std::span<AgentKey const> agent_keys() { return kAgentKeys; }

std::string_view agent_about() {
  return "An agent function: an agent with a conversation of its own that the others call like a tool, with a task. "
         "Its "
         "contract, for example how deep it may call itself, stands in [tool.NAME].";
}

}  // namespace backedge::policy
