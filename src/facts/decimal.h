// The decimal value of a JSON number, exactly as written: 1, 1.0, 1e0 and 10e-1 are one value, 0.1 and
// 0.1000000000000000055511 are two, although a double cannot tell them apart.
//
// The value is sign × digits × 10^exponent, with the significant digits taken as an integer without zeros at either end.
// Example: -0.01200e5 is (negative, digits 12, exponent 2). Up to 19 digits fit a 64-bit integer; longer ones are chained
// in groups. Tested in tests/facts/decimal_test.cpp.
#pragma once

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

/// The value as an integer if it is one that fits 64 bits: "2e3" and "2000.0" are 2000. None for anything else.
std::optional<std::int64_t> integer_value(std::string_view token);

}  // namespace backedge::facts
