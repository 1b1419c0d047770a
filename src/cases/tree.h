// The call path of a run as a tree of text, with its back edges.
//
// Calls that are alike and follow each other in one frame are drawn once with their number, so that a tree stays
// readable:
//   main
//   └─ ask_agent > legal
//      └─ ask_agent > tech
//         └─ ask_agent  ⟲ back to ask_agent > legal (call 1): blocked, reentry.cycle
// Tested in tests/cases/tree_test.cpp.
#pragma once

#include <string>
#include <string_view>

#include "backedge/result.h"

namespace backedge::cases {

/// `graph_json` as Run::graph_json gives it. Errors: kInput when it is no such graph. Linear in the calls.
Result<std::string> tree_text(std::string_view graph_json);

}  // namespace backedge::cases
