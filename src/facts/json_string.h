// The escapes of a JSON string.
//
// Tested in tests/facts/json_digest_test.cpp.
#pragma once

#include <cstddef>
#include <string_view>

namespace backedge::facts {

/// Writes the content of a string whose text between the quotes is `raw` to `out`, which has room for raw.size() bytes:
/// the content is never longer. Sets `size`. False for an unknown escape or a lone surrogate. `raw` is valid UTF-8.
bool unescape_json(std::string_view raw, char* out, std::size_t& size);

}  // namespace backedge::facts
