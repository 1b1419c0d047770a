// The table of incidents; see incident.h.

#include "demo/incident.h"

#include <array>

namespace backedge::demo {

std::span<Incident const> incidents() {
  static constexpr std::array<Incident, 6> kAll{{
      {.number = 1,
       .folder = "1-reader",
       .title = "A reader opens the same five documents again and again",
       .reported = "HKUDS/nanobot pull request 3077, bytedance/deer-flow issue 1055",
       .guard = "the defaults",
       .task = "Summarise the documents of this folder in two sentences."},
      {.number = 2,
       .folder = "2-orders",
       .title = "The order points to the shipment, the shipment to the order",
       .reported = "anomalyco/opencode issue 47759 (calls that alternate)",
       .guard = "the defaults, and that both tools only read",
       .setting = Setting::kShop,
       .task = "Where is the parcel of order 1042?"},
      {.number = 3,
       .folder = "3-research",
       .title = "The researcher asks the fact checker, who asks the researcher",
       .reported = "archestra-ai/archestra issue 4462, crewAIInc/crewAI issue 330",
       .guard = "the defaults",
       .task = "How long are data about parcels kept?"},
      {.number = 4,
       .folder = "4-planner",
       .title = "A planner plans by calling the planner",
       .reported = "anomalyco/opencode issue 25681, langchain-ai/deepagents issue 571",
       .guard = "the planner may not be re-entered",
       .task = "Have the documents translated into French."},
      {.number = 5,
       .folder = "5-reviewers",
       .title = "Five reviewers work in parallel, and nobody counts the money",
       .reported = "anthropics/claude-code issue 72566 (helpers that multiply)",
       .guard = "0.02 USD for each agent, 0.09 USD for all",
       .task = "Have every document reviewed thoroughly."},
      {.number = 6,
       .folder = "6-airline",
       .title = "A customer changes a flight, and all is well",
       .reported = "sierra-research/tau-bench, gpt-4o, airline, trial 3, the fourth conversation",
       .guard = "the defaults",
       .setting = Setting::kRecorded,
       .healthy = true},
  }};
  return kAll;
}

}  // namespace backedge::demo
