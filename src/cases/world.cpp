// Edits of files; see world.h.

#include "cases/world.h"

#include "base/json.h"
#include "cases/fields.h"

namespace backedge::cases {

std::optional<World::Edit> World::start(std::string_view arguments) const {
  Result<boost::json::value> const args = parse_json(arguments);
  if (!args || !args->is_object() || !args->get_object().contains("old")) return std::nullopt;
  auto const file = files_.find(text_of(args->get_object(), "path"));
  if (file == files_.end()) return std::nullopt;
  std::string const old = text_of(args->get_object(), "old");
  Edit out{.path = file->first, .content = file->second};
  std::size_t const at = out.content.find(old);
  out.found = !old.empty() && at != std::string::npos;
  if (out.found) out.content.replace(at, old.size(), text_of(args->get_object(), "new"));
  return out;
}

ToolResult World::end(Edit const& edit) {
  if (!edit.found) return ToolResult::error("the old text is not in the file");
  files_[edit.path] = edit.content;
  return {CallStatus::kOk, "edited"};
}

}  // namespace backedge::cases
