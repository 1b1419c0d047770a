// The book of contracts: what each tool was declared to be, by which layer, and what follows from it.
//
// Layers are merged field by field; a field that no layer declares gets the default. Declaring compiles at once, so
// that find() only reads: a book may be read from many threads while nobody declares. A contract that was handed out
// keeps its id and its content for the life of the book, also after its tool was declared anew.
//
// The MCP layer speaks for a server that nobody vouched for: without trust it may only tighten what is below it
// (forbid > distinct > bounded > allow; write > unknown > delegate > poll, wait > read). Tested in
// tests/facts/book_test.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "backedge/contract.h"
#include "backedge/result.h"
#include "facts/compiled.h"
#include "facts/merge.h"

namespace backedge::facts {

/// Of an MCP declaration: whether the policy trusts the server to loosen as well.
enum class Trust : std::uint8_t { kTightenOnly, kTrusted };

/// One line of `backedge tools`: a field, its value as text, and who said so.
struct FieldSource {
  std::string field;   // "effect"; "when[0].effect" for a variant
  std::string value;   // "read"
  std::string source;  // "policy file", "code", "mcp", "built-in", "default"

  friend bool operator==(FieldSource const&, FieldSource const&) = default;
};

class ContractBook {
 public:
  /// The id of the contract of every tool that nobody declared.
  static constexpr std::uint32_t kUndeclared = 0;

  /// A book with the built-in table.
  ContractBook();
  /// A book without it, for tests and for embedders who declare everything.
  static ContractBook blank();

  /// A copy costs far less than a new book: what was compiled is shared.
  ContractBook(ContractBook const&) = default;
  ContractBook& operator=(ContractBook const&) = default;
  ContractBook(ContractBook&&) = default;
  ContractBook& operator=(ContractBook&&) = default;

  /// Sets what `layer` says of `tool`; what that layer said before is replaced. Errors: kUsage with the field and the
  /// reason (bad pointer, bad pattern, number out of range); the book is then unchanged.
  Result<void> declare(Layer layer, std::string_view tool, Contract const& contract, Trust trust = Trust::kTightenOnly);

  /// The contract of `tool`, or the default contract. Cost: one hash lookup, no allocation.
  CompiledContract const& find(std::string_view tool) const;
  /// By id, as CallFacts.contract names it; ids that were never given are the default contract.
  CompiledContract const& at(std::uint32_t id) const;

  /// True when any layer, the built-in one included, says something of `tool`.
  bool knows(std::string_view tool) const;
  /// Every field of the contract of `tool` with its source, in a fixed order.
  std::vector<FieldSource> explain(std::string_view tool) const;
  /// Names that MCP, code or policy declared, sorted.
  std::vector<std::string> declared() const;

 private:
  struct Entry {
    LayerContracts layers;
    BuiltinExtras extras;
    Trust mcp_trust = Trust::kTrusted;
    std::uint32_t id = kUndeclared;
  };
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view s) const noexcept;
  };

  struct Blank {};
  explicit ContractBook(Blank);

  Result<void> compile_into(std::string_view tool, Entry& entry);

  std::unordered_map<std::string, Entry, Hash, std::equal_to<>> entries_;
  std::deque<CompiledContract> contracts_;
  KnownRules known_rules_;
};

}  // namespace backedge::facts
