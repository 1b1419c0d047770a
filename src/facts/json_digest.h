// One pass over a JSON text: its structural digest, and what its pointers point at.
//
// The digest is the same for two texts exactly when they are the same value: members in any order, white space and
// escapes in any form, numbers by decimal value (decimal.h). Over an object it is a sum of (name, value) pairs, over an
// array a chain. What a volatile slot points at is left out, as if it were not there.
//
// The pass is iterative, visits every token, and so accepts only well-formed JSON: at most kMaxDepth levels, no
// trailing text, no lone surrogates, no two members of one name. A digester owns its buffers and is used by one thread.
// Tested in tests/facts/json_digest_test.cpp, and against RFC 8785 in tests/facts/key_test.cpp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/digest.h"
#include "base/fixed_list.h"
#include "facts/json_index.h"
#include "facts/pointer_tree.h"
#include "kernel/call_facts.h"

namespace backedge::facts {

enum class JsonKind : std::uint8_t { kAbsent, kNull, kBool, kNumber, kString, kArray, kObject };

enum class JsonFault : std::uint8_t { kNone, kEmpty, kNotJson, kDuplicateKey, kNumberRange, kTooDeep };

/// A value found in the text.
struct JsonItem {
  JsonKind kind = JsonKind::kAbsent;
  Digest digest;
  std::string_view text;  // of a string its content, unescaped; of everything else the text as written
};

/// What a pass looks for.
struct JsonPlan {
  PointerTree const* pointers = nullptr;  // null: none
  std::uint64_t volatile_slots = 0;
  bool list_strings = false;  // fill strings()
};

class JsonDigester {
 public:
  static constexpr std::size_t kMaxDepth = 128;
  static constexpr std::size_t kMaxNameBytes = 128;  // a longer text is no agent's name

  /// A string value with the slot that points at it.
  struct Text {
    std::string_view text;
    std::uint8_t slot = PointerTree::kNone;
  };

  /// Digests `text`, which must outlive the use of what is found. Returns the fault, described by fault_text().
  JsonFault run(std::string_view text, JsonPlan const& plan);

  /// The whole text as one value.
  JsonItem const& root() const { return root_; }
  /// The value that a slot points at, or kAbsent.
  JsonItem const& at(std::uint8_t slot) const { return found_[slot]; }
  /// The first short strings among the members of the root object.
  FixedList<kernel::NamedText, 8> const& names() const { return names_; }
  /// All string values, if the plan asked for them.
  std::span<Text const> strings() const { return strings_; }
  /// Members of the root object that no pointer leads to.
  std::size_t unpointed() const { return unpointed_; }
  /// One line for a person; empty without a fault.
  std::string const& fault_text() const { return fault_text_; }

 private:
  struct Name {
    std::uint64_t hash = 0;
    std::uint32_t const* token = nullptr;
  };
  // A container that is open, and what is being read in it. The bottom level is the text itself, with one value.
  struct Level {
    Digest sum;
    Digest name;                              // of the member that is being read
    std::uint32_t const* token = nullptr;     // the opening bracket
    Name* names = nullptr;                    // where this object's member names start in names_seen_
    std::uint32_t count = 0;                  // values taken into the sum
    std::uint32_t index = 0;                  // of the element that is being read
    std::uint16_t node = PointerTree::kOff;   // of this container
    std::uint16_t child = PointerTree::kOff;  // of the value that is being read
    char closing = '\0';                      // the bracket that ends it; none for the text itself
    bool quiet = false;                       // only the digest is wanted of what is inside
  };
  class Pass;

  bool note(JsonItem const& item, Level const& level);
  void note_name(Digest const& member, Digest const& value, std::string_view text) {
    if (text.size() <= kMaxNameBytes) names_.push({member, value});
  }
  bool has_twins(Name* first, Name* last);
  JsonFault long_number(std::size_t token, std::string_view text, Digest& out);
  std::string_view unescape(std::string_view raw);
  Level* more_levels();
  JsonFault too_deep();
  JsonFault bad(std::size_t token, std::string_view why);
  JsonFault fail(JsonFault fault, std::string text);

  JsonIndex index_;
  std::string_view text_;
  JsonPlan plan_;
  std::vector<char> unescaped_;  // grows before a pass only: views into it are handed out
  std::size_t unescaped_used_ = 0;
  std::vector<Level> levels_;
  std::vector<Name> names_seen_;
  JsonItem root_;
  std::array<JsonItem, PointerTree::kMaxSlots> found_;
  FixedList<kernel::NamedText, 8> names_;
  std::vector<Text> strings_;
  std::size_t unpointed_ = 0;
  std::string fault_text_;
};

}  // namespace backedge::facts
