// Events → inputs → the same events; see fold.h.

#include "agent/fold.h"

#include <optional>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "agent/event_body.h"
#include "base/json.h"
#include "base/text.h"

namespace backedge::agent {
namespace {

namespace json = boost::json;

ErrorKind kind_of(std::string_view text) {
  if (text == "context") return ErrorKind::kContext;
  return text == "cancelled" ? ErrorKind::kCancelled : ErrorKind::kModel;
}

Reply reply_of(json::object const& body, TextOf const& text) {
  Reply out;
  out.message.role = Role::kAssistant;
  out.stop_reason = word(body, "stop_reason");
  out.usage = usage_of(body);
  json::value const* const blocks = body.if_contains("blocks");
  if (blocks == nullptr || !blocks->is_array()) return out;
  for (json::value const& v : blocks->get_array()) {
    if (!v.is_object()) continue;
    json::object const& block = v.get_object();
    if (block.contains("call")) {
      out.message.blocks.emplace_back(CallBlock{std::string(word(block, "call")), std::string(word(block, "tool")),
                                                text(word(block, "arguments"))});
    } else {
      out.message.blocks.emplace_back(TextBlock{text(word(block, "text"))});
    }
  }
  return out;
}

CallId call_of(json::object const& body) { return CallId{id_of(body, "call")}; }

Compacted compacted_of(FrameId frame, json::object const& body) {
  Compacted out{.frame = frame, .calls = {}};
  if (json::value const* const calls = body.if_contains("calls"); calls != nullptr && calls->is_array()) {
    for (json::value const& v : calls->get_array()) {
      if (v.is_number()) out.calls.push_back(CallId{v.to_number<std::uint32_t>()});
    }
  }
  json::value const* const freed = body.if_contains("freed");
  out.freed = freed != nullptr && freed->is_bool() && freed->get_bool();
  return out;
}

// The input that this event recorded; empty for what only follows from others.
std::optional<Input> input_of(talk::Event const& e, json::object const& body, TextOf const& text) {
  TurnId const turn{id_of(body, "turn")};
  if (e.type == "model.reply") return ModelAnswered{e.frame, turn, reply_of(body, text)};
  if (e.type == "model.error")
    return ModelAnswered{e.frame, turn, Error{kind_of(word(body, "kind")), std::string(word(body, "text")), {}}};
  if (e.type == "call.end")
    return ToolReturned{call_of(body), {status_of(word(body, "status")), text(word(body, "result"))}};
  if (e.type == "call.late") return ToolReturned{call_of(body), {}};
  if (e.type == "approval") return PersonAnswered{call_of(body), approval_of(word(body, "answer"))};
  if (e.type == "user.said") {
    bool const automatic = word(body, "author") == "automatic";
    return UserSaid{text(word(body, "text")), automatic ? Author::kAutomatic : Author::kPerson};
  }
  if (e.type == "hook.answer") return HookAnswered{e.frame, std::string(word(body, "hook")), text(word(body, "text"))};
  if (e.type == "compacted") return compacted_of(e.frame, body);
  if (e.type == "cancel") return Cancel{e.frame};
  if (e.type == "run.resume")
    return Resumed{word(body, "unknown") == "again" ? UnknownCalls::kAgain : UnknownCalls::kTell};
  if (e.type == "agent.ask") {
    AgentAsked out{CallId{id_of(body, "by_call")}, std::string(word(body, "agent")), text(word(body, "task")),
                   static_cast<std::uint64_t>(number(body, "ticket")), std::nullopt};
    if (body.contains("max_turns")) out.max_turns = number(body, "max_turns");
    return out;
  }
  return std::nullopt;
}

Error misfit(std::string_view run, talk::Event const& e, std::string detail) {
  return {ErrorKind::kInput, fmt::format("run {}, event {} ({}): {}", run, e.seq, e.type, detail), {}};
}

// The same decision? Texts may have been redacted in between, so digests and sizes may differ.
bool same(talk::Event const& was, json::object const& old_body, talk::Event const& now) {
  if (was.type != now.type || was.frame != now.frame) return false;
  bool const route = was.type == "route" || was.type == "stage";
  if (!route && was.type != "verdict" && was.type != "turn.propose" && was.type != "turn.end") return true;
  Result<json::value> const parsed = parse_json(now.body);
  if (!parsed) return false;
  json::object const& body = parsed->as_object();
  if (route) {
    return word(old_body, "rule") == word(body, "rule") && word(old_body, "do") == word(body, "do") &&
           word(old_body, "from") == word(body, "from") && word(old_body, "to") == word(body, "to") &&
           word(old_body, "why") == word(body, "why");
  }
  return number(old_body, "call") == number(body, "call") && word(old_body, "verdict") == word(body, "verdict") &&
         word(old_body, "code") == word(body, "code");
}

}  // namespace

Result<std::vector<talk::Event>> fold(Session& session, std::string_view run, std::span<talk::Event const> events,
                                      TextOf const& text) {
  std::vector<json::object> bodies;
  bodies.reserve(events.size());
  for (talk::Event const& e : events) {
    Result<json::value> body = parse_json(e.body);
    if (!body || !body->is_object()) return misfit(run, e, "its body is not a JSON object");
    bodies.push_back(std::move(body->as_object()));
  }
  std::vector<RecordedRoute> answers;
  for (std::size_t i = 0; i < events.size(); ++i)
    if (events[i].type == "route.answer")
      answers.push_back(recorded_route_of(bodies[i], text(word(bodies[i], "text"))));
  session.recall(std::move(answers));
  std::size_t done = 0;
  std::vector<talk::Event> beyond;
  Batch batch;
  while (done < events.size()) {
    talk::Event const& e = events[done];
    std::optional<Input> input;
    if (e.type == "run.open") {
      bool const has_task = done + 1 < events.size() && events[done + 1].type == "user.message";
      if (!has_task) return misfit(run, e, "no message of a user follows it");
      bool const automatic = word(bodies[done + 1], "author") == "automatic";
      input = Begin{std::string(run), text(word(bodies[done + 1], "text")),
                    automatic ? Author::kAutomatic : Author::kPerson};
    } else {
      input = input_of(e, bodies[done], text);
    }
    if (!input)
      return misfit(run, e, "this version would not have come to it; the run was recorded by another version");
    batch.clear();
    session.step(*std::move(input), e.at, batch);
    if (batch.events.empty() && e.type == "call.late") {  // older versions recorded it under the run after its own
      ++done;
      continue;
    }
    if (batch.events.empty()) return misfit(run, e, "it does not fit what went before");
    for (talk::Event& produced : batch.events) {
      if (done == events.size()) {
        beyond.push_back(std::move(produced));
        continue;
      }
      if (!same(events[done], bodies[done], produced)) {
        return misfit(run, events[done],
                      fmt::format("under these tools, permissions and this policy it would be decided otherwise ({} "
                                  "{}); go on under those that it was recorded under",
                                  produced.type, cut(produced.body, 120)));
      }
      ++done;
    }
  }
  return beyond;
}

}  // namespace backedge::agent
