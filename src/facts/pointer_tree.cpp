#include "facts/pointer_tree.h"

#include <utility>

#include <fmt/format.h>

#include "base/hash.h"
#include "base/text.h"

namespace backedge::facts {
namespace {

// "0", "17"; not "01", "-1", "-": RFC 6901 section 4. At most 9 digits.
std::int64_t as_index(std::string_view segment) {
  if (segment.empty() || segment.size() > 9 || (segment.size() > 1 && segment[0] == '0')) return -1;
  std::int64_t value = 0;
  for (char const c : segment) {
    if (c < '0' || c > '9') return -1;
    value = value * 10 + (c - '0');
  }
  return value;
}

Error bad_pointer(std::string_view pointer, std::string_view why) {
  return Error{ErrorKind::kUsage, fmt::format("{} is no JSON pointer: {}", in_quotes(pointer), why), {}};
}

}  // namespace

Result<std::vector<std::string>> pointer_segments(std::string_view pointer) {
  std::vector<std::string> out;
  if (pointer.empty()) return out;
  if (pointer.front() != '/') return std::vector<std::string>{std::string(pointer)};
  for (std::size_t i = 0; i < pointer.size(); ++i) {
    char const c = pointer[i];
    if (c == '/') {
      out.emplace_back();
    } else if (c != '~') {
      out.back() += c;
    } else {
      char const next = i + 1 < pointer.size() ? pointer[i + 1] : '\0';
      if (next != '0' && next != '1') return bad_pointer(pointer, "a ~ stands only before 0 or 1");
      out.back() += next == '0' ? '~' : '/';
      ++i;
    }
  }
  return out;
}

Result<std::uint8_t> PointerTree::add(std::string_view pointer) {
  Result<std::vector<std::string>> const segments = pointer_segments(pointer);
  if (!segments) return segments.error();
  std::uint16_t node = root();
  for (std::string const& segment : *segments) {
    if (nodes_.size() >= kOff) return bad_pointer(pointer, "the pointers of the tool are too long");
    node = child(node, segment);
  }
  if (nodes_[node].slot == kNone) {
    if (slots_ == kMaxSlots) return bad_pointer(pointer, fmt::format("a tool has at most {} pointers", kMaxSlots));
    nodes_[node].slot = static_cast<std::uint8_t>(slots_++);
  }
  return nodes_[node].slot;
}

std::uint16_t PointerTree::child(std::uint16_t node, std::string const& segment) {
  Digest const name = digest_name(segment);
  std::uint16_t const known = member(node, name);
  if (known != kOff) return known;
  auto const fresh = static_cast<std::uint16_t>(nodes_.size());
  nodes_[node].edges.push_back(Edge{name, as_index(segment), fresh});
  nodes_.emplace_back();
  return fresh;
}

std::uint16_t PointerTree::member(std::uint16_t node, Digest const& name) const {
  for (Edge const& edge : nodes_[node].edges) {
    if (edge.name == name) return edge.node;
  }
  return kOff;
}

std::uint16_t PointerTree::element(std::uint16_t node, std::size_t index) const {
  for (Edge const& edge : nodes_[node].edges) {
    if (edge.index == static_cast<std::int64_t>(index)) return edge.node;
  }
  return kOff;
}

}  // namespace backedge::facts
