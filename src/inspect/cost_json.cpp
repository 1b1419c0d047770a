// Costs as JSON; see cost_json.h.
#include "inspect/cost_json.h"

#include <iterator>
#include <utility>

namespace backedge::inspect {

namespace json = boost::json;

namespace {

json::value usd(std::int64_t nano) {
  return nano == graph::kUnpriced ? json::value() : json::value(static_cast<double>(nano) / 1e9);
}

}  // namespace

json::object spend_json(graph::Spend const& spend) {
  return {{"usd", usd(spend.nano_usd)},
          {"nano_usd", spend.nano_usd == graph::kUnpriced ? json::value() : json::value(spend.nano_usd)},
          {"tokens", spend.tokens},
          {"turns", spend.turns},
          {"unpriced_turns", spend.unpriced},
          {"estimated", spend.estimated}};
}

json::object cost_json(TraceCost const& cost, std::string_view prices, bool drift) {
  json::object out{{"prices", json::string_view(prices.data(), prices.size())},
                   {"whole", spend_json(cost.cost.whole)},
                   {"talk", spend_json(cost.cost.talk)},
                   {"turns_as_recorded", cost.priced.recorded},
                   {"turns_by_table", cost.priced.listed},
                   {"turns_without_usage", cost.priced.unreported}};
  json::object& unknown = out["turns_of_unknown_models"].emplace_object();
  for (auto const& [model, turns] : cost.priced.unknown) unknown[model] = turns;
  json::object& circles = out["in_circles"].emplace_object();
  for (std::size_t i = 0; i < std::size(cost.cost.vain); ++i) {
    json::object entry = spend_json(cost.cost.vain[i].spend);
    entry["calls"] = cost.cost.vain[i].calls;
    circles[graph::vain_text(static_cast<graph::Vain>(i))] = std::move(entry);
  }
  json::array& agents = out["agents"].emplace_array();
  for (graph::AgentSpend const& agent : cost.cost.agents) {
    json::object entry = spend_json(agent.own);
    entry["agent"] = agent.name;
    entry["times"] = agent.frames;
    agents.push_back(std::move(entry));
  }
  json::array by_tools;
  for (graph::Drift::List const& list : cost.cost.drift.by_tools) {
    json::value const of_list = list.list_tokens() < 0 ? json::value() : json::value(list.list_tokens());
    by_tools.push_back(json::object{
        {"tools", list.tools}, {"requests", list.requests}, {"tokens", list.mean()}, {"list_tokens", of_list}});
  }
  if (!drift) {
    out["drift"] = json::object{{"by_tools", std::move(by_tools)}};
    return out;
  }
  json::array& dearest = out["dearest"].emplace_array();
  for (DearCall const& dear : cost.dearest) {
    json::object entry = spend_json(dear.spend);
    entry["call"] = dear.call;
    entry["tool"] = dear.tool;
    entry["started_agent"] = dear.started_agent;
    dearest.push_back(std::move(entry));
  }
  out["drift"] = json::object{{"requests", cost.cost.drift.requests},
                              {"early_tokens", cost.cost.drift.early},
                              {"late_tokens", cost.cost.drift.late},
                              {"by_tools", std::move(by_tools)}};
  return out;
}

}  // namespace backedge::inspect
