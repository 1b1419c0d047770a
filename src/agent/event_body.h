// Members of an event's body, read leniently: what is not there, or is of another type, is zero or empty.
//
// Types and bodies: docs/events.md. Tested in tests/agent/fold_test.cpp and tests/agent/rejudge_test.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <boost/system/error_code.hpp>

#include "agent/recorder.h"
#include "backedge/run.h"

namespace backedge::agent {

inline std::int64_t number(boost::json::object const& body, std::string_view key) {
  boost::json::value const* const v = body.if_contains(key);
  if (v == nullptr) return 0;
  boost::system::error_code no_integer;
  std::int64_t const n = v->to_number<std::int64_t>(no_integer);
  return no_integer ? 0 : n;
}

inline std::string_view word(boost::json::object const& body, std::string_view key) {
  boost::json::value const* const v = body.if_contains(key);
  return v != nullptr && v->is_string() ? std::string_view(v->as_string()) : std::string_view();
}

inline bool is_true(boost::json::object const& body, std::string_view key) {
  boost::json::value const* const v = body.if_contains(key);
  return v != nullptr && v->is_bool() && v->as_bool();
}

/// The value of an id that stands under this key; 0: none.
inline std::uint32_t id_of(boost::json::object const& body, std::string_view key) {
  return static_cast<std::uint32_t>(number(body, key));
}

/// Of a call.end.
inline CallStatus status_of(std::string_view text) {
  if (text == "ok" || text == "empty") return CallStatus::kOk;
  if (text == "error") return CallStatus::kError;
  if (text == "timeout") return CallStatus::kTimeout;
  if (text == "cancelled") return CallStatus::kCancelled;
  return CallStatus::kUnknown;
}

/// Of an approval.
inline Approval approval_of(std::string_view text) {
  if (text == "allow") return Approval::kAllow;
  return text == "deny" ? Approval::kDeny : Approval::kTimeout;
}

/// Of a route.answer, with its text.
inline RecordedRoute recorded_route_of(boost::json::object const& body, std::string text) {
  return {std::string(word(body, "do")), std::string(word(body, "name")), std::move(text),
          std::string(word(body, "stage")), number(body, "size")};
}

inline CallRoute call_route_of(RecordedRoute const& said) {
  CallRoute out{CallRouteWord::kAllow, said.name, said.text};
  for (CallRouteWord const word : {CallRouteWord::kReject, CallRouteWord::kAsk, CallRouteWord::kReuse})
    if (word_text(word) == said.word) out.word = word;
  return out;
}

/// Only the policy raises its own limit: that is no answer of a callback.
inline ResultRoute result_route_of(RecordedRoute const& said) {
  ResultRoute out{ResultRouteWord::kPass, said.name, said.text, said.stage, said.size};
  for (ResultRouteWord const word :
       {ResultRouteWord::kTruncate, ResultRouteWord::kNote, ResultRouteWord::kReplace, ResultRouteWord::kStage,
        ResultRouteWord::kFinal, ResultRouteWord::kStop, ResultRouteWord::kRetry})
    if (word_text(word) == said.word) out.word = word;
  return out;
}

/// `usage` and `cost_nano_usd`, as in model.reply and turn.end.
inline Usage usage_of(boost::json::object const& body) {
  boost::json::value const* const v = body.if_contains("usage");
  if (v == nullptr || !v->is_object()) return {};
  boost::json::object const& usage = v->get_object();
  return {number(usage, "input"),      number(usage, "output"),      number(body, "cost_nano_usd"),
          number(usage, "cache_read"), number(usage, "cache_write"), number(usage, "reasoning")};
}

}  // namespace backedge::agent
