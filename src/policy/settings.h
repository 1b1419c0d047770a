// The settings of a policy file: what the kernel decides by, and what the rooms above it take from the same file.
//
// Plain values whose defaults are the policy's. A room above the kernel adds its part here and its rows to the keys.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "kernel/settings.h"

namespace backedge::policy {

/// [journal]
struct JournalSettings {
  std::string path;             // empty: the default place
  bool sync_full = false;       // survives the loss of power, not only of the process
  bool full_texts = true;       // false: digests only
  std::int64_t keep_days = -1;  // -1: for ever

  friend bool operator==(JournalSettings const&, JournalSettings const&) = default;
};

/// [prices]
struct PriceSettings {
  std::string file;  // empty: only the table that the program carries

  friend bool operator==(PriceSettings const&, PriceSettings const&) = default;
};

/// [agent.NAME]: an agent function. Its contract is that of the tool of its name.
struct AgentSettings {
  std::string about;                      // what it is for: for those who call it, and for itself
  std::optional<std::int64_t> max_turns;  // of one activation; empty: its share of what is left
  std::string model;                      // empty: the run's

  friend bool operator==(AgentSettings const&, AgentSettings const&) = default;
};

struct Settings : kernel::Settings {
  JournalSettings journal;
  PriceSettings prices;
};

}  // namespace backedge::policy
