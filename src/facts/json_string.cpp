#include "facts/json_string.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

namespace backedge::facts {
namespace {

constexpr int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// The four hex digits at `at`; -1 if they are not there.
int hex4(std::string_view s, std::size_t at) {
  if (at + 4 > s.size()) return -1;
  int value = 0;
  for (std::size_t i = at; i < at + 4; ++i) {
    int const digit = hex_value(s[i]);
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}

std::size_t put_utf8(char* out, std::uint32_t c) {
  auto const tail = [c](unsigned shift) { return static_cast<char>(0x80 | ((c >> shift) & 0x3f)); };
  if (c < 0x80) {
    out[0] = static_cast<char>(c);
    return 1;
  }
  if (c < 0x800) {
    out[0] = static_cast<char>(0xc0 | (c >> 6));
    out[1] = tail(0);
    return 2;
  }
  if (c < 0x10000) {
    out[0] = static_cast<char>(0xe0 | (c >> 12));
    out[1] = tail(6);
    out[2] = tail(0);
    return 3;
  }
  out[0] = static_cast<char>(0xf0 | (c >> 18));
  out[1] = tail(12);
  out[2] = tail(6);
  out[3] = tail(0);
  return 4;
}

// The character of the \u escape whose backslash is at `at`, and its length in the text: 6, or 12 for a pair; 0 when it
// is no escape or a lone surrogate.
std::pair<std::uint32_t, std::size_t> read_u_escape(std::string_view s, std::size_t at) {
  int const first = hex4(s, at + 2);
  if (first < 0 || (first >= 0xdc00 && first <= 0xdfff)) return {0, 0};
  if (first < 0xd800 || first > 0xdbff) return {static_cast<std::uint32_t>(first), 6};
  if (s.substr(at + 6, 2) != "\\u") return {0, 0};
  int const second = hex4(s, at + 8);
  if (second < 0xdc00 || second > 0xdfff) return {0, 0};
  return {static_cast<std::uint32_t>(0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00)), 12};
}

char simple_escape(char c) {
  switch (c) {
    case '"':
    case '\\':
    case '/': return c;
    case 'b': return '\b';
    case 'f': return '\f';
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    default: return '\0';
  }
}

}  // namespace

bool unescape_json(std::string_view raw, char* out, std::size_t& size) {
  char* to = out;
  for (std::size_t i = 0; i < raw.size();) {
    std::size_t const run = std::min(raw.find('\\', i), raw.size()) - i;
    std::memcpy(to, raw.data() + i, run);
    to += run;
    i += run;
    if (i == raw.size()) break;
    if (i + 1 < raw.size() && raw[i + 1] == 'u') {
      auto const [character, length] = read_u_escape(raw, i);
      if (length == 0) return false;
      to += put_utf8(to, character);
      i += length;
    } else {
      char const c = i + 1 < raw.size() ? simple_escape(raw[i + 1]) : '\0';
      if (c == '\0') return false;
      *to++ = c;
      i += 2;
    }
  }
  size = static_cast<std::size_t>(to - out);
  return true;
}

}  // namespace backedge::facts
