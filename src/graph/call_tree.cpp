// Paths, names and the rules of a call tree; see call_tree.h.

#include "graph/call_tree.h"

#include <algorithm>

namespace backedge::graph {
namespace {

bool ascending(std::vector<std::uint32_t> const& indices, std::size_t end) {
  return std::is_sorted(indices.begin(), indices.end(), std::less_equal<>()) &&
         (indices.empty() || indices.back() < end);
}

bool frame_ok(CallTree const& tree, std::uint32_t index) {
  Frame const& frame = tree.frames[index];
  if (!ascending(frame.turns, tree.turns.size()) || !ascending(frame.calls, tree.calls.size())) return false;
  for (std::uint32_t const t : frame.turns) {
    if (tree.turns[t].frame != index) return false;
  }
  for (std::uint32_t const c : frame.calls) {
    if (tree.calls[c].frame != index) return false;
  }
  if (frame.by == kNone) return frame.depth == 0;
  if (frame.by >= tree.calls.size()) return false;
  Call const& by = tree.calls[frame.by];
  return by.frame < index && frame.depth == tree.frames[by.frame].depth + 1 &&
         std::count(by.opened.begin(), by.opened.end(), index) == 1;
}

bool call_ok(CallTree const& tree, std::uint32_t index) {
  Call const& call = tree.calls[index];
  if (call.frame >= tree.frames.size()) return false;
  if (call.turn != kNone && (call.turn >= tree.turns.size() || tree.turns[call.turn].frame != call.frame)) return false;
  if (call.verdict.earlier != kNone && call.verdict.earlier >= tree.calls.size()) return false;
  return std::all_of(call.opened.begin(), call.opened.end(),
                     [&](std::uint32_t f) { return f < tree.frames.size() && tree.frames[f].by == index; });
}

bool back_edge_ok(CallTree const& tree, BackEdge const& edge) {
  if (edge.from >= tree.calls.size()) return false;
  if ((edge.to_call == kNone) == (edge.to_frame == kNone)) return false;
  return edge.to_call != kNone ? edge.to_call < tree.calls.size() : edge.to_frame < tree.frames.size();
}

}  // namespace

std::vector<std::uint32_t> CallTree::path(std::uint32_t frame) const {
  std::vector<std::uint32_t> out;
  while (frame < frames.size()) {
    out.push_back(frame);
    std::uint32_t const by = frames[frame].by;
    if (by >= calls.size() || calls[by].frame >= frame) break;  // parents come first, or there is none
    frame = calls[by].frame;
  }
  std::reverse(out.begin(), out.end());
  return out;
}

std::string_view CallTree::frame_name(std::uint32_t frame) const {
  Frame const& f = frames[frame];
  if (!f.agent.empty()) return f.agent;
  if (f.by < calls.size() && !calls[f.by].tool.empty()) return calls[f.by].tool;
  return f.by == kNone ? "main" : "agent";
}

bool CallTree::well_formed() const {
  for (std::uint32_t i = 0; i < frames.size(); ++i) {
    if (!frame_ok(*this, i)) return false;
  }
  for (Turn const& turn : turns) {
    if (turn.frame >= frames.size() || !ascending(turn.calls, calls.size())) return false;
  }
  for (std::uint32_t i = 0; i < calls.size(); ++i) {
    if (!call_ok(*this, i)) return false;
  }
  return std::all_of(back_edges.begin(), back_edges.end(),
                     [&](BackEdge const& edge) { return back_edge_ok(*this, edge); });
}

std::string_view back_text(Back kind) {
  switch (kind) {
    case Back::kReentry: return "reentry";
    case Back::kRepeat: return "repeat";
    case Back::kRecursion: return "recursion";
  }
  return "";
}

std::string_view force_text(Force force) {
  switch (force) {
    case Force::kSeen: return "seen";
    case Force::kWarned: return "warned";
    case Force::kObserved: return "observed";
    case Force::kRefused: return "refused";
  }
  return "";
}

std::string_view basis_text(Basis basis) {
  switch (basis) {
    case Basis::kUnknown: return "unknown";
    case Basis::kReported: return "reported";
    case Basis::kEstimated: return "estimated";
  }
  return "";
}

}  // namespace backedge::graph
