// Before and after a turn: stopped? turns, tokens, cost, time; go, final or stop. Part of kernel.h.
//
// max_turns counts requests, the final one included: with a limit of 3 the third request must be the answer, a limit of
// 1 keeps its tools, 0 makes no request. Tested in tests/kernel/turns_test.cpp.

#include <algorithm>

#include "kernel/kernel.h"

namespace backedge::kernel {
namespace {

constexpr std::int64_t kTypicalAnswer = 1024;  // tokens; what a last answer needs when nothing is known

}  // namespace

std::int64_t Kernel::run_turns() const {
  return raised_turns_ > 0 ? raised_turns_ : options_.settings->limits.at(Scope::kRun, Meter::kTurns).value;
}

std::int64_t Kernel::root_allowance() const {
  Limits const& limits = options_.settings->limits;
  std::int64_t const run = run_turns();
  std::int64_t const session = limits.at(Scope::kSession, Meter::kTurns).value;
  if (session == kUnlimited) return run;
  std::int64_t const rest = std::max<std::int64_t>(0, session - session_turns_);
  return run == kUnlimited ? rest : std::min(run, rest);
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
  if (frame.id == root_ && session != kUnlimited && frame.allowance != run_turns()) {
    return {Code::kBudgetTurns, Scope::kSession, session_turns_ + used, session};
  }
  return {Code::kBudgetTurns, Scope::kRun, used, frame.allowance};
}

// What leaves no room even for this turn.
Shortage Kernel::turn_shortage(Frame const& frame, TurnAsk const& ask, std::int64_t tokens) const {
  if (turns_left(frame) <= 0) return turn_limit(frame);
  if (Shortage const none = spend_shortage(frame, Meter::kTokens, tokens)) return none;
  Limits const& limits = options_.settings->limits;
  for (Scope scope : {Scope::kFrame, Scope::kRun, Scope::kSession}) {
    if (ask.priced || limits.allow_unpriced || limits.at(scope, Meter::kCost).value == kUnlimited) continue;
    return {Code::kBudgetCost, scope, 0, 0};
  }
  return spend_shortage(frame, Meter::kCost, ask.cost_nano);
}

TurnVerdict Kernel::enter_turn(FrameId id, TurnAsk const& ask, Micros now) {
  last_event_ = working(now);
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
  Shortage shortage = turn_shortage(frame, ask, tokens);
  if (shortage) v.word = TurnWord::kStop;
  if (!shortage) {
    std::int64_t const rest = turns_left(frame);
    bool const one_left = rest == 1 && frame.spent + frame.granted > 0;  // a limit of 1 keeps its tools
    if (one_left) shortage = turn_limit(frame);
    if (!shortage && typical > 0) shortage = spend_shortage(frame, Meter::kTokens, 2 * typical);
    if (!shortage && ask.cost_nano > 0) shortage = spend_shortage(frame, Meter::kCost, 2 * ask.cost_nano);
    if (!shortage) shortage = time_shortage(frame, now);
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
  frame.tokens += tokens;
  frame.cost += ask.cost_nano;
  budgets_.take(Meter::kTokens, tokens);
  budgets_.take(Meter::kCost, ask.cost_nano);
  turns_.push_back({v.turn, id, tokens, ask.cost_nano});
  return v;
}

TurnVerdict Kernel::leave_turn(TurnId id, TurnSpent const& spent, Micros now) {
  last_event_ = working(now);
  auto const turn = std::find_if(turns_.begin(), turns_.end(), [&](Turn const& t) { return t.id == id; });
  TurnVerdict v{.turn = id};
  v.evidence.frame = turn->frame;
  std::int64_t const tokens = spent.input_tokens + spent.output_tokens;
  budgets_.settle(Meter::kTokens, turn->tokens, tokens);
  budgets_.settle(Meter::kCost, turn->cost, spent.cost_nano);
  Frame* const frame = frames_.find(turn->frame);
  if (frame != nullptr) {
    frame->tokens += tokens - turn->tokens;
    frame->cost += spent.cost_nano - turn->cost;
  }
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

}  // namespace backedge::kernel
