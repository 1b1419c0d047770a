// Rules on calls and results; see state.h. Stages: plan.cpp.

#include "route/state.h"

#include <algorithm>

#include <boost/json.hpp>
#include <fmt/format.h>
#include <re2/re2.h>

#include "base/json.h"
#include "facts/shell_text.h"

namespace backedge::route {
namespace {

namespace json = boost::json;

bool found(Pattern const& pattern, std::string_view text) {
  return re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *pattern);
}

// What is compared: text as it is, numbers, true, false and null as JSON writes them; lists and objects are no values.
std::optional<std::string> plain(json::value const* v) {
  if (v == nullptr || v->is_structured()) return std::nullopt;
  return v->is_string() ? std::string(v->get_string()) : json::serialize(*v);
}

bool passes(Test const& test, json::value const* v, json::value const* same) {
  std::optional<std::string> const text = plain(v);
  if (!text) return false;
  if (test.test.equals) return *text == *test.test.equals;
  if (test.test.glob) return facts::glob_matches(*test.test.glob, *text);
  if (test.pattern) return found(test.pattern, *text);
  return test.test.same && text == plain(same);
}

std::int64_t characters(std::string_view text) {
  return static_cast<std::int64_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::string said_by(Rule const& rule) {
  std::string out = "rule " + rule.said.name;
  if (!rule.said.source.empty()) out += fmt::format(" ({})", rule.said.source);
  return out;
}

}  // namespace

json::value const* State::Lazy::at(std::string const& pointer) {
  if (!parsed) {
    parsed = true;
    if (Result<json::value> read = parse_json(text)) value = *std::move(read);
  }
  if (!value) return nullptr;
  boost::system::error_code none;
  return value->find_pointer(pointer, none);
}

void State::restart() {
  clock_ = last_person_ = 0;
  seen_.clear();
  frames_.clear();
  fired_.clear();
  raised_ = false;
  current_ = kNotBegun;
  used_.assign(rules_ == nullptr ? 0 : rules_->stages().size(), 0);
  pending_.reset();
  strikes_ = 0;
  struck_in_ = rolled_in_ = 0;
}

// ---------------------------------------------------------------------------------------------- what was seen

bool State::was_seen(std::vector<std::string> const& tools) const {
  return std::any_of(seen_.begin(), seen_.end(), [&](Seen const& one) { return any_glob(tools, one.tool); });
}

bool State::was_seen(Rule const& rule, std::vector<std::string> const& tools, Lazy& arguments) {
  return std::any_of(seen_.begin(), seen_.end(), [&](Seen const& one) {
    if (!any_glob(tools, one.tool)) return false;
    if (rule.said.person_since.value_or(false) && one.at > last_person_) return false;
    Lazy then{one.arguments, {}, false};
    return std::all_of(rule.seen_where.begin(), rule.seen_where.end(), [&](Test const& test) {
      json::value const* const same = test.test.same ? arguments.at(*test.test.same) : nullptr;
      return passes(test, then.at(test.test.pointer), same);
    });
  });
}

void State::remember(ResultAsked const& result, FrameState& frame) {
  if (frame.last_step != frame.round) {
    frame.last_step = frame.round;
    ++frame.steps;
  }
  if (result.status != CallStatus::kOk) return;
  if (result.call.changes && !result.may_be_reused) {
    for (auto& [id, other] : frames_) other.reusable.clear();
  }
  if (result.may_be_reused || keep_all_) frame.reusable[result.call.key] = result.id;
  if (!rules_->remembers()) return;
  auto const same = std::find_if(seen_.begin(), seen_.end(), [&](Seen const& one) {
    return one.tool == result.call.tool && one.arguments == result.call.arguments;
  });
  if (same != seen_.end()) {
    same->at = ++clock_;
    return;
  }
  if (seen_.size() == kMostSeen) seen_.erase(seen_.begin());
  seen_.push_back({std::string(result.call.tool), std::string(result.call.arguments), ++clock_});
}

CallId State::reusable(FrameId frame, Digest const& key) const {
  auto const at = frames_.find(frame);
  if (at == frames_.end()) return {};
  auto const call = at->second.reusable.find(key);
  return call == at->second.reusable.end() ? CallId{} : call->second;
}

// ---------------------------------------------------------------------------------------------- calls

void State::begin_round(FrameId frame) { ++frames_[frame].round; }

bool State::holds(Rule const& rule, CallAsked const& call, FrameState const& frame, Lazy& arguments) {
  policy::RouteSettings const& said = rule.said;
  if (said.tool && !any_glob(*said.tool, call.tool)) return false;
  if (said.agent && !any_glob(*said.agent, call.agent.empty() ? "main" : call.agent)) return false;
  if (said.in_stage && std::find(said.in_stage->begin(), said.in_stage->end(), stage()) == said.in_stage->end())
    return false;
  if (said.in_row) {
    auto const row = frame.rows.find(std::string(call.tool));
    if (row == frame.rows.end() || row->second.length < *said.in_row) return false;
  }
  if (said.over_steps && frame.steps <= *said.over_steps) return false;
  if (!std::all_of(rule.where.begin(), rule.where.end(),
                   [&](Test const& test) { return passes(test, arguments.at(test.test.pointer), nullptr); }))
    return false;
  if (said.if_seen && !was_seen(rule, *said.if_seen, arguments)) return false;
  return !said.unless_seen || !was_seen(rule, *said.unless_seen, arguments);
}

CallAnswer State::ask(CallAsked const& call) {
  CallAnswer out;
  if (rules_ == nullptr) return out;
  FrameState& frame = frames_[call.frame];
  Row& row = frame.rows[std::string(call.tool)];
  if (row.round != frame.round) row = {frame.round, row.round == frame.round - 1 ? row.length + 1 : 1};
  if (forbidden(call, out)) return out;
  Lazy arguments{call.arguments, {}, false};
  for (Rule const& rule : rules_->rules()) {
    if (!rule.on_call || !holds(rule, call, frame, arguments)) continue;
    out.code = "route." + rule.said.name;
    out.hint = rule.said.hint.value_or("");
    switch (rule.call_word) {
      case CallRouteWord::kAllow:
        out.word = CallAnswer::Word::kAllow;
        out.code.clear();
        return out;
      case CallRouteWord::kReject:
        out.word = CallAnswer::Word::kReject;
        out.what = fmt::format("{} does not let {} run now", said_by(rule), call.tool);
        return out;
      case CallRouteWord::kAsk:
        out.word = CallAnswer::Word::kAsk;
        out.what = fmt::format("{} wants a person to be asked about {}", said_by(rule), call.tool);
        return out;
      case CallRouteWord::kReuse:
        out.may_be_reused = true;
        out.earlier = reusable(call.frame, call.key);
        if (!out.earlier.valid()) {  // the first of its kind: the rules below may still have something to say
          out.code.clear();
          out.hint.clear();
          continue;
        }
        out.word = CallAnswer::Word::kReuse;
        out.what = fmt::format(
            "{} was called with these arguments before and nothing has changed since: the "
            "information is already there",
            call.tool);
        return out;
    }
  }
  return out;
}

// ---------------------------------------------------------------------------------------------- results

bool State::holds_on_result(std::size_t index, ResultAsked const& result, FrameState& frame, Lazy& arguments,
                            Lazy& json) {
  Rule const& rule = rules_->rules()[index];
  policy::RouteSettings const& said = rule.said;
  bool const failed = result.status != CallStatus::kOk;
  if (said.error && *said.error != failed) return false;
  if (said.empty && *said.empty != result.empty) return false;
  if (said.over_size && characters(result.text) <= *said.over_size) return false;
  if (!holds(rule, result.call, frame, arguments)) return false;
  if (rule.text && !found(rule.text, result.text)) return false;
  if (!std::all_of(rule.result.begin(), rule.result.end(),
                   [&](Test const& test) { return passes(test, json.at(test.test.pointer), nullptr); }))
    return false;
  if (!said.times) return true;
  std::vector<std::int64_t>& rounds = frame.counted[{index, std::string(result.call.tool)}];
  rounds.push_back(frame.round);
  if (said.rounds) std::erase_if(rounds, [&](std::int64_t r) { return r <= frame.round - *said.rounds; });
  return static_cast<std::int64_t>(rounds.size()) >= *said.times;
}

ResultAnswer State::ask(ResultAsked const& result) {
  ResultAnswer out;
  if (rules_ == nullptr) return out;
  FrameState& frame = frames_[result.call.frame];
  bool const nobody_knows = result.status == CallStatus::kCancelled || result.status == CallStatus::kUnknown;
  Lazy arguments{result.call.arguments, {}, false};
  Lazy json{result.text, {}, false};
  bool asked = nobody_knows;
  for (std::size_t i = 0; i < rules_->rules().size() && !asked; ++i) {
    Rule const& rule = rules_->rules()[i];
    ResultRouteWord const word = rule.result_word;
    if (rule.on_call || (word == ResultRouteWord::kRaise && raised_) || fired_.contains(i)) continue;
    if (!holds_on_result(i, result, frame, arguments, json)) continue;
    asked = out.spoken = true;
    if (word == ResultRouteWord::kRaise) raised_ = true;
    if (word == ResultRouteWord::kRetry) fired_.insert(i);
    if (word == ResultRouteWord::kStage) {
      pending_ = rule.to_stage;
      pending_why_ = "rule";
    }
    policy::RouteSettings const& said = rule.said;
    constexpr std::int64_t kCut = 3000;  // characters; what truncate leaves when the rule does not say
    out.route = {word, said.name, said.hint.value_or(""), said.to_stage.value_or(""),
                 word == ResultRouteWord::kRaise ? said.max_turns.value_or(0) : said.size.value_or(kCut)};
    out.what = said_by(rule);
    out.source = said.source;
  }
  remember(result, frame);
  return out;
}

}  // namespace backedge::route
