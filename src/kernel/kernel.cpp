// The order of checks before a call, and what a result, a frame and a person's message do; see kernel.h. Turns:
// turns.cpp. What is left: counts.cpp.

#include "kernel/kernel.h"

#include <algorithm>
#include <limits>
#include <ranges>
#include <utility>

namespace backedge::kernel {
namespace {

constexpr std::int64_t kMostConservative =
    3;  // turns left; more would make every short run conservative from the start

void ask_if_wanted(CallFacts const& call, CallVerdict& v) {
  if (call.gate != GateOpinion::kAsk && call.route != RouteOpinion::kAsk) return;
  v.word = CallWord::kAsk;
  v.code = call.gate == GateOpinion::kAsk ? Code::kGateAsk : Code::kRoute;
}

void drop_views(CallFacts& call) {
  call.tool = {};
  call.target_name = {};
  call.fault_text = {};
}

}  // namespace

Kernel::Kernel(KernelOptions options)
    : options_(std::move(options)),
      budgets_(options_.settings->limits),
      run_start_(options_.now),
      last_event_(options_.now) {
  FrameId parent;
  for (Digest ancestor : options_.ancestors) {
    Frame& f = frames_.add();
    f.kind = FrameKind::kRemote;
    f.parent = parent;
    f.agent = ancestor;
    frames_.on_stack(f);
    parent = f.id;
  }
  Frame& root = frames_.add();
  root_ = root.id;
  root.parent = parent;
  root.agent = options_.agent;
  root.opened = run_start_;
  frames_.on_stack(root);
  root.allowance = root_allowance();
}

// ---------------------------------------------------------------------------------------------- one round

void Kernel::enter(FrameId id, std::span<CallFacts const> calls, Micros now, std::vector<CallVerdict>& out) {
  last_event_ = working(now);
  Frame& frame = *frames_.find(id);
  bool const last_turn = frame.state == FrameState::kFinal;
  frame.repetition.begin_round(calls, options_.settings->repeat);
  for (CallFacts const& call : calls) {
    keys_.push_back(call.key);
    CallVerdict v{.call = CallId{static_cast<std::uint32_t>(keys_.size())}, .frame = id};
    bool const reserved = decide(frame, call, v, now);
    admit(frame, call, v, reserved, now);
    out.push_back(v);
  }
  climb(frame, std::span(out).last(calls.size()));
  if (last_turn && !calls.empty()) frame.state = FrameState::kStopped;
}

bool Kernel::decide(Frame& frame, CallFacts const& call, CallVerdict& v, Micros now) {
  if (check_arguments(frame, call, v, now)) return false;
  if (check_stopped(frame, v)) return false;
  if (check_route(frame, call, v, now)) return false;
  if (check_conservative(frame, call, v, now)) return false;
  if (check_gate(frame, call, v, now)) return false;
  if (check_path(frame, call, v, now)) return false;
  if (check_repetition(frame, call, v, now)) return false;
  if (check_budgets(frame, call, v, now)) return false;
  if (check_conflicts(frame, call, v, now)) {
    bool const goes_under_way = !refused(v.word) || v.observed;
    if (!goes_under_way) give_back(frame, call, opens_agents(call));
    return goes_under_way;
  }
  ask_if_wanted(call, v);
  return true;
}

bool Kernel::settle(Frame& frame, CallFacts const& call, CallVerdict& v, CallWord word, Code code, Micros now) {
  v.word = word;
  v.code = code;
  v.observed = !enforces();
  refuse(frame, call, v, now);
  return true;
}

bool Kernel::check_arguments(Frame& frame, CallFacts const& call, CallVerdict& v, Micros now) {
  if (call.fault == ArgumentFault::kNone) return false;
  Code const code = call.fault == ArgumentFault::kUnknownTool ? Code::kUnknownTool : Code::kArguments;
  return settle(frame, call, v, CallWord::kReject, code, now);
}

bool Kernel::check_stopped(Frame& frame, CallVerdict& v) {
  bool const refusing = frame.state == FrameState::kStopped || frame.state == FrameState::kFinal;
  if (!refusing) return false;
  v.word = frame.why == Code::kStopped ? CallWord::kDeny : CallWord::kBlock;
  v.code = frame.why;
  v.step = LadderStep::kStop;
  v.closing = true;
  v.evidence.frame = frame.id;
  return true;
}

bool Kernel::check_route(Frame& frame, CallFacts const& call, CallVerdict& v, Micros now) {
  switch (call.route) {
    case RouteOpinion::kAllow:
    case RouteOpinion::kAsk: return false;
    case RouteOpinion::kReject: return settle(frame, call, v, CallWord::kBlock, Code::kRoute, now);
    case RouteOpinion::kForbid: return settle(frame, call, v, CallWord::kBlock, Code::kStageForbidden, now);
    case RouteOpinion::kReuse: break;
  }
  v.evidence.earlier = call.route_earlier;
  return settle(frame, call, v, CallWord::kReuse, Code::kRoute, now);
}

bool Kernel::check_conservative(Frame& frame, CallFacts const& call, CallVerdict& v, Micros now) {
  if (call.in_stage) return false;
  std::int64_t const configured = options_.settings->limits.conservative_at;
  std::int64_t const here = options_.settings->limits.at(Scope::kFrame, Meter::kTurns).value;
  std::int64_t const limit = frame.allowance == kUnlimited ? here
                             : here == kUnlimited          ? frame.allowance
                                                           : std::min(here, frame.allowance);
  if (limit == kUnlimited || configured == 0) return false;
  std::int64_t const from = configured > 0 ? configured : std::min(kMostConservative, limit / 4);
  std::int64_t const rest = turns_left(frame);
  if (from <= 0 || rest > from || worked_.contains(call.tool_id)) return false;
  v.evidence.count = rest;
  v.evidence.limit = from;
  return settle(frame, call, v, CallWord::kBlock, Code::kConservative, now);
}

bool Kernel::check_gate(Frame& frame, CallFacts const& call, CallVerdict& v, Micros now) {
  if (call.gate != GateOpinion::kDeny) return false;
  return settle(frame, call, v, CallWord::kDeny, Code::kGateDeny, now);
}

bool Kernel::check_path(Frame& frame, CallFacts const& call, CallVerdict& v, Micros now) {
  ReentryFinding const found = check_reentry(frames_, frame, call);
  if (!found) return false;
  v.evidence = found.evidence;
  return settle(frame, call, v, CallWord::kBlock, found.code, now);
}

bool Kernel::check_repetition(Frame& frame, CallFacts const& call, CallVerdict& v, Micros now) {
  Finding const found = frame.repetition.propose(call, v.call, options_.settings->repeat, now);
  if (!found) return false;
  if (!found.acts && !frame.ladder.notice(found.loop)) return false;
  v.code = found.code;
  v.evidence = {.count = found.count,
                .limit = found.limit,
                .period = found.period,
                .earlier = found.earlier,
                .frame = frame.id,
                .loop = found.loop,
                .refused = found.refused};
  if (!found.acts) {
    v.word = CallWord::kWarn;
    v.step = LadderStep::kWarn;
    frame.repetition.noticed(found.code);
    return false;
  }
  bool const same_call =
      (found.code == Code::kExact || found.code == Code::kCycle) && found.earlier.valid() && !found.refused;
  v.word = same_call && call.terms.idempotent == Idempotent::kYes ? CallWord::kReuse : CallWord::kBlock;
  v.observed = !enforces();
  if (!v.observed) v.evidence.count = frame.repetition.refuse(found);
  if (found.joins) v.evidence.loop = Digest{};
  return true;
}

bool Kernel::check_budgets(Frame& frame, CallFacts const& call, CallVerdict& v, Micros now) {
  Limit const& deepest = options_.settings->limits.at(Scope::kRun, Meter::kDepth);
  std::int64_t const depth = frame.depth + 1;
  Shortage shortage;
  if (deepest.value != kUnlimited && depth > deepest.value) {
    shortage = {Code::kBudgetDepth, Scope::kRun, depth, deepest.value};
  }
  if (!shortage) shortage = reserve_counts(frame, call, opens_agents(call));
  if (!shortage) return false;
  v.evidence = {.count = shortage.used, .limit = shortage.limit, .scope = shortage.scope, .frame = frame.id};
  settle(frame, call, v, CallWord::kBlock, shortage.code, now);
  bool const tool_only = shortage.code == Code::kBudgetCalls && budgets_.left(Meter::kCalls).value_or(1) > 0 &&
                         shortage.scope != Scope::kFrame;
  if (shortage.code == Code::kBudgetCalls && !tool_only) press(frame, shortage.code);
  return true;
}

bool Kernel::check_conflicts(Frame& frame, CallFacts const& call, CallVerdict& v, Micros now) {
  ConflictFinding const found = check_conflict(live_, frames_, frame, call, v.call);
  if (!found) return false;
  v.evidence.earlier = found.with;
  if (options_.door == Door::kForeign) {
    bool const ring = found.code == Code::kDeadlock && call.terms.effect == Effect::kWait;
    if (v.word == CallWord::kRun) {
      v.word = CallWord::kWarn;
      v.code = ring ? Code::kDeadlock : Code::kRace;
    }
    return false;
  }
  if (found.code == Code::kDeadlock) return settle(frame, call, v, CallWord::kBlock, Code::kDeadlock, now);
  v.word = CallWord::kSerialize;
  v.code = Code::kConflict;
  return true;
}

// ---------------------------------------------------------------------------------------------- refusing and admitting

// What a refusal leaves behind: asking for it again and again is a loop of its own.
void Kernel::refuse(Frame& frame, CallFacts const& call, CallVerdict& v, Micros now) {
  Repeat const& rule = options_.settings->repeat;
  Finding const again = frame.repetition.propose(call, v.call, rule, now);
  if (again.acts && again.code == Code::kExact && !again.joins) v.evidence.loop = again.loop;
  if (!v.observed) frame.repetition.record_refusal(call, v.code, v.call, frame.repetition.round());
}

// Every loop that was refused in this round goes up one step, once. A round that also does something else is not stuck:
// its loops are refused, but the frame is not pressed for an answer.
void Kernel::climb(Frame& frame, std::span<CallVerdict> round) {
  bool const moves = std::any_of(round.begin(), round.end(), [](CallVerdict const& v) { return !refused(v.word); });
  int const most = options_.settings->ladder.refusals;
  for (std::size_t i = 0; i < round.size(); ++i) {
    CallVerdict& v = round[i];
    if (!refused(v.word) || v.evidence.loop.none()) continue;
    auto const first =
        std::find_if(round.begin(), round.begin() + static_cast<std::ptrdiff_t>(i),
                     [&](CallVerdict const& w) { return refused(w.word) && w.evidence.loop == v.evidence.loop; });
    if (first != round.begin() + static_cast<std::ptrdiff_t>(i)) {
      v.step = first->step;
      continue;
    }
    if (moves) {
      v.step = LadderStep::kRefuse;
      continue;
    }
    int const steps = frame.ladder.refuse(v.evidence.loop);
    v.step = steps < most ? LadderStep::kRefuse : steps == most ? LadderStep::kFinal : LadderStep::kStop;
    if (steps >= most) press(frame, is_repetition(v.code) ? v.code : Code::kExact);
  }
}

void Kernel::press(Frame& frame, Code why) {
  if (!enforces() || frame.state != FrameState::kWorking) return;
  frame.state = FrameState::kPressed;
  frame.why = why;
}

void Kernel::admit(Frame& frame, CallFacts const& call, CallVerdict const& v, bool reserved, Micros now) {
  if (refused(v.word) && !v.observed) {
    keys_.back() = Digest{};
    return;
  }
  if (!reserved) {  // refused in words only: it runs all the same, so it is counted all the same
    budgets_.take(Meter::kCalls, 1);
    ++frame.calls;
  }
  LiveCall& live = live_.add(v.call);
  live.frame = frame.id;
  live.round = frame.repetition.round();
  live.facts = call;
  drop_views(live.facts);
  live.holds_descendant = reserved && opens_agents(call);
  frame.repetition.joins_round(call, v.call);
  set_state(live, v, now);
}

void Kernel::set_state(LiveCall& live, CallVerdict const& v, Micros now) {
  if (live.state == CallState::kWaiting) --waiting_;
  if (v.runs()) {
    live.state = CallState::kRunning;
    if (Frame* frame = frames_.find(live.frame)) frame->repetition.starts(live.facts, live.round);
  } else if (v.word == CallWord::kAsk) {
    live.state = CallState::kAsked;
    if (asking_++ == 0) asked_since_ = now;
  } else {
    ++waiting_;
    live.state = CallState::kWaiting;
    live.after = v.evidence.earlier;
  }
}

// A call is no longer under way; one that never ran gives back what was reserved for it.
void Kernel::drop(LiveCall& live) {
  if (live.state == CallState::kWaiting) --waiting_;
  if (live.state == CallState::kRunning) {
    budgets_.settle(Meter::kCalls, 1, 1);
    if (live.holds_descendant) release_place(*frames_.find(live.frame));
  } else {
    give_back(*frames_.find(live.frame), live.facts, live.holds_descendant);
    keys_[live.id.value - 1] = Digest{};
  }
  live_.remove(live);
}

// ---------------------------------------------------------------------------------------------- answers and results

void Kernel::recheck(LiveCall& live, CallVerdict& v, Micros now) {
  Frame* const frame = frames_.find(live.frame);
  CallFacts const& call = live.facts;
  if (frame == nullptr) {
    v.word = CallWord::kDeny;
    v.code = Code::kStopped;
    return;
  }
  if (check_stopped(*frame, v) || check_conservative(*frame, call, v, now) || check_gate(*frame, call, v, now) ||
      check_path(*frame, call, v, now) || check_repetition(*frame, call, v, now) ||
      check_conflicts(*frame, call, v, now)) {
    return;
  }
  if (!live.answered) ask_if_wanted(call, v);
}

CallVerdict Kernel::approve(CallId id, Permission answer, Micros now, std::vector<CallVerdict>& released) {
  LiveCall& live = *live_.find(id);  // on the working clock it is still when the call was asked
  CallVerdict v{.call = id, .frame = live.frame};
  if (--asking_ == 0) waited_ += now - asked_since_;
  live.answered = true;
  if (answer == Permission::kAllow) {
    recheck(live, v, now);
  } else {
    v.word = CallWord::kDeny;
    v.code = answer == Permission::kDeny ? Code::kGateDeny : Code::kGateTimeout;
    if (Frame* frame = frames_.find(live.frame)) {
      refuse(*frame, live.facts, v, now);
      climb(*frame, std::span(&v, 1));
    }
  }
  if (refused(v.word) && !v.observed) {
    drop(live);
    release_waiting({id}, now, released);
  } else {
    set_state(live, v, now);
  }
  return v;
}

Released Kernel::leave(CallId id, ResultFacts const& result, Micros now) {
  last_event_ = working(now);
  LiveCall& live = *live_.find(id);
  Released out;
  if (Frame* frame = frames_.find(live.frame)) {
    bool const fresh = frame->repetition.record(live.facts, result, id, live.round, options_.settings->repeat, now);
    if (fresh) frame->ladder.forget(live.facts.key);
    if (live.facts.terms.effect != Effect::kDelegate && !live.opened.valid()) ++frame->work;
    frame->empty_compactions = 0;
  }
  bool const good = !failed(result.status);
  if (good) worked_.insert(live.facts.tool_id);
  out.answers = good && live.facts.terms.returns_direct;
  std::vector<CallId> ended;
  if (live.opened.valid()) {
    std::vector<FrameId> opened;
    frames_.each_open([&](Frame const& f) {
      if (f.opener.call == id) opened.push_back(f.id);
    });
    for (FrameId frame : opened) close_subtree(frame, now, ended);
  }
  drop(live);
  ended.push_back(id);
  release_waiting(std::move(ended), now, out.calls);
  return out;
}

// Calls that waited for what has ended are decided anew, in call order. What is refused now has ended, too; of a call
// that is decided twice on the way, only the last verdict is told.
void Kernel::release_waiting(std::vector<CallId> ended, Micros now, std::vector<CallVerdict>& out) {
  auto const say = [&out, before = out.size()](CallVerdict const& v) {
    auto const said = std::find_if(out.begin() + static_cast<std::ptrdiff_t>(before), out.end(),
                                   [&](CallVerdict const& o) { return o.call == v.call; });
    if (said == out.end()) {
      out.push_back(v);
    } else {
      *said = v;
    }
  };
  for (std::size_t i = 0; waiting_ > 0 && i < ended.size(); ++i) {
    std::vector<CallId> waiting;
    live_.each([&](LiveCall const& c) {
      if (c.state == CallState::kWaiting && c.after == ended[i]) waiting.push_back(c.id);
    });
    std::sort(waiting.begin(), waiting.end());
    for (CallId id : waiting) {
      LiveCall& live = *live_.find(id);
      CallVerdict v{.call = id, .frame = live.frame};
      recheck(live, v, now);
      say(v);
      if (!refused(v.word) || v.observed) {
        set_state(live, v, now);
        continue;
      }
      drop(live);
      ended.push_back(id);
    }
  }
}

// ---------------------------------------------------------------------------------------------- frames

FrameId Kernel::open_frame(FrameAsk const& ask, Micros now) {
  last_event_ = working(now);
  LiveCall& live = *live_.find(ask.by);
  Frame& parent = *frames_.find(live.frame);
  std::int64_t const sharers = std::max<std::int64_t>(1, openers_in_round(parent));
  Frame& child = frames_.add();
  child.parent = parent.id;
  child.kind = ask.kind;
  child.agent = ask.agent;
  child.opened = last_event_;
  child.depth = parent.depth + 1;
  child.passes = hands_on(parent, live.facts) ? parent.passes + 1 : 0;
  child.opener = {.call = live.id,
                  .tool_id = live.facts.tool_id,
                  .identity = live.facts.identity,
                  .measure = live.facts.measure,
                  .identity_declared = live.facts.identity_declared,
                  .identity_is_text = live.facts.identity_is_text,
                  .writes = live.facts.terms.effect == Effect::kWrite,
                  .resources = live.facts.resources,
                  .words = live.facts.words};
  for (NamedText const& text : live.facts.names) {
    if (!ask.agent.none() && text.value == ask.agent) child.opener.agent_argument = text.name;
  }
  child.write_above = parent.write_above || (child.opener.writes && !child.opener.resources.empty());
  frames_.on_stack(child);
  child.allowance = std::max(ask.turns, kUnlimited);
  if (parent.allowance != kUnlimited) {
    std::int64_t const shared = std::max<std::int64_t>(0, turns_left(parent) - 1);
    std::int64_t const share = (shared + sharers - 1) / sharers;  // rounded up: the remainder goes in call order
    child.allowance = child.allowance == kUnlimited ? share : std::min(child.allowance, share);
    parent.granted += child.allowance;
  }
  if (live.holds_descendant) {
    live.holds_descendant = false;
    budgets_.settle(Meter::kDescendants, 1, 1);
  } else if (Shortage const none = agent_shortage(parent); none && enforces()) {
    child.state = FrameState::kStopped;
    child.why = none.code;
  } else {
    count_agents(parent, 1);
    budgets_.settle(Meter::kDescendants, 0, 1);
  }
  if (parent.state == FrameState::kStopped) {
    child.state = FrameState::kStopped;
    child.why = parent.why;
  }
  live.opened = child.id;
  openers_.insert(live.facts.tool_id);
  ++parent.open_children;
  return child.id;
}

Released Kernel::close_frame(FrameId id, Micros now) {
  last_event_ = working(now);
  Released out;
  std::vector<CallId> ended;
  close_subtree(id, now, ended);
  release_waiting(std::move(ended), now, out.calls);
  return out;
}

// Frames below first, so that what they spent is counted upwards: ids grow downwards. Calls that end with them go to
// `ended`.
void Kernel::close_subtree(FrameId id, Micros now, std::vector<CallId>& ended) {
  std::vector<FrameId> closing;
  frames_.each_open([&](Frame& f) {
    if (f.id >= id && frames_.on_path(id, f)) closing.push_back(f.id);
  });
  for (FrameId const closed : std::views::reverse(closing)) {
    Frame& frame = *frames_.find(closed);
    std::size_t const first = ended.size();
    live_.each([&](LiveCall const& c) {
      if (c.frame == frame.id) ended.push_back(c.id);
    });
    for (std::size_t i = first; i < ended.size(); ++i) {
      LiveCall& live = *live_.find(ended[i]);
      if (live.state == CallState::kAsked && --asking_ == 0) waited_ += now - asked_since_;
      drop(live);
    }
    if (Frame* parent = frames_.find(frame.parent)) {
      if (parent->allowance != kUnlimited) parent->granted -= frame.allowance;
      parent->spent += frame.spent;
      --parent->open_children;
    }
    if (frame.id != root_) frames_.close(frame.id);
  }
}

void Kernel::cancel(FrameId id) {
  frames_.each_open([&](Frame& f) {
    if (!frames_.on_path(id, f)) return;
    f.state = FrameState::kStopped;
    f.why = Code::kStopped;
  });
}

void Kernel::stop(FrameId id, Code why) {
  Frame& frame = *frames_.find(id);
  if (!enforces() || frame.state == FrameState::kStopped) return;
  frame.state = FrameState::kStopped;
  frame.why = why;
}

bool Kernel::raise_turns(std::int64_t to) {
  std::int64_t const before = run_turns();
  if (before == kUnlimited || to <= before) return false;
  Frame& root = *frames_.find(root_);
  raised_turns_ = to;
  root.allowance = root_allowance();
  return true;
}

// ---------------------------------------------------------------------------------------------- the rest of the world

void Kernel::person_spoke(Micros now) {
  frames_.each_open([&](Frame& f) {
    f.repetition.reset();
    f.ladder.clear();
    f.empty_compactions = 0;
    if (f.state == FrameState::kStopped) return;
    f.state = FrameState::kWorking;
    f.why = Code::kNone;
  });
  Frame& root = *frames_.find(root_);
  session_turns_ += root.spent;
  root.state = FrameState::kWorking;
  root.why = Code::kNone;
  root.turns = root.spent = root.calls = 0;
  live_.each([&](LiveCall const& c) { root.calls += c.frame == root_ ? 1 : 0; });
  raised_turns_ = 0;
  root.allowance = root_allowance();
  budgets_.begin_run();
  root.tokens = root.cost = 0;
  for (Turn const& turn : turns_) {
    root.tokens += turn.frame == root_ ? turn.tokens : 0;
    root.cost += turn.frame == root_ ? turn.cost : 0;
  }
  root.agents = budgets_.used(Scope::kRun, Meter::kDescendants);
  worked_.clear();
  session_time_ += last_event_ - run_start_;
  run_start_ = last_event_ = root.opened = working(now);
  hook_blocks_ = 0;
}

void Kernel::automatic_message() { frames_.find(root_)->repetition.note_change(); }

EventVerdict Kernel::compacted(FrameId id, std::span<CallId const> dropped, bool freed) {
  Frame& frame = *frames_.find(id);
  for (CallId call : dropped) {
    if (call.value == 0 || call.value > keys_.size() || keys_[call.value - 1].none()) continue;
    frame.repetition.forget_visible(std::exchange(keys_[call.value - 1], Digest{}));
  }
  frame.empty_compactions = freed ? 0 : frame.empty_compactions + 1;
  int const most = options_.settings->repeat.compact;
  if (most <= 0 || static_cast<int>(frame.empty_compactions) < most) return {};
  EventVerdict v{.word = EventWord::kBlock, .code = Code::kCompactNoGain};
  v.evidence = {.count = frame.empty_compactions, .limit = most, .frame = id};
  return v;
}

EventVerdict Kernel::hook_blocks(FrameId id, Digest hook_and_text) {
  Frame const& frame = *frames_.find(id);
  bool const again = hook_blocks_ > 0 && hook_ == hook_and_text && hook_stamp_ == frame.repetition.changes();
  hook_blocks_ = again ? hook_blocks_ + 1 : 1;
  hook_ = hook_and_text;
  hook_stamp_ = frame.repetition.changes();
  std::int64_t const most = options_.settings->limits.hook_blocks;
  if (most <= 0 || hook_blocks_ < most) return {};
  EventVerdict v{.word = EventWord::kSuppress, .code = Code::kHook};
  v.evidence = {.count = hook_blocks_, .limit = most, .frame = id};
  return v;
}

bool Kernel::runs(CallId id) const {
  LiveCall const* live = live_.find(id);
  return live != nullptr && live->state == CallState::kRunning;
}

bool Kernel::asked(CallId id) const {
  LiveCall const* live = live_.find(id);
  return live != nullptr && live->state == CallState::kAsked;
}

FrameStanding Kernel::standing(FrameId id) const {
  Frame const& frame = *frames_.find(id);
  return {frame.state, frame.why};
}

}  // namespace backedge::kernel
