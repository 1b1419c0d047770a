#include "base/text.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

namespace backedge {
namespace {

constexpr std::size_t kLongestWord = 64;

constexpr std::uint8_t byte_at(std::string_view s, std::size_t i) { return static_cast<std::uint8_t>(s[i]); }

constexpr bool continues(std::string_view s, std::size_t i) { return i < s.size() && (byte_at(s, i) & 0xc0) == 0x80; }

// Length of the valid UTF-8 sequence that starts at i; 0 when there is none (Unicode, table 3-7).
std::size_t sequence_length(std::string_view s, std::size_t i) {
  std::uint8_t const b = byte_at(s, i);
  if (b < 0x80) return 1;
  if (b < 0xc2 || b > 0xf4 || !continues(s, i + 1)) return 0;
  if (b < 0xe0) return 2;
  std::uint8_t const second = byte_at(s, i + 1);
  if (!continues(s, i + 2)) return 0;
  if (b < 0xf0) {
    bool const overlong = b == 0xe0 && second < 0xa0;
    bool const surrogate = b == 0xed && second > 0x9f;
    return overlong || surrogate ? 0 : 3;
  }
  bool const overlong = b == 0xf0 && second < 0x90;
  bool const beyond = b == 0xf4 && second > 0x8f;
  return overlong || beyond || !continues(s, i + 3) ? 0 : 4;
}

constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Optimal string alignment distance, three rows of the table; both words at most kLongestWord bytes.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  using Row = std::array<std::size_t, kLongestWord + 1>;
  Row before{}, last{}, row{};
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      char const x = lower(a[i - 1]);
      char const y = lower(b[j - 1]);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (x == y ? 0U : 1U)});
      bool const swapped = i > 1 && j > 1 && x == lower(b[j - 2]) && lower(a[i - 2]) == y;
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before = last;
    last = row;
  }
  return last[b.size()];
}

}  // namespace

std::string_view cut(std::string_view text, std::size_t characters) {
  std::size_t end = 0;
  while (end < text.size() && characters-- > 0) end += std::max<std::size_t>(1, sequence_length(text, end));
  return text.substr(0, end);
}

std::string in_quotes(std::string_view text, std::size_t characters) {
  std::string_view const kept = cut(text, characters);
  std::string out = "\"";
  for (std::size_t i = 0; i < kept.size();) {
    std::size_t const n = sequence_length(kept, i);
    std::uint8_t const b = byte_at(kept, i);
    // U+0080 to U+009F are control characters too.
    bool const c1 = n == 2 && b == 0xc2 && byte_at(kept, i + 1) < 0xa0;
    if (n == 0 || b == 0x7f || (b < 0x20 && b != '\n' && b != '\t' && b != '\r')) {
      out += fmt::format("\\x{:02x}", b);
    } else if (c1) {
      out += fmt::format("\\u{:04x}", byte_at(kept, i + 1));
    } else if (b == '\n' || b == '\t' || b == '\r') {
      out += b == '\n' ? "\\n" : b == '\t' ? "\\t" : "\\r";
    } else {
      if (b == '"' || b == '\\') out += '\\';
      out += kept.substr(i, n);
    }
    i += std::max<std::size_t>(1, n);
  }
  if (kept.size() < text.size()) out += "…";
  return out + "\"";
}

std::vector<std::string_view> nearest(std::string_view word, std::span<std::string_view const> names,
                                      std::size_t count) {
  std::vector<std::pair<std::size_t, std::string_view>> near;
  if (word.empty() || word.size() > kLongestWord) return {};
  std::size_t const limit = std::max<std::size_t>(1, word.size() / 3);
  for (std::string_view const name : names) {
    if (name.size() > kLongestWord || name.size() > word.size() + limit || word.size() > name.size() + limit) continue;
    std::size_t const distance = edit_distance(word, name);
    if (distance <= limit) near.emplace_back(distance, name);
  }
  std::ranges::sort(near);
  std::vector<std::string_view> out;
  for (auto const& [distance, name] : near) {
    if (out.size() < count && (out.empty() || out.back() != name)) out.push_back(name);
  }
  return out;
}

}  // namespace backedge
