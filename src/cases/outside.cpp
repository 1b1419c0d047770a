// Chains of hooks, triggers, servers and processes; see outside.h.

#include "cases/outside.h"

#include <algorithm>

#include "base/json.h"
#include "cases/fields.h"
#include "cases/programs.h"

namespace backedge::cases {

namespace json = boost::json;

bool Outside::event(std::string_view type, json::object const& e, Account& account) {
  if (type == "hook_fire") {
    hook_fires(e, account);
  } else if (type == "trigger") {
    account.judged(e, judge_trigger(text_of(e, "author"), "agent"));
  } else if (type == "mcp_start" || type == "agent_start" || type == "server_start" || type == "proc_start") {
    starts(e, account);
  } else if (type == "shell_profile") {
    profile(e);
  } else if (type == "session_end") {
    keep_chain(e);
  } else {
    return false;
  }
  return true;
}

void Outside::keep_chain(json::object const& e) { chains_[text_of(e, "session")] = texts_of(e, "chain"); }

void Outside::hook_fires(json::object const& e, Account& account) const {
  Chain chain;
  auto const known = chains_.find(text_of(e, "session"));
  if (e.contains("chain")) {
    chain.links = texts_of(e, "chain");
  } else if (known != chains_.end()) {
    chain.links = known->second;
  }
  Judged const j = chain.hook(text_of(e, "hook"), text_of(e, "phase"));
  account.judged(e, j);
  if (j.word == EventWord::kSuppress) account.holds("chain_crosses_process", j.text.find(" > ") != std::string::npos);
}

// A server or an agent is started by configuration. An agent without a name may be any agent.
void Outside::starts(json::object const& e, Account& account) {
  std::string const server = text_of(e, "server");
  std::string const agent = text_of(e, "agent");
  Chain const chain{texts_of(e, "chain")};
  Judged j;
  if (!server.empty()) {
    j = chain.start("mcp:" + server);
  } else if (!agent.empty()) {
    j = chain.start("agent:" + agent);
  }
  account.judged(e, j);
  if (j.word == EventWord::kRefuse) account.holds("chain_in_message", j.text.find(" > ") != std::string::npos);
}

// A shell function that wraps a program of its own name is how users wrap the agent.
void Outside::profile(json::object const& e) {
  json::value const* functions = e.if_contains("functions");
  if (functions == nullptr || !functions->is_object()) return;
  for (auto const& [name, body] : functions->get_object()) {
    if (body.is_string() && body.get_string().find(name) != json::string::npos) own_programs_.emplace(name);
  }
}

bool Outside::invokes_itself(std::string_view arguments) const {
  if (own_programs_.empty()) return false;
  Result<json::value> const args = parse_json(arguments);
  if (!args || !args->is_object()) return false;
  for (auto const& [key, v] : args->get_object()) {
    if (!v.is_string()) continue;
    std::vector<std::string> const programs = programs_in(v.get_string());
    if (std::any_of(programs.begin(), programs.end(), [&](std::string const& p) { return own_programs_.contains(p); }))
      return true;
  }
  return false;
}

}  // namespace backedge::cases
