// Verdicts in words that anyone knows, and as JSON for the model: what happened, the path, what is left, what to do
// instead.
//
// Never "try again" to a caller that is capped. One function per kind of verdict, so that a text is written once for
// every door. Tested in tests/embed/message_test.cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kernel/verdict.h"

namespace backedge::embed {

/// What a message needs to know beside the verdict.
struct Scene {
  std::string_view tool;          // of the call; empty on a turn
  std::vector<std::string> path;  // names from the root to here: "main", "task", "researcher"
  std::string earlier;            // "call 4 (read_file)"; empty when no call is evidence
  std::string left;               // "3 turns, 12 calls"; empty without limits
  std::string limit_source;       // where the limit that fired was set
  std::string fault;              // what is wrong with the arguments
  std::string target;             // the agent that a delegate would call
  // Of routing, whose words are the rule's own:
  std::string code;            // "route.confirmed"; empty: the code of the verdict
  std::string what;            // what the rule or stage says
  std::string hint;            // what to do instead; empty: nothing special
  bool limit_of_tool = false;  // the limit is on this tool alone
};

std::string call_text(kernel::CallVerdict const& verdict, Scene const& scene);
std::string call_json(kernel::CallVerdict const& verdict, Scene const& scene);
std::string turn_text(kernel::TurnVerdict const& verdict, Scene const& scene);
std::string event_text(kernel::EventVerdict const& verdict, std::string_view what);

/// The code of a verdict as it is told: that of the scene when it has one.
std::string code_text(kernel::Code code, Scene const& scene);

/// "main > task > researcher".
std::string path_text(std::vector<std::string> const& path);

/// Nano-USD as "$0.0123".
std::string money_text(std::int64_t nano_usd);

}  // namespace backedge::embed
