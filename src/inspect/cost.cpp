// Money of a trace, in lines for people; see cost.h.
#include "inspect/cost.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "embed/message.h"
#include "inspect/call_tree.h"
#include "inspect/json.h"
#include "inspect/writing.h"

namespace backedge::inspect {
namespace {

using graph::kUnpriced;
using graph::Spend;

constexpr std::size_t kShownCalls = 3;
constexpr std::size_t kShownModels = 3;
constexpr std::size_t kShownLists = 6;
constexpr std::int64_t kFewestRequests = 8;  // fewer have no early and late
constexpr std::size_t kWidth = 77;           // and three blanks before it

std::string turns_text(std::int64_t turns) { return fmt::format("{} {}", turns, turns == 1 ? "turn" : "turns"); }

/// "12.3k", "4.1M": enough to compare by.
std::string short_tokens(std::int64_t n) {
  if (n < 10'000) return std::to_string(n);
  if (n < 10'000'000) return fmt::format("{:.1f}k", static_cast<double>(n) / 1e3);
  return fmt::format("{:.1f}M", static_cast<double>(n) / 1e6);
}

/// Parts behind each other, on as many lines as it takes; what follows the first is indented.
void wrap(std::string const& head, std::vector<std::string> const& parts, std::vector<std::string>& out) {
  std::string line = head;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    std::string const part = parts[i] + (i + 1 < parts.size() ? "," : "");
    if (i > 0 && line.size() + 1 + part.size() > kWidth) {
      out.push_back(line);
      line = std::string(6, ' ') + part;
    } else {
      line += " " + part;
    }
  }
  out.push_back(line);
}

void whole_line(TraceCost const& c, std::string_view table, std::vector<std::string>& out) {
  std::vector<std::string> parts{spend_money(c.cost.whole)};
  if (c.priced.recorded > 0) parts.push_back(fmt::format("{} as recorded", turns_text(c.priced.recorded)));
  if (c.priced.listed > 0) parts.push_back(fmt::format("{} by {}", turns_text(c.priced.listed), table));
  if (c.priced.unpriced() > 0)
    parts.push_back(fmt::format("{} of {} unpriced", c.priced.unpriced(), turns_text(c.cost.whole.turns)));
  wrap("cost:", parts, out);
  std::vector<std::string> names;
  for (auto const& [model, turns] : c.priced.unknown) {
    if (names.size() == kShownModels) {
      names.push_back(fmt::format("and {} more", c.priced.unknown.size() - kShownModels));
      break;
    }
    names.push_back(model.empty() ? "(not named)" : in_quotes(model, 40));
  }
  if (!names.empty()) wrap(fmt::format("      {} knows no price of", table), names, out);
}

void vain_line(graph::Cost const& cost, std::vector<std::string>& out) {
  Spend const& all = cost.vain[0].spend;
  if (all.turns == 0) return;
  std::vector<std::string> parts;
  for (std::size_t i = 1; i < std::size(cost.vain); ++i) {
    Spend const& one = cost.vain[i].spend;
    if (one.turns > 0)
      parts.push_back(fmt::format("{} {} ({}, {} tokens)", graph::vain_text(static_cast<graph::Vain>(i)),
                                  spend_money(one), turns_text(one.turns), short_tokens(one.tokens)));
  }
  wrap(fmt::format("      {} went round in circles:", spend_money(all)), parts, out);
}

void dear_line(TraceCost const& c, std::vector<std::string>& out) {
  std::vector<std::string> parts;
  for (DearCall const& dear : c.dearest) {
    if (parts.size() == kShownCalls || dear.spend.nano_usd <= 0) break;
    parts.push_back(fmt::format("call {} ({}{}) {}", dear.call, cut(dear.tool, 24),
                                dear.started_agent ? " and its agent" : "", spend_money(dear.spend)));
  }
  if (!parts.empty()) wrap("      dearest:", parts, out);
}

void drift_lines(graph::Drift const& drift, std::vector<std::string>& out) {
  if (drift.requests >= kFewestRequests)
    out.push_back(fmt::format("      a request: {} tokens early, {} late (quarters of {} requests)",
                              short_tokens(drift.early), short_tokens(drift.late), drift.requests));
  std::vector<std::string> parts;
  for (graph::Drift::List const& list : drift.by_tools) {
    if (parts.size() == kShownLists && drift.by_tools.size() > kShownLists + 1) {
      parts.push_back(fmt::format("and {} other lengths of the list", drift.by_tools.size() - kShownLists));
      break;
    }
    std::string part =
        fmt::format("{} tokens with {} {}", short_tokens(list.mean()), list.tools, list.tools == 1 ? "tool" : "tools");
    if (list.list_tokens() > 0) part += fmt::format(" (their list about {})", short_tokens(list.list_tokens()));
    parts.push_back(std::move(part));
  }
  if (!parts.empty()) wrap("      a request:", parts, out);
}

}  // namespace

std::string spend_money(graph::Spend const& spend) {
  if (spend.nano_usd == kUnpriced) return "unpriced";
  constexpr std::int64_t kShown = 100'000;  // four digits behind the point
  if (spend.nano_usd > 0 && spend.nano_usd < kShown) return "under $0.0001";
  return embed::money_text(spend.nano_usd);
}

TraceCost cost_of(graph::CallTree& tree, graph::Changes const& changes, prices::Table const& table) {
  TraceCost out;
  out.priced = graph::price(tree, table);
  out.cost = graph::cost_of(tree, changes);
  for (std::uint32_t const c : out.cost.dearest) {
    graph::Call const& call = tree.calls[c];
    out.dearest.push_back({call.id, call.tool, *call.inclusive, !call.opened.empty()});
  }
  out.cost.dearest.clear();
  return out;
}

TraceCost cost_of(Trace const& trace, Replay const& replay, prices::Table const& table) {
  CountingTree counted = counting_tree(trace, replay);
  Json json;
  graph::Changes const changes = [&](graph::Call const& call) {
    return looks_writing(call.tool, shell_command(json, call.tool, call.arguments.text));
  };
  TraceCost out = cost_of(counted.tree, changes, table);
  for (DearCall& dear : out.dearest) {
    // The tree numbers its calls from 1 in its own order.
    dear.call = static_cast<std::int64_t>(counted.calls[static_cast<std::size_t>(dear.call - 1)]) + 1;
  }
  return out;
}

void add(TraceCost& sum, TraceCost const& more) {
  sum.priced.recorded += more.priced.recorded;
  sum.priced.listed += more.priced.listed;
  sum.priced.unreported += more.priced.unreported;
  for (auto const& [model, turns] : more.priced.unknown) sum.priced.unknown[model] += turns;
  graph::add(sum.cost, more.cost);
}

std::vector<std::string> cost_lines(TraceCost const& cost, std::string_view table) {
  std::vector<std::string> out;
  bool const told = cost.cost.whole.nano_usd > 0 || !cost.priced.unknown.empty();
  if (!told) {
    if (cost.cost.drift.by_tools.empty()) return out;
    out.emplace_back("cost: not known");
    drift_lines(cost.cost.drift, out);
    return out;
  }
  whole_line(cost, table, out);
  vain_line(cost.cost, out);
  dear_line(cost, out);
  drift_lines(cost.cost.drift, out);
  return out;
}

}  // namespace backedge::inspect
