// Numbers without an exponent; see plain_numbers.h.

#include "base/plain_numbers.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace backedge {
namespace {

constexpr double kLeast = 1e-12;
constexpr double kMost = 1e17;

bool in_number(char c) { return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E'; }

void add_plain(std::string_view number, std::string& out) {
  double value = 0;
  auto const [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  bool const whole = error == std::errc{} && end == number.data() + number.size();
  double const size = std::fabs(value);
  std::array<char, 64> digits{};
  if (whole && (size == 0 || (size >= kLeast && size < kMost))) {
    auto const written = std::to_chars(digits.data(), digits.data() + digits.size(), value, std::chars_format::fixed);
    if (written.ec == std::errc{}) {
      out.append(digits.data(), written.ptr);
      return;
    }
  }
  out += number;
}

}  // namespace

std::string plain_numbers(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  for (std::size_t i = 0; i < json.size();) {
    std::size_t const begin = i;
    if (json[i] == '"') {
      for (++i; i < json.size() && json[i] != '"'; ++i) {
        if (json[i] == '\\') ++i;
      }
      i = std::min(i + 1, json.size());
      out += json.substr(begin, i - begin);
    } else if (json[i] == '-' || (json[i] >= '0' && json[i] <= '9')) {
      while (i < json.size() && in_number(json[i])) ++i;
      std::string_view const number = json.substr(begin, i - begin);
      if (number.find_first_of("eE") == std::string_view::npos) {
        out += number;
      } else {
        add_plain(number, out);
      }
    } else {
      out += json[i++];
    }
  }
  return out;
}

}  // namespace backedge
