// What an agent can call: tools and agent functions by name, with their schemas, and which of them a policy leaves.
//
// Filled once, then read by any thread. The list that models are offered is made once per selection and never changes
// in a run, so that prompt caches hit; an agent function stays in it while its own body runs. Tested in
// tests/agent/agentic_test.cpp.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "backedge/model.h"
#include "backedge/tool.h"
#include "facts/schema.h"

namespace backedge::agent {

enum class EntryKind : std::uint8_t { kTool, kAgent };

struct ToolEntry {
  EntryKind kind = EntryKind::kTool;
  std::string name;
  std::string about;
  std::string source;
  std::vector<std::string> sets;
  bool inline_ok = false;
  bool asks_person = false;
  bool idempotent = false;                // declared: may run again after an end that nobody knows
  std::optional<facts::Schema> schema;    // always there once it is in the box
  std::optional<std::int64_t> max_turns;  // of an agent function
  std::string model;                      // of an agent function
  std::uint32_t index = 0;                // in order of addition, from 0
};

class Toolbox {
 public:
  /// Errors: kUsage (a name that is taken or malformed, a schema that does not compile).
  Result<ToolEntry const*> add(ToolSpec const& spec);
  Result<ToolEntry const*> add(AgentSpec const& spec);

  /// Null when there is none.
  ToolEntry const* find(std::string_view name) const;
  std::size_t size() const { return entries_.size(); }
  ToolEntry const& at(std::uint32_t index) const { return entries_[index]; }

 private:
  friend class Selection;
  Result<ToolEntry const*> keep(ToolEntry entry, std::string_view schema_json);

  std::deque<ToolEntry> entries_;  // addresses stay
  std::deque<std::string> schemas_;
  std::unordered_map<std::string_view, std::uint32_t> by_name_;
};

/// The tools that a run gets: what its policy leaves, less those that need a person when nobody is there.
class Selection {
 public:
  Selection(Toolbox const& box, ToolPolicy const& policy, bool attended);

  Toolbox const& box() const { return *box_; }
  bool allows(ToolEntry const& entry) const { return allowed_[entry.index]; }
  /// As the model sees them, in order of addition.
  std::vector<ToolOffer> const& offers() const { return offers_; }
  /// What to tell a model that names a tool that is not there: the nearest names, else all of them.
  std::string unknown_text(std::string_view name) const;

 private:
  Toolbox const* box_;
  std::vector<bool> allowed_;
  std::vector<ToolOffer> offers_;
};

}  // namespace backedge::agent
