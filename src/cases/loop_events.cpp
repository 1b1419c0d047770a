// Events of a case: frames, stops, compactions, hooks, answers, crashes; see loop_player.h.

#include <algorithm>
#include <array>

#include "agent/fold.h"
#include "cases/fields.h"
#include "cases/loop_player.h"

namespace backedge::cases {

namespace json = boost::json;

Result<void> LoopPlayer::event(json::object const& e) {
  static constexpr std::array<std::pair<std::string_view, EventHandler>, 18> kHandlers = {{
      {"open_frame", &LoopPlayer::on_open_frame},
      {"close_frame", &LoopPlayer::on_close_frame},
      {"user_stop", &LoopPlayer::on_user_stop},
      {"compact", &LoopPlayer::on_compaction},
      {"compaction", &LoopPlayer::on_compaction},
      {"trim", &LoopPlayer::on_compaction},
      {"session_start", &LoopPlayer::on_session_start},
      {"clock", &LoopPlayer::on_clock},
      {"spend", &LoopPlayer::on_spend},
      {"approve", &LoopPlayer::on_answer},
      {"deny", &LoopPlayer::on_answer},
      {"answer", &LoopPlayer::on_answer},
      {"ask_timeout", &LoopPlayer::on_answer},
      {"cancelled", &LoopPlayer::on_cancelled},
      {"hook_block", &LoopPlayer::on_hook_block},
      {"probe_should_stop", &LoopPlayer::on_probe},
      {"resume", &LoopPlayer::on_resume},
      {"file", &LoopPlayer::on_file},
  }};
  std::string const type = text_of(e, "type");
  if (outside_.event(type, e, account_)) return {};
  for (auto const& [name, handler] : kHandlers) {
    if (name == type) return (this->*handler)(e);
  }
  return {};  // events that decide nothing at this level
}

// ---------------------------------------------------------------------------------------------- frames

Result<void> LoopPlayer::on_open_frame(json::object const& e) {
  flush();
  std::string const by = text_of(e, "by_call");
  auto const call = calls_.find(by);
  if (call != calls_.end() && call->second.stage == Stage::kRunning) {
    open_agent(text_of(e, "frame"), by, text_of(e, "agent"));
  } else {
    bool const cancelled = call != calls_.end() && frames_[call->second.frame].cancelled;
    frames_[text_of(e, "frame")] = {.id = {}, .by = by, .cancelled = cancelled};
  }
  return {};
}

Result<void> LoopPlayer::on_close_frame(json::object const& e) {
  flush();
  auto const it = frames_.find(text_of(e, "frame"));
  if (it == frames_.end() || !it->second.id.valid() || it->second.id == session_->root()) return {};
  std::string const by = it->second.by;
  if (!by.empty()) account_.out().status.try_emplace(by, "done");
  if (!agents_[it->second.id].open) return {};
  close_unanswered(it->first);
  std::optional<TurnId> const turn = std::exchange(agents_[it->second.id].question, std::nullopt);
  if (!turn) return {};
  Reply reply{{Role::kAssistant, {}}, "end_turn", {}};
  std::string text = e.contains("result") ? text_of(e, "result") : script_.result(by);
  if (!text.empty()) reply.message.blocks.emplace_back(TextBlock{std::move(text)});
  feed(agent::ModelAnswered{it->second.id, *turn, std::move(reply)});
  return {};
}

// A person stops a frame and, with it, all that it has started.
Result<void> LoopPlayer::on_user_stop(json::object const& e) {
  flush();
  auto const it = frames_.find(frame_of(e));
  if (it == frames_.end() || (!it->second.id.valid() && !it->second.cancelled)) return {};
  account_.holds("stop_is_tree_wide", true);
  it->second.cancelled = true;
  for (bool changed = true; changed;) {
    changed = false;
    for (auto& [name, frame] : frames_) {
      auto const by = calls_.find(frame.by);
      if (frame.cancelled || by == calls_.end() || !frames_[by->second.frame].cancelled) continue;
      frame.cancelled = changed = true;
    }
  }
  feed(agent::Cancel{it->second.id});
  return {};
}

// ---------------------------------------------------------------------------------------------- history and time

Result<void> LoopPlayer::on_compaction(json::object const& e) {
  flush();
  agent::Compacted input{.frame = session_->root(), .calls = {}};
  for (std::string const& id : texts_of(e, "dropped_results")) {
    if (auto const call = calls_.find(id); call != calls_.end()) input.calls.push_back(call->second.id);
  }
  json::value const* freed = e.if_contains("freed");
  input.freed = freed == nullptr || !freed->is_number() || freed->to_number<double>() > 0;
  judged_.reset();
  feed(std::move(input));
  if (judged_) account_.judged(e, *judged_);
  return {};
}

Result<void> LoopPlayer::on_session_start(json::object const& e) {
  if (e.contains("chain")) outside_.keep_chain(e);
  let_leave();
  flush();
  account_.end({});
  return start();
}

Result<void> LoopPlayer::on_clock(json::object const& e) {
  now_ = std::max(now_, clock_of(e).value_or(now_));
  return {};
}

Result<void> LoopPlayer::on_file(json::object const& e) {
  world_.file(text_of(e, "path"), text_of(e, "content"));
  return {};
}

// A request of the frame's model that costs this much and brings nothing else.
Result<void> LoopPlayer::on_spend(json::object const& e) {
  flush();
  if (over_) return {};
  begin_if_idle();
  FrameNote const& at = frame(frame_of(e));
  std::optional<std::int64_t> const nano = nano_usd_of(e);
  account_.spends();
  if (!at.id.valid() || !agents_[at.id].question || !nano) return {};
  account_.spent(*nano);
  TurnId const turn = *std::exchange(agents_[at.id].question, std::nullopt);
  ++next_;
  Reply reply{{Role::kAssistant, {}}, "pause_turn", {.cost_nano_usd = *nano}};
  feed(agent::ModelAnswered{at.id, turn, std::move(reply)});
  return {};
}

// The process that drove the session is gone; another takes up what was recorded.
Result<void> LoopPlayer::on_resume(json::object const& /*e*/) {
  flush();
  if (record_.empty()) return {};
  Result<std::unique_ptr<agent::Session>> fresh = agent::Session::open(made_of_, case_.id, Micros{0});
  if (!fresh) return fresh.error();
  session_ = *std::move(fresh);
  std::map<std::string, std::string, std::less<>> texts;
  for (std::vector<talk::Event> const& run : record_) {
    for (talk::Event const& event : run)
      for (RawText const& raw : event.raws) texts.emplace(raw.sha256, raw.text);
  }
  auto const text = [&](std::string_view sha) {
    auto const at = texts.find(sha);
    return at == texts.end() ? std::string() : at->second;
  };
  for (std::vector<talk::Event> const& run : record_) {
    Result<std::vector<talk::Event>> const beyond = agent::fold(*session_, case_.id, run, text);
    if (!beyond) return beyond.error();
  }
  feed(agent::Resumed{});
  return {};
}

// ---------------------------------------------------------------------------------------------- people and hooks

Result<void> LoopPlayer::on_answer(json::object const& e) {
  flush();
  auto const it = calls_.find(text_of(e, "call"));
  if (it == calls_.end() || it->second.stage == Stage::kEnded) return {};
  CallNote& call = it->second;
  Approval const answer = approval_of(e);
  if (call.stage == Stage::kDecided) {
    feed(agent::PersonAnswered{call.id, answer});
    return {};
  }
  if (answer == Approval::kAllow) return {};  // asked outside, allowed, and already running
  account_.decided(it->first, "deny", answer == Approval::kTimeout ? "gate.timeout" : "gate.deny", "not permitted");
  feed(agent::ToolReturned{call.id, {CallStatus::kCancelled, "not permitted"}});
  return {};
}

Result<void> LoopPlayer::on_cancelled(json::object const& e) {
  flush();
  auto const it = calls_.find(text_of(e, "call"));
  if (it == calls_.end() || it->second.stage != Stage::kRunning) return {};
  bool const function = made_of_->tools.find(it->second.tool)->kind == agent::EntryKind::kAgent;
  if (function) {
    feed(agent::Cancel{it->second.child});
  } else {
    feed(agent::ToolReturned{it->second.id, {CallStatus::kCancelled, "cancelled"}});
  }
  return {};
}

Result<void> LoopPlayer::on_hook_block(json::object const& e) {
  flush();
  if (!leaving_.valid()) return {};
  judged_.reset();
  held_for_hooks_ = true;
  feed(agent::HookAnswered{std::exchange(leaving_, FrameId{}), text_of(e, "hook"), text_of(e, "text")});
  held_for_hooks_ = false;
  if (!judged_) return {};
  account_.judged(e, *judged_);
  if (judged_->word != EventWord::kSuppress) return {};
  account_.holds("hook_override_visible", !judged_->text.empty());
  over_ = true;
  return {};
}

Result<void> LoopPlayer::on_probe(json::object const& e) {
  flush();
  Result<Standing> const s = session_->standing(session_->root());
  if (!s) return s.error();
  std::string const id = text_of(e, "id");
  if (!id.empty()) account_.decided(id, s->stopped || s->pressed ? "yes" : "no", s->code, {});
  return {};
}

}  // namespace backedge::cases
