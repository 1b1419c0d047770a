// A recorded run as suggestions are made from it: what happened, and what another policy would have held back.
//
// A run of the journal is judged by agent/rejudge.h, a recorded session by inspect/replay.h; who reads them hands in
// the judging as a function. Pure as far as that is.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "backedge/policy.h"
#include "backedge/result.h"
#include "graph/call_tree.h"

namespace backedge::suggest {

/// What a policy does to a run that ran without it.
struct Held {
  std::set<std::uint32_t> calls;  // of the tree: they ran, and would not have
  std::int64_t tokens = 0;        // saved at most
  bool releases = false;          // a call that was refused would run: the policy is milder somewhere
};

/// What a run took: of a recorded session, the most that one of its runs did.
struct Needs {
  std::int64_t turns = 0, calls = 0, depth = 0, agents = 0;

  friend bool operator==(Needs const&, Needs const&) = default;
};

struct Subject {
  std::string name;  // "run 1f0c2a3b", or a file
  graph::CallTree tree;
  bool finished = false;       // it reached its answer by itself
  bool near_limit = false;     // it called on until a limit ended it, or nearly did
  std::string code;            // the rule that ended it
  std::optional<Needs> needs;  // empty: the tree is one run, and says it
  std::function<Result<Held>(Policy const&)> judge;
};

/// Which calls brought something: a result that this tool had not given in the run; the first call with these arguments
/// of a tool that may change something, or one after another change. Also a call whose equal was to bring a new
/// result later: who waits must not be stopped. A call that started an agent brought what its answer or a call below it
/// did. Linear in the calls and their texts.
std::vector<bool> useful_calls(graph::CallTree const& tree);

}  // namespace backedge::suggest
