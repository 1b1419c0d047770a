#include "facts/text_tail.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>

#include "base/hash.h"
#include "facts/words.h"

namespace backedge::facts {
namespace {

constexpr std::size_t kLongestPeriod = 16;
constexpr std::size_t kLastTokens = 400;

constexpr bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
constexpr bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }
// Leading bytes from U+3000 on: ideographs, kana, hangul and their punctuation, and all that is beyond.
constexpr bool starts_ideograph(char c) { return static_cast<unsigned char>(c) >= 0xe3; }
constexpr bool in_word(char c) { return word_byte(c) != 0 || c == '_'; }

// Where the token that starts at `at` ends: a word, one character of a script that writes without spaces, or a run of
// one and the same sign, so that a divider of fifty dashes is one token and no loop.
std::size_t token_end(std::string_view text, std::size_t at) {
  std::size_t end = at + 1;
  if (starts_ideograph(text[at])) {
    while (end < text.size() && continues_character(text[end])) ++end;
  } else if (in_word(text[at])) {
    while (end < text.size() && in_word(text[end]) && !starts_ideograph(text[end])) ++end;
  } else {
    while (end < text.size() && text[end] == text[at]) ++end;
  }
  return end;
}

// The last tokens of a text, as hashes, the oldest overwritten.
struct LastTokens {
  std::array<std::uint64_t, kLastTokens> ring{};
  std::size_t count = 0;

  void clear() { count = 0; }
  void add(std::uint64_t token) { ring[count++ % kLastTokens] = token; }
  std::size_t size() const { return std::min(count, kLastTokens); }
  /// back(0) is the last one.
  std::uint64_t back(std::size_t i) const { return ring[(count - 1 - i) % kLastTokens]; }
};

// Follows the lines of a text and knows which of them are a table or code, where equal lines mean nothing.
class Structure {
 public:
  explicit Structure(std::string_view text) : text_(text) {}

  /// Is the byte at `at` part of a table or of code? Called with growing positions.
  bool at(std::size_t at) {
    while (line_end_ <= at && line_end_ < text_.size()) next_line();
    return structured_;
  }

 private:
  void next_line() {
    std::size_t const begin = line_end_;
    line_end_ = std::min(text_.find('\n', begin), text_.size() - 1) + 1;
    std::string_view const line = text_.substr(begin, line_end_ - begin);
    std::string_view const inner = line.substr(std::min(line.find_first_not_of(" \t"), line.size()));
    bool const fence = inner.starts_with("```") || inner.starts_with("~~~");
    if (fence) fenced_ = !fenced_;
    structured_ = fence || fenced_ || line.starts_with("    ") || line.starts_with('\t') || inner.starts_with('|');
  }

  std::string_view text_;
  std::size_t line_end_ = 0;
  bool fenced_ = false;
  bool structured_ = false;
};

void find_tail(LastTokens const& tokens, kernel::TextFacts& out) {
  std::size_t best = 0;
  for (std::size_t period = 1; period <= kLongestPeriod && 2 * period <= tokens.size(); ++period) {
    std::size_t same = 0;
    while (same + period < tokens.size() && tokens.back(same) == tokens.back(same + period)) ++same;
    std::size_t const repeats = same / period + 1;
    if (repeats < 2 || period * repeats <= best) continue;
    best = period * repeats;
    out.tail_period = static_cast<std::uint16_t>(period);
    out.tail_repeats = static_cast<std::uint16_t>(repeats);
  }
}

}  // namespace

kernel::TextFacts text_facts(std::string_view text, std::string& folded) {
  kernel::TextFacts out;
  LastTokens tokens;
  Structure structure(text);
  std::size_t count = 0;
  folded.clear();
  for (std::size_t i = 0; i < text.size();) {
    if (is_space(text[i])) {
      ++i;
      continue;
    }
    bool const gap = i > 0 && is_space(text[i - 1]);
    if (gap && !folded.empty()) folded += ' ';
    std::size_t const end = token_end(text, i);
    std::string_view const token = text.substr(i, end - i);
    folded += token;
    ++count;
    if (structure.at(i)) {
      tokens.clear();
    } else {
      tokens.add(digest_name(token).lo);
    }
    i = end;
  }
  if (folded.empty()) return out;
  out.message = digest_bytes(folded, DigestTag::kMessage);
  out.tokens = static_cast<std::uint16_t>(std::min<std::size_t>(count, std::numeric_limits<std::uint16_t>::max()));
  find_tail(tokens, out);
  return out;
}

}  // namespace backedge::facts
