#include "facts/merge.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace backedge::facts {
namespace {

// Calls f(field, pointer to member) for every optional field of a contract.
template <class F>
void for_each_field(F f) {
  f(Field::kEffect, &Contract::effect);
  f(Field::kReentry, &Contract::reentry);
  f(Field::kDecreases, &Contract::decreases);
  f(Field::kTarget, &Contract::target);
  f(Field::kIdentity, &Contract::identity);
  f(Field::kVolatileArgs, &Contract::volatile_args);
  f(Field::kVolatileResult, &Contract::volatile_result);
  f(Field::kRange, &Contract::range);
  f(Field::kIdempotent, &Contract::idempotent);
  f(Field::kConflicts, &Contract::conflicts);
  f(Field::kMaxDepth, &Contract::max_depth);
  f(Field::kReturnsDirect, &Contract::returns_direct);
  f(Field::kTimeout, &Contract::timeout_ms);
  f(Field::kMaxOutput, &Contract::max_output);
  f(Field::kMinInterval, &Contract::min_interval_ms);
}

void lay_over(Merged& below, Contract const& above, Layer layer) {
  for_each_field([&](Field field, auto member) {
    if (!(above.*member).has_value()) return;
    below.contract.*member = above.*member;
    below.sources[static_cast<std::size_t>(field)] = layer;
  });
  if (above.when.empty()) return;
  below.contract.when = above.when;
  below.sources[static_cast<std::size_t>(Field::kWhen)] = layer;
}

// Unknown stands below write: it is treated as a write wherever that is the careful side, but it is not held to one.
int severity(Effect effect) {
  switch (effect) {
    case Effect::kWrite: return 4;
    case Effect::kUnknown: return 3;
    case Effect::kDelegate: return 2;
    case Effect::kPoll:
    case Effect::kWait: return 1;
    case Effect::kRead: return 0;
  }
  return 0;
}

int severity(Reentry reentry) {
  switch (reentry) {
    case Reentry::kForbid: return 3;
    case Reentry::kDistinct: return 2;
    case Reentry::kBounded: return 1;
    case Reentry::kAllow: return 0;
  }
  return 0;
}

std::optional<std::vector<std::string>> united(std::optional<std::vector<std::string>> const& a,
                                               std::optional<std::vector<std::string>> const& b) {
  if (!a || !b) return b;
  std::vector<std::string> out = *a;
  for (std::string const& s : *b) {
    if (std::ranges::find(out, s) == out.end()) out.push_back(s);
  }
  return out;
}

// What of `mcp` makes the tool no freer than `below`. Fields that name things (target, range, when) or free the caller
// (returns_direct, idempotent yes) are dropped; volatile fields and conflicts only add; numbers only shrink.
Contract tightened(Contract const& below, Contract const& mcp) {
  Contract out;
  if (mcp.effect && severity(*mcp.effect) > severity(below.effect.value_or(Effect::kUnknown))) out.effect = mcp.effect;
  if (mcp.reentry && severity(*mcp.reentry) > severity(below.reentry.value_or(Reentry::kForbid)))
    out.reentry = mcp.reentry;
  if (!below.identity) out.identity = mcp.identity;
  out.volatile_args = united(below.volatile_args, mcp.volatile_args);
  out.volatile_result = united(below.volatile_result, mcp.volatile_result);
  if (below.conflicts) out.conflicts = united(below.conflicts, mcp.conflicts);
  if (mcp.idempotent == false) out.idempotent = false;
  if (mcp.max_depth && *mcp.max_depth < below.max_depth.value_or(5)) out.max_depth = mcp.max_depth;
  if (mcp.timeout_ms && *mcp.timeout_ms < below.timeout_ms.value_or(120'000)) out.timeout_ms = mcp.timeout_ms;
  if (mcp.max_output && *mcp.max_output < below.max_output.value_or(30'000)) out.max_output = mcp.max_output;
  if (mcp.min_interval_ms && *mcp.min_interval_ms > below.min_interval_ms.value_or(0))
    out.min_interval_ms = mcp.min_interval_ms;
  return out;
}

std::string list_text(std::optional<std::vector<std::string>> const& list, std::string_view undeclared) {
  if (!list) return std::string(undeclared);
  return list->empty() ? "none" : fmt::format("{}", fmt::join(*list, ", "));
}

std::string range_text(std::optional<RangePointers> const& range) {
  if (!range) return "none";
  std::string out = "start " + range->start;
  if (!range->length.empty()) out += ", length " + range->length;
  if (!range->end.empty()) out += ", end " + range->end;
  return out;
}

std::string idempotent_text(Contract const& c) {
  if (c.idempotent) return *c.idempotent ? "yes" : "no";
  return c.effect == Effect::kRead ? "yes" : "unknown";
}

}  // namespace

std::string_view layer_name(Layer layer) {
  switch (layer) {
    case Layer::kBuiltin: return "built-in";
    case Layer::kMcp: return "mcp";
    case Layer::kCode: return "code";
    case Layer::kPolicy: return "policy file";
  }
  return "";
}

std::string_view effect_name(Effect effect) {
  switch (effect) {
    case Effect::kUnknown: return "unknown";
    case Effect::kRead: return "read";
    case Effect::kWrite: return "write";
    case Effect::kPoll: return "poll";
    case Effect::kWait: return "wait";
    case Effect::kDelegate: return "delegate";
  }
  return "";
}

std::string_view reentry_name(Reentry reentry) {
  switch (reentry) {
    case Reentry::kForbid: return "forbid";
    case Reentry::kDistinct: return "distinct";
    case Reentry::kBounded: return "bounded";
    case Reentry::kAllow: return "allow";
  }
  return "";
}

std::string_view field_name(Field field) {
  constexpr std::array<std::string_view, kFields> kNames{
      "effect",          "reentry",    "decreases",       "target",    "identity",  "volatile_args",
      "volatile_result", "range",      "idempotent",      "conflicts", "max_depth", "returns_direct",
      "timeout_ms",      "max_output", "min_interval_ms", "when"};
  return kNames[static_cast<std::size_t>(field)];
}

std::string field_text(Field field, Contract const& c) {
  switch (field) {
    case Field::kEffect: return std::string(effect_name(c.effect.value_or(Effect::kUnknown)));
    case Field::kReentry: return std::string(reentry_name(c.reentry.value_or(Reentry::kForbid)));
    case Field::kDecreases: return c.decreases.value_or("none");
    case Field::kTarget: return c.target.value_or("none");
    case Field::kIdentity: return list_text(c.identity, "whole arguments");
    case Field::kVolatileArgs: return list_text(c.volatile_args, "none");
    case Field::kVolatileResult: return list_text(c.volatile_result, "none");
    case Field::kRange: return range_text(c.range);
    case Field::kIdempotent: return idempotent_text(c);
    case Field::kConflicts: return list_text(c.conflicts, c.effect == Effect::kWrite ? "the tool itself" : "none");
    case Field::kMaxDepth: return std::to_string(c.max_depth.value_or(5));
    case Field::kReturnsDirect: return c.returns_direct.value_or(false) ? "yes" : "no";
    case Field::kTimeout: return std::to_string(c.timeout_ms.value_or(120'000));
    case Field::kMaxOutput: return std::to_string(c.max_output.value_or(30'000));
    case Field::kMinInterval: return std::to_string(c.min_interval_ms.value_or(0));
    case Field::kWhen: return fmt::format("{}", c.when.size());
  }
  return "";
}

Merged merge(LayerContracts const& layers, bool mcp_may_loosen) {
  Merged out;
  for (std::size_t i = 0; i < kLayers; ++i) {
    if (!layers[i]) continue;
    auto const layer = static_cast<Layer>(i);
    bool const tighten = layer == Layer::kMcp && !mcp_may_loosen;
    lay_over(out, tighten ? tightened(out.contract, *layers[i]) : *layers[i], layer);
  }
  return out;
}

Merged merge_variant(Merged const& base, Contract const& variant) {
  Merged out;
  out.sources = base.sources;
  Layer const layer = base.source(Field::kWhen).value_or(Layer::kBuiltin);
  for_each_field([&](Field field, auto member) {
    auto& source = out.sources[static_cast<std::size_t>(field)];
    bool const overrides = (variant.*member).has_value() && (!source || *source <= layer);
    out.contract.*member = overrides ? variant.*member : base.contract.*member;
    if (overrides) source = layer;
  });
  return out;
}

}  // namespace backedge::facts
