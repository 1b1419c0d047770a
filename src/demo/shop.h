// Two tools on a real database of a shop: what became of an order, and of a shipment.
//
// Tested in tests/demo/shop_test.cpp.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "backedge/result.h"
#include "backedge/tool.h"

namespace backedge::demo {

/// find_order {"order": 1042} and find_shipment {"shipment": "S-7731"}: the row as JSON, or an error that says that
/// there is none. The database is made anew in `file` from SQL text. Errors: kIo with what SQLite says.
Result<std::vector<std::pair<ToolSpec, ToolFn>>> shop_tools(std::filesystem::path const& file, std::string const& sql);

}  // namespace backedge::demo
