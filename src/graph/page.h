// A run as one HTML file that needs nothing else: the page that web/ builds, with the JSON of graph/json.h inside.
//
// The page loads nothing and says so in its Content-Security-Policy. The data stands in a script element of a type that
// no browser runs; every "<" in it is written \u003c, so no text of a run can end that element. Tested in
// tests/graph/json_test.cpp and, in a browser, by tests/web.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "graph/call_tree.h"

namespace backedge::graph {

/// What a page keeps of each text: enough to read, and little enough that 2,000 calls open at once.
inline constexpr std::size_t kPageText = std::size_t{16} << 10;

enum class PagePart : std::uint8_t { kBeforeData, kAfterData };
/// The built page in pieces; defined by a source that the build makes of web/.
std::span<std::string_view const> page_part(PagePart part);

/// The page with this JSON text in it. Linear.
std::string page(std::string_view json);

/// The page of a run: graph, JSON and page in one.
std::string page(CallTree const& tree);

}  // namespace backedge::graph
