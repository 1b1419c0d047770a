// Plays cases, each by itself, and a case with a sweep once per value.
//
// Tested in tests/cases/.
#pragma once

#include <vector>

#include "backedge/policy.h"
#include "cases/account.h"
#include "cases/case.h"

namespace backedge::cases {

/// How deep a case is played: through the whole loop of an agent, or through the kernel alone. Both decide the same.
enum class Level : std::uint8_t { kLoop, kKernel };

/// Plays every case; the numbers of a case with a `sweep` are given per value. `contracts`: false leaves the tools of
/// the configs out. Errors: kInput with file and line, for the first case that cannot be played.
Result<std::vector<Played>> play_all(std::vector<Case> const& cases, Policy const& base, bool contracts,
                                     Level level = Level::kLoop);

}  // namespace backedge::cases
