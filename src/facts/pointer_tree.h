// JSON pointers (RFC 6901) merged into one tree, so that a single pass over a JSON text finds all of them.
//
// A walk holds one node per level and asks for the child by member name or by array index; a node that ends a pointer
// carries its slot. Node 0 is the root of the text; kOff means that nothing below can match. At most kMaxSlots
// pointers.
//
// Example: "/a/b" and "/a/0" make  root -a-> 1,  1 -b-> 2 (slot 0),  1 -0-> 3 (slot 1); the segment "0" matches the
// member "0" of an object and the first element of an array. Tested in tests/facts/pointer_tree_test.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "backedge/result.h"
#include "base/digest.h"

namespace backedge::facts {

class PointerTree {
 public:
  static constexpr std::size_t kMaxSlots = 64;  // one bit each in a mask
  static constexpr std::uint16_t kOff = 0xffff;
  static constexpr std::uint8_t kNone = 0xff;

  /// The slot of `pointer`, which is added if it is new. "" is the whole text; a pointer without the leading slash is
  /// read as one member name ("query" is "/query"). Errors: kUsage for a bad escape, or more than kMaxSlots pointers.
  Result<std::uint8_t> add(std::string_view pointer);

  std::size_t slots() const { return slots_; }
  bool empty() const { return slots_ == 0; }

  static constexpr std::uint16_t root() { return 0; }
  /// kNone when no pointer ends at the node.
  std::uint8_t slot(std::uint16_t node) const { return nodes_[node].slot; }
  /// The child for a member name, by the digest of the name (digest_name), or kOff.
  std::uint16_t member(std::uint16_t node, Digest const& name) const;
  /// The child for an array index, or kOff.
  std::uint16_t element(std::uint16_t node, std::size_t index) const;

 private:
  struct Edge {
    Digest name;
    std::int64_t index = -1;  // the segment as an array index; -1 if it is none
    std::uint16_t node = kOff;
  };
  struct Node {
    std::vector<Edge> edges;
    std::uint8_t slot = kNone;
  };

  std::uint16_t child(std::uint16_t node, std::string const& segment);

  std::vector<Node> nodes_{Node{}};
  std::size_t slots_ = 0;
};

/// The segments of a pointer with ~1 and ~0 resolved. Errors: kUsage.
Result<std::vector<std::string>> pointer_segments(std::string_view pointer);

}  // namespace backedge::facts
