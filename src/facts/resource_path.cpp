#include "facts/resource_path.h"

#include <algorithm>
#include <cstddef>

namespace backedge::facts {

void append_path(std::string& out, std::string_view path) {
  bool const absolute = path.starts_with('/');
  if (absolute) out += '/';
  std::size_t const start = out.size();  // nothing before it is ever taken back
  std::size_t parents = start;           // end of the leading ".." components
  while (!path.empty()) {
    std::size_t const slash = std::min(path.find('/'), path.size());
    std::string_view const part = path.substr(0, slash);
    path.remove_prefix(std::min(slash + 1, path.size()));
    if (part.empty() || part == ".") continue;
    if (part == ".." && out.size() > parents) {
      std::size_t const cut = out.rfind('/');
      out.resize(cut == std::string::npos || cut < parents ? parents : cut);
      continue;
    }
    if (part == ".." && absolute) continue;
    if (out.size() > start) out += '/';
    out += part;
    if (part == "..") parents = out.size();
  }
  if (out.size() == start && !absolute) out += '.';
}

}  // namespace backedge::facts
