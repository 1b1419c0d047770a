// Cuts between characters; see cut.h.

#include "talk/cut.h"

#include <algorithm>
#include <cstddef>

#include <fmt/format.h>

#include "base/text.h"

namespace backedge::talk {
namespace {

bool continues(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

std::int64_t characters(std::string_view text) {
  return static_cast<std::int64_t>(std::count_if(text.begin(), text.end(), [](char c) { return !continues(c); }));
}

// The longest tail of at most `count` characters.
std::string_view tail(std::string_view text, std::int64_t count) {
  std::size_t at = text.size();
  while (at > 0 && count > 0) {
    --at;
    if (!continues(text[at])) --count;
  }
  while (at < text.size() && continues(text[at])) ++at;
  return text.substr(at);
}

}  // namespace

std::string cut_for_model(std::string_view text, std::int64_t most) {
  if (most < 0 || static_cast<std::int64_t>(text.size()) <= most) return std::string(text);
  std::int64_t const all = characters(text);
  if (all <= most) return std::string(text);
  std::int64_t const head = most - most * 3 / 10;  // the head says what it is, the tail how it ended
  std::string_view const first = cut(text, static_cast<std::size_t>(head));
  std::string_view const last = tail(text.substr(first.size()), most - head);
  return fmt::format("{}\n[… {} characters left out …]\n{}", first, all - most, last);
}

}  // namespace backedge::talk
