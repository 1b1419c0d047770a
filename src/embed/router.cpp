// Between run and route::State; see router.h.

#include "embed/router.h"

#include <utility>

#include <fmt/format.h>

namespace backedge::embed {
namespace {

using kernel::RouteOpinion;
using Word = route::CallAnswer::Word;

bool changes(kernel::Terms const& terms) {
  return terms.effect != Effect::kRead && terms.effect != Effect::kPoll && terms.effect != Effect::kWait;
}

RouteOpinion opinion(Word word) {
  switch (word) {
    case Word::kReject: return RouteOpinion::kReject;
    case Word::kAsk: return RouteOpinion::kAsk;
    case Word::kReuse: return RouteOpinion::kReuse;
    case Word::kForbidden: return RouteOpinion::kForbid;
    case Word::kNone:
    case Word::kAllow: break;
  }
  return RouteOpinion::kAllow;
}

// The host's own word, where no rule of the policy has spoken.
route::CallAnswer of_host(CallRoute const& said, std::string_view tool, CallId earlier) {
  route::CallAnswer out;
  out.code = "route." + (said.name.empty() ? std::string("callback") : said.name);
  out.hint = said.hint;
  switch (said.word) {
    case CallRouteWord::kAllow: break;
    case CallRouteWord::kReject:
      out.word = Word::kReject;
      out.what = fmt::format("the program does not let {} run now", tool);
      return out;
    case CallRouteWord::kAsk:
      out.word = Word::kAsk;
      out.what = fmt::format("the program wants a person to be asked about {}", tool);
      return out;
    case CallRouteWord::kReuse:
      if (!earlier.valid()) break;
      out.word = Word::kReuse;
      out.earlier = earlier;
      out.what = fmt::format(
          "{} was called with these arguments before and nothing has changed since: the information is already there",
          tool);
      return out;
  }
  return {};
}

}  // namespace

void Router::restart() {
  state_.restart();
  known_.clear();
  words_.clear();
  of_frames_.clear();
  raised_by_.clear();
}

void Router::begin_round(FrameId frame) {
  round_.clear();
  state_.begin_round(frame);
}

void Router::ask(Asker const& who, Call const& call, kernel::CallFacts& facts) {
  Pending& next = round_.emplace_back();
  next.known = {who,
                std::string(who.agent),
                std::string(call.tool),
                std::string(call.arguments),
                facts.key,
                changes(facts.terms),
                false};
  if (facts.fault != kernel::ArgumentFault::kNone) return;  // it is no call yet
  route::CallAnswer answer = state_.ask(
      route::CallAsked{who.frame, who.root, who.agent, call.tool, call.arguments, facts.key, next.known.changes});
  if (answer.word == Word::kNone) {
    bool const reusable = answer.may_be_reused;
    bool const in_stage = answer.in_stage;
    answer = of_host(call.route, call.tool, state_.reusable(who.frame, facts.key));
    answer.may_be_reused = reusable || call.route.word == CallRouteWord::kReuse;
    answer.in_stage = in_stage;
  }
  facts.route = opinion(answer.word);
  facts.route_earlier = answer.earlier;
  facts.in_stage = answer.in_stage;
  next.known.may_be_reused = answer.may_be_reused;
  next.rolls_back = answer.rolls_back && !observe_;
  if (next.rolls_back) answer.what += ", for the second time in a row: the view goes back to the start of the stage";
  next.words = {std::move(answer.code), std::move(answer.what), std::move(answer.hint)};
}

std::vector<bool> Router::end_round(std::span<kernel::CallVerdict const> verdicts) {
  std::vector<bool> out;
  for (std::size_t i = 0; i < verdicts.size() && i < round_.size(); ++i) {
    Pending& call = round_[i];
    kernel::CallVerdict const& v = verdicts[i];
    out.push_back(call.rolls_back);
    if (!call.words.code.empty()) words_[v.call] = std::move(call.words);
    if (!refused(v.word) || v.observed) known_.emplace(v.call, std::move(call.known));
  }
  round_.clear();
  return out;
}

route::ResultAnswer Router::result(CallId call, kernel::ResultFacts const& facts, CallStatus status,
                                   std::string_view text) {
  auto const at = known_.find(call);
  if (at == known_.end()) return {};
  Known const& k = at->second;
  route::ResultAnswer out =
      state_.ask(route::ResultAsked{{k.who.frame, k.who.root, k.agent, k.tool, k.arguments, k.key, k.changes},
                                    call,
                                    status,
                                    facts.status == kernel::ResultStatus::kEmpty,
                                    text,
                                    k.may_be_reused});
  known_.erase(at);
  words_.erase(call);
  return out;
}

void Router::close_frame(FrameId frame) {
  state_.close_frame(frame);
  of_frames_.erase(frame);
  std::erase_if(known_, [&](auto const& one) { return one.second.who.frame == frame; });
}

void Router::say_of_frame(FrameId frame, std::string code, std::string what, std::string hint) {
  of_frames_[frame] = {std::move(code), std::move(what), std::move(hint)};
}

void Router::describe(kernel::Code code, FrameId frame, CallId call, bool closing, Scene& scene) const {
  if (code != kernel::Code::kRoute && code != kernel::Code::kStageForbidden && code != kernel::Code::kStageSpent)
    return;
  Words const* words = nullptr;
  if (auto const at = words_.find(call); at != words_.end() && !closing) words = &at->second;
  if (auto const at = of_frames_.find(frame); at != of_frames_.end() && words == nullptr) words = &at->second;
  if (words == nullptr) return;
  scene.code = words->code;
  scene.what = words->what;
  scene.hint = words->hint;
}

}  // namespace backedge::embed
