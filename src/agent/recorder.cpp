// Events as bodies of JSON; see recorder.h.

#include "agent/recorder.h"

#include <array>

#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include "backedge/version.h"
#include "embed/event_parts.h"

namespace backedge {

std::string_view end_text(RunEnd end) {
  constexpr std::array<std::string_view, 6> kTexts = {"finished", "error",  "incomplete",
                                                      "loop",     "denied", "interrupted"};
  return kTexts[static_cast<std::size_t>(end)];
}

namespace agent {
namespace {

namespace json = boost::json;

using embed::refer;
using embed::usage_json;

std::string_view unknown_text(UnknownCalls unknown) { return unknown == UnknownCalls::kTell ? "tell" : "again"; }

std::string_view kind_text(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kContext: return "context";
    case ErrorKind::kCancelled: return "cancelled";
    default: return "model";
  }
}

}  // namespace

void Recorder::tell(std::string_view type, FrameId frame, std::string body, Micros now, std::vector<RawText> raws) {
  if (!on_) return;
  ++seq_;
  out_->push_back({seq_, now, frame, cause_, std::string(type), std::move(body), std::move(raws)});
  cause_ = seq_;
}

void Recorder::take(EventView const& e) {
  tell(e.type, e.frame, std::string(e.body), e.at, {e.raws.begin(), e.raws.end()});
}

void Recorder::run_open(Opening const& o, Micros now) {
  if (!on_) return;
  std::vector<RawText> raws;
  json::object body{{"session", o.session},
                    {"number", o.number},
                    {"agent", o.agent},
                    {"model", o.model},
                    {"mode", o.attended ? "attended" : "unattended"},
                    {"kernel", version()},
                    {"tools", o.tools},
                    {"tools_offered", o.tools_offered},
                    {"tools_bytes", o.tools_bytes}};
  refer(body, "policy", o.policy, raws);
  if (!o.contracts.empty()) refer(body, "contracts", o.contracts, raws);
  refer(body, "system", o.system, raws);
  tell("run.open", {}, json::serialize(body), now, std::move(raws));
}

void Recorder::run_resume(UnknownCalls unknown, std::vector<CallId> const& calls, Micros now) {
  if (!on_) return;
  json::array list;
  for (CallId const call : calls) list.push_back(call.value);
  json::object const body{{"kernel", version()}, {"unknown", unknown_text(unknown)}, {"calls", std::move(list)}};
  tell("run.resume", {}, json::serialize(body), now);
}

void Recorder::run_close(RunResult const& r, bool near_limit, std::optional<std::int64_t> max_turns, Micros now) {
  if (!on_) return;
  std::vector<RawText> raws;
  json::object body{{"status", end_text(r.end)},
                    {"limit_pressed", r.limit_pressed},
                    {"near_limit", near_limit},
                    {"turns", r.turns},
                    {"calls", r.calls},
                    {"refused", r.refused},
                    {"usage", usage_json(r.usage)},
                    {"cost_nano_usd", r.usage.cost_nano_usd}};
  if (!r.code.empty()) body["code"] = r.code;
  if (!r.reason.empty()) body["reason"] = r.reason;
  if (max_turns) body["max_turns"] = *max_turns;
  refer(body, "answer", r.answer, raws);
  tell("run.close", {}, json::serialize(body), now, std::move(raws));
}

void Recorder::model_reply(FrameId frame, TurnId turn, Reply const& reply, Micros now) {
  if (!on_) return;
  std::vector<RawText> raws;
  json::array blocks;
  for (Block const& block : reply.message.blocks) {
    json::object one;
    if (auto const* text = std::get_if<TextBlock>(&block)) {
      refer(one, "text", text->text, raws);
    } else if (auto const* call = std::get_if<CallBlock>(&block)) {
      one = {{"call", call->id}, {"tool", call->tool}};
      refer(one, "arguments", call->arguments, raws);
    } else {
      continue;
    }
    blocks.push_back(std::move(one));
  }
  json::object const body{{"turn", turn.value},
                          {"stop_reason", reply.stop_reason},
                          {"usage", usage_json(reply.usage)},
                          {"cost_nano_usd", reply.usage.cost_nano_usd},
                          {"blocks", std::move(blocks)}};
  tell("model.reply", frame, json::serialize(body), now, std::move(raws));
}

void Recorder::model_error(FrameId frame, TurnId turn, Error const& error, Micros now) {
  if (!on_) return;
  json::object const body{{"turn", turn.value}, {"kind", kind_text(error.kind)}, {"text", error.text()}};
  tell("model.error", frame, json::serialize(body), now);
}

std::uint64_t Recorder::call_start(FrameId frame, CallId call, std::string_view tool, int attempt, Micros now) {
  if (!on_) return 0;
  tell("call.start", frame, json::serialize(json::object{{"call", call.value}, {"tool", tool}, {"attempt", attempt}}),
       now);
  return seq_;
}

void Recorder::call_late(FrameId frame, CallId call, Micros now) {
  if (!on_) return;
  tell("call.late", frame, json::serialize(json::object{{"call", call.value}}), now);
}

void Recorder::agent_ask(AgentAsked const& ask, Micros now) {
  if (!on_) return;
  std::vector<RawText> raws;
  json::object body{{"by_call", ask.by.value}, {"agent", ask.agent}, {"ticket", ask.ticket}};
  if (ask.max_turns) body["max_turns"] = *ask.max_turns;
  refer(body, "task", ask.task, raws);
  tell("agent.ask", {}, json::serialize(body), now, std::move(raws));
}

void Recorder::user_said(FrameId frame, std::string_view text, Author author, Micros now) {
  if (!on_) return;
  std::vector<RawText> raws;
  json::object body{{"author", author == Author::kPerson ? "person" : "automatic"}};
  refer(body, "text", text, raws);
  tell("user.said", frame, json::serialize(body), now, std::move(raws));
}

void Recorder::compacted(Compacted const& input, Micros now) {
  if (!on_) return;
  json::array calls;
  for (CallId const call : input.calls) calls.push_back(call.value);
  tell("compacted", input.frame, json::serialize(json::object{{"calls", std::move(calls)}, {"freed", input.freed}}),
       now);
}

void Recorder::hook_answered(HookAnswered const& input, Micros now) {
  if (!on_) return;
  std::vector<RawText> raws;
  json::object body{{"hook", input.hook}};
  refer(body, "text", input.text, raws);
  tell("hook.answer", input.frame, json::serialize(body), now, std::move(raws));
}

void Recorder::route_answered(FrameId frame, std::optional<std::size_t> index, CallId call, RecordedRoute const& said,
                              Micros now) {
  if (!on_) return;
  std::vector<RawText> raws;
  json::object body{{"do", said.word}};
  if (index) body["index"] = *index;
  if (call.valid()) body["call"] = call.value;
  if (!said.name.empty()) body["name"] = said.name;
  if (!said.text.empty()) refer(body, "text", said.text, raws);
  if (!said.stage.empty()) body["stage"] = said.stage;
  if (said.size != 0) body["size"] = said.size;
  tell("route.answer", frame, json::serialize(body), now, std::move(raws));
}

void Recorder::rolled_back(FrameId frame, std::string_view stage, std::vector<CallId> const& calls, Micros now) {
  if (!on_) return;
  json::array list;
  for (CallId const call : calls) list.push_back(call.value);
  tell("rollback", frame, json::serialize(json::object{{"stage", stage}, {"calls", std::move(list)}}), now);
}

}  // namespace agent
}  // namespace backedge
