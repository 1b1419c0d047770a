// Reading and writing durations and money on integers only; no floating point takes part.
#include "policy/quantity.h"

#include <array>
#include <limits>

#include <fmt/format.h>

namespace backedge::policy {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

struct Unit {
  std::string_view name;
  std::int64_t micros;
};
constexpr std::array<Unit, 5> kUnits{{{"d", 86'400 * kMicrosPerSecond},
                                      {"h", 3'600 * kMicrosPerSecond},
                                      {"m", 60 * kMicrosPerSecond},
                                      {"s", kMicrosPerSecond},
                                      {"ms", 1'000}}};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Takes digits from the front of `text`. Nothing if there is none or if they exceed an int64.
std::optional<std::int64_t> take_number(std::string_view& text) {
  std::size_t used = 0;
  std::int64_t value = 0;
  for (; used < text.size() && is_digit(text[used]); ++used) {
    int const digit = text[used] - '0';
    if (value > (kMost - digit) / 10) return std::nullopt;
    value = value * 10 + digit;
  }
  if (used == 0) return std::nullopt;
  text.remove_prefix(used);
  return value;
}

/// A decimal number as its digits and the power of ten they are multiplied by: "1.50" is 150 and -2.
struct Decimal {
  std::string digits;
  int power = 0;
};

constexpr std::size_t kMaxDecimalText = 64;
constexpr std::int64_t kMaxExponent = 400;  // what a double can hold, and more than any amount needs

/// Takes digits with single underscores between them from the front of `text` into `digits`; false if there is none.
bool take_digits(std::string_view& text, std::string& digits) {
  if (text.empty() || !is_digit(text.front())) return false;
  while (!text.empty()) {
    bool const joins = text.front() == '_' && text.size() > 1 && is_digit(text[1]);
    if (!joins && !is_digit(text.front())) break;
    if (!joins) digits += text.front();
    text.remove_prefix(1);
  }
  return true;
}

std::optional<Decimal> parse_decimal(std::string_view text) {
  if (text.size() > kMaxDecimalText) return std::nullopt;
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  Decimal out;
  if (!take_digits(text, out.digits)) return std::nullopt;
  if (!text.empty() && text.front() == '.') {
    text.remove_prefix(1);
    std::size_t const whole = out.digits.size();
    if (!take_digits(text, out.digits)) return std::nullopt;
    out.power = -static_cast<int>(out.digits.size() - whole);
  }
  if (!text.empty() && (text.front() == 'e' || text.front() == 'E')) {
    text.remove_prefix(1);
    bool const negative = !text.empty() && text.front() == '-';
    if (!text.empty() && (text.front() == '-' || text.front() == '+')) text.remove_prefix(1);
    auto const exponent = take_number(text);
    if (!exponent || *exponent > kMaxExponent) return std::nullopt;
    out.power += static_cast<int>(negative ? -*exponent : *exponent);
  }
  if (!text.empty()) return std::nullopt;
  return out;
}

}  // namespace

std::optional<std::int64_t> parse_duration(std::string_view text) {
  std::int64_t total = 0;
  std::size_t next_unit = 0;
  if (text.empty()) return std::nullopt;
  while (!text.empty()) {
    auto const count = take_number(text);
    if (!count) return std::nullopt;
    std::size_t letters = 0;
    while (letters < text.size() && !is_digit(text[letters])) ++letters;
    std::size_t unit = next_unit;
    while (unit < kUnits.size() && kUnits[unit].name != text.substr(0, letters)) ++unit;
    if (unit == kUnits.size()) return std::nullopt;
    if (*count > (kMost - total) / kUnits[unit].micros) return std::nullopt;
    total += *count * kUnits[unit].micros;
    text.remove_prefix(letters);
    next_unit = unit + 1;
  }
  return total;
}

std::string duration_text(std::int64_t micros) {
  std::string out;
  for (auto const& unit : kUnits) {
    if (micros < unit.micros) continue;
    out += fmt::format("{}{}", micros / unit.micros, unit.name);
    micros %= unit.micros;
  }
  return out.empty() ? "0s" : out;
}

std::optional<std::int64_t> parse_money(std::string_view text) {
  auto decimal = parse_decimal(text);
  if (!decimal) return std::nullopt;
  std::string& digits = decimal->digits;
  int shift = decimal->power + 9;  // nano
  bool round_up = false;
  for (; shift < 0 && !digits.empty(); ++shift) {
    round_up = round_up || digits.back() != '0';
    digits.pop_back();
  }
  digits.erase(0, digits.find_first_not_of('0'));
  std::int64_t nanos = 0;
  if (!digits.empty()) {
    if (shift > 18) return std::nullopt;
    if (shift > 0) digits.append(static_cast<std::size_t>(shift), '0');
    std::string_view rest = digits;
    auto const number = take_number(rest);
    if (!number) return std::nullopt;
    nanos = *number;
  }
  if (round_up && nanos == kMost) return std::nullopt;
  return nanos + (round_up ? 1 : 0);
}

std::string money_text(std::int64_t nanos) {
  std::string out = fmt::format("{}.{:09}", nanos / kNanosPerDollar, nanos % kNanosPerDollar);
  std::size_t const two_decimals = out.size() - 7;
  while (out.size() > two_decimals && out.back() == '0') out.pop_back();
  return out;
}

}  // namespace backedge::policy
