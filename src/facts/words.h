// The words of a text as hashes: runs of letters and digits, lower-cased; every byte of a UTF-8 sequence is a letter.
//
// Example: "Retry, retry! caféX2" is the words retry, retry, caféx2. Tested in tests/facts/result_text_test.cpp.
#pragma once

#include <array>
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

/// word_byte() of all bytes.
inline constexpr std::array<std::uint8_t, 256> kWordBytes = [] {
  std::array<std::uint8_t, 256> out{};
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = word_byte(static_cast<char>(i));
  return out;
}();

class WordScanner {
 public:
  explicit WordScanner(std::string_view text) : at_(text.data()), end_(text.data() + text.size()) {}

  /// Sets `hash` to that of the next word; false at the end.
  bool next(std::uint64_t& hash) {
    while (at_ != end_ && folded() == 0) ++at_;
    if (at_ == end_) return false;
    // Eight bytes at a time, joined by a multiplication; the last ones come with the number of all.
    constexpr std::uint64_t kOffset = 0x9e3779b97f4a7c15ULL;
    constexpr std::uint64_t kFactor = 0xe7037ed1a0b428dbULL;
    std::uint64_t h = 0;
    std::uint64_t word = 0;
    std::uint64_t length = 0;
    for (; at_ != end_; ++at_) {
      std::uint8_t const b = folded();
      if (b == 0) break;
      word = (word << 8) | b;
      if (++length % 8 != 0) continue;
      h = fold(h ^ word ^ kOffset, kFactor);
      word = 0;
    }
    hash = fold(h ^ word ^ kOffset, kFactor ^ (length << 32));
    return true;
  }

 private:
  std::uint8_t folded() const { return kWordBytes[static_cast<unsigned char>(*at_)]; }

  char const* at_;
  char const* end_;
};

}  // namespace backedge::facts
