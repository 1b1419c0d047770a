// The layers of a contract merged into one, field by field, with the layer that decided each field.
//
// A later layer wins. The variants of `when` belong to the layer that declared them: a variant's field wins over the
// same field of its own layer and of those below, and loses to a layer above. Tested in tests/facts/book_test.cpp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "backedge/contract.h"

namespace backedge::facts {

/// Where a field of a contract was declared; a later layer wins.
enum class Layer : std::uint8_t { kBuiltin, kMcp, kCode, kPolicy };
inline constexpr std::size_t kLayers = 4;

/// "built-in", "mcp", "code", "policy file".
std::string_view layer_name(Layer layer);

enum class Field : std::uint8_t {
  kEffect,
  kReentry,
  kDecreases,
  kTarget,
  kIdentity,
  kVolatileArgs,
  kVolatileResult,
  kRange,
  kIdempotent,
  kConflicts,
  kMaxDepth,
  kReturnsDirect,
  kTimeout,
  kMaxOutput,
  kMinInterval,
  kWhen
};
inline constexpr std::size_t kFields = 16;

/// The field's name in the policy file: "effect", "max_depth".
std::string_view field_name(Field field);
/// The field's value for a person: "read", "/path, /line", "yes"; the default's value where nothing is declared.
std::string field_text(Field field, Contract const& contract);

using LayerContracts = std::array<std::optional<Contract>, kLayers>;

struct Merged {
  Contract contract;
  std::array<std::optional<Layer>, kFields> sources;

  std::optional<Layer> source(Field field) const { return sources[static_cast<std::size_t>(field)]; }
};

/// `mcp_may_loosen` is false for a server that is not trusted: then the MCP layer counts only where it tightens.
Merged merge(LayerContracts const& layers, bool mcp_may_loosen);

/// The contract that applies when the condition of `variant`, an entry of base.contract.when, holds.
Merged merge_variant(Merged const& base, Contract const& variant);

std::string_view effect_name(Effect effect);
std::string_view reentry_name(Reentry reentry);

}  // namespace backedge::facts
