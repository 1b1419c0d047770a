// The config of a case as a policy: contracts, limits, mode.
//
// Names of older cases are understood (poll: true, reentrant: "no", volatile_args, max_steps); keys that are not known
// are left alone, because cases of other projects carry their own. Tested in tests/cases/player_test.cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "backedge/policy.h"
#include "backedge/run.h"
#include "cases/case.h"

namespace backedge::cases {

/// Rules of the form TOOL(*) from the config's policy; anything finer belongs to the gate.
struct ToolRules {
  std::vector<std::string> ask;
  std::vector<std::string> deny;

  Gate opinion(std::string_view tool) const;
};

struct Setup {
  Policy policy = Policy::defaults();
  ToolRules rules;
  bool unattended = false;
};

/// `base`: the policy that the case's config is read over. `contracts`: false leaves the tools of the config out.
/// Errors: kInput with what does not fit.
Result<Setup> set_up(Case const& c, Policy const& base, bool contracts);

}  // namespace backedge::cases
