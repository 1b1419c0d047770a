// What was of use in a run; see subject.h.
#include "suggest/subject.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "graph/cost.h"

namespace backedge::suggest {
namespace {

bool ran(graph::Call const& call) { return !call.status.empty() && call.status != "denied" && !call.verdict.refused(); }
bool worked(graph::Call const& call) { return ran(call) && (call.status == "ok" || call.status == "empty"); }

std::string key(graph::Call const& call) {
  return std::to_string(call.frame) + '\0' + call.tool + '\0' + call.arguments.text;
}

}  // namespace

std::vector<bool> useful_calls(graph::CallTree const& tree) {
  std::vector<bool> out(tree.calls.size(), false);
  graph::Changes const may_change = graph::changes_by_name();
  std::unordered_set<std::string> results;
  std::unordered_map<std::string, std::int64_t> done;                   // by key, the changes until then
  std::unordered_map<std::string, std::uint32_t> last;                  // the latest call with this key
  std::unordered_map<std::string, std::vector<std::uint32_t>> waiting;  // calls of a key since its last new result
  std::int64_t changes = 0;
  for (std::uint32_t i = 0; i < tree.calls.size(); ++i) {
    graph::Call const& call = tree.calls[i];
    if (!ran(call)) continue;
    std::string const k = key(call);
    bool const good = worked(call);
    bool const fresh = good && results.insert(call.tool + '\0' + call.result.text).second;
    bool deed = false;
    if (good && call.opened.empty() && may_change(call)) {
      auto const [at, first] = done.try_emplace(k, changes);
      deed = first || at->second != changes;
      if (fresh || first) ++changes;
      at->second = changes;
    }
    out[i] = fresh || deed;
    std::vector<std::uint32_t>& before = waiting[k];
    if (fresh && last.contains(k)) {
      for (std::uint32_t const w : before) out[w] = true;
    }
    if (fresh) before.clear();
    before.push_back(i);
    last[k] = i;
  }
  // Children come after their parents, so backwards a frame is judged before the call that opened it.
  for (std::size_t f = tree.frames.size(); f > 0; --f) {
    graph::Frame const& frame = tree.frames[f - 1];
    bool const brought = std::any_of(frame.calls.begin(), frame.calls.end(), [&](std::uint32_t c) { return out[c]; });
    if (frame.by != graph::kNone && brought) out[frame.by] = true;
  }
  return out;
}

}  // namespace backedge::suggest
