// A TOML text as a tree of plain values, each with the line and column where it stands: the only door to toml++.
//
// The tree is at most kMaxDepth levels deep, and what the parser does not withstand is kept from it (toml_guard.h), so
// no file, however made, exhausts the stack. Members stand in the order of the file. A decimal number keeps its own
// text beside its value, because money is read exactly. Nothing throws across this header. Tested in
// tests/policy/toml_document_test.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "backedge/result.h"

namespace backedge::policy {

/// Line and column of a text, both from 1; columns count characters, not bytes.
struct Place {
  int line = 0;
  int column = 0;

  friend auto operator<=>(Place const&, Place const&) = default;
};

enum class NodeKind : std::uint8_t { kTable, kList, kText, kInteger, kDecimal, kBool, kTime };

struct Member;

struct Node {
  NodeKind kind = NodeKind::kTable;
  Place place;
  std::int64_t integer = 0;
  bool flag = false;
  std::string text;             // of kText the value, of kDecimal the digits as they stand in the file
  std::vector<Member> members;  // of kTable
  std::vector<Node> items;      // of kList
};

struct Member {
  std::string name;
  Place place;  // of the name
  Node node;
};

inline constexpr int kMaxDepth = 32;

/// The tree of `toml`. Fails with kPolicy and the place of the first fault; `file` only names the text in the error.
/// Linear in the length of the text.
Result<Node> parse_toml(std::string_view toml, std::string const& file);

/// "a string", "an integer", …: what a node is, for a message.
std::string_view kind_text(NodeKind kind);

}  // namespace backedge::policy
