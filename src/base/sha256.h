// SHA-256 (FIPS 180-4) of a text, for names of texts that an adversary may choose. Tested in
// tests/base/sha256_test.cpp.
#pragma once

#include <string>
#include <string_view>

namespace backedge {

/// 64 lower-case hexadecimal digits. Linear in the text.
std::string sha256_hex(std::string_view text);

}  // namespace backedge
