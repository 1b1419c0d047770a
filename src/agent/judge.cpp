// Messages, turns, calls and frames of a record; see judge.h. Differences: judge_differences.cpp.

#include "agent/judge.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "agent/event_body.h"

namespace backedge::agent {
namespace {

namespace json = boost::json;

constexpr std::size_t kRoundsKept = 8;  // more than the longest period of a cycle

Said said_of(Entered const& e) { return {std::string(word_text(e.word)), e.code, e.text}; }

Said said_of(Turn const& t) { return {std::string(word_text(t.word)), t.code, t.text}; }

Difference at_turn(DifferenceKind kind, talk::Event const& e, TurnId turn, Said then, Said now) {
  Difference out;
  out.kind = kind;
  out.seq = e.seq;
  out.frame = e.frame;
  out.turn = turn;
  out.then = std::move(then);
  out.now = std::move(now);
  return out;
}

}  // namespace

Result<void> Judge::open(Record::Step const& first) {
  root_agent_ = word(first.body, "agent");
  now_ = first.event->at;
  RunOptions options;
  options.agent = root_agent_;
  options.graph = true;  // texts name earlier calls
  for (std::vector<Record::Step> const& steps : record_.runs())
    for (Record::Step const& step : steps) options.host_routes |= step.event->type == "route.answer";
  options.now = now_;
  Result<Run> run = Run::open(policy_, std::move(options));
  if (!run) return run.error();
  run_.emplace(*std::move(run));
  return {};
}

void Judge::take_run(std::vector<Record::Step> const& steps) {
  bool const missing = out_.texts_missing;
  std::vector<Difference> earlier = std::move(out_.differences);
  out_ = {};
  out_.texts_missing = missing;
  out_.differences = std::move(earlier);
  first_ = out_.differences.size();
  known_.clear();
  for (auto& [id, frame] : frames_) {
    if (frame.id == run_->root()) frame.lot = {};  // whatever came before, a person starts anew
    frame.answered = false;
  }
  for (Record::Step const& step : steps) {
    now_ = std::max(now_, step.event->at);
    take(*step.event, step.body);
    work_off();
  }
}

Rejudged Judge::take_result() {
  out_.differences.erase(out_.differences.begin(), out_.differences.begin() + static_cast<std::ptrdiff_t>(first_));
  for (Difference const& d : out_.differences) {
    switch (d.kind) {
      case DifferenceKind::kRefusedNow: out_.refused_now += d.count; break;
      case DifferenceKind::kRunsNow: out_.runs_now += d.count; break;
      case DifferenceKind::kOtherWords: out_.other_words += d.count; break;
      case DifferenceKind::kEndsEarlier: out_.ends_earlier += d.count; break;
      case DifferenceKind::kEndsLater: out_.ends_later += d.count; break;
      case DifferenceKind::kCannotJudge: out_.cannot_judge += d.count; break;
    }
    (d.kind == DifferenceKind::kCannotJudge ? out_.unknown : out_.saved) += d.saved;
  }
  for (Difference& d : out_.differences)
    if (d.kind == DifferenceKind::kCannotJudge) d.saved = {};
  return std::move(out_);
}

void Judge::take(talk::Event const& e, json::object const& body) {
  take_routing(e, body);
  if (e.type == "user.message") return take_message(e, body);
  if (e.type == "turn.propose") return propose_turn(e, body);
  if (e.type == "turn.end") return end_turn(e, body);
  if (e.type == "round.propose") return take_round(e, body);
  if (e.type == "approval") return take_approval(e, body);
  if (e.type == "call.end") return end_call(e, body);
  if (e.type == "frame.open") return open_frame(e, body);
  if (e.type == "frame.close") return close_frame(e);
  if ((e.type == "compact" && !std::exchange(compact_told_, false)) || e.type == "hook") ++out_.not_replayed;
  if (e.type == "cancel") {
    auto const at = frames_.find(e.frame);
    if (at != frames_.end() && at->second.open) (void)run_->cancel(at->second.id, now_);
  }
}

// ---------------------------------------------------------------------------------------------- messages and turns

void Judge::take_message(talk::Event const& e, json::object const& body) {
  auto const [root, first] = frames_.try_emplace(e.frame);
  if (first)
    root->second = {.id = run_->root(),
                    .parent = {},
                    .agent = root_agent_,
                    .lot = {},
                    .open = true,
                    .answered = false,
                    .rounds = {}};
  if (!root->second.lot.followed()) return;
  run_->user_message(word(body, "author") == "automatic" ? Author::kAutomatic : Author::kPerson, now_);
  if (std::exchange(run_begins_, false)) run_->restart_routing();
}

void Judge::propose_turn(talk::Event const& e, json::object const& body) {
  std::uint32_t const id = id_of(body, "turn");
  bool const asked = record_.was_asked(id);
  if (asked) out_.recorded.turns += 1;
  auto const at = frames_.find(e.frame);
  if (at == frames_.end()) return;
  FrameNow& frame = at->second;
  Said then{std::string(word(body, "verdict")), std::string(word(body, "code")), {}};
  if (is_true(body, "observed") || (asked && then.word == "stop")) then.word = word_text(TurnWord::kGo);
  if (frame.answered && frame.lot.followed()) {
    end_early(
        frame,
        at_turn(DifferenceKind::kEndsEarlier, e, TurnId{id}, then, {"stop", {}, "the result before it is the answer"}),
        false);
  }
  TurnNow& turn = turns_[id] = {.id = {}, .lot = frame.lot};
  if (frame.lot.followed()) {
    bool const priced = is_true(body, "priced");
    TurnEstimate const estimate{number(body, "estimate"), number(body, "max_out"),
                                priced ? std::optional(number(body, "cost_nano_usd")) : std::nullopt};
    if (Result<Turn> const now = run_->enter_turn(frame.id, estimate, now_)) {
      if (now->goes()) turn.id = now->id;
      judge_turn(e, TurnId{id}, std::move(then), *now);
    }
  }
  if (asked) count(turns_[id].lot, {.calls = 0, .turns = 1, .tokens = 0, .cost_nano_usd = 0});
}

// The words rank: go, final, stop.
void Judge::judge_turn(talk::Event const& e, TurnId id, Said then, Turn const& now) {
  FrameNow& frame = frames_.at(e.frame);
  TurnNow& turn = turns_.at(id.value);
  TurnWord const was = then.word == "stop" ? TurnWord::kStop : then.word == "final" ? TurnWord::kFinal : TurnWord::kGo;
  if (was == now.word) {
    agreed_.turns_entered.insert(id.value);
    ++out_.same_turns;
    return;
  }
  Difference d = at_turn(now.word > was ? DifferenceKind::kEndsEarlier : DifferenceKind::kEndsLater, e, id,
                         std::move(then), said_of(now));
  if (d.kind == DifferenceKind::kEndsLater) {
    differ_at_turn(std::move(d), false);
    turn.lot = frame.lot = {Lot::Kind::kUnknown};
    return;
  }
  bool const stops = now.word == TurnWord::kStop;
  if (stops) {
    end_early(frame, std::move(d), false);
    turn.lot = frame.lot;
  } else if (was == TurnWord::kGo) {  // this turn is still paid for
    std::size_t const at = differ_at_turn(std::move(d), false);
    frame.lot = {Lot::Kind::kSaved, at};
  }
}

void Judge::end_turn(talk::Event const& e, json::object const& body) {
  Usage const usage = usage_of(body);
  Amounts const spent{
      .calls = 0, .turns = 0, .tokens = usage.input_tokens + usage.output_tokens, .cost_nano_usd = usage.cost_nano_usd};
  out_.recorded += spent;
  std::uint32_t const id = id_of(body, "turn");
  auto const at = turns_.find(id);
  if (at == turns_.end()) return;
  count(at->second.lot, spent);
  if (!at->second.id.valid()) return;
  FrameNow& frame = frames_.at(e.frame);
  std::string const text = text_of(e, word(body, "text"));
  Result<Turn> const now = run_->leave_turn(at->second.id, usage, text, record_.asked_for_tools(id), now_);
  at->second.id = {};
  if (!frame.lot.followed() || !now) {
    if (frame.lot.kind == Lot::Kind::kSaved) forget(frame);  // its last turn is over
    return;
  }
  bool const stopped = word(body, "verdict") == "stop" && !is_true(body, "observed");
  bool const stops = now->word == TurnWord::kStop;
  if (stopped == stops) {
    agreed_.turns_left.insert(id);
    if (!stops) note_answer(e, id);
    return;
  }
  Difference d = at_turn(stops ? DifferenceKind::kEndsEarlier : DifferenceKind::kEndsLater, e, TurnId{id},
                         {std::string(word(body, "verdict")), std::string(word(body, "code")), {}}, said_of(*now));
  if (stops) return end_early(frame, std::move(d), true);
  differ_at_turn(std::move(d), true);
  frame.lot = {Lot::Kind::kUnknown};
}

void Judge::end_early(FrameNow& frame, Difference difference, bool at_end) {
  frame.lot = {Lot::Kind::kSaved, differ_at_turn(std::move(difference), at_end)};
  forget(frame);
}

// Ends the frame in the other run, so that it gives back what it was granted. The root stays.
void Judge::forget(FrameNow& frame) {
  if (!frame.open || frame.id == run_->root()) return;
  frame.open = false;
  if (Result<Left> const left = run_->close_frame(frame.id, now_))
    released_.insert(released_.end(), left->released.begin(), left->released.end());
}

// ---------------------------------------------------------------------------------------------- calls

void Judge::take_round(talk::Event const& e, json::object const& body) {
  auto const at = frames_.find(e.frame);
  if (at == frames_.end()) return;
  json::array const& all = body.at("calls").as_array();  // a record is well formed
  FrameNow& frame = at->second;
  if (!frame.lot.followed()) return skip_round(e, all, frame.lot);
  std::vector<std::uint32_t> ids;
  std::vector<Call> round;
  Digest members;
  for (json::value const& v : all) {
    json::object const& one = v.as_object();
    ids.push_back(id_of(one, "call"));
    CallNow& call = calls_[ids.back()] = {};
    call.frame = e.frame;
    call.seq = e.seq;
    call.tool = word(one, "tool");
    call.arguments = text_of(e, word(one, "arguments"));
    members = add(members, reader_.call(call.tool, call.arguments).key);
  }
  for (std::uint32_t const id : ids) {  // addresses in the table do not move any more
    CallThen const& then = record_.call(id);
    CallNow const& call = calls_.at(id);
    round.push_back({call.tool, call.arguments, then.gate, then.fault, "as recorded"});
    if (then.ran) out_.recorded.calls += 1;
    if (then.decided && !then.ran) ++out_.refused_then;
  }
  if (frame.rounds.size() == kRoundsKept) frame.rounds.erase(frame.rounds.begin());
  frame.rounds.push_back(members);
  for (auto& [index, route] : host_said_)
    if (index < round.size()) round[index].route = std::move(route);
  host_said_.clear();
  Result<std::vector<Entered>> const entered = run_->enter(frame.id, round, now_);
  if (!entered) return;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    calls_.at(ids[i]).id = (*entered)[i].call;
    recorded_.emplace((*entered)[i].call, ids[i]);
  }
  for (Entered const& one : *entered) settle(recorded_.at(one.call), one);
}

void Judge::skip_round(talk::Event const& e, json::array const& all, Lot lot) {
  for (json::value const& v : all) {
    std::uint32_t const id = id_of(v.as_object(), "call");
    CallNow& call = calls_[id] = {};
    call.frame = e.frame;
    call.lot = lot;
    CallThen const& then = record_.call(id);
    if (then.decided && !then.ran) ++out_.refused_then;
    if (!then.ran) continue;
    out_.recorded.calls += 1;
    note_not_run(id, lot);
    count(lot, {.calls = 1, .turns = 0, .tokens = 0, .cost_nano_usd = 0});
  }
}

void Judge::work_off() {
  while (!released_.empty()) {
    Entered const next = std::move(released_.front());
    released_.pop_front();
    auto const at = recorded_.find(next.call);
    if (at != recorded_.end()) settle(at->second, next);
  }
}

void Judge::settle(std::uint32_t id, Entered const& entered) {
  CallNow& call = calls_.at(id);
  if (entered.runs) return runs(id, entered);
  if (backedge::refused(entered.word)) return refused(id, entered);
  call.lot = {Lot::Kind::kWaits, id};
  bool const asks = entered.word == CallWord::kAsk;
  call.state = asks ? CallNow::State::kAsked : CallNow::State::kWaiting;
  if (asks && call.answer) approve(call);
}

void Judge::approve(CallNow const& call) {
  Result<Entered> answered = run_->approve(call.id, *call.answer, now_);
  if (!answered) return;
  std::vector<Entered> const after = std::exchange(answered->released, {});
  released_.push_back(*std::move(answered));
  released_.insert(released_.end(), after.begin(), after.end());
}

void Judge::runs(std::uint32_t id, Entered const& entered) {
  CallNow& call = calls_.at(id);
  CallThen const& then = record_.call(id);
  call.state = CallNow::State::kRunning;
  call.lot = {};
  if (then.decided && !then.ran) {
    differ_at_call(difference_of(id, DifferenceKind::kRunsNow, entered), loop_of(call, entered, then.said.code));
    frames_.at(call.frame).lot = {Lot::Kind::kUnknown};
    return leave(id, {CallStatus::kUnknown, {}});
  }
  if (then.decided) {
    Said const now = said_of(entered);
    if (now.word == then.said.word && now.code == then.said.code) {
      agreed_.calls.insert(id);
      ++out_.same_calls;
    } else {
      differ_at_call(difference_of(id, DifferenceKind::kOtherWords, entered), loop_of(call, entered, now.code));
    }
  }
  out_.unknown += std::exchange(call.below, {});  // it happened while the call would have waited
  if (call.end) leave(id, End(*call.end));
}

void Judge::refused(std::uint32_t id, Entered const& entered) {
  CallNow& call = calls_.at(id);
  CallThen const& then = record_.call(id);
  call.state = CallNow::State::kOver;
  call.lot = {};
  if (then.ran) {
    std::size_t const at =
        differ_at_call(difference_of(id, DifferenceKind::kRefusedNow, entered), loop_of(call, entered, entered.code));
    call.lot = {Lot::Kind::kSaved, at};
    call.below.calls += 1;
    note_not_run(id, call.lot);
    count(call.lot, std::exchange(call.below, {}));
  } else if (then.decided) {
    Said const now = said_of(entered);
    if (now.word == then.said.word && now.code == then.said.code) {
      agreed_.calls.insert(id);
      ++out_.same_calls;
    } else {
      differ_at_call(difference_of(id, DifferenceKind::kOtherWords, entered), loop_of(call, entered, now.code));
    }
  }
}

void Judge::leave(std::uint32_t id, End const& end) {
  CallNow& call = calls_.at(id);
  call.state = CallNow::State::kOver;
  Result<Left> const left = run_->leave(call.id, {end.status, end.text}, now_);
  if (!left) return;
  if (left->answers) frames_.at(call.frame).answered = true;
  released_.insert(released_.end(), left->released.begin(), left->released.end());
}

void Judge::take_approval(talk::Event const& /*e*/, json::object const& body) {
  auto const at = calls_.find(id_of(body, "call"));
  if (at == calls_.end()) return;
  CallNow& call = at->second;
  call.answer = approval_of(word(body, "answer"));
  if (call.state == CallNow::State::kAsked) approve(call);
}

void Judge::end_call(talk::Event const& e, json::object const& body) {
  auto const at = calls_.find(id_of(body, "call"));
  if (at == calls_.end() || at->second.state == CallNow::State::kSkipped) return;
  End end{status_of(word(body, "status")), text_of(e, word(body, "result"))};
  if (at->second.state == CallNow::State::kRunning) return leave(at->first, end);
  at->second.end = std::move(end);
}

// ---------------------------------------------------------------------------------------------- frames

void Judge::open_frame(talk::Event const& e, json::object const& body) {
  auto const by = calls_.find(id_of(body, "by_call"));
  if (by == calls_.end()) return;
  FrameNow& frame = frames_[e.frame];
  frame.parent = by->second.frame;
  frame.agent = word(body, "agent");
  frame.lot = by->second.lot;
  if (by->second.state != CallNow::State::kRunning) return;
  std::optional<std::int64_t> max_turns;
  if (body.contains("max_turns")) max_turns = number(body, "max_turns");
  Result<FrameId> const id = run_->open_frame(by->second.id, frame.agent, max_turns, now_);
  if (!id) {
    frame.lot = {Lot::Kind::kUnknown};
    return;
  }
  frame.id = *id;
  frame.open = true;
}

void Judge::close_frame(talk::Event const& e) {
  auto const at = frames_.find(e.frame);
  if (at != frames_.end()) forget(at->second);
}

}  // namespace backedge::agent
