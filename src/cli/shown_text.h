// Texts of a run on a terminal: in lines, with what could upset it escaped, whole or cut.
//
// Tested in tests/cli/shown_text_test.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace backedge::cli {

/// How much of a text is shown.
struct TextLimits {
  std::size_t lines = 0;       // 0: all
  std::size_t characters = 0;  // of a line; 0: all
};

/// The lines of a text without their ends, none when it is empty. Control characters but for tabs, and bytes that are
/// not UTF-8, become escapes such as \x1b. What is left out is named: a cut line ends in "…", and the last line says
/// how many more there are. Linear in what is shown.
std::vector<std::string> shown_lines(std::string_view text, TextLimits limits = {});

/// "1 call", "2 calls".
std::string many(std::int64_t n, std::string_view one);

}  // namespace backedge::cli
