// JSON for people and for simple readers: numbers without an exponent, 0.005 and not 5E-3.
//
// Pure. Tested in tests/base/plain_numbers_test.cpp.
#pragma once

#include <string>
#include <string_view>

namespace backedge {

/// A JSON text with every number that has an exponent written as a plain decimal, where that takes no more than about
/// twenty digits; the values stay the same, to the bit. Linear in the text.
std::string plain_numbers(std::string_view json);

}  // namespace backedge
