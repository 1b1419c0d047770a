// Names against the tools there are; see tool_names.h.

#include "cli/tool_names.h"

#include <algorithm>
#include <set>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.h"

namespace backedge::cli {
namespace {

/// All that may be said, but for "*".
std::set<std::string> words_for(std::span<KnownTool const> known) {
  std::set<std::string> out;
  for (KnownTool const& tool : known) {
    out.insert(tool.name);
    out.insert("source:" + tool.source);
    for (std::string const& set : tool.sets) out.insert("set:" + set);
  }
  return out;
}

Error names_nothing(std::string_view option, std::string const& word, std::set<std::string> const& words) {
  std::vector<std::string_view> const all(words.begin(), words.end());
  std::vector<std::string_view> const near = nearest(word, all, 1);
  std::string const hint =
      near.empty() ? fmt::format("there are {}", fmt::join(all, ", ")) : fmt::format("did you mean {}?", near.front());
  return {ErrorKind::kUsage, fmt::format("{} {} names no tool; {}", option, in_quotes(word), hint), {}};
}

}  // namespace

Result<void> check_tool_names(ToolPolicy const& policy, std::span<KnownTool const> known) {
  std::set<std::string> const words = words_for(known);
  for (std::string const& word : policy.allow) {
    if (word == "*") continue;
    if (!words.contains(word)) return names_nothing("--allow-tool", word, words);
    auto const tool = std::find_if(known.begin(), known.end(), [&](KnownTool const& t) { return t.name == word; });
    if (tool != known.end() && !tool->brought_by.empty()) {
      return Error{ErrorKind::kUsage,
                   fmt::format("--allow-tool {}: the tool is not there without {}; add that", word, tool->brought_by),
                   {}};
    }
  }
  for (std::string const& word : policy.deny) {
    if (word != "*" && !words.contains(word)) return names_nothing("--deny-tool", word, words);
  }
  return {};
}

}  // namespace backedge::cli
