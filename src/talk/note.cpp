// See note.h.

#include "talk/note.h"

#include <fmt/format.h>

namespace backedge::talk {

std::string situational_note(std::string_view function, std::string_view path, std::string_view about) {
  std::string out = fmt::format(
      "You are working inside the function {0}. Calling {0} from here enters this very place again and recurses "
      "without "
      "end: do the work with lower-level tools instead.",
      function);
  if (!path.empty()) out += fmt::format("\nCall path: {}", path);
  if (!about.empty()) out += fmt::format("\nWhat {} is for: {}", function, about);
  return out;
}

}  // namespace backedge::talk
