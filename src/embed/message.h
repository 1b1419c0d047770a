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
};

std::string call_text(kernel::CallVerdict const& verdict, Scene const& scene);
std::string call_json(kernel::CallVerdict const& verdict, Scene const& scene);
std::string turn_text(kernel::TurnVerdict const& verdict, Scene const& scene);
std::string event_text(kernel::EventVerdict const& verdict, std::string_view what);

/// "main > task > researcher".
std::string path_text(std::vector<std::string> const& path);

/// Nano-USD as "$0.0123".
std::string money_text(std::int64_t nano_usd);

}  // namespace backedge::embed
