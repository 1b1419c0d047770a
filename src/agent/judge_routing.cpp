// Routing in a record: what callbacks said is taken from it, rules and stages are asked anew; see judge.h.
//
// A view that was set back then is set back now: what the model saw is a fact of the recording.

#include <utility>

#include "agent/event_body.h"
#include "agent/judge.h"
#include "agent/stop_reason.h"

namespace backedge::agent {

namespace json = boost::json;

void Judge::take_routing(talk::Event const& e, json::object const& body) {
  if (e.type == "run.open") {
    run_begins_ = true;
    answer_turn_ = 0;
    went_on_ = false;
    host_said_.clear();
  } else if (e.type == "user.message" || e.type == "cancel") {
    answer_turn_ = 0;
  } else if (e.type == "model.reply") {
    stop_reason_ = std::string(word(body, "stop_reason"));
  } else if (e.type == "model.error") {
    stop_reason_.reset();  // a turn without a message is no answer, whatever the one before it was
  } else if (e.type == "stage") {
    went_on_ = went_on_ || word(body, "why") == "answered";
  } else if (e.type == "turn.propose" || e.type == "run.close") {
    check_answer(e);
  } else if (e.type == "route.answer") {
    take_host_answer(e, body);
  } else if (e.type == "rollback") {
    take_rollback(e, body);
  }
}

// Before the turn after a message without calls, or at the run's end: the plan of stages may go on now, or end there.
void Judge::check_answer(talk::Event const& e) {
  auto const root = frames_.find(run_->root());
  bool const of_root = root != frames_.end() && (e.type == "run.close" || e.frame == root->first);
  if (!of_root || answer_turn_ == 0) return;
  TurnId const turn{std::exchange(answer_turn_, 0)};
  bool const then = std::exchange(went_on_, false);
  FrameNow& frame = root->second;
  if (!frame.lot.followed()) return;
  Result<bool> const now = run_->answered(frame.id);
  if (!now || *now == then) return;
  Difference d;
  d.seq = e.seq;
  d.frame = root->first;
  d.turn = turn;
  Said const ends{"stop", {}, "the message before it is the answer"};
  Said const goes{"go", {}, "the plan goes on with its next stage"};
  if (then) {
    d.kind = DifferenceKind::kEndsEarlier;
    d.then = goes;
    d.now = ends;
    end_early(frame, std::move(d), true);
  } else if (e.type == "run.close") {
    d.kind = DifferenceKind::kEndsLater;
    d.then = ends;
    d.now = goes;
    differ_at_turn(std::move(d), true);
    frame.lot = {Lot::Kind::kUnknown};
  }
}

void Judge::note_answer(talk::Event const& e, std::uint32_t turn) {
  if (!stop_reason_) return;
  std::optional<StopReason> const reason = stop_reason(*stop_reason_);
  bool const done = reason == StopReason::kDone || reason == StopReason::kToolUse;
  if (done && e.frame == run_->root() && !record_.asked_for_tools(turn)) answer_turn_ = turn;
}

void Judge::take_host_answer(talk::Event const& e, json::object const& body) {
  RecordedRoute const said = recorded_route_of(body, text_of(e, word(body, "text")));
  if (body.contains("index")) {
    host_said_.emplace_back(static_cast<std::size_t>(number(body, "index")), call_route_of(said));
    return;
  }
  auto const call = calls_.find(id_of(body, "call"));
  auto const frame = frames_.find(e.frame);
  if (call == calls_.end() || frame == frames_.end() || !frame->second.lot.followed()) return;
  (void)run_->route(frame->second.id, call->second.id, result_route_of(said), now_);
}

void Judge::take_rollback(talk::Event const& e, json::object const& body) {
  compact_told_ = true;
  auto const frame = frames_.find(e.frame);
  json::value const* const calls = body.if_contains("calls");
  if (frame == frames_.end() || !frame->second.lot.followed() || calls == nullptr || !calls->is_array()) return;
  std::vector<CallId> dropped;
  for (json::value const& v : calls->get_array()) {
    auto const call = v.is_int64() ? calls_.find(static_cast<std::uint32_t>(v.get_int64())) : calls_.end();
    if (call != calls_.end() && call->second.id.valid()) dropped.push_back(call->second.id);
  }
  (void)run_->compacted(frame->second.id, dropped, true, now_);
}

}  // namespace backedge::agent
