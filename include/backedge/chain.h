// The path across processes: what started what, and whether it may start again.
//
// Links are names such as "agent:planner", "hook:summarise:end" or "mcp:files", oldest first. A chain travels to child
// processes as a signed token (Run::token). Tested in tests/embed/chain_test.cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "backedge/verdict.h"

namespace backedge {

/// A verdict on something that is no call: a hook, a trigger, a process, a compaction.
struct Judged {
  EventWord word = EventWord::kRun;
  std::string code;
  std::string text;  // one line for a person or a model; empty when it runs

  friend bool operator==(Judged const&, Judged const&) = default;
};

struct Chain {
  std::vector<std::string> links;

  /// A hook fires in a phase: suppressed when the same hook in the same phase is on the chain.
  Judged hook(std::string_view name, std::string_view phase) const;
  /// Configuration starts an agent or a server, by its link: refused when it is on the chain.
  Judged start(std::string_view link) const;
  /// A command starts the agent's own program again: asked, refused when nobody is there; `allowed` by contract: runs.
  Judged process(std::string_view program, bool allowed, bool attended) const;
};

/// A message from outside starts the agent: suppressed when its author is the agent itself.
Judged judge_trigger(std::string_view author, std::string_view self);

}  // namespace backedge
