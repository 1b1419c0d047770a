// A contract ready for use: its terms for the kernel, and its pointers resolved to slots of one pointer tree.
//
// All variants of a tool (the contract itself and one per `when`) share one tree, so that one pass over the arguments
// serves them all; which variant applies is known only after the pass. A compiled contract never changes; views into it
// stay valid as long as its book. Tested in tests/facts/book_test.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backedge/contract.h"
#include "backedge/result.h"
#include "base/digest.h"
#include "facts/pointer_tree.h"
#include "kernel/terms.h"

namespace re2 {
class RE2;
}

namespace backedge::facts {

/// Where a field of a contract was declared; a later layer wins, field by field.
enum class Layer : std::uint8_t { kBuiltin, kMcp, kCode, kPolicy };
inline constexpr std::size_t kLayers = 4;

/// "built-in", "mcp", "code", "policy file".
std::string_view layer_name(Layer layer);

using Slot = std::uint8_t;
inline constexpr Slot kNoSlot = 0xff;

/// A conflict key cut into text and pointers: "file:{/path}" is the text "file:" and the slot of /path.
struct ResourcePart {
  std::string text;
  Slot slot = kNoSlot;
};
using ResourceTemplate = std::vector<ResourcePart>;

/// Pointers of one tool: to its arguments (all variants together).
struct PointerSet {
  PointerTree tree;
  bool needs_words = false;
};

/// What a result is cleaned of before it is compared.
struct ResultCleaning {
  PointerTree pointers;                             // every slot is volatile
  std::vector<std::shared_ptr<re2::RE2 const>> patterns;
};

struct CompiledCondition {
  Slot slot = kNoSlot;
  Condition condition;
};

struct CompiledContract {
  std::uint32_t id = 0;
  std::string tool;    // empty for the contract of undeclared tools
  Digest tool_id;      // none for the contract of undeclared tools
  kernel::Terms terms;
  std::shared_ptr<PointerSet const> pointers;       // shared by the variants of a tool
  std::uint64_t volatile_slots = 0;                 // bit per slot
  bool identity_declared = false;
  std::vector<Slot> identity;
  std::vector<Slot> targets;                        // tried in order
  std::vector<std::string> target_pointers;         // as declared, for messages
  bool has_range = false;
  Slot range_start = kNoSlot;
  Slot range_length = kNoSlot;
  Slot range_end = kNoSlot;
  bool range_one_based = false;                     // reserved for tools that count lines from 1
  std::vector<ResourceTemplate> resources;
  std::shared_ptr<ResultCleaning const> cleaning;   // null: results are compared as they are
  std::int64_t timeout_ms = 120'000;
  std::int64_t max_output = 30'000;                 // characters
  /// Only on the first variant of a tool: conditions in order, and the contracts they pick.
  std::vector<CompiledCondition> conditions;
  std::vector<std::uint32_t> variants;
};

}  // namespace backedge::facts
