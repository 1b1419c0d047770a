// What toml++ 3.3 does not withstand is kept away from it: this looks at a text before it does.
//
// Two things. toml++ limits nested values to 256, but not the parts of a dotted key, and frees its tables recursively
// at about 130 bytes of stack a level; every level costs one dot outside quotes and comments, so at most kMaxDots are
// let through. And it asks a table of white space that has holes, where its behaviour is undefined, about every
// character outside quotes and comments and about the one that follows a backslash in a multi-line string; only ASCII
// may stand there. TOML allows nothing else in the first place, and in the second the character can stand before the
// backslash or as an escape. Tested in tests/policy/toml_document_test.cpp and tests/fuzz/policy_toml_fuzz.cpp.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "backedge/result.h"

namespace backedge::policy {

inline constexpr std::size_t kMaxBytes = 1U << 20;
// 20,000 levels are 2.6 MB of stack; a policy for 5,000 tools has fewer dots.
inline constexpr std::size_t kMaxDots = 20'000;

/// What speaks against the text, with its place; `file` names it. One pass.
std::optional<Error> guard_toml(std::string_view text, std::string const& file);

}  // namespace backedge::policy
