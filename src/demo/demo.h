// The demonstration: five incidents and a healthy conversation, each run twice with real tools behind it, unguarded and
// guarded, under one runtime.
//
// Unguarded is the policy demo/unguarded.toml: 50 turns an agent, a stack of 12, and nothing that looks at the path or
// at repetitions. Guarded is the incident's own. Same script, same tools, same folder. Every figure is counted from the
// two runs; each run is journaled, and drawn on a page. Tested in tests/demo/demo_test.cpp.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backedge/result.h"
#include "backedge/runtime.h"
#include "demo/incident.h"

namespace backedge::demo {

struct DemoOptions {
  std::filesystem::path folder;  // what is written goes here: pages, journal, working folders
  std::vector<int> only;         // numbers of incidents; empty: all
};

/// A call that was refused or, where none was, a turn that had to be the answer.
struct Refusal {
  std::string code;
  std::string text;  // what the model was told
};

/// One incident under one policy: all runs of its session together.
struct Outcome {
  RunEnd end = RunEnd::kFinished;  // of the last run
  std::string code;
  std::string pressed_by;  // the code of what asked for the answer; empty when nothing did
  std::string answer;
  std::int64_t turns = 0;
  std::int64_t calls = 0;  // that ran
  std::int64_t refused = 0;
  std::int64_t tokens = 0;
  std::int64_t nano_usd = 0;
  std::optional<Refusal> first_refusal;
  std::string run;             // id of the run with the most calls, which the page shows
  std::filesystem::path page;  // relative to the folder
};

struct Played {
  Incident incident;
  Outcome unguarded;
  Outcome guarded;
};

struct Demo {
  std::vector<Played> played;
  std::string prices;  // where they come from and of which day
  std::string model;   // whose prices they are
};

/// Plays the incidents one after the other. Cost: about a second. Errors: kUsage for a number that no incident has, kIo
/// for a folder that cannot be written, and whatever keeps a run from its start.
Result<Demo> play_demo(DemoOptions const& options);

/// For a terminal of 80 columns.
std::string demo_text(Demo const& demo, std::filesystem::path const& folder);
/// One JSON object, without its end of line.
std::string demo_json(Demo const& demo);

}  // namespace backedge::demo
