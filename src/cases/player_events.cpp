// Playing events: frames, stops, compactions, hooks, triggers, processes, answers; see player.h.

#include <array>
#include <cmath>

#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "base/json.h"
#include "cases/player.h"
#include "cases/programs.h"

namespace backedge::cases {
namespace {

namespace json = boost::json;

std::string text_of(json::object const& o, char const* key) {
  json::value const* v = o.if_contains(key);
  return v != nullptr && v->is_string() ? std::string(v->get_string()) : std::string();
}

std::vector<std::string> texts_of(json::object const& o, char const* key) {
  std::vector<std::string> out;
  json::value const* v = o.if_contains(key);
  if (v == nullptr || !v->is_array()) return out;
  for (json::value const& item : v->get_array()) {
    if (item.is_string()) out.emplace_back(item.get_string());
  }
  return out;
}

}  // namespace

Result<void> Player::event(json::object const& e) {
  static constexpr std::array<std::pair<std::string_view, EventHandler>, 24> kHandlers = {{
      {"open_frame", &Player::on_open_frame},
      {"close_frame", &Player::on_close_frame},
      {"user_stop", &Player::on_user_stop},
      {"compact", &Player::on_compaction},
      {"compaction", &Player::on_compaction},
      {"trim", &Player::on_compaction},
      {"session_start", &Player::on_session_start},
      {"session_end", &Player::on_session_end},
      {"clock", &Player::on_clock},
      {"spend", &Player::on_spend},
      {"approve", &Player::on_answer},
      {"deny", &Player::on_answer},
      {"answer", &Player::on_answer},
      {"ask_timeout", &Player::on_answer},
      {"cancelled", &Player::on_cancelled},
      {"hook_fire", &Player::on_hook_fire},
      {"hook_block", &Player::on_hook_block},
      {"trigger", &Player::on_trigger},
      {"mcp_start", &Player::on_start},
      {"agent_start", &Player::on_start},
      {"server_start", &Player::on_start},
      {"proc_start", &Player::on_start},
      {"shell_profile", &Player::on_shell_profile},
      {"probe_should_stop", &Player::on_probe},
  }};
  std::string const type = text_of(e, "type");
  for (auto const& [name, handler] : kHandlers) {
    if (name == type) return (this->*handler)(e);
  }
  return {};  // events that decide nothing at this level
}

void Player::judged(json::object const& e, Judged const& j) {
  std::string const id = text_of(e, "id");
  if (!id.empty()) decided(id, word_text(j.word), j.code, j.text);
}

// ---------------------------------------------------------------------------------------------- frames

Result<void> Player::on_open_frame(json::object const& e) {
  std::string const name = text_of(e, "frame");
  std::string const by = text_of(e, "by_call");
  auto const call = calls_.find(by);
  FrameNote note{.id = {}, .by = by, .skipped = true};
  if (call != calls_.end() && call->second.under_way) {
    std::optional<std::int64_t> turns;
    if (Result<json::value> args = parse_json(call->second.arguments); args && args->is_object()) {
      if (json::value const* asked = args->get_object().if_contains("max_turns");
          asked != nullptr && asked->is_int64()) {
        turns = asked->get_int64();
      }
    }
    Result<FrameId> opened = run_.front().open_frame(call->second.id, text_of(e, "agent"), turns, now_);
    if (opened) {
      note.id = *opened;
      note.skipped = false;
      call->second.opened = true;
    }
  }
  frames_[name] = note;
  return {};
}

Result<void> Player::on_close_frame(json::object const& e) {
  auto const it = frames_.find(text_of(e, "frame"));
  if (it == frames_.end() || !it->second.id.valid() || it->second.id == run_.front().root()) return {};
  if (!it->second.by.empty()) out_.status.try_emplace(it->second.by, "done");
  Result<Left> left = run_.front().close_frame(it->second.id, now_);
  return left ? set_free(left->released) : Result<void>{};  // a frame whose caller has ended is closed already
}

Result<void> Player::on_user_stop(json::object const& e) {
  std::string const name = text_of(e, "frame");
  auto const it = frames_.find(name.empty() ? "root" : name);
  if (it == frames_.end() || it->second.skipped) return {};
  out_.properties["stop_is_tree_wide"] = true;
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
  judged(e, *j);
  return {};
}

Result<void> Player::on_session_start(json::object const& e) {
  if (json::value const* chain = e.if_contains("chain"); chain != nullptr && chain->is_array()) {
    chains_[text_of(e, "session")] = texts_of(e, "chain");
  }
  out_.end.clear();
  return start();
}

Result<void> Player::on_session_end(json::object const& e) {
  chains_[text_of(e, "session")] = texts_of(e, "chain");
  return {};
}

Result<void> Player::on_clock(json::object const& e) {
  json::value const* s = e.if_contains("seconds");
  if (s == nullptr || !s->is_number() || s->to_number<double>() > 1e9) return {};
  now_ = std::max(now_, Micros{static_cast<std::int64_t>(s->to_number<double>() * 1e6)});
  return {};
}

Result<void> Player::on_spend(json::object const& e) {
  std::string const name = text_of(e, "frame");
  FrameNote& at = frame(name.empty() ? "root" : name);
  json::value const* usd = e.if_contains("usd");
  has_spend_ = true;
  if (at.skipped || usd == nullptr || !usd->is_number() ||
      !(usd->to_number<double>() >= 0 && usd->to_number<double>() < 1e6))
    return {};
  auto const nano = static_cast<std::int64_t>(std::ceil(usd->to_number<double>() * 1e9));
  Result<Turn> turn = run_.front().enter_turn(at.id, {.cost_nano_usd = nano}, now_);
  if (!turn) return turn.error();
  if (!turn->goes()) {
    Result<Standing> s = run_.front().standing(at.id);
    if (s) stop(s->end);
    return {};
  }
  spent_nano_ += nano;
  Result<Turn> left = run_.front().leave_turn(turn->id, {0, 0, nano}, {}, true, now_);
  return left ? Result<void>{} : Result<void>{left.error()};
}

// ---------------------------------------------------------------------------------------------- people

Result<void> Player::on_answer(json::object const& e) {
  auto const it = calls_.find(text_of(e, "call"));
  if (it == calls_.end() || !it->second.under_way) return {};
  std::string const type = text_of(e, "type");
  std::string const value = text_of(e, "value");
  bool const allow = type == "approve" || value == "allow" || value == "yes" || value == "once" || value == "always";
  Approval const answer = type == "ask_timeout" ? Approval::kTimeout : allow ? Approval::kAllow : Approval::kDeny;
  CallNote& call = it->second;
  Result<Entered> entered = run_.front().approve(call.id, answer, now_);
  if (entered) {
    settle(*entered);
    return set_free(entered->released);
  }
  if (answer == Approval::kAllow) return {};  // asked outside, allowed, and already running
  call.under_way = false;
  decided(it->first, "deny", answer == Approval::kTimeout ? "gate.timeout" : "gate.deny", "not permitted");
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

// ---------------------------------------------------------------------------------------------- work that starts work

Result<void> Player::on_hook_fire(json::object const& e) {
  Chain chain;
  std::string const session = text_of(e, "session");
  if (e.contains("chain")) {
    chain.links = texts_of(e, "chain");
  } else if (auto const known = chains_.find(session); known != chains_.end()) {
    chain.links = known->second;
  }
  Judged const j = chain.hook(text_of(e, "hook"), text_of(e, "phase"));
  judged(e, j);
  if (j.word == EventWord::kSuppress)
    out_.properties["chain_crosses_process"] = j.text.find(" > ") != std::string::npos;
  return {};
}

Result<void> Player::on_hook_block(json::object const& e) {
  Result<Judged> j = run_.front().hook_blocks(run_.front().root(), text_of(e, "hook"), text_of(e, "text"), now_);
  if (!j) return j.error();
  judged(e, *j);
  if (j->word == EventWord::kSuppress) {
    out_.end = "final";
    out_.properties["hook_override_visible"] = !j->text.empty();
    over_ = true;
  }
  return {};
}

Result<void> Player::on_trigger(json::object const& e) {
  judged(e, judge_trigger(text_of(e, "author"), "agent"));
  return {};
}

// A server or an agent is started by configuration. An agent without a name may be any agent.
Result<void> Player::on_start(json::object const& e) {
  std::string const server = text_of(e, "server");
  std::string const agent = text_of(e, "agent");
  Chain const chain{texts_of(e, "chain")};
  Judged j;
  if (!server.empty()) {
    j = chain.start("mcp:" + server);
  } else if (!agent.empty()) {
    j = chain.start("agent:" + agent);
  }
  judged(e, j);
  if (j.word == EventWord::kRefuse) out_.properties["chain_in_message"] = j.text.find(" > ") != std::string::npos;
  return {};
}

// A shell function that wraps a program of its own name is how users wrap the agent.
Result<void> Player::on_shell_profile(json::object const& e) {
  json::value const* functions = e.if_contains("functions");
  if (functions == nullptr || !functions->is_object()) return {};
  for (auto const& [name, body] : functions->get_object()) {
    if (body.is_string() && body.get_string().find(name) != json::string::npos) own_programs_.emplace(name);
  }
  return {};
}

bool Player::invokes_itself(std::string_view arguments) const {
  if (own_programs_.empty()) return false;
  Result<json::value> args = parse_json(arguments);
  if (!args || !args->is_object()) return false;
  for (auto const& [key, v] : args->get_object()) {
    if (!v.is_string()) continue;
    for (std::string const& program : programs_in(v.get_string())) {
      if (own_programs_.contains(program)) return true;
    }
  }
  return false;
}

Result<void> Player::on_probe(json::object const& e) {
  Result<Standing> s = run_.front().standing(run_.front().root());
  if (!s) return s.error();
  std::string const id = text_of(e, "id");
  if (!id.empty()) decided(id, s->stopped || s->pressed ? "yes" : "no", s->code, {});
  return {};
}

}  // namespace backedge::cases
