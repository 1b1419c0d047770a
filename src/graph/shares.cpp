// Equal shares; see shares.h.

#include "graph/shares.h"

namespace backedge::graph {
namespace {

Spend of_turn(Turn const& turn) {
  if (turn.own) return *turn.own;
  Spend out;
  out.turns = turn.copied ? 0 : 1;
  if (turn.copied) return out;
  out.tokens = turn.tokens.total();
  out.nano_usd = turn.nano_usd;
  out.unpriced = turn.nano_usd == kUnpriced ? 1 : 0;
  out.estimated = turn.basis == Basis::kEstimated;
  return out;
}

std::int64_t part(std::int64_t whole, std::int64_t parts, std::int64_t index) {
  return whole / parts + (index < whole % parts ? 1 : 0);
}

}  // namespace

Spend equal_share(Spend const& whole, std::size_t parts, std::size_t index) {
  auto const n = static_cast<std::int64_t>(parts);
  auto const i = static_cast<std::int64_t>(index);
  Spend out;
  out.turns = part(whole.turns, n, i);
  out.tokens = part(whole.tokens, n, i);
  out.nano_usd = whole.nano_usd == kUnpriced ? kUnpriced : part(whole.nano_usd, n, i);
  out.unpriced = part(whole.unpriced, n, i);
  out.estimated = whole.estimated;
  return out;
}

void add(Spend& sum, Spend const& more) {
  sum.turns += more.turns;
  sum.tokens += more.tokens;
  sum.unpriced += more.unpriced;
  sum.estimated = sum.estimated || more.estimated;
  if (more.nano_usd != kUnpriced) sum.nano_usd = more.nano_usd + (sum.nano_usd == kUnpriced ? 0 : sum.nano_usd);
}

Shares shares_of(CallTree const& tree) {
  Shares out;
  out.call_own.resize(tree.calls.size());
  out.call_inclusive.resize(tree.calls.size());
  out.frame_own.resize(tree.frames.size());
  out.frame_inclusive.resize(tree.frames.size());
  for (Turn const& turn : tree.turns) {
    Spend const whole = of_turn(turn);
    add(out.frame_own[turn.frame], whole);
    for (std::size_t i = 0; i < turn.calls.size(); ++i)
      out.call_own[turn.calls[i]] = equal_share(whole, turn.calls.size(), i);
  }
  out.frame_inclusive = out.frame_own;
  // Parents come first, so backwards a frame is whole before it is added to the one above.
  for (std::size_t i = tree.frames.size(); i > 0; --i) {
    Frame const& frame = tree.frames[i - 1];
    if (frame.by == kNone) continue;
    add(out.frame_inclusive[tree.calls[frame.by].frame], out.frame_inclusive[i - 1]);
  }
  for (std::size_t i = 0; i < tree.calls.size(); ++i) {
    Call const& call = tree.calls[i];
    if (call.own) out.call_own[i] = *call.own;
    out.call_inclusive[i] = out.call_own[i];
    for (std::uint32_t const f : call.opened) add(out.call_inclusive[i], out.frame_inclusive[f]);
    if (call.inclusive) out.call_inclusive[i] = *call.inclusive;
  }
  for (std::size_t i = 0; i < tree.frames.size(); ++i) {
    if (tree.frames[i].own) out.frame_own[i] = *tree.frames[i].own;
    if (tree.frames[i].inclusive) out.frame_inclusive[i] = *tree.frames[i].inclusive;
  }
  return out;
}

}  // namespace backedge::graph
