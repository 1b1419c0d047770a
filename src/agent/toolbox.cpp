// Names, schemas, selection; see toolbox.h.

#include "agent/toolbox.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.h"

namespace backedge::agent {
namespace {

constexpr std::size_t kLongestName = 64;  // what providers accept

bool well_formed(std::string_view name) {
  return !name.empty() && name.size() <= kLongestName && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

bool names(std::vector<std::string> const& list, ToolEntry const& entry) {
  constexpr std::string_view kSet = "set:";
  constexpr std::string_view kSource = "source:";
  return std::any_of(list.begin(), list.end(), [&](std::string_view item) {
    if (item == "*" || item == entry.name) return true;
    if (item.starts_with(kSource)) return item.substr(kSource.size()) == entry.source;
    if (!item.starts_with(kSet)) return false;
    return std::find(entry.sets.begin(), entry.sets.end(), item.substr(kSet.size())) != entry.sets.end();
  });
}

}  // namespace

Result<ToolEntry const*> Toolbox::keep(ToolEntry entry, std::string_view schema_json) {
  if (!well_formed(entry.name)) {
    return Error{ErrorKind::kUsage,
                 fmt::format("a tool cannot be named {}; use 1 to {} letters, digits, _ and -", in_quotes(entry.name),
                             kLongestName),
                 {}};
  }
  if (by_name_.contains(entry.name))
    return Error{ErrorKind::kUsage, fmt::format("there is already a tool named {}", entry.name), {}};
  Result<facts::Schema> schema = facts::Schema::compile(schema_json);
  if (!schema) {
    return Error{schema.error().kind, fmt::format("the schema of {}: {}", entry.name, schema.error().text()), {}};
  }
  entry.schema = *std::move(schema);
  entry.index = static_cast<std::uint32_t>(entries_.size());
  entries_.push_back(std::move(entry));
  schemas_.emplace_back(schema_json);
  by_name_.emplace(entries_.back().name, entries_.back().index);
  return &entries_.back();
}

Result<ToolEntry const*> Toolbox::add(ToolSpec const& spec) {
  ToolEntry entry;
  entry.name = spec.name;
  entry.about = spec.about;
  entry.source = spec.source;
  entry.sets = spec.sets;
  entry.inline_ok = spec.inline_ok;
  entry.asks_person = spec.asks_person;
  entry.idempotent = spec.contract.idempotent.value_or(spec.contract.effect == Effect::kRead);
  return keep(std::move(entry), spec.schema_json);
}

Result<ToolEntry const*> Toolbox::add(AgentSpec const& spec) {
  ToolEntry entry;
  entry.kind = EntryKind::kAgent;
  entry.name = spec.name;
  entry.about = spec.about;
  entry.source = spec.source;
  entry.sets = spec.sets;
  entry.max_turns = spec.max_turns;
  entry.model = spec.model;
  return keep(std::move(entry), spec.schema_json);
}

ToolEntry const* Toolbox::find(std::string_view name) const {
  auto const at = by_name_.find(name);
  return at == by_name_.end() ? nullptr : &entries_[at->second];
}

Selection::Selection(Toolbox const& box, ToolPolicy const& policy, bool attended) : box_(&box) {
  for (ToolEntry const& entry : box.entries_) {
    bool const allowed = (policy.allow.empty() || names(policy.allow, entry)) && !names(policy.deny, entry) &&
                         (attended || !entry.asks_person);
    allowed_.push_back(allowed);
    if (allowed) offers_.push_back({entry.name, entry.about, box.schemas_[entry.index]});
  }
}

std::string Selection::unknown_text(std::string_view name) const {
  std::vector<std::string_view> known;
  known.reserve(offers_.size());
  for (ToolOffer const& offer : offers_) known.emplace_back(offer.name);
  if (known.empty()) return fmt::format("there is no tool named {}, nor any other", in_quotes(name));
  std::vector<std::string_view> const near = nearest(name, known);
  if (!near.empty())
    return fmt::format("there is no tool named {}; did you mean {}?", in_quotes(name), fmt::join(near, ", "));
  return fmt::format("there is no tool named {}; there are {}", in_quotes(name), fmt::join(known, ", "));
}

}  // namespace backedge::agent
