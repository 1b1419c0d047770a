// Which Backedge this is.
#pragma once

#include <string_view>

namespace backedge {

/// "0.1.0"
std::string_view version();

}  // namespace backedge
