// Playing events: frames, stops, compactions, hooks, answers; see player.h.

#include <algorithm>
#include <array>

#include "cases/fields.h"
#include "cases/player.h"

namespace backedge::cases {
namespace json = boost::json;

Result<void> Player::event(json::object const& e) {
  static constexpr std::array<std::pair<std::string_view, EventHandler>, 16> kHandlers = {{
      {"open_frame", &Player::on_open_frame},
      {"close_frame", &Player::on_close_frame},
      {"user_stop", &Player::on_user_stop},
      {"compact", &Player::on_compaction},
      {"compaction", &Player::on_compaction},
      {"trim", &Player::on_compaction},
      {"session_start", &Player::on_session_start},
      {"clock", &Player::on_clock},
      {"spend", &Player::on_spend},
      {"approve", &Player::on_answer},
      {"deny", &Player::on_answer},
      {"answer", &Player::on_answer},
      {"ask_timeout", &Player::on_answer},
      {"cancelled", &Player::on_cancelled},
      {"hook_block", &Player::on_hook_block},
      {"probe_should_stop", &Player::on_probe},
  }};
  std::string const type = text_of(e, "type");
  if (outside_.event(type, e, account_)) return {};
  for (auto const& [name, handler] : kHandlers) {
    if (name == type) return (this->*handler)(e);
  }
  return {};  // events that decide nothing at this level
}

// ---------------------------------------------------------------------------------------------- frames

Result<void> Player::on_open_frame(json::object const& e) {
  std::string const name = text_of(e, "frame");
  std::string const by = text_of(e, "by_call");
  auto const call = calls_.find(by);
  FrameNote note{.id = {}, .by = by, .skipped = true};
  if (call != calls_.end() && call->second.under_way) {
    Result<FrameId> opened =
        run_.front().open_frame(call->second.id, text_of(e, "agent"), max_turns_of(call->second.arguments), now_);
    if (opened) {
      note.id = *opened;
      note.skipped = false;
      call->second.opened = true;
      most_descendants_ = std::max(most_descendants_, run_.front().descendants());
    }
  }
  frames_[name] = note;
  return {};
}

Result<void> Player::on_close_frame(json::object const& e) {
  auto const it = frames_.find(text_of(e, "frame"));
  if (it == frames_.end() || !it->second.id.valid() || it->second.id == run_.front().root()) return {};
  if (!it->second.by.empty()) account_.out().status.try_emplace(it->second.by, "done");
  Result<Left> left = run_.front().close_frame(it->second.id, now_);
  return left ? set_free(left->released) : Result<void>{};  // a frame whose caller has ended is closed already
}

Result<void> Player::on_user_stop(json::object const& e) {
  auto const it = frames_.find(frame_of(e));
  if (it == frames_.end() || it->second.skipped) return {};
  account_.holds("stop_is_tree_wide", true);
  if (it->second.id == run_.front().root()) account_.end("stop:stopped");
  return run_.front().cancel(it->second.id, now_);
}

// ---------------------------------------------------------------------------------------------- history and time

Result<void> Player::on_compaction(json::object const& e) {
  std::vector<CallId> dropped;
  for (std::string const& id : texts_of(e, "dropped_results")) {
    if (auto const call = calls_.find(id); call != calls_.end()) dropped.push_back(call->second.id);
  }
  json::value const* freed = e.if_contains("freed");
  bool const smaller = freed == nullptr || !freed->is_number() || freed->to_number<double>() > 0;
  Result<Judged> j = run_.front().compacted(run_.front().root(), dropped, smaller, now_);
  if (!j) return j.error();
  account_.judged(e, *j);
  return {};
}

Result<void> Player::on_session_start(json::object const& e) {
  if (e.contains("chain")) outside_.keep_chain(e);
  account_.end({});
  return start();
}

Result<void> Player::on_clock(json::object const& e) {
  now_ = std::max(now_, clock_of(e).value_or(now_));
  return {};
}

Result<void> Player::on_spend(json::object const& e) {
  FrameNote& at = frame(frame_of(e));
  std::optional<std::int64_t> const nano = nano_usd_of(e);
  account_.spends();
  if (at.skipped || !nano) return {};
  Result<Turn> turn = run_.front().enter_turn(at.id, {.cost_nano_usd = nano}, now_);
  if (!turn) return turn.error();
  if (!turn->goes()) {
    Result<Standing> s = run_.front().standing(at.id);
    if (s) account_.frame_ended(at.by, s->end);
    if (s) stop(s->end);
    return {};
  }
  account_.spent(*nano);
  Result<Turn> left = run_.front().leave_turn(turn->id, {0, 0, *nano}, {}, true, now_);
  return left ? Result<void>{} : Result<void>{left.error()};
}

// ---------------------------------------------------------------------------------------------- people

Result<void> Player::on_answer(json::object const& e) {
  auto const it = calls_.find(text_of(e, "call"));
  if (it == calls_.end() || !it->second.under_way) return {};
  Approval const answer = approval_of(e);
  CallNote& call = it->second;
  Result<Entered> entered = run_.front().approve(call.id, answer, now_);
  if (entered) {
    settle(*entered);
    return set_free(entered->released);
  }
  if (answer == Approval::kAllow) return {};  // asked outside, allowed, and already running
  call.under_way = false;
  account_.decided(it->first, "deny", answer == Approval::kTimeout ? "gate.timeout" : "gate.deny", "not permitted");
  (void)run_.front().leave(call.id, {CallStatus::kCancelled, "not permitted"}, now_);
  return {};
}

Result<void> Player::on_cancelled(json::object const& e) {
  auto const it = calls_.find(text_of(e, "call"));
  if (it == calls_.end() || !it->second.under_way) return {};
  it->second.under_way = false;
  (void)run_.front().leave(it->second.id, {CallStatus::kCancelled, "cancelled"}, now_);
  return {};
}

Result<void> Player::on_hook_block(json::object const& e) {
  Result<Judged> j = run_.front().hook_blocks(run_.front().root(), text_of(e, "hook"), text_of(e, "text"), now_);
  if (!j) return j.error();
  account_.judged(e, *j);
  if (j->word == EventWord::kSuppress) {
    account_.end("final");
    account_.holds("hook_override_visible", !j->text.empty());
    over_ = true;
  }
  return {};
}

Result<void> Player::on_probe(json::object const& e) {
  Result<Standing> s = run_.front().standing(run_.front().root());
  if (!s) return s.error();
  std::string const id = text_of(e, "id");
  if (!id.empty()) account_.decided(id, s->stopped || s->pressed ? "yes" : "no", s->code, {});
  return {};
}

}  // namespace backedge::cases
