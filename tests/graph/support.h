// Call trees written in few words for the tests of this room.
#pragma once

#include <string>
#include <vector>

#include "graph/call_tree.h"

namespace backedge::graph::testing {

/// Grows a tree in the order in which things happen.
class Grow {
 public:
  std::uint32_t frame(std::string agent, std::uint32_t by = kNone) {
    auto const index = static_cast<std::uint32_t>(tree.frames.size());
    Frame f;
    f.id = index + 1;
    f.agent = std::move(agent);
    f.by = by;
    if (by != kNone) {
      f.depth = tree.frames[tree.calls[by].frame].depth + 1;
      tree.calls[by].opened.push_back(index);
    }
    tree.frames.push_back(std::move(f));
    return index;
  }

  std::uint32_t turn(std::uint32_t frame, std::int64_t tokens, std::int64_t nano_usd = kUnpriced) {
    auto const index = static_cast<std::uint32_t>(tree.turns.size());
    Turn t;
    t.id = index + 1;
    t.frame = frame;
    t.tokens.fresh_input = tokens;
    t.basis = Basis::kReported;
    t.nano_usd = nano_usd;
    tree.frames[frame].turns.push_back(index);
    tree.turns.push_back(std::move(t));
    return index;
  }

  /// A call of the frame's latest turn, or of no turn.
  std::uint32_t call(std::uint32_t frame, std::string tool, std::string arguments = "{}", std::string result = "ok") {
    auto const index = static_cast<std::uint32_t>(tree.calls.size());
    Call c;
    c.id = index + 1;
    c.frame = frame;
    c.tool = std::move(tool);
    c.arguments = {arguments, static_cast<std::int64_t>(arguments.size()), true};
    c.result = {result, static_cast<std::int64_t>(result.size()), true};
    c.status = "ok";
    c.verdict.word = "run";
    Frame& in = tree.frames[frame];
    if (!in.turns.empty()) {
      c.turn = in.turns.back();
      tree.turns[c.turn].calls.push_back(index);
    }
    in.calls.push_back(index);
    tree.calls.push_back(std::move(c));
    return index;
  }

  std::uint32_t refused(std::uint32_t frame, std::string tool, std::string code, std::uint32_t earlier,
                        std::string arguments = "{}") {
    std::uint32_t const index = call(frame, std::move(tool), std::move(arguments), "");
    Call& c = tree.calls[index];
    c.status.clear();
    c.verdict.word = "block";
    c.verdict.code = std::move(code);
    c.verdict.earlier = earlier;
    return index;
  }

  CallTree tree;
};

/// main asks order, order asks shipment, shipment asks order again and is refused; each turn takes 100 tokens.
inline CallTree ping_pong(int refusals = 1) {
  Grow g;
  std::uint32_t const main = g.frame("");
  g.turn(main, 100);
  std::uint32_t const ask_order = g.call(main, "order");
  std::uint32_t const order = g.frame("order", ask_order);
  g.turn(order, 100);
  std::uint32_t const ask_shipment = g.call(order, "shipment");
  std::uint32_t const shipment = g.frame("shipment", ask_shipment);
  for (int i = 0; i < refusals; ++i) {
    g.turn(shipment, 100);
    g.refused(shipment, "order", "reentry.cycle", ask_order);
  }
  find_back_edges(g.tree);
  return g.tree;
}

}  // namespace backedge::graph::testing
