// One pass over the events of a session; see record.h.

#include "agent/record.h"

#include <algorithm>

#include <fmt/format.h>

#include "agent/event_body.h"
#include "base/json.h"

namespace backedge::agent {
namespace {

namespace json = boost::json;

// A round is a list of calls, each an object.
bool well_formed(json::object const& round) {
  json::value const* const calls = round.if_contains("calls");
  if (calls == nullptr || !calls->is_array()) return false;
  return std::all_of(calls->get_array().begin(), calls->get_array().end(),
                     [](json::value const& call) { return call.is_object(); });
}

}  // namespace

CallThen const& Record::call(std::uint32_t id) const {
  auto const at = calls_.find(id);
  return at == calls_.end() ? no_call_ : at->second;
}

// A turn that was stopped has no model behind it, unless the verdict was only observed.
void Record::note_turn(talk::Event const& e, json::object const& body) {
  std::uint32_t const turn = id_of(body, "turn");
  if (e.type == "turn.propose") {
    last_turn_[e.frame] = turn;
    if (word(body, "verdict") != "stop") asked_.insert(turn);
  } else if (e.type == "turn.end") {
    asked_.insert(turn);
  } else if (e.type == "round.propose") {
    with_tools_.insert(last_turn_[e.frame]);
  } else if (json::value const* const blocks = body.if_contains("blocks"); blocks != nullptr && blocks->is_array()) {
    for (json::value const& block : blocks->get_array())
      if (block.is_object() && block.get_object().contains("call")) with_tools_.insert(turn);
  }
}

void Record::note_verdict(json::object const& body) {
  CallThen& call = calls_[id_of(body, "call")];
  call.said = {std::string(word(body, "verdict")), std::string(word(body, "code")), std::string(word(body, "text"))};
  Said const& said = call.said;
  call.ran = said.word == "run" || said.word == "warn" || is_true(body, "observed");
  call.decided = call.ran || (said.word != "serialize" && said.word != "ask");
  call.asked = call.asked || said.word == "ask";
  if (said.code == "gate.ask" || said.code == "gate.timeout") call.gate = Gate::kAsk;
  if (said.code == "gate.deny" && call.gate == Gate::kAllow && !call.asked) call.gate = Gate::kDeny;
  if (said.code == "args.unknown_tool") call.fault = CallFault::kUnknownTool;
  if (said.code == "args.invalid") call.fault = CallFault::kMistyped;
}

Result<Record> Record::read(std::span<std::span<talk::Event const> const> runs) {
  Record out;
  for (std::span<talk::Event const> const run : runs) {
    std::vector<Step>& steps = out.runs_.emplace_back();
    steps.reserve(run.size());
    for (talk::Event const& e : run) {
      Result<json::value> body = parse_json(e.body);
      if (!body || !body->is_object()) {
        return Error{ErrorKind::kInput, fmt::format("event {} ({}): its body is not a JSON object", e.seq, e.type), {}};
      }
      if (e.type == "round.propose" && !well_formed(body->get_object()))
        return Error{ErrorKind::kInput, fmt::format("event {} ({}): it names no calls", e.seq, e.type), {}};
      steps.push_back({&e, std::move(body->as_object())});
      json::object const& object = steps.back().body;
      if (e.type == "verdict") out.note_verdict(object);
      if (e.type == "turn.propose" || e.type == "turn.end" || e.type == "round.propose" || e.type == "model.reply")
        out.note_turn(e, object);
    }
  }
  return out;
}

}  // namespace backedge::agent
