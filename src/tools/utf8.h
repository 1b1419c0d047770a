// Bytes of files and commands → text that a model may be sent.
//
// What is returned is valid UTF-8 whatever came in: each maximal part that is none becomes U+FFFD, as the Unicode
// standard recommends (chapter 3, "U+FFFD substitution of maximal subparts"). Tested in tests/tools/utf8_test.cpp.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace backedge::tools {

/// How many of the bytes stand at the end as the beginning of a character that is not complete, 0 to 3.
std::size_t incomplete_tail(std::string_view bytes);

/// True when the bytes are UTF-8 as they are.
bool is_utf8(std::string_view bytes);

/// The text, with U+FFFD for what is no UTF-8.
std::string to_utf8(std::string bytes);

/// A file name on one line: as it is, or in quotes with escapes when it holds control characters or is no UTF-8.
std::string shown_name(std::string_view name);

}  // namespace backedge::tools
