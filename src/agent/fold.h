// A session brought back to where its record left it, by the events alone.
//
// The recorded inputs are given to the step again, at their recorded times; nothing is carried out. What the step then
// decides must be what was recorded: a session that this version would have decided otherwise is not taken up.
// Tested in tests/agent/fold_test.cpp and tests/sim/.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "agent/session.h"

namespace backedge::agent {

/// The text that an event names; empty when only its digest was kept.
using TextOf = std::function<std::string(std::string_view sha256)>;

/// Takes up the events of one run, from run.open on; a record that was cut between two steps or within one is taken as
/// far as it goes. `session`: as it was before that run. Gives the events that the last step brought beyond the record:
/// none unless it was cut within a step. Errors: kInput with the seq of the event that does not fit.
Result<std::vector<talk::Event>> fold(Session& session, std::string_view run, std::span<talk::Event const> events,
                                      TextOf const& text);

}  // namespace backedge::agent
