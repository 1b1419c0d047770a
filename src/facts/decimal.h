// The decimal value of a JSON number, exactly as written: 1, 1.0, 1e0 and 10e-1 are one value, 0.1 and
// 0.1000000000000000055511 are two, although a double cannot tell them apart.
//
// The value is sign × digits × 10^exponent, with the significant digits taken as an integer without zeros at either
// end. Example: -0.01200e5 is (negative, digits 12, exponent 2). Up to 19 digits fit a 64-bit integer; longer ones are
// chained in groups. Tested in tests/facts/decimal_test.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/digest.h"

namespace backedge::facts {

enum class NumberFault : std::uint8_t {
  kNone,
  kSyntax,  // not a number of the JSON grammar
  kRange,   // rounds to an infinite double, or its exponent has more than 15 digits
};

/// Sets `out` to the digest of the number: equal exactly when the decimal values are equal; -0 is 0.
NumberFault digest_number(std::string_view token, Digest& out);

/// digest_number() for the numbers that are written most: at most 18 digits, no exponent. False for every other token,
/// well formed or not, which says nothing about it.
inline bool digest_plain_number(std::string_view token, Digest& out);

/// The value as an integer if it is one that fits 64 bits: "2e3" and "2000.0" are 2000. None for anything else.
std::optional<std::int64_t> integer_value(std::string_view token);

/// The digest of the value ±digits × 10^exponent, where digits ends in no zero; `rest` is exponent and sign.
constexpr Digest mix_number(std::uint64_t digits, std::uint64_t rest) {
  return finish({fold(digits ^ 0x9e3779b97f4a7c15ULL, rest ^ 0xd6e8feb86659fd93ULL),
                 fold(digits ^ 0x632be59bd9b4e019ULL, rest ^ 0xc2b2ae3d27d4eb4fULL)});
}

/// The second word of mix_number().
constexpr std::uint64_t sign_and_exponent(bool negative, std::int64_t exponent) {
  return (static_cast<std::uint64_t>(exponent) << 1) | (negative ? 1 : 0);
}

inline bool digest_plain_number(std::string_view token, Digest& out) {
  constexpr std::size_t kLongest = 20;  // 18 digits, sign and point
  if (token.size() > kLongest) return false;
  char const* p = token.data();
  char const* const end = p + token.size();
  bool negative = *p == '-';
  p += negative ? 1 : 0;
  char const* const first = p;
  std::uint64_t digits = 0;
  auto const digit = [&] { return static_cast<unsigned>(static_cast<unsigned char>(*p)) - '0'; };
  for (; p != end && digit() <= 9; ++p) digits = digits * 10 + digit();
  if (p == first || (*first == '0' && p - first > 1)) return false;
  std::int64_t exponent = 0;
  if (p != end) {
    if (*p++ != '.') return false;
    char const* const fraction = p;
    for (; p != end && digit() <= 9; ++p) digits = digits * 10 + digit();
    if (p != end || p == fraction) return false;
    exponent = fraction - p;
  }
  if (p - first > 19) return false;  // digits and point: the digits may not have fit
  if (digits == 0) {
    exponent = 0;
    negative = false;
  } else {
    for (; (digits & 1) == 0 && digits % 10 == 0; ++exponent) digits /= 10;
  }
  out = mix_number(digits, sign_and_exponent(negative, exponent));
  return true;
}

}  // namespace backedge::facts
