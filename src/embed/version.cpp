// The number from CMakeLists.txt; see backedge/version.h.

#include "backedge/version.h"

namespace backedge {

std::string_view version() { return BACKEDGE_VERSION; }

}  // namespace backedge
