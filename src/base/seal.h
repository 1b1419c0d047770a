// A text that nobody can change unnoticed: payload and HMAC-SHA-256, both in base64url without padding, joined by a
// dot.
//
// Example: seal("{}", key) is "e30." and 43 more characters. A token has exactly one spelling (no padding, no unused
// bits), the MAC covers the payload's bytes, and it is compared in constant time. The payload is signed, not hidden.
// Tested in tests/base/seal_test.cpp with the vectors of RFC 4231 and RFC 4648.
#pragma once

#include <string>
#include <string_view>

#include "backedge/result.h"

namespace backedge {

/// "payload.mac". Any key length is legal; less than 32 random bytes is weak.
std::string seal(std::string_view payload, std::string_view key);

/// The payload of a token that `key` sealed. Errors: kSignature.
Result<std::string> open_seal(std::string_view token, std::string_view key);

/// RFC 4648 section 5, without padding.
std::string base64url(std::string_view bytes);
/// Errors: kInput for padding, other characters, an impossible length or unused bits that are not zero.
Result<std::string> from_base64url(std::string_view text);

}  // namespace backedge
