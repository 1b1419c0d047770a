// The words of a text as hashes: runs of letters and digits, lower-cased; every byte of a UTF-8 sequence is a letter.
//
// Example: "Retry, retry! caféX2" is the words retry, retry, caféx2. Tested in tests/facts/result_text_test.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/digest.h"

namespace backedge::facts {

/// Letters are lower-cased (ASCII only), digits and bytes of UTF-8 sequences are themselves, everything else is 0.
constexpr std::uint8_t word_byte(char c) {
  auto const b = static_cast<std::uint8_t>(c);
  if (b >= 'A' && b <= 'Z') return static_cast<std::uint8_t>(b - 'A' + 'a');
  bool const in_word = (b >= 'a' && b <= 'z') || (b >= '0' && b <= '9') || b >= 0x80;
  return in_word ? b : 0;
}

class WordScanner {
 public:
  explicit WordScanner(std::string_view text) : text_(text) {}

  /// Sets `hash` to that of the next word; false at the end.
  bool next(std::uint64_t& hash) {
    while (at_ < text_.size() && word_byte(text_[at_]) == 0) ++at_;
    if (at_ == text_.size()) return false;
    // FNV-1a's multiplier; the finaliser spreads what short words leave in the low bits.
    std::uint64_t h = 0xcbf29ce484222325ULL;
    for (; at_ < text_.size(); ++at_) {
      std::uint8_t const b = word_byte(text_[at_]);
      if (b == 0) break;
      h = (h ^ b) * 0x100000001b3ULL;
    }
    hash = scramble(h);
    return true;
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace backedge::facts
