// What all sessions of one runtime share: functions, models, threads, deadlines, the journal, the clock.
//
// Filled before the first run; from then on only the parts that lock themselves change.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "agent/session.h"
#include "backedge/runtime.h"
#include "journal/journal.h"
#include "journal/session_locks.h"
#include "runtime/pool.h"
#include "runtime/timer.h"

namespace backedge::runtime {

struct World {
  explicit World(RuntimeOptions o) : options(std::move(o)), pool(options.threads), timer(options.threads > 0) {}

  Micros now() const;

  RuntimeOptions options;
  std::shared_ptr<agent::Setup> setup = std::make_shared<agent::Setup>();
  std::vector<ToolFn> functions;  // by ToolEntry::index; empty for agent functions
  std::optional<journal::Journal> journal;
  std::optional<journal::SessionLocks> locks;  // beside the journal
  Pool pool;
  Timer timer;
};

}  // namespace backedge::runtime
