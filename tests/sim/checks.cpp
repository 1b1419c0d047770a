// The second book, and what is held against it: events. Commands and messages: checks_after.cpp. See checks.h.

#include "sim/checks.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "sim/fields.h"

namespace backedge::sim {

using kernel::kUnlimited;
using kernel::Meter;
using kernel::Scope;

namespace {

constexpr std::array<std::string_view, 7> kDecided = {"turn.propose", "turn.end",   "round.propose", "verdict",
                                                      "call.end",     "frame.open", "frame.close"};

}  // namespace

void Checks::say(std::string fault) {
  if (fault_.empty()) fault_ = std::move(fault);
}

void Checks::events(std::span<talk::Event const> events) {
  for (talk::Event const& e : events) {
    if (e.type == "run.open") seq_ = 0;
    if (e.seq != seq_ + 1) say(fmt::format("event {} follows event {}", e.seq, seq_));
    if (e.cause >= e.seq) say(fmt::format("event {} is caused by event {}", e.seq, e.cause));
    if (e.at < at_) say(fmt::format("event {} goes back in time", e.seq));
    seq_ = e.seq;
    at_ = e.at;
    event(e);
  }
}

void Checks::event(talk::Event const& e) {
  CallId const call{static_cast<std::uint32_t>(number_in(e.body, "call"))};
  if (std::find(kDecided.begin(), kDecided.end(), e.type) != kDecided.end()) decided_at_ = e.at;
  if (e.type == "run.open") return take_open();
  if (e.type == "run.close") return take_close(e.body);
  if (e.type == "user.message") return take_message(e);
  if (e.type == "turn.propose") return take_turn(e);
  if (e.type == "turn.end") return take_turn_end(e.body);
  if (e.type == "verdict") return take_verdict(e);
  if (e.type == "call.start") return take_start(e);
  if (e.type == "cancel" || e.type == "frame.close") return kill(e.frame);
  if (e.type == "model.reply" && run_open_) {
    sum_.usage.input_tokens += number_in(e.body, "input");
    sum_.usage.output_tokens += number_in(e.body, "output");
    sum_.usage.cost_nano_usd += number_in(e.body, "cost_nano_usd");
  }
  if (e.type == "call.end") {
    auto const at = calls_.find(call);
    if (at == calls_.end() || !at->second.started)
      return say(fmt::format("call {} ends and never started", call.value));
    if (at->second.ended) return say(fmt::format("call {} ends twice", call.value));
    at->second.ended = true;
    kill_below_call(call);
  }
  if (e.type == "route" && word_in(e.body, "do") == "raise" && e.body.find("observed") == std::string::npos) {
    if (raised_ != 0) say("the limit of turns is raised twice");
    raised_ = number_in(e.body, "size");
  }
  if (e.type == "stage" || e.type == "rollback") {
    if (e.frame != FrameId{1} || frames_.at(e.frame).dead) say("a stage of a frame that is not the root at work");
    staged_ = true;
  }
  if (e.type == "frame.open") {
    CallId const by{static_cast<std::uint32_t>(number_in(e.body, "by_call"))};
    auto const at = calls_.find(by);
    if (at == calls_.end() || !at->second.started || at->second.ended || frames_.at(at->second.frame).dead)
      return say(fmt::format("frame {} is opened by call {}, which does not run", e.frame.value, by.value));
    frames_[e.frame] = {
        .parent = at->second.frame, .by = by, .agent = std::string(word_in(e.body, "agent")), .opened = e.at};
  }
}

// ---------------------------------------------------------------------------------------------- runs

void Checks::take_open() {
  if (run_open_) say("a run begins while another one is under way");
  run_open_ = true;
  staged_ = false;
  staged_turns_ = 0;
  sum_ = {};
  frames_.at(FrameId{1}).dead = false;
}

void Checks::take_close(std::string_view body) {
  if (!run_open_) say("a run ends twice");
  run_open_ = false;
  finish_due_ = true;
  kill(FrameId{1});
  if (number_in(body, "turns") != sum_.turns)
    say(fmt::format("the run counts {} turns and asked {}", number_in(body, "turns"), sum_.turns));
  if (number_in(body, "calls") != sum_.calls)
    say(fmt::format("the run counts {} calls and started {}", number_in(body, "calls"), sum_.calls));
}

// A person's message starts the counts of the run anew; what is in flight stays.
void Checks::take_message(talk::Event const& e) {
  if (word_in(e.body, "author") != "person") return;
  spoken_ = {};
  raised_ = 0;
  if (staged_) --staged_turns_;  // who speaks when the plan is over gets an answer
  session_time_ += decided_at_ - spoke_at_;
  spoke_at_ = decided_at_ = e.at;
  FrameBook& root = frames_.at(FrameId{1});
  root.turns = root.calls = root.tokens = root.cost = root.agents = 0;
  root.opened = e.at;
  for (auto const& [id, turn] : turns_) {
    if (turn.settled) continue;
    spoken_.tokens += turn.reserved;
    spoken_.cost += turn.cost;
    if (turn.frame != FrameId{1}) continue;
    root.tokens += turn.reserved;
    root.cost += turn.cost;
  }
  root.pressed = false;
  root.why.clear();
}

// ---------------------------------------------------------------------------------------------- limits

void Checks::most(std::int64_t count, Scope scope, Meter meter, std::string_view what) {
  std::int64_t most = limit(scope, meter);
  if (scope == Scope::kRun && meter == Meter::kTurns && raised_ > most) most = raised_;
  if (enforced() && most != kUnlimited && count > most)
    say(fmt::format("{} {} where the limit of scope {} is {}", count, what, static_cast<int>(scope), most));
}

// In the frame itself, in the run or in the session.
bool Checks::exceeds(FrameBook const& frame, Meter meter, std::int64_t amount) const {
  bool const tokens = meter == Meter::kTokens;
  auto const over = [&](Scope scope, std::int64_t used) {
    std::int64_t const most = limit(scope, meter);
    return most != kUnlimited && used + amount > most;
  };
  return over(Scope::kFrame, tokens ? frame.tokens : frame.cost) ||
         over(Scope::kRun, tokens ? spoken_.tokens : spoken_.cost) ||
         over(Scope::kSession, tokens ? session_.tokens : session_.cost);
}

void Checks::judge_tokens(FrameBook const& frame, std::string_view verdict, std::string_view code, std::int64_t tokens,
                          std::int64_t typical) {
  auto const too_much = [&](std::int64_t amount) { return exceeds(frame, Meter::kTokens, amount); };
  bool const two_more = typical > 0 && too_much(2 * typical);
  std::string const numbers = fmt::format("{} (asks for {}, {} in the frame, {} in the run, {} in the session)",
                                          verdict, tokens, frame.tokens, spoken_.tokens, session_.tokens);
  bool const by_tokens = code == "budget.tokens";
  if (verdict != "stop" && too_much(tokens)) say("a turn goes although tokens leave no room: " + numbers);
  if (verdict == "go" && two_more) say("a turn goes on although its tokens leave no room for another: " + numbers);
  if (verdict == "stop" && by_tokens && !too_much(tokens)) say("tokens stop a turn that fits: " + numbers);
  if (verdict == "final" && by_tokens && !two_more) say("tokens press a turn that leaves room: " + numbers);
}

void Checks::judge_cost(FrameBook const& frame, std::string_view body) {
  std::string_view const verdict = word_in(body, "verdict");
  bool const by_cost = word_in(body, "code") == "budget.cost";
  bool const priced = body.find(R"("priced":true)") != std::string_view::npos;
  std::int64_t const cost = number_in(body, "cost_nano_usd");
  bool const limited = limit(Scope::kFrame, Meter::kCost) != kUnlimited ||
                       limit(Scope::kRun, Meter::kCost) != kUnlimited ||
                       limit(Scope::kSession, Meter::kCost) != kUnlimited;
  bool const unknown = limited && !priced && !settings_->limits.allow_unpriced;
  bool const too_much = unknown || exceeds(frame, Meter::kCost, cost);
  bool const two_more = cost > 0 && exceeds(frame, Meter::kCost, 2 * cost);
  std::string const numbers = fmt::format("{} (asks for {}, {} in the frame, {} in the run, {} in the session)",
                                          verdict, cost, frame.cost, spoken_.cost, session_.cost);
  if (verdict != "stop" && too_much) say("a turn goes although money leaves no room: " + numbers);
  if (verdict == "go" && two_more) say("a turn goes on although its money leaves no room for another: " + numbers);
  if (verdict == "stop" && by_cost && !too_much) say("money stops a turn that fits: " + numbers);
  if (verdict == "final" && by_cost && !two_more) say("money presses a turn that leaves room: " + numbers);
}

// Of the root only: when it takes a turn nothing runs below it, so that every turn is either left or spent.
void Checks::judge_turns(FrameBook const& frame, std::string_view verdict, std::string_view code) {
  if (frame.parent.valid() || code != "budget.turns") return;
  std::int64_t const more = verdict == "final" ? 1 : 0;
  auto const spent = [&](std::int64_t count, Scope scope) {
    std::int64_t most = limit(scope, Meter::kTurns);
    if (scope == Scope::kRun && raised_ > most) most = raised_;
    return most != kUnlimited && count + more >= most;
  };
  if (!spent(frame.turns, Scope::kFrame) && !spent(spoken_.turns, Scope::kRun) &&
      !spent(session_.turns, Scope::kSession))
    say(fmt::format("turns are said to be spent after {} in the run and {} in the session", spoken_.turns,
                    session_.turns));
}

// A frame's time goes on while it waits for those below it.
bool Checks::is_over(FrameId frame, Micros at) const {
  auto const over = [&](Scope scope, Micros used) {
    std::int64_t const most = limit(scope, Meter::kTime);
    return most != kUnlimited && used.count() >= most;
  };
  for (FrameId f = frame; f.valid(); f = frames_.at(f).parent)
    if (over(Scope::kFrame, at - frames_.at(f).opened)) return true;
  return over(Scope::kRun, at - spoke_at_) || over(Scope::kSession, session_time_ + (at - spoke_at_));
}

void Checks::judge_time(FrameId frame, Micros at, std::string_view verdict, std::string_view code) {
  bool const over = is_over(frame, at);
  // Waiting for people costs no time; how long they were waited for is not kept here.
  if (over && verdict == "go" && !people_were_asked_) say("a turn goes on although time is over");
  if (!over && code == "budget.time") say("time is said to be over and is not");
}

void Checks::book(FrameId frame, std::int64_t tokens, std::int64_t cost) {
  FrameBook& own = frames_.at(frame);
  for (std::int64_t* count : {&own.tokens, &spoken_.tokens, &session_.tokens}) *count += tokens;
  for (std::int64_t* count : {&own.cost, &spoken_.cost, &session_.cost}) *count += cost;
}

void Checks::take_turn(talk::Event const& e) {
  auto const at = frames_.find(e.frame);
  if (at == frames_.end()) return say(fmt::format("a turn in frame {}, which was never opened", e.frame.value));
  FrameBook& frame = at->second;
  std::string_view const verdict = word_in(e.body, "verdict");
  std::string_view const code = word_in(e.body, "code");
  bool const told_before = verdict == "stop" && code == frame.why;  // for the reason that made its last turn the last
  if (verdict != "go") frame.why = code;
  std::int64_t const input = std::max(frame.last_input, number_in(e.body, "estimate"));
  std::int64_t const output = number_in(e.body, "max_out");
  constexpr std::int64_t kTypicalAnswer = 1024;
  if (enforced() && !told_before) {
    judge_turns(frame, verdict, code);
    judge_time(e.frame, e.at, verdict, code);
    judge_cost(frame, e.body);
    judge_tokens(frame, verdict, code, input + output, input + std::min(output, kTypicalAnswer));
  }
  if (verdict == "stop" && (enforced() || code == "stopped")) return;
  if (frame.dead) return say(fmt::format("a turn goes in frame {}, which has ended", e.frame.value));
  TurnId const turn{static_cast<std::uint32_t>(number_in(e.body, "turn"))};
  std::int64_t const cost = number_in(e.body, "cost_nano_usd");
  if (!turns_.emplace(turn, TurnBook{e.frame, input + output, cost}).second) say("a turn is proposed twice");
  book(e.frame, input + output, cost);
  ++sum_.turns;
  if (!frame.parent.valid() && staged_ && enforced() && ++staged_turns_ > world_->stage_turns)
    say(fmt::format("{} turns in a plan of stages that sum to {}", staged_turns_, world_->stage_turns));
  if (frame.parent.valid() && frame.turns == 0) {
    most(++spoken_.agents, Scope::kRun, Meter::kDescendants, "agents at work");
    most(++session_.agents, Scope::kSession, Meter::kDescendants, "agents at work");
    for (FrameId f = frame.parent; f.valid(); f = frames_.at(f).parent)
      most(++frames_.at(f).agents, Scope::kFrame, Meter::kDescendants, "agents at work below");
  }
  most(++frame.turns, Scope::kFrame, Meter::kTurns, "turns");
  most(++spoken_.turns, Scope::kRun, Meter::kTurns, "turns");
  most(++session_.turns, Scope::kSession, Meter::kTurns, "turns");
  for (FrameId f = e.frame; frames_.at(f).parent.valid(); f = frames_.at(f).parent) {
    FrameBook& above = frames_.at(f);
    ++above.subtree;
    for (AgentSpec const& spec : world_->agents) {
      if (enforced() && spec.name == above.agent && spec.max_turns && above.subtree > *spec.max_turns)
        say(fmt::format("{} turns below {}, which may take {}", above.subtree, spec.name, *spec.max_turns));
    }
  }
}

void Checks::take_turn_end(std::string_view body) {
  auto const at = turns_.find(TurnId{static_cast<std::uint32_t>(number_in(body, "turn"))});
  if (at == turns_.end() || at->second.settled) return say("a turn ends that is not open");
  TurnBook& turn = at->second;
  turn.settled = true;
  std::int64_t const used = number_in(body, "input") + number_in(body, "output");
  book(turn.frame, used - turn.reserved, number_in(body, "cost_nano_usd") - turn.cost);
  FrameBook& frame = frames_.at(turn.frame);
  frame.last_input = number_in(body, "input");
}

void Checks::take_verdict(talk::Event const& e) {
  CallId const id{static_cast<std::uint32_t>(number_in(e.body, "call"))};
  std::string_view const word = word_in(e.body, "verdict");
  bool const observed = e.body.find(R"("observed":true)") != std::string::npos;
  bool const refused = !observed && (word == "reuse" || word == "block" || word == "deny" || word == "reject");
  bool const known = calls_.contains(id);
  people_were_asked_ = people_were_asked_ || word == "ask";
  CallBook& call = calls_[id];
  if (known) {
    if (call.frame != e.frame) say(fmt::format("call {} has moved to frame {}", id.value, e.frame.value));
    if (call.started) say(fmt::format("call {} is decided again although it has started", id.value));
    if (refused) give_back(call);
    return;
  }
  call.frame = e.frame;
  call.tool = word_in(e.body, "tool");
  FrameBook& frame = frames_.at(e.frame);
  if (!refused) {
    call.held = true;
    most(++frame.calls, Scope::kFrame, Meter::kCalls, "calls");
    most(++spoken_.held, Scope::kRun, Meter::kCalls, "calls");
    most(++session_.held, Scope::kSession, Meter::kCalls, "calls");
    ++per_tool_[call.tool];
  }
  bool spent = false;
  auto const check = [&](std::int64_t count, std::int64_t most) {
    spent = spent || (most != kUnlimited && count >= most);
  };
  check(frame.calls, limit(Scope::kFrame, Meter::kCalls));
  check(spoken_.held, limit(Scope::kRun, Meter::kCalls));
  check(session_.held, limit(Scope::kSession, Meter::kCalls));
  for (kernel::ToolLimit const& tool : settings_->limits.per_tool) {
    if (tool.tool != call.tool) continue;
    check(per_tool_[call.tool], tool.max_calls);
    if (enforced() && tool.max_calls != kUnlimited && per_tool_[call.tool] > tool.max_calls)
      say(fmt::format("{} calls of {}, which may run {} times", per_tool_[call.tool], tool.tool, tool.max_calls));
  }
  bool const by_calls = word_in(e.body, "code") == "budget.calls";
  if (by_calls && spent) frame.pressed = true;  // the calls of its last turn are refused for the same reason
  if (enforced() && refused && by_calls && !spent && !frame.pressed)
    say(fmt::format(
        "call {} is refused for a limit of calls that is not reached: {} in the frame, {} in the run, {} in "
        "the session",
        id.value, frame.calls, spoken_.held, session_.held));
}

// A call that was to run and will not.
void Checks::give_back(CallBook& call) {
  if (!call.held || call.started) return;
  call.held = false;
  --frames_.at(call.frame).calls;
  --spoken_.held;
  --session_.held;
  --per_tool_[call.tool];
}

void Checks::take_start(talk::Event const& e) {
  CallId const id{static_cast<std::uint32_t>(number_in(e.body, "call"))};
  auto const at = calls_.find(id);
  if (at == calls_.end()) return say(fmt::format("call {} starts without a verdict", id.value));
  CallBook& call = at->second;
  if (call.frame != e.frame || frames_.at(e.frame).dead)
    return say(fmt::format("call {} starts in frame {}, which is not at work", id.value, e.frame.value));
  if (number_in(e.body, "attempt") > 1) {
    if (!call.started || call.ended) say(fmt::format("call {} starts again and does not run", id.value));
    return;
  }
  if (!call.held || call.started) say(fmt::format("call {} starts and may not", id.value));
  call.started = true;
  ++sum_.calls;
  ++spoken_.calls;
  ++session_.calls;
  most(depth(e.frame) + 1, Scope::kRun, Meter::kDepth, "calls deep");
}

// ---------------------------------------------------------------------------------------------- the tree

bool Checks::on_path(FrameId top, FrameId frame) const {
  for (FrameId f = frame; f.valid(); f = frames_.at(f).parent)
    if (f == top) return true;
  return false;
}

std::int64_t Checks::depth(FrameId frame) const {
  std::int64_t out = 0;
  for (FrameId f = frame; frames_.at(f).parent.valid(); f = frames_.at(f).parent) ++out;
  return out;
}

void Checks::kill(FrameId top) {
  for (auto& [id, frame] : frames_) {
    if (frame.dead || !on_path(top, id)) continue;
    frame.dead = true;
    for (auto& [call, book] : calls_)
      if (book.frame == id) give_back(book);
  }
}

void Checks::kill_below_call(CallId call) {
  std::vector<FrameId> tops;
  for (auto const& [id, frame] : frames_)
    if (frame.by == call && !frame.dead) tops.push_back(id);
  for (FrameId const id : tops) kill(id);
}

std::vector<FrameId> Checks::living() const {
  std::vector<FrameId> out;
  for (auto const& [id, frame] : frames_)
    if (!frame.dead) out.push_back(id);
  return out;
}

}  // namespace backedge::sim
