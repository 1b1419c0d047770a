// A contract ready for use: its terms for the kernel, and its pointers resolved to slots of one pointer tree.
//
// All variants of a tool (the contract itself and one per `when`) share one tree, so that one pass over the arguments
// serves them all; which variant applies is known only after the pass. A compiled contract never changes; views into it
// stay valid as long as its book. Tested in tests/facts/book_test.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "backedge/contract.h"
#include "backedge/result.h"
#include "base/digest.h"
#include "facts/merge.h"
#include "facts/pointer_tree.h"
#include "facts/shell_text.h"
#include "kernel/terms.h"

namespace re2 {
class RE2;
}

namespace backedge::facts {

using Slot = std::uint8_t;
inline constexpr Slot kNoSlot = PointerTree::kNone;

/// A piece of a conflict key: "file:{/path}" is the text "file:" and the slot of /path.
struct ResourcePart {
  std::string text;
  Slot slot = kNoSlot;  // then the text is not used
};

struct ResourceTemplate {
  std::vector<ResourcePart> parts;
  bool is_path = false;  // "file:…": what stands in braces is normalised as a path
};

/// What a result is cleaned of before it is compared.
struct ResultCleaning {
  PointerTree pointers;  // every slot is volatile
  std::vector<std::shared_ptr<re2::RE2 const>> patterns;
};

struct CompiledCondition {
  Slot slot = kNoSlot;
  Condition condition;                         // without its commands
  std::shared_ptr<ShellRules const> commands;  // null: another kind of condition
};

struct CompiledContract {
  std::uint32_t id = 0;
  std::string tool;  // empty, and tool_id none, for the contract of undeclared tools
  Digest tool_id;
  kernel::Terms terms;
  std::shared_ptr<PointerTree const> pointers;  // of all variants of the tool
  bool any_delegate = false;                    // this or another variant: the texts of the arguments are wanted
  std::uint64_t volatile_slots = 0;             // bit per slot
  std::vector<Slot> identity;                   // empty: the whole arguments
  Slot decreases = kNoSlot;                     // the measure of a recursion
  std::vector<Slot> targets;                    // the first that holds text names the agent
  bool has_range = false;
  bool range_only_alone = false;  // no range when other arguments are there that may change what is read
  bool range_end_inclusive = false;
  Slot range_start = kNoSlot;
  Slot range_length = kNoSlot;
  Slot range_end = kNoSlot;
  std::vector<ResourceTemplate> resources;
  std::shared_ptr<ResultCleaning const> cleaning;  // null: results are compared as they are
  std::int64_t timeout_ms = 120'000;
  std::int64_t max_output = 30'000;  // characters
  /// Only for the first contract of a tool: the i-th condition picks variants[i].
  std::vector<CompiledCondition> conditions;
  std::vector<std::uint32_t> variants;
};

/// What the built-in table knows beyond a Contract.
struct BuiltinExtras {
  std::vector<std::string> targets;  // candidates for `target`, in order
};

/// Rules of conditions that were compiled already: the tools of the built-in table share a few long lists of commands.
class KnownRules {
 public:
  /// `builtin`: the commands are the table's own, which knows the words that turn them into something else.
  std::shared_ptr<ShellRules const> rules(std::vector<std::string> const& commands, bool builtin);

 private:
  struct Entry {
    std::vector<std::string> commands;
    bool builtin = false;
    std::shared_ptr<ShellRules const> rules;
  };
  std::vector<Entry> entries_;
};

/// The contract of `tool` and, after it, one per entry of `when`; ids count up from `first_id`. Errors: kUsage, with
/// the field and the reason.
Result<std::vector<CompiledContract>> compile(std::string_view tool, Merged const& merged, BuiltinExtras const& extras,
                                              KnownRules& known, std::uint32_t first_id);

}  // namespace backedge::facts
