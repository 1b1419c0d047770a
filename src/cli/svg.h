// A DOT text drawn by Graphviz: `dot -Tsvg` as a process of its own, with a limit of time.
//
// Tested in tests/cli/graph_command_test.cpp.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "backedge/result.h"

namespace backedge::cli {

/// A large graph takes dot some seconds; what takes longer than this is not waited for.
inline constexpr std::chrono::seconds kDotTime{60};

/// The SVG. `dot`: the program by its path or by its name in PATH. Errors: kNotFound when there is no such program, kIo
/// when it fails, takes too long, or the folder for temporary files cannot be written.
Result<std::string> draw_svg(std::string_view dot_text, std::string const& dot = "dot",
                             std::chrono::milliseconds limit = kDotTime);

}  // namespace backedge::cli
