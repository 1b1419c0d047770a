#include "facts/book.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>

#include "base/hash.h"
#include "facts/builtin.h"

namespace backedge::facts {
namespace {

std::string condition_text(Condition const& c) {
  if (c.equals) return fmt::format("{} is \"{}\"", c.pointer, *c.equals);
  if (c.glob) return fmt::format("{} matches \"{}\"", c.pointer, *c.glob);
  return fmt::format("{} runs only {} listed commands", c.pointer, c.commands.size());
}

}  // namespace

std::size_t ContractBook::Hash::operator()(std::string_view s) const noexcept {
  return static_cast<std::size_t>(digest_name(s).lo);
}

ContractBook::ContractBook(Blank) {
  CompiledContract undeclared;
  undeclared.pointers = std::make_shared<PointerTree const>();
  contracts_.push_back(std::move(undeclared));
}

ContractBook::ContractBook() : ContractBook(Blank{}) {
  for (BuiltinContract& row : builtin_contracts()) {
    Entry entry;
    entry.layers[static_cast<std::size_t>(Layer::kBuiltin)] = std::move(row.contract);
    entry.extras = std::move(row.extras);
    // The table is part of the program: a row that does not compile is a bug.
    if (!compile_into(row.tool, entry)) std::abort();
    entries_.emplace(std::move(row.tool), std::move(entry));
  }
}

ContractBook ContractBook::blank() { return ContractBook(Blank{}); }

Result<void> ContractBook::declare(Layer layer, std::string_view tool, Contract const& contract, Trust trust) {
  auto const known = entries_.find(tool);
  Entry entry = known == entries_.end() ? Entry{} : known->second;
  entry.layers[static_cast<std::size_t>(layer)] = contract;
  if (layer == Layer::kMcp) entry.mcp_trust = trust;
  if (Result<void> const compiled = compile_into(tool, entry); !compiled) return compiled;
  if (known == entries_.end()) {
    entries_.emplace(std::string(tool), std::move(entry));
  } else {
    known->second = std::move(entry);
  }
  return {};
}

Result<void> ContractBook::compile_into(std::string_view tool, Entry& entry) {
  Merged const merged = merge(entry.layers, entry.mcp_trust == Trust::kTrusted);
  auto const first = static_cast<std::uint32_t>(contracts_.size());
  Result<std::vector<CompiledContract>> compiled = compile(tool, merged, entry.extras, known_rules_, first);
  if (!compiled) return compiled.error();
  for (CompiledContract& c : *compiled) contracts_.push_back(std::move(c));
  entry.id = first;
  return {};
}

CompiledContract const& ContractBook::find(std::string_view tool) const {
  auto const entry = entries_.find(tool);
  return contracts_[entry == entries_.end() ? kUndeclared : entry->second.id];
}

CompiledContract const& ContractBook::at(std::uint32_t id) const {
  return contracts_[id < contracts_.size() ? id : kUndeclared];
}

bool ContractBook::knows(std::string_view tool) const { return entries_.find(tool) != entries_.end(); }

std::vector<FieldSource> ContractBook::explain(std::string_view tool) const {
  auto const entry = entries_.find(tool);
  Merged const merged =
      entry == entries_.end() ? Merged{} : merge(entry->second.layers, entry->second.mcp_trust == Trust::kTrusted);
  std::vector<FieldSource> out;
  for (std::size_t i = 0; i + 1 < kFields; ++i) {
    auto const field = static_cast<Field>(i);
    std::string value = field_text(field, merged.contract);
    bool const candidates =
        field == Field::kTarget && merged.source(field) == Layer::kBuiltin && entry->second.extras.targets.size() > 1;
    if (candidates) {
      for (std::size_t k = 1; k < entry->second.extras.targets.size(); ++k)
        value += " or " + entry->second.extras.targets[k];
    }
    out.push_back({std::string(field_name(field)), std::move(value),
                   merged.source(field) ? std::string(layer_name(*merged.source(field))) : "default"});
  }
  for (std::size_t k = 0; k < merged.contract.when.size(); ++k) {
    ConditionalContract const& variant = merged.contract.when[k];
    std::string const source(layer_name(*merged.source(Field::kWhen)));
    out.push_back({fmt::format("when[{}]", k), condition_text(variant.condition), source});
    Merged const with = merge_variant(merged, variant.contract);
    for (std::size_t i = 0; i + 1 < kFields; ++i) {
      auto const field = static_cast<Field>(i);
      std::string value = field_text(field, with.contract);
      if (value == field_text(field, merged.contract)) continue;
      bool const declared = with.source(field).has_value();
      out.push_back({fmt::format("when[{}].{}", k, field_name(field)), std::move(value),
                     declared ? std::string(layer_name(*with.source(field))) : "default"});
    }
  }
  return out;
}

std::vector<std::string> ContractBook::declared() const {
  std::vector<std::string> out;
  for (auto const& [tool, entry] : entries_) {
    bool const above =
        std::any_of(entry.layers.begin() + 1, entry.layers.end(), [](auto const& layer) { return layer.has_value(); });
    if (above) out.push_back(tool);
  }
  std::ranges::sort(out);
  return out;
}

}  // namespace backedge::facts
