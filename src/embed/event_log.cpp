// Events as bodies of JSON; see event_log.h.

#include "embed/event_log.h"

#include <array>
#include <optional>

#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include "embed/event_parts.h"

namespace backedge {
namespace json = boost::json;

std::string event_line(EventView const& e) {
  std::string out = R"({"v":1,"seq":)" + std::to_string(e.seq) + R"(,"at_us":)" + std::to_string(e.at.count());
  out += R"(,"frame":)" + std::to_string(e.frame.value);
  if (e.cause != 0) out += R"(,"cause":)" + std::to_string(e.cause);
  out += R"(,"type":)" + json::serialize(json::string_view(e.type)) + R"(,"body":)";
  out += e.body;
  out += '}';
  return out;
}

namespace embed {
namespace {

std::string_view status_text(kernel::ResultStatus s) {
  constexpr std::array<std::string_view, 7> kTexts = {"ok",        "empty",  "error",  "timeout",
                                                      "cancelled", "denied", "unknown"};
  return kTexts[static_cast<std::size_t>(s)];
}

json::object verdict_body(std::string_view tool, kernel::CallVerdict const& v, std::string_view code,
                          std::string_view text, std::string_view set_by) {
  json::object body{{"call", v.call.value}, {"tool", tool}, {"verdict", word_text(v.word)}};
  if (!code.empty()) body["code"] = code;
  if (v.evidence.earlier.valid()) body["earlier"] = v.evidence.earlier.value;
  if (v.evidence.count > 0) body["count"] = v.evidence.count;
  if (v.evidence.limit > 0) body["limit"] = v.evidence.limit;
  if (!set_by.empty()) body["set_by"] = set_by;
  if (v.evidence.period > 0) body["period"] = v.evidence.period;
  if (kernel::is_budget(v.code) && v.evidence.scope != kernel::Scope::kRun)
    body["scope"] = v.evidence.scope == kernel::Scope::kFrame ? "frame" : "session";
  if (v.observed) body["observed"] = true;
  if (!text.empty()) body["text"] = text;
  if (v.closing) body["closing"] = true;
  return body;
}

}  // namespace

void EventLog::tell(std::string_view type, FrameId frame, std::string_view body, Micros now,
                    std::span<RawText const> raws) {
  listener_({.seq = ++seq_, .at = now, .frame = frame, .cause = 0, .type = type, .body = body, .raws = raws});
}

void EventLog::turn_proposed(FrameId frame, TurnEstimate const& e, kernel::TurnVerdict const& v, std::string_view code,
                             Micros now) {
  if (!listener_) return;
  json::object body{{"turn", v.turn.value}, {"verdict", word_text(v.word)}};
  if (!code.empty()) body["code"] = code;
  if (v.observed) body["observed"] = true;
  body["estimate"] = e.input_tokens;
  body["max_out"] = e.max_output_tokens;
  body["priced"] = e.cost_nano_usd.has_value();
  if (e.cost_nano_usd) body["cost_nano_usd"] = *e.cost_nano_usd;
  tell("turn.propose", frame, json::serialize(body), now);
}

void EventLog::turn_ended(FrameId frame, Usage const& usage, std::string_view text, kernel::TurnVerdict const& v,
                          std::string_view code, Micros now) {
  if (!listener_) return;
  json::object body{{"turn", v.turn.value}, {"verdict", word_text(v.word)}};
  if (!code.empty()) body["code"] = code;
  if (v.observed) body["observed"] = true;
  body["usage"] = usage_json(usage);
  body["cost_nano_usd"] = usage.cost_nano_usd;
  std::vector<RawText> raws;
  if (!text.empty()) refer(body, "text", text, raws);
  tell("turn.end", frame, json::serialize(body), now, raws);
}

void EventLog::round(FrameId frame, std::span<Call const> calls, std::span<kernel::CallVerdict const> verdicts,
                     std::span<Entered const> words, std::span<std::string const> set_by, Micros now) {
  if (!listener_) return;
  std::vector<RawText> raws;
  raws.reserve(calls.size());
  json::array list;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    json::object one{{"call", verdicts[i].call.value}, {"tool", calls[i].tool}};
    refer(one, "arguments", calls[i].arguments, raws);
    list.push_back(std::move(one));
  }
  tell("round.propose", frame, json::serialize(json::object{{"calls", std::move(list)}}), now, raws);
  for (std::size_t i = 0; i < calls.size(); ++i)
    call(frame, calls[i].tool, verdicts[i], words[i].code, words[i].text,
         set_by.empty() ? std::string_view() : std::string_view(set_by[i]), now);
}

void EventLog::call(FrameId frame, std::string_view tool, kernel::CallVerdict const& v, std::string_view code,
                    std::string_view text, std::string_view set_by, Micros now) {
  if (!listener_) return;
  tell("verdict", frame, json::serialize(verdict_body(tool, v, code, text, set_by)), now);
}

void EventLog::result(FrameId frame, CallId call, kernel::ResultFacts const& result, std::string_view text,
                      Micros now) {
  if (!listener_) return;
  json::object body{{"call", call.value}, {"status", status_text(result.status)}, {"bytes", result.bytes}};
  std::vector<RawText> raws;
  refer(body, "result", text, raws);
  tell("call.end", frame, json::serialize(body), now, raws);
}

void EventLog::frame_opened(FrameId frame, CallId by, std::string_view agent, std::optional<std::int64_t> max_turns,
                            Micros now) {
  if (!listener_) return;
  json::object body{{"by_call", by.value}};
  if (!agent.empty()) body["agent"] = agent;
  if (max_turns) body["max_turns"] = *max_turns;
  tell("frame.open", frame, json::serialize(body), now);
}

void EventLog::routed(FrameId frame, CallId call, std::string_view rule, ResultRoute const& route, bool acted,
                      Micros now) {
  if (!listener_) return;
  json::object body{{"call", call.value}, {"rule", rule}, {"do", word_text(route.word)}};
  if (route.word == ResultRouteWord::kStage) body["stage"] = route.stage;
  if (route.word == ResultRouteWord::kTruncate || route.word == ResultRouteWord::kRaise) body["size"] = route.size;
  if (!route.text.empty() && route.word != ResultRouteWord::kReplace) body["text"] = route.text;
  if (!acted) body["observed"] = true;
  tell("route", frame, json::serialize(body), now);
}

void EventLog::stage_moved(FrameId frame, std::string_view from, std::string_view to, std::string_view why,
                           Micros now) {
  if (!listener_) return;
  json::object body{{"why", why}};
  if (!from.empty()) body["from"] = from;
  if (!to.empty()) body["to"] = to;
  tell("stage", frame, json::serialize(body), now);
}

void EventLog::frame_closed(FrameId frame, Micros now) {
  if (listener_) tell("frame.close", frame, "{}", now);
}

void EventLog::user(FrameId frame, Author author, std::string_view text, Micros now) {
  if (!listener_) return;
  json::object body{{"author", author == Author::kPerson ? "person" : "automatic"}};
  std::vector<RawText> raws;
  if (!text.empty()) refer(body, "text", text, raws);
  tell("user.message", frame, json::serialize(body), now, raws);
}

void EventLog::approval(FrameId frame, CallId call, Approval answer, Micros now) {
  if (!listener_) return;
  constexpr std::array<std::string_view, 3> kTexts = {"allow", "deny", "timeout"};
  json::object const body{{"call", call.value}, {"answer", kTexts[static_cast<std::size_t>(answer)]}};
  tell("approval", frame, json::serialize(body), now);
}

void EventLog::note(std::string_view type, FrameId frame, std::string_view what, Micros now) {
  if (!listener_) return;
  tell(type, frame, json::serialize(json::object{{"what", what}}), now);
}

}  // namespace embed
}  // namespace backedge
