// Paths as resource names: different spellings of one path, as far as the text alone tells, become one.
//
// Purely lexical: "./a", "a//." and "b/../a" are "a"; leading ".." stay, "/.." is "/". Links are not resolved and
// letter case is kept. Tested in tests/facts/resource_path_test.cpp.
#pragma once

#include <string>
#include <string_view>

namespace backedge::facts {

/// Appends the normal form of `path` to `out`; of an empty path it is ".".
void append_path(std::string& out, std::string_view path);

}  // namespace backedge::facts
