#include "facts/decimal.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <limits>
#include <system_error>

namespace backedge::facts {
namespace {

// 19 digits are the most that always fit 64 bits.
constexpr std::int64_t kMaxShort = 19;
// Exponents are cut off far beyond any double, where arithmetic with them cannot overflow yet.
constexpr std::int64_t kMaxExponent = 1'000'000'000'000'000;
// 10^308 is the largest power of ten that is a double.
constexpr std::int64_t kLargestPower = 308;

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

struct Decimal {
  bool negative = false;
  std::uint64_t digits = 0;   // zero: the number is zero, or has more than kMaxShort digits
  std::int64_t exponent = 0;  // of the last significant digit
  std::int64_t count = 0;     // significant digits; 0 for zero
  std::string_view first;     // from the first significant digit on, dot included
};

struct Scan {
  std::string_view text;
  std::size_t at = 0;

  bool digit() const { return at < text.size() && is_digit(text[at]); }
  bool take(char c) {
    bool const there = at < text.size() && text[at] == c;
    at += there ? 1 : 0;
    return there;
  }
};

// The exponent part; false on a syntax error. A long one is cut off at twice kMaxExponent.
bool read_exponent(Scan& s, std::int64_t& exponent) {
  if (!s.take('e') && !s.take('E')) return true;
  bool const down = s.take('-');
  if (!down) s.take('+');
  if (!s.digit()) return false;
  std::int64_t value = 0;
  for (; s.digit(); ++s.at) value = std::min(value * 10 + (s.text[s.at] - '0'), 2 * kMaxExponent);
  exponent = down ? -value : value;
  return true;
}

// Adds the digit runs of integer and fraction; trailing zeros are counted and dropped again.
struct Digits {
  std::uint64_t value = 0;
  std::int64_t seen = 0;   // digits from the first significant one on
  std::int64_t zeros = 0;  // of which zeros at the end
  std::size_t first = 0;   // offset of the first significant one

  void add(char c, std::size_t at) {
    if (seen == 0 && c == '0') return;
    if (seen == 0) first = at;
    ++seen;
    zeros = c == '0' ? zeros + 1 : 0;
    if (seen <= kMaxShort) value = value * 10 + static_cast<std::uint64_t>(c - '0');
  }
};

NumberFault read(std::string_view token, Decimal& out) {
  Scan s{token};
  out.negative = s.take('-');
  if (!s.digit()) return NumberFault::kSyntax;
  Digits digits;
  if (s.take('0')) {
    if (s.digit()) return NumberFault::kSyntax;
  } else {
    for (; s.digit(); ++s.at) digits.add(token[s.at], s.at);
  }
  std::int64_t fraction = 0;
  if (s.take('.')) {
    std::size_t const start = s.at;
    for (; s.digit(); ++s.at) digits.add(token[s.at], s.at);
    fraction = static_cast<std::int64_t>(s.at - start);
    if (fraction == 0) return NumberFault::kSyntax;
  }
  std::int64_t exponent = 0;
  if (!read_exponent(s, exponent) || s.at != token.size()) return NumberFault::kSyntax;
  if (digits.seen == 0) {
    out.negative = false;
    return NumberFault::kNone;
  }
  out.exponent = exponent - fraction + digits.zeros;
  out.count = digits.seen - digits.zeros;
  out.first = token.substr(digits.first);
  std::int64_t const power = exponent - fraction + digits.seen - 1;  // of the first digit
  if (exponent > kMaxExponent || exponent < -kMaxExponent || power > kLargestPower) return NumberFault::kRange;
  if (power == kLargestPower) {
    double value = 0;
    bool const infinite =
        std::from_chars(token.data(), token.data() + token.size(), value).ec == std::errc::result_out_of_range;
    if (infinite || std::isinf(value)) return NumberFault::kRange;
  }
  if (out.count <= kMaxShort) {
    out.digits = digits.value;
    for (std::int64_t i = std::min(digits.seen, kMaxShort) - out.count; i > 0; --i) out.digits /= 10;
  }
  return NumberFault::kNone;
}

// More digits than fit: groups of 18, most significant first.
Digest digest_long(Decimal const& d) {
  Digest out = mix_number(static_cast<std::uint64_t>(d.count), sign_and_exponent(d.negative, d.exponent));
  std::uint64_t group = 0;
  std::int64_t taken = 0;
  for (std::size_t i = 0; taken < d.count; ++i) {
    if (d.first[i] == '.') continue;
    group = group * 10 + static_cast<std::uint64_t>(d.first[i] - '0');
    ++taken;
    if (taken % 18 == 0 || taken == d.count) {
      out = combine(out, mix_number(group, 0));
      group = 0;
    }
  }
  return out;
}

}  // namespace

NumberFault digest_number(std::string_view token, Digest& out) {
  Decimal d;
  NumberFault const fault = read(token, d);
  if (fault != NumberFault::kNone) return fault;
  out = d.count <= kMaxShort ? mix_number(d.digits, sign_and_exponent(d.negative, d.exponent)) : digest_long(d);
  return fault;
}

std::optional<std::int64_t> integer_value(std::string_view token) {
  Decimal d;
  if (read(token, d) != NumberFault::kNone || d.count > kMaxShort || d.exponent < 0) return std::nullopt;
  constexpr auto kMax = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  std::uint64_t value = d.digits;
  for (std::int64_t i = 0; i < d.exponent; ++i) {
    if (value > kMax / 10) return std::nullopt;
    value *= 10;
  }
  if (value > kMax) return std::nullopt;
  return d.negative ? -static_cast<std::int64_t>(value) : static_cast<std::int64_t>(value);
}

}  // namespace backedge::facts
