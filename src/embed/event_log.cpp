// Events as lines of JSON; see event_log.h.

#include "embed/event_log.h"

#include <array>

#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

namespace backedge::embed {
namespace {

namespace json = boost::json;

json::object envelope(std::uint64_t seq, std::string_view type, FrameId frame, Micros now, json::object body) {
  return {{"v", 1},
          {"seq", seq},
          {"at_us", now.count()},
          {"frame", frame.value},
          {"type", type},
          {"body", std::move(body)}};
}

std::string_view status_text(kernel::ResultStatus s) {
  constexpr std::array<std::string_view, 7> kTexts = {"ok",        "empty",  "error",  "timeout",
                                                      "cancelled", "denied", "unknown"};
  return kTexts[static_cast<std::size_t>(s)];
}

}  // namespace

void EventLog::turn(std::string_view type, FrameId frame, kernel::TurnVerdict const& v, Micros now) {
  if (!listener_) return;
  json::object body{{"turn", v.turn.value}, {"verdict", word_text(v.word)}, {"code", kernel::code_text(v.code)}};
  listener_(json::serialize(envelope(++seq_, type, frame, now, std::move(body))));
}

void EventLog::call(FrameId frame, std::string_view tool, kernel::CallVerdict const& v, Micros now) {
  if (!listener_) return;
  json::object body{
      {"call", v.call.value}, {"tool", tool}, {"verdict", word_text(v.word)}, {"code", kernel::code_text(v.code)}};
  if (v.evidence.earlier.valid()) body["earlier"] = v.evidence.earlier.value;
  if (v.evidence.count > 0) body["count"] = v.evidence.count;
  if (v.observed) body["observed"] = true;
  listener_(json::serialize(envelope(++seq_, "verdict", frame, now, std::move(body))));
}

void EventLog::result(FrameId frame, CallId call, kernel::ResultFacts const& result, Micros now) {
  if (!listener_) return;
  json::object body{{"call", call.value}, {"status", status_text(result.status)}, {"bytes", result.bytes}};
  listener_(json::serialize(envelope(++seq_, "call.end", frame, now, std::move(body))));
}

void EventLog::frame(std::string_view type, FrameId frame, CallId by, std::string_view agent, Micros now) {
  if (!listener_) return;
  json::object body;
  if (by.valid()) body["by_call"] = by.value;
  if (!agent.empty()) body["agent"] = agent;
  listener_(json::serialize(envelope(++seq_, type, frame, now, std::move(body))));
}

void EventLog::note(std::string_view type, FrameId frame, std::string_view what, Micros now) {
  if (!listener_) return;
  listener_(json::serialize(envelope(++seq_, type, frame, now, {{"what", what}})));
}

}  // namespace backedge::embed
