// Before and after a turn: stopped? turns, tokens, cost, time; go, final or stop. Part of kernel.h.
//
// max_turns counts requests, the final one included: with a limit of 3 the third request must be the answer, a limit of
// 1 keeps its tools, 0 makes no request. Tested in tests/kernel/turns_test.cpp.

#include <algorithm>
#include <limits>

#include "kernel/kernel.h"

namespace backedge::kernel {
namespace {

constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max() / 4;
constexpr std::int64_t kTypicalAnswer = 1024;  // tokens; what a last answer needs when nothing is known

}  // namespace

std::int64_t Kernel::root_allowance() const {
  Limits const& limits = options_.settings->limits;
  std::int64_t const run = limits.at(Scope::kRun, Meter::kTurns).value;
  std::int64_t const session = limits.at(Scope::kSession, Meter::kTurns).value;
  if (session == kUnlimited) return run;
  std::int64_t const rest = std::max<std::int64_t>(0, session - session_turns_);
  return run == kUnlimited ? rest : std::min(run, rest);
}

std::int64_t Kernel::turns_left(Frame const& frame) const {
  std::int64_t left = frame.allowance == kUnlimited ? kNoLimit : frame.allowance - frame.spent - frame.granted;
  std::int64_t const here = options_.settings->limits.at(Scope::kFrame, Meter::kTurns).value;
  if (here != kUnlimited) left = std::min(left, here - frame.turns);
  return left;
}

// The limit that leaves this frame the fewest turns, and what it has seen with one turn more.
Shortage Kernel::turn_limit(Frame const& frame) const {
  Limits const& limits = options_.settings->limits;
  std::int64_t const here = limits.at(Scope::kFrame, Meter::kTurns).value;
  std::int64_t const used = frame.spent + frame.granted + 1;
  if (here != kUnlimited && (frame.allowance == kUnlimited || here - frame.turns <= frame.allowance - used + 1)) {
    return {Code::kBudgetTurns, Scope::kFrame, frame.turns + 1, here};
  }
  std::int64_t const session = limits.at(Scope::kSession, Meter::kTurns).value;
  if (frame.id == root_ && session != kUnlimited && frame.allowance != limits.at(Scope::kRun, Meter::kTurns).value) {
    return {Code::kBudgetTurns, Scope::kSession, session_turns_ + used, session};
  }
  return {Code::kBudgetTurns, Scope::kRun, used, frame.allowance};
}

std::int64_t Kernel::elapsed(Micros now) const {
  Micros waited = asked_total_;
  if (asking_ > 0) waited += now - asked_since_;
  return (now - run_start_ - waited).count();
}

// What leaves no room even for this turn.
Shortage Kernel::turn_shortage(Frame const& frame, TurnAsk const& ask, std::int64_t tokens, Micros /*now*/) const {
  if (turns_left(frame) <= 0) return turn_limit(frame);
  if (Shortage const none = budgets_.would_exceed(Meter::kTokens, tokens)) return none;
  if (!ask.priced && !options_.settings->limits.allow_unpriced && budgets_.left(Meter::kCost)) {
    return {Code::kBudgetCost, Scope::kRun, 0, 0};
  }
  return budgets_.would_exceed(Meter::kCost, ask.cost_nano);
}

TurnVerdict Kernel::enter_turn(FrameId id, TurnAsk const& ask, Micros now) {
  Frame& frame = *frames_.find(id);
  TurnVerdict v{.turn = TurnId{++next_turn_}};
  v.evidence.frame = id;
  std::int64_t const input = std::max(frame.last_input, ask.input_tokens);
  std::int64_t const tokens = input + ask.output_tokens;
  std::int64_t const typical = input + std::min(ask.output_tokens, kTypicalAnswer);

  if (frame.state == FrameState::kStopped || frame.state == FrameState::kFinal) {
    v.word = TurnWord::kStop;
    v.code = frame.why;
    frame.state = FrameState::kStopped;
    return v;
  }
  Shortage shortage = turn_shortage(frame, ask, tokens, now);
  if (shortage) v.word = TurnWord::kStop;
  if (!shortage) {
    std::int64_t const rest = turns_left(frame);
    bool const one_left = rest == 1 && frame.spent + frame.granted > 0;  // a limit of 1 keeps its tools
    if (one_left) shortage = turn_limit(frame);
    if (!shortage && typical > 0) shortage = budgets_.would_exceed(Meter::kTokens, 2 * typical);
    if (!shortage && ask.cost_nano > 0) shortage = budgets_.would_exceed(Meter::kCost, 2 * ask.cost_nano);
    for (Scope scope : {Scope::kRun, Scope::kSession}) {
      Limit const& time = options_.settings->limits.at(scope, Meter::kTime);
      if (!shortage && time.value != kUnlimited && elapsed(now) >= time.value) {
        shortage = {Code::kBudgetTime, scope, elapsed(now), time.value};
      }
    }
    if (shortage || frame.state == FrameState::kPressed) v.word = TurnWord::kFinal;
  }
  v.code = shortage ? shortage.code : frame.state == FrameState::kPressed ? frame.why : Code::kNone;
  v.evidence.count = shortage.used;
  v.evidence.limit = shortage.limit;
  v.evidence.scope = shortage.scope;
  v.observed = v.word != TurnWord::kGo && !enforces();
  if (v.word == TurnWord::kStop && !v.observed) {
    frame.state = FrameState::kStopped;
    frame.why = v.code;
    return v;
  }
  if (v.word == TurnWord::kFinal && !v.observed) {
    frame.state = FrameState::kFinal;
    frame.why = v.code;
  }
  ++frame.turns;
  ++frame.spent;
  budgets_.take(Meter::kTokens, tokens);
  budgets_.take(Meter::kCost, ask.cost_nano);
  turns_.push_back({v.turn, id, tokens, ask.cost_nano});
  return v;
}

TurnVerdict Kernel::leave_turn(TurnId id, TurnSpent const& spent, Micros /*now*/) {
  auto const turn = std::find_if(turns_.begin(), turns_.end(), [&](Turn const& t) { return t.id == id; });
  TurnVerdict v{.turn = id};
  v.evidence.frame = turn->frame;
  budgets_.settle(Meter::kTokens, turn->tokens, spent.input_tokens + spent.output_tokens);
  budgets_.settle(Meter::kCost, turn->cost, spent.cost_nano);
  Frame* const frame = frames_.find(turn->frame);
  turns_.erase(turn);
  if (frame == nullptr) return v;
  frame->last_input = spent.input_tokens;
  Finding const said = frame->repetition.text(spent.text, spent.has_calls, options_.settings->repeat);
  if (!said) return v;
  v.code = said.code;
  v.evidence = {.count = said.count, .limit = said.limit, .period = said.period, .frame = frame->id, .loop = said.loop};
  if (!said.acts) return v;
  v.word = TurnWord::kStop;
  v.observed = !enforces();
  if (!v.observed) {
    frame->state = FrameState::kStopped;
    frame->why = said.code;
  }
  return v;
}

bool Kernel::has_turn(TurnId id) const {
  return std::any_of(turns_.begin(), turns_.end(), [&](Turn const& t) { return t.id == id; });
}

std::optional<std::int64_t> Kernel::left(FrameId id, Meter meter, Micros now) const {
  Frame const& frame = *frames_.find(id);
  Limits const& limits = options_.settings->limits;
  switch (meter) {
    case Meter::kTurns: {
      std::int64_t const rest = turns_left(frame);
      if (rest >= kNoLimit / 2) return std::nullopt;
      return std::max<std::int64_t>(0, rest);
    }
    case Meter::kDepth: {
      std::int64_t const most = limits.at(Scope::kRun, Meter::kDepth).value;
      if (most == kUnlimited) return std::nullopt;
      return std::max<std::int64_t>(0, most - frame.depth);
    }
    case Meter::kTime: {
      std::optional<std::int64_t> rest;
      for (Scope scope : {Scope::kRun, Scope::kSession}) {
        std::int64_t const most = limits.at(scope, Meter::kTime).value;
        if (most == kUnlimited) continue;
        std::int64_t const here = std::max<std::int64_t>(0, most - elapsed(now));
        rest = rest ? std::min(*rest, here) : here;
      }
      return rest;
    }
    case Meter::kCalls:
    case Meter::kDescendants:
    case Meter::kTokens:
    case Meter::kCost: return budgets_.left(meter);
  }
  return std::nullopt;
}

}  // namespace backedge::kernel
