// From the call tree to its graph; see graph.h.

#include "graph/graph.h"

#include <algorithm>
#include <tuple>

#include "graph/shares.h"

namespace backedge::graph {
namespace {

// A repeat that comes later than this many calls is no cycle whose steps anyone wants to see.
constexpr std::size_t kLongestCycle = 12;
// So many laps before a refused one are looked at: the first of them brought the steps, the others only repeat them.
constexpr int kLaps = 8;

class Maker {
 public:
  explicit Maker(CallTree const& tree) : tree_(tree), shares_(shares_of(tree)), back_of_(tree.calls.size(), kNone) {
    for (std::uint32_t i = 0; i < tree.back_edges.size(); ++i) back_of_[tree.back_edges[i].from] = i;
    out_.node_of_frame.assign(tree.frames.size(), kNone);
    out_.node_of_call.assign(tree.calls.size(), kNone);
    place_.assign(tree.calls.size(), 0);
    before_.assign(tree.calls.size(), kNone);
  }

  Graph make() {
    // Frames and calls in the order in which they happened: a frame comes after the call that opened it.
    std::uint32_t call = 0;
    for (std::uint32_t f = 0; f < tree_.frames.size(); ++f) {
      std::uint32_t const by = tree_.frames[f].by;
      // Calls before the opener belong to frames that are placed already, or wait for theirs.
      for (; by != kNone && call <= by; ++call) place_call(call);
      place_frame(f);
    }
    for (std::uint32_t c = 0; c < tree_.calls.size(); ++c) place_call(c);
    for (std::uint32_t c = 0; c < tree_.calls.size(); ++c) count_call(c);
    for (std::uint32_t f = 0; f < tree_.frames.size(); ++f) count_frame(f);
    place_in_frames();
    add_next_edges();
    add_back_edges();
    sort_edges();
    return std::move(out_);
  }

 private:
  std::uint32_t node(NodeKind kind, std::uint32_t parent, std::string_view label, std::string_view by) {
    auto const key = std::tuple(kind, parent, std::string(label), std::string(by));
    auto const [at, fresh] = nodes_.try_emplace(key, static_cast<std::uint32_t>(out_.nodes.size()));
    if (fresh) {
      Node n;
      n.kind = kind;
      n.parent = parent;
      n.label = label;
      n.by = by;
      n.depth = parent == kNone ? 0 : out_.nodes[parent].depth + 1;
      out_.nodes.push_back(std::move(n));
    }
    return at->second;
  }

  // The agent of that name on the path of a node, itself included.
  std::uint32_t on_path(std::uint32_t from, std::string_view label) const {
    for (std::uint32_t n = from; n != kNone; n = out_.nodes[n].parent) {
      if (out_.nodes[n].label == label) return n;
    }
    return kNone;
  }

  void place_frame(std::uint32_t index) {
    Frame const& frame = tree_.frames[index];
    std::string_view const name = tree_.frame_name(index);
    std::uint32_t& place = out_.node_of_frame[index];
    if (frame.by == kNone) {
      place = node(NodeKind::kAgent, kNone, name, "");
      return;
    }
    Call const& by = tree_.calls[frame.by];
    std::uint32_t const parent = out_.node_of_frame[by.frame];
    place = on_path(parent, name);
    if (place == kNone) place = node(NodeKind::kAgent, parent, name, by.tool == name ? "" : by.tool);
    if (out_.node_of_call[frame.by] == kNone) out_.node_of_call[frame.by] = place;
  }

  void place_call(std::uint32_t index) {
    Call const& call = tree_.calls[index];
    std::uint32_t& place = out_.node_of_call[index];
    if (place != kNone || !call.opened.empty()) return;  // placed with the first frame that it opened
    std::uint32_t const parent = out_.node_of_frame[call.frame];
    if (parent == kNone) return;  // its frame is still to come
    BackEdge const* const back = back_edge(index);
    if (back != nullptr && back->to_frame != kNone) {
      place = out_.node_of_frame[back->to_frame];
    } else {
      place = node(NodeKind::kTool, parent, call.tool, "");
    }
  }

  BackEdge const* back_edge(std::uint32_t call) const {
    return back_of_[call] == kNone ? nullptr : &tree_.back_edges[back_of_[call]];
  }

  bool went_up(std::uint32_t call) const {
    BackEdge const* const back = back_edge(call);
    return back != nullptr && back->to_frame != kNone;
  }

  Edge& edge(EdgeKind kind, std::uint32_t from, std::uint32_t to) {
    auto const [at, fresh] = edges_.try_emplace(std::tuple(kind, from, to), out_.edges.size());
    if (fresh) {
      Edge e;
      e.kind = kind;
      e.from = from;
      e.to = to;
      out_.edges.push_back(std::move(e));
    }
    return out_.edges[at->second];
  }

  // What lies below a call that the edge stands for already is in that call's spend. Calls come in their order.
  void count(Edge& e, std::uint32_t index) const {
    ++e.count;
    if (tree_.calls[index].verdict.refuses()) ++e.refused;
    std::vector<std::uint32_t> const path = tree_.path(tree_.calls[index].frame);
    bool const within = std::any_of(path.begin(), path.end(), [&](std::uint32_t f) {
      return std::binary_search(e.calls.begin(), e.calls.end(), tree_.frames[f].by);
    });
    if (!within) add(e.spend, shares_.call_inclusive[index]);
    e.calls.push_back(index);
  }

  void count_call(std::uint32_t index) {
    Call const& call = tree_.calls[index];
    Node& n = out_.nodes[out_.node_of_call[index]];
    n.calls.push_back(index);
    if (call.verdict.refuses()) ++n.refused;
    if (!call.verdict.refuses() && !call.verdict.code.empty()) ++n.warned;
    if (call.status == "error" || call.status == "timeout") ++n.errors;
    if (n.kind == NodeKind::kTool) {
      ++n.count;
      add(n.own, shares_.call_own[index]);
      add(n.inclusive, shares_.call_inclusive[index]);
    }
    if (went_up(index)) return;
    std::uint32_t const caller = out_.node_of_frame[call.frame];
    if (out_.node_of_call[index] != caller) count(edge(EdgeKind::kTree, caller, out_.node_of_call[index]), index);
    for (std::size_t i = 1; i < call.opened.size(); ++i) {  // further agents of one call
      std::uint32_t const other = out_.node_of_frame[call.opened[i]];
      if (other == out_.node_of_call[index] || other == caller) continue;
      ++edge(EdgeKind::kTree, caller, other).count;
    }
  }

  void count_frame(std::uint32_t index) {
    std::uint32_t const place = out_.node_of_frame[index];
    Node& n = out_.nodes[place];
    n.frames.push_back(index);
    ++n.count;
    add(n.own, shares_.frame_own[index]);
    std::vector<std::uint32_t> const path = tree_.path(index);
    bool const within =
        std::any_of(path.begin(), path.end() - 1, [&](std::uint32_t f) { return out_.node_of_frame[f] == place; });
    if (!within) add(n.inclusive, shares_.frame_inclusive[index]);
  }

  // Of each call its position in its frame, and the call before it: the last of the round before, kNone in the first
  // round. One pass, however many calls a round has.
  void place_in_frames() {
    for (Frame const& frame : tree_.frames) {
      for (std::size_t i = 0; i < frame.calls.size(); ++i) {
        std::uint32_t const call = frame.calls[i];
        place_[call] = i;
        if (i == 0) continue;
        std::uint32_t const previous = frame.calls[i - 1];
        std::uint32_t const turn = tree_.calls[call].turn;
        before_[call] = turn != kNone && tree_.calls[previous].turn == turn ? before_[previous] : previous;
      }
    }
  }

  // The position in its frame of what a call repeats, when that is near enough to be one lap of a cycle.
  std::size_t lap_begin(std::uint32_t call) const {
    BackEdge const* const back = back_edge(call);
    std::size_t const end = place_[call];
    if (back == nullptr || back->to_call == kNone) return end;
    if (tree_.calls[back->to_call].frame != tree_.calls[call].frame) return end;
    std::size_t const begin = place_[back->to_call];
    return begin < end && end - begin <= kLongestCycle ? begin : end;
  }

  // Marks the calls between a repeat that a rule spoke about and what it repeats, and of the laps before.
  void mark_cycle(std::uint32_t call, std::vector<bool>& in_cycle) const {
    std::vector<std::uint32_t> const& all = tree_.frames[tree_.calls[call].frame].calls;
    for (int lap = 0; lap < kLaps; ++lap) {
      std::size_t const begin = lap_begin(call);
      if (begin == place_[call]) return;
      for (std::size_t i = begin + 1; i < place_[call]; ++i) in_cycle[all[i]] = true;
      call = all[begin];
    }
  }

  void add_next_edges() {
    std::vector<bool> in_cycle(tree_.calls.size(), false);
    for (BackEdge const& back : tree_.back_edges) {
      if (back.force != Force::kSeen) mark_cycle(back.from, in_cycle);
    }
    for (std::uint32_t c = 0; c < tree_.calls.size(); ++c) {
      if (!in_cycle[c] || back_of_[c] != kNone) continue;
      std::uint32_t const previous = before_[c];
      if (previous == kNone || out_.node_of_call[previous] == out_.node_of_call[c]) continue;
      count(edge(EdgeKind::kNext, out_.node_of_call[previous], out_.node_of_call[c]), c);
    }
  }

  void add_back_edges() {
    for (BackEdge const& back : tree_.back_edges) {
      std::uint32_t from = out_.node_of_frame[tree_.calls[back.from].frame];
      std::uint32_t to = kNone;
      if (back.to_frame != kNone) {
        to = out_.node_of_frame[back.to_frame];
      } else {
        to = out_.node_of_call[back.to_call];
        Call const& call = tree_.calls[back.from];
        Call const& earlier = tree_.calls[back.to_call];
        bool const one_round = call.turn != kNone && call.turn == earlier.turn;
        std::uint32_t const previous = one_round ? back.to_call : before_[back.from];
        if (back.kind == Back::kRepeat && earlier.frame == call.frame && previous != kNone)
          from = out_.node_of_call[previous];
      }
      Edge& e = edge(from == to ? EdgeKind::kSelf : EdgeKind::kBack, from, to);
      count(e, back.from);
      e.force = std::max(e.force, back.force);
      ++e.reasons[back.code.empty() ? std::string(back_text(back.kind)) : back.code];
    }
  }

  void sort_edges() {
    std::sort(out_.edges.begin(), out_.edges.end(), [](Edge const& a, Edge const& b) {
      return std::tuple(a.kind, a.from, a.to) < std::tuple(b.kind, b.from, b.to);
    });
  }

  CallTree const& tree_;
  Shares shares_;
  std::vector<std::uint32_t> back_of_;  // by call: its back edge
  std::vector<std::size_t> place_;      // by call: its position in its frame
  std::vector<std::uint32_t> before_;   // by call: the last call of the round before
  std::map<std::tuple<NodeKind, std::uint32_t, std::string, std::string>, std::uint32_t> nodes_;
  std::map<std::tuple<EdgeKind, std::uint32_t, std::uint32_t>, std::size_t> edges_;
  Graph out_;
};

}  // namespace

Graph make_graph(CallTree const& tree) { return Maker(tree).make(); }

std::string_view edge_text(EdgeKind kind) {
  switch (kind) {
    case EdgeKind::kTree: return "tree";
    case EdgeKind::kNext: return "next";
    case EdgeKind::kBack: return "back";
    case EdgeKind::kSelf: return "self";
  }
  return "";
}

}  // namespace backedge::graph
