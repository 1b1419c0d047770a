// Which calls go back, and where to: find_back_edges() of call_tree.h.
//
// One edge a call at most, the strongest reason first:
//   1. a rule named an activation on the path (reentry.*, chain.*, delegate.*): to the frame that the named call opened
//      and that the caller stands in; to the root where no call is named; to the call itself when it opened no such
//      frame (a read inside an active write)
//   2. a rule held it against an earlier call (repeat.*): to that call; where it names none, to the latest call of the
//      frame with equal arguments, or of the same tool
//   3. the frame that it opened has the name of one on its path: to that frame
//   4. an equal call of the same frame had an equal result: to the latest such call
//   5. it was refused, for whatever reason, as the latest equal call of the frame was: to that call. A model that asks
//      again for what a limit has just refused goes round, long before a rule about repetition speaks
// Tested in tests/graph/back_edges_test.cpp.

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/canonical.h"
#include "base/hash.h"
#include "base/json.h"
#include "graph/call_tree.h"

namespace backedge::graph {
namespace {

bool goes_up(std::string_view code) {
  return code.starts_with("reentry.") || code.starts_with("chain.") || code.starts_with("delegate.");
}

Force force_of(Verdict const& verdict) {
  if (verdict.code.empty()) return Force::kSeen;
  if (verdict.refused()) return Force::kRefused;
  if (verdict.refuses()) return Force::kObserved;
  return Force::kWarned;
}

class Finder {
 public:
  explicit Finder(CallTree& tree) : tree_(tree) {}

  void run() {
    tree_.back_edges.clear();
    for (std::uint32_t i = 0; i < tree_.calls.size(); ++i) {
      Equal const equal = remember(i);
      BackEdge edge;
      edge.from = i;
      if (!by_rule(edge, equal) && !recursion(edge) && !repeat(edge, equal) && !refused_again(edge, equal)) continue;
      edge.force = force_of(tree_.calls[i].verdict);
      edge.code = tree_.calls[i].verdict.code;
      tree_.back_edges.push_back(std::move(edge));
    }
  }

 private:
  /// What there was before a call in its frame.
  struct Equal {
    std::uint32_t earlier = kNone;       // equal, with an equal result
    std::int64_t count = 0;              // of those, this one included
    std::uint32_t asked_before = kNone;  // equal arguments, whatever came of it
    std::int64_t refused = 0;            // how often it was refused in a row, this time included
    std::uint32_t tool_before = kNone;   // the same tool
  };

  // The frame on the path of `frame` that `call` opened.
  std::uint32_t activation(std::uint32_t frame, std::uint32_t call) const {
    std::vector<std::uint32_t> const path = tree_.path(frame);
    for (std::uint32_t const f : path) {
      if (tree_.frames[f].by == call) return f;
    }
    return kNone;
  }

  bool by_rule(BackEdge& edge, Equal const& equal) const {
    Call const& call = tree_.calls[edge.from];
    Verdict const& verdict = call.verdict;
    if (verdict.code.empty()) return false;
    edge.count = verdict.count;
    if (goes_up(verdict.code)) {
      edge.kind = Back::kReentry;
      edge.to_frame = activation(call.frame, verdict.earlier);
      if (edge.to_frame == kNone && verdict.earlier == kNone) edge.to_frame = tree_.path(call.frame).front();
      if (edge.to_frame == kNone) edge.to_call = verdict.earlier;
      return true;
    }
    if (!verdict.code.starts_with("repeat.")) return false;
    edge.kind = Back::kRepeat;
    edge.to_call = verdict.earlier != kNone ? verdict.earlier : equal.asked_before;
    if (edge.to_call == kNone) edge.to_call = equal.tool_before;
    return edge.to_call != kNone && edge.to_call < edge.from;
  }

  bool recursion(BackEdge& edge) const {
    Call const& call = tree_.calls[edge.from];
    std::vector<std::uint32_t> const path = tree_.path(call.frame);
    for (std::uint32_t const opened : call.opened) {
      std::string_view const name = tree_.frame_name(opened);
      if (tree_.frames[opened].agent.empty() && name == "agent") continue;  // nobody named it
      std::int64_t times = 1;
      std::uint32_t nearest = kNone;
      for (std::uint32_t const f : path) {
        if (tree_.frame_name(f) != name) continue;
        ++times;
        nearest = f;
      }
      if (nearest == kNone) continue;
      edge.kind = Back::kRecursion;
      edge.to_frame = nearest;
      edge.count = times;
      return true;
    }
    return false;
  }

  // Equal calls one after the other are one chain: every edge goes to the call before it.
  static bool repeat(BackEdge& edge, Equal const& equal) {
    if (equal.earlier == kNone) return false;
    edge.kind = Back::kRepeat;
    edge.to_call = equal.earlier;
    edge.count = equal.count;
    return true;
  }

  static bool refused_again(BackEdge& edge, Equal const& equal) {
    if (equal.refused < 2) return false;
    edge.kind = Back::kRepeat;
    edge.to_call = equal.asked_before;
    edge.count = equal.refused;
    return true;
  }

  Equal remember(std::uint32_t index) {
    Call const& call = tree_.calls[index];
    Digest const tool = combine(Digest{call.frame, 1}, digest_name(call.tool));
    Result<boost::json::value> const value = parse_json(call.arguments.text);
    Digest const asked = combine(tool, value ? digest_bytes(canonical(*value), DigestTag::kText)
                                             : digest_bytes(call.arguments.text, DigestTag::kRaw));
    Equal out;
    out.tool_before = swap(tools_, tool, index);
    if (call.arguments.kept) {
      Asked& before = asked_[asked];
      out.asked_before = std::exchange(before.last, index);
      before.refused = call.verdict.refused() ? before.refused + 1 : 0;
      out.refused = before.refused;
    }
    bool const known = call.arguments.kept && call.result.kept && !call.verdict.refused() && !call.status.empty() &&
                       call.status != "open" && call.status != "unknown";
    if (!known) return out;
    Seen& seen = seen_[combine(asked, digest_bytes(call.result.text, DigestTag::kOutcome))];
    out.earlier = seen.last;
    out.count = ++seen.count;
    seen.last = index;
    return out;
  }

  // Remembers the call under the key; what was there before, or kNone.
  static std::uint32_t swap(std::unordered_map<Digest, std::uint32_t>& map, Digest key, std::uint32_t call) {
    auto const [at, fresh] = map.try_emplace(key, call);
    return fresh ? kNone : std::exchange(at->second, call);
  }

  struct Asked {
    std::uint32_t last = kNone;
    std::int64_t refused = 0;  // in a row
  };
  struct Seen {
    std::uint32_t last = kNone;
    std::int64_t count = 0;
  };

  CallTree& tree_;
  std::unordered_map<Digest, std::uint32_t> tools_;
  std::unordered_map<Digest, Asked> asked_;
  std::unordered_map<Digest, Seen> seen_;
};

}  // namespace

void find_back_edges(CallTree& tree) { Finder(tree).run(); }

}  // namespace backedge::graph
