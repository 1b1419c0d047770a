// Work that starts work without a model: hooks, triggers and processes, judged by the chain they stand on.
//
// A chain is the path across processes, oldest first, as digests of names; it travels in a signed token. Pure
// functions. Tested in tests/kernel/chain_test.cpp.
#pragma once

#include <span>

#include "kernel/verdict.h"

namespace backedge::kernel {

/// Is somebody there to be asked?
enum class Attendance : std::uint8_t { kAttended, kUnattended };

/// A hook fires in a phase. Suppressed when the same hook in the same phase is on the chain already.
EventVerdict check_hook(std::span<Digest const> chain, Digest hook_and_phase);

/// Something outside starts the agent. Suppressed when the agent itself is the author.
EventVerdict check_trigger(Digest author, Digest self);

/// An agent or a server is started by configuration. Refused when it is on the chain already.
EventVerdict check_start(std::span<Digest const> chain, Digest started);

/// A command starts a process that is the agent itself. Asked, or refused when nobody is there; `allowed` by contract:
/// runs.
EventVerdict check_process(std::span<Digest const> chain, Digest program, bool allowed, Attendance attendance);

}  // namespace backedge::kernel
