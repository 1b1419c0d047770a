// What is left, and of what: counts that a call reserves, and every limit as one frame sees it. Part of kernel.h.
//
// A limit of the scope frame holds for every frame by itself. Turns, calls, tokens and money are the frame's own: what
// the agents below it use stands in their frames, and all of it in the run. Agents and time cannot be told apart like
// that: an agent started below counts for every frame above it, and a frame's clock goes on while it waits for one; so
// each frame is held by its own limit and by those of the frames above it. Root: of the run under way.
// Tested in tests/kernel/frame_limits_test.cpp and tests/kernel/budget_test.cpp.

#include <algorithm>
#include <limits>

#include "kernel/kernel.h"

namespace backedge::kernel {
namespace {

constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max() / 4;

bool may_open(Effect e) { return e == Effect::kDelegate || e == Effect::kUnknown; }

// What a frame has used by itself of a meter that is counted by frames one by one.
std::int64_t own(Frame const& frame, Meter meter) {
  return meter == Meter::kTokens ? frame.tokens : meter == Meter::kCost ? frame.cost : frame.calls;
}

void narrow(std::optional<std::int64_t>& rest, Limit const& limit, std::int64_t used) {
  if (limit.value == kUnlimited) return;
  std::int64_t const here = std::max<std::int64_t>(0, limit.value - used);
  rest = rest ? std::min(*rest, here) : here;
}

}  // namespace

// ---------------------------------------------------------------------------------------------- counts of calls

bool Kernel::opens_agents(CallFacts const& call) const {
  return call.terms.effect == Effect::kDelegate || openers_.contains(call.tool_id);
}

Shortage Kernel::reserve_counts(Frame& frame, CallFacts const& call, bool opens) {
  Limit const& here = options_.settings->limits.at(Scope::kFrame, Meter::kCalls);
  if (here.value != kUnlimited && frame.calls + 1 > here.value) {
    return {Code::kBudgetCalls, Scope::kFrame, frame.calls + 1, here.value};
  }
  std::int64_t const rest = turns_left(frame);
  if (opens && frame.allowance != kUnlimited && rest - 1 < openers_in_round(frame) + 1) {
    return {Code::kBudgetTurns, Scope::kRun, frame.spent + frame.granted + 1, frame.allowance};
  }
  if (opens) {
    if (Shortage const none = agent_shortage(frame)) return none;
  }
  if (Shortage const none = budgets_.would_exceed(Meter::kCalls, 1)) return none;
  if (Shortage const none = budgets_.reserve_tool(call.tool_id)) return none;
  if (opens) {
    count_agents(frame, 1);
    budgets_.take(Meter::kDescendants, 1);
  }
  budgets_.take(Meter::kCalls, 1);
  ++frame.calls;
  return {};
}

// What was reserved for a call that will not run after all.
void Kernel::give_back(Frame& frame, CallFacts const& call, bool holds_descendant) {
  --frame.calls;
  budgets_.settle(Meter::kCalls, 1, 0);
  budgets_.release_tool(call.tool_id);
  if (holds_descendant) release_place(frame);
}

void Kernel::release_place(Frame& frame) {
  count_agents(frame, -1);
  budgets_.settle(Meter::kDescendants, 1, 0);
}

// Calls of the round under way that may still open an agent and will then share what is left.
std::int64_t Kernel::openers_in_round(Frame const& frame) const {
  std::int64_t n = 0;
  live_.each([&](LiveCall const& c) {
    bool const of_round = c.frame == frame.id && c.round == frame.repetition.round() && !c.opened.valid();
    if (of_round && (may_open(c.facts.terms.effect) || openers_.contains(c.facts.tool_id))) ++n;
  });
  return n;
}

// ---------------------------------------------------------------------------------------------- along the path

Frame* Kernel::above(Frame const& frame) { return frame.id == root_ ? nullptr : frames_.find(frame.parent); }

// An agent below `frame`, or one less.
void Kernel::count_agents(Frame& frame, std::int64_t more) {
  for (Frame* f = &frame; f != nullptr; f = above(*f)) f->agents += more;
}

// Which limit has no room for one agent more below this frame?
Shortage Kernel::agent_shortage(Frame const& frame) const {
  Limit const& here = options_.settings->limits.at(Scope::kFrame, Meter::kDescendants);
  for (Frame const* f = &frame; f != nullptr && here.value != kUnlimited; f = above(*f)) {
    if (f->agents + 1 > here.value) return {Code::kBudgetDescendants, Scope::kFrame, f->agents + 1, here.value};
  }
  return budgets_.would_exceed(Meter::kDescendants, 1);
}

// Tokens or money of a turn of this frame.
Shortage Kernel::spend_shortage(Frame const& frame, Meter meter, std::int64_t amount) const {
  Limit const& here = options_.settings->limits.at(Scope::kFrame, meter);
  std::int64_t const used = own(frame, meter) + amount;
  if (here.value != kUnlimited && used > here.value) return {budget_code(meter), Scope::kFrame, used, here.value};
  return budgets_.would_exceed(meter, amount);
}

Shortage Kernel::time_shortage(Frame const& frame, Micros now) const {
  Limits const& limits = options_.settings->limits;
  auto const over = [&](Scope scope, Micros used) -> Shortage {
    Limit const& most = limits.at(scope, Meter::kTime);
    if (most.value == kUnlimited || used.count() < most.value) return {};
    return {Code::kBudgetTime, scope, used.count(), most.value};
  };
  bool const framed = limits.at(Scope::kFrame, Meter::kTime).value != kUnlimited;
  for (Frame const* f = &frame; f != nullptr && framed; f = above(*f)) {
    if (Shortage const none = over(Scope::kFrame, working(now) - f->opened)) return none;
  }
  if (Shortage const none = over(Scope::kRun, run_time(now))) return none;
  return over(Scope::kSession, session_time(now));
}

Micros Kernel::working(Micros now) const {
  Micros const waiting = asking_ > 0 ? now - asked_since_ : Micros{0};
  return now - waited_ - waiting;
}

std::int64_t Kernel::turns_left(Frame const& frame) const {
  std::int64_t left = frame.allowance == kUnlimited ? kNoLimit : frame.allowance - frame.spent - frame.granted;
  std::int64_t const here = options_.settings->limits.at(Scope::kFrame, Meter::kTurns).value;
  if (here != kUnlimited) left = std::min(left, here - frame.turns);
  return left;
}

std::optional<std::int64_t> Kernel::left(FrameId id, Meter meter, Micros now) const {
  Frame const& frame = *frames_.find(id);
  Limits const& limits = options_.settings->limits;
  Limit const& here = limits.at(Scope::kFrame, meter);
  std::optional<std::int64_t> rest;
  switch (meter) {
    case Meter::kTurns: {
      std::int64_t const turns = turns_left(frame);
      if (turns < kNoLimit / 2) rest = std::max<std::int64_t>(0, turns);
      break;
    }
    case Meter::kDepth: narrow(rest, limits.at(Scope::kRun, meter), frame.depth); break;
    case Meter::kTime:
      for (Frame const* f = &frame; f != nullptr; f = above(*f)) narrow(rest, here, (working(now) - f->opened).count());
      narrow(rest, limits.at(Scope::kRun, meter), run_time(now).count());
      narrow(rest, limits.at(Scope::kSession, meter), session_time(now).count());
      break;
    case Meter::kDescendants:
      rest = budgets_.left(meter);
      for (Frame const* f = &frame; f != nullptr; f = above(*f)) narrow(rest, here, f->agents);
      break;
    case Meter::kCalls:
    case Meter::kTokens:
    case Meter::kCost:
      rest = budgets_.left(meter);
      narrow(rest, here, own(frame, meter));
      break;
  }
  return rest;
}

}  // namespace backedge::kernel
