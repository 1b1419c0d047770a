// What went round in circles, who spent it, and how requests grew; see cost.h.
#include <algorithm>
#include <memory>
#include <numeric>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "facts/builtin.h"
#include "graph/cost.h"
#include "graph/shares.h"

namespace backedge::graph {
namespace {

bool failed(Call const& call) { return call.status == "error" || call.status == "timeout"; }

Vain why_of(CallTree const& tree, BackEdge const& edge) {
  // A warning may be about a call that brought something; and recursion that nobody minded is a way to work.
  if (edge.force == Force::kWarned || edge.kind == Back::kRecursion) return Vain::kNot;
  if (edge.kind == Back::kReentry) return Vain::kReentry;
  if (edge.code == "repeat.cycle" || edge.code == "livelock") return Vain::kCycle;
  if (edge.to_call != kNone && failed(tree.calls[edge.to_call])) return Vain::kRetry;
  return Vain::kRepeat;
}

/// How many calls before each one may have changed something.
std::vector<std::int64_t> changes_before(CallTree const& tree, Changes const& changes) {
  std::vector<std::int64_t> out{0};
  for (Call const& call : tree.calls) out.push_back(out.back() + (!call.verdict.refused() && changes(call) ? 1 : 0));
  return out;
}

/// Calls that repeat one that failed just before, whatever they bring.
void find_retries(CallTree const& tree, std::vector<std::int64_t> const& changed, std::vector<Vain>& out) {
  std::unordered_map<std::string, std::uint32_t> last;
  for (std::uint32_t i = 0; i < tree.calls.size(); ++i) {
    Call const& call = tree.calls[i];
    if (!call.arguments.kept) continue;
    std::string key = std::to_string(call.frame) + '\0' + call.tool + '\0' + call.arguments.text;
    auto const [at, fresh] = last.try_emplace(std::move(key), i);
    bool const again = !fresh && failed(tree.calls[at->second]) && changed[at->second + 1] == changed[i];
    if (again && out[i] == Vain::kNot) out[i] = Vain::kRetry;
    at->second = i;
  }
}

/// Adds each turn once: those of frames below vain calls, and those that asked for nothing else.
void add_vain(CallTree const& tree, std::vector<Vain> const& vain, Cost& out) {
  std::vector<Vain> below(tree.frames.size(), Vain::kNot);
  for (std::size_t f = 0; f < tree.frames.size(); ++f) {
    std::uint32_t const by = tree.frames[f].by;
    if (by == kNone) continue;
    Vain const above = below[tree.calls[by].frame];
    below[f] = above != Vain::kNot ? above : vain[by];
  }
  auto const count = [&](Vain why, Spend const& spend) {
    add(out.vain[static_cast<std::size_t>(why)].spend, spend);
    add(out.vain[0].spend, spend);
  };
  for (Turn const& turn : tree.turns) {
    Vain why = below[turn.frame];
    if (why == Vain::kNot && !turn.calls.empty()) {
      bool const all =
          std::all_of(turn.calls.begin(), turn.calls.end(), [&](std::uint32_t c) { return vain[c] != Vain::kNot; });
      if (all) why = vain[turn.calls.front()];
    }
    if (why != Vain::kNot) count(why, *turn.own);
  }
  for (std::size_t c = 0; c < tree.calls.size(); ++c) {
    if (vain[c] == Vain::kNot) continue;
    ++out.vain[static_cast<std::size_t>(vain[c])].calls;
    ++out.vain[0].calls;
  }
}

bool dearer(Spend const& a, Spend const& b) {
  return std::pair(a.nano_usd, a.tokens) > std::pair(b.nano_usd, b.tokens);
}

void add_agents(CallTree const& tree, Cost& out) {
  std::unordered_map<std::string_view, std::size_t> at;
  for (std::uint32_t f = 0; f < tree.frames.size(); ++f) {
    auto const [place, fresh] = at.try_emplace(tree.frame_name(f), out.agents.size());
    if (fresh) out.agents.push_back({std::string(tree.frame_name(f)), 0, {}});
    AgentSpend& agent = out.agents[place->second];
    ++agent.frames;
    add(agent.own, *tree.frames[f].own);
  }
  std::stable_sort(out.agents.begin(), out.agents.end(),
                   [](AgentSpend const& a, AgentSpend const& b) { return dearer(a.own, b.own); });
}

void add_dearest(CallTree const& tree, Cost& out) {
  std::vector<std::uint32_t> calls(tree.calls.size());
  std::iota(calls.begin(), calls.end(), 0u);
  std::size_t const shown = std::min(calls.size(), kDearest);
  std::partial_sort(calls.begin(), calls.begin() + static_cast<std::ptrdiff_t>(shown), calls.end(),
                    [&](std::uint32_t a, std::uint32_t b) {
                      Spend const &x = *tree.calls[a].inclusive, &y = *tree.calls[b].inclusive;
                      return dearer(x, y) || (!dearer(y, x) && a < b);
                    });
  calls.resize(shown);
  out.dearest = std::move(calls);
}

std::int64_t mean_input(CallTree const& tree, std::vector<std::uint32_t> const& turns, std::size_t from,
                        std::size_t until) {
  std::int64_t sum = 0;
  for (std::size_t i = from; i < until; ++i) sum += tree.turns[turns[i]].tokens.input();
  return until > from ? sum / static_cast<std::int64_t>(until - from) : 0;
}

Drift drift_of(CallTree const& tree) {
  Drift out;
  std::vector<std::uint32_t> longest;
  std::map<std::int64_t, Drift::List> lists;
  for (Frame const& frame : tree.frames) {
    std::vector<std::uint32_t> turns;
    for (std::uint32_t const t : frame.turns) {
      Turn const& turn = tree.turns[t];
      if (turn.tokens.input() <= 0) continue;
      turns.push_back(t);
      if (turn.tools_offered < 0) continue;
      Drift::List& list = lists[turn.tools_offered];
      list.tools = turn.tools_offered;
      ++list.requests;
      list.tokens += turn.tokens.input();
      if (turn.tools_bytes < 0) continue;
      ++list.sized;
      list.bytes += turn.tools_bytes;
    }
    if (turns.size() > longest.size()) longest = std::move(turns);
  }
  out.requests = static_cast<std::int64_t>(longest.size());
  std::size_t const quarter = std::max<std::size_t>(longest.size() / 4, longest.empty() ? 0 : 1);
  out.early = mean_input(tree, longest, 0, quarter);
  out.late = mean_input(tree, longest, longest.size() - quarter, longest.size());
  for (auto const& [tools, list] : lists) out.by_tools.push_back(list);
  return out;
}

/// Keeps the lists in order of their length.
void add_list(std::vector<Drift::List>& lists, Drift::List const& more) {
  auto const at = std::lower_bound(lists.begin(), lists.end(), more.tools,
                                   [](Drift::List const& one, std::int64_t tools) { return one.tools < tools; });
  if (at == lists.end() || at->tools != more.tools) {
    lists.insert(at, more);
    return;
  }
  at->requests += more.requests;
  at->tokens += more.tokens;
  at->sized += more.sized;
  at->bytes += more.bytes;
}

}  // namespace

std::string_view vain_text(Vain why) {
  switch (why) {
    case Vain::kNot: return "all";
    case Vain::kRepeat: return "repeats";
    case Vain::kCycle: return "cycles";
    case Vain::kRetry: return "retries";
    case Vain::kReentry: return "re-entries";
  }
  return "";
}

std::vector<Vain> vain_calls(CallTree const& tree, Changes const& changes) {
  std::vector<Vain> out(tree.calls.size(), Vain::kNot);
  std::vector<std::int64_t> const changed = changes_before(tree, changes);
  for (BackEdge const& edge : tree.back_edges) {
    bool const honest =
        edge.force == Force::kSeen && edge.to_call != kNone && changed[edge.to_call + 1] != changed[edge.from];
    if (!honest && out[edge.from] == Vain::kNot) out[edge.from] = why_of(tree, edge);
  }
  find_retries(tree, changed, out);
  return out;
}

Changes changes_by_name() {
  auto harmless = std::make_shared<std::unordered_set<std::string>>();
  for (facts::BuiltinContract const& known : facts::builtin_contracts()) {
    bool const reads = known.contract.effect == Effect::kRead || known.contract.effect == Effect::kPoll;
    if (reads) harmless->insert(known.tool);
  }
  return [harmless](Call const& call) {
    return (call.status == "ok" || call.status == "empty" || call.status == "unknown") &&
           !harmless->contains(call.tool);
  };
}

Cost cost_of(CallTree const& tree, Changes const& changes) {
  Cost out;
  for (Turn const& turn : tree.turns) {
    add(out.whole, *turn.own);
  }
  out.talk = out.whole;
  Spend asked;
  for (Call const& call : tree.calls) add(asked, *call.own);
  out.talk.turns -= asked.turns;
  out.talk.tokens -= asked.tokens;
  out.talk.unpriced -= asked.unpriced;
  if (asked.nano_usd != kUnpriced) out.talk.nano_usd -= asked.nano_usd;
  add_vain(tree, vain_calls(tree, changes), out);
  add_agents(tree, out);
  add_dearest(tree, out);
  out.drift = drift_of(tree);
  return out;
}

void add(Cost& sum, Cost const& more) {
  add(sum.whole, more.whole);
  add(sum.talk, more.talk);
  for (std::size_t i = 0; i < std::size(sum.vain); ++i) {
    sum.vain[i].calls += more.vain[i].calls;
    add(sum.vain[i].spend, more.vain[i].spend);
  }
  for (AgentSpend const& agent : more.agents) {
    auto const same = std::find_if(sum.agents.begin(), sum.agents.end(),
                                   [&](AgentSpend const& one) { return one.name == agent.name; });
    if (same == sum.agents.end()) {
      sum.agents.push_back(agent);
      continue;
    }
    same->frames += agent.frames;
    add(same->own, agent.own);
  }
  for (Drift::List const& list : more.drift.by_tools) add_list(sum.drift.by_tools, list);
}

}  // namespace backedge::graph
