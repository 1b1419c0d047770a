// The page with data in it; see page.h.

#include "graph/page.h"

#include "graph/graph.h"
#include "graph/json.h"

namespace backedge::graph {

std::string page(std::string_view json) {
  std::string out;
  for (std::string_view const piece : page_part(PagePart::kBeforeData)) out += piece;
  // In JSON "<" stands in strings only, where its escape means the same.
  for (char const c : json) {
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
  for (std::string_view const piece : page_part(PagePart::kAfterData)) out += piece;
  return out;
}

std::string page(CallTree const& tree) { return page(to_json(tree, make_graph(tree), {.text_bytes = kPageText})); }

}  // namespace backedge::graph
