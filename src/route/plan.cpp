// The stages of a run: which one it is in, what may be called there, and when it moves on. Part of state.h.
//
// A stage's budget is that of the whole run, however often the stage is entered, and `next` never leads in a circle, so
// the turns of a run are bounded by the sum of the budgets: a turn is taken in a stage that has one left, or it is the
// one answer that is demanded where no further stage can be entered, in place of a turn that a stage has not used.

#include <algorithm>

#include <fmt/format.h>

#include "route/state.h"

namespace backedge::route {

std::string_view State::stage() const {
  return current_ >= 0 ? std::string_view(rules_->stages()[static_cast<std::size_t>(current_)].said.name)
                       : std::string_view();
}

std::int64_t State::left(int stage) const {
  auto const at = static_cast<std::size_t>(stage);
  return rules_->stages()[at].said.turns.value_or(1) - used_[at];
}

bool State::open(Stage const& stage) const {
  if (stage.said.if_seen && !was_seen(*stage.said.if_seen)) return false;
  return !stage.said.unless_seen || !was_seen(*stage.said.unless_seen);
}

// From `target` on, along `next`: the first stage with a turn left (and whose condition holds); kOver: none.
int State::first_open(int target, bool ask_conditions) const {
  while (target >= 0) {
    Stage const& stage = rules_->stages()[static_cast<std::size_t>(target)];
    if (left(target) > 0 && (!ask_conditions || open(stage))) return target;
    target = stage.next;
  }
  return kOver;
}

void State::enter(int target, std::string_view why, std::vector<Move>& moves) {
  auto const name = [this](int at) {
    return at >= 0 ? rules_->stages()[static_cast<std::size_t>(at)].said.name : std::string();
  };
  int const reached = first_open(target, true);
  moves.push_back({name(current_), name(reached), std::string(why)});
  current_ = reached;
  strikes_ = 0;
}

TurnAnswer State::before_turn() {
  TurnAnswer out;
  if (rules_ == nullptr || rules_->stages().empty()) return out;
  if (pending_) {
    if (*pending_ != current_ || left(*pending_) <= 0) enter(*pending_, pending_why_, out.moves);
  } else if (current_ == kNotBegun) {
    enter(0, "start", out.moves);
  } else if (current_ >= 0 && left(current_) <= 0) {
    enter(rules_->stages()[static_cast<std::size_t>(current_)].next, "spent", out.moves);
  }
  pending_.reset();
  if (current_ == kOver) {
    out.last = true;
    out.what = "no stage is left that can be entered";
    return out;
  }
  if (!out.moves.empty()) out.note = entry_note();
  Stage const& here = rules_->stages()[static_cast<std::size_t>(current_)];
  if (left(current_) == 1 && first_open(here.next, false) == kOver) {
    out.last = true;
    out.what = fmt::format("this is the last turn of the last stage, {}", here.said.name);
  }
  return out;
}

void State::turn_taken() {
  if (current_ >= 0) ++used_[static_cast<std::size_t>(current_)];
}

bool State::answered() {
  if (rules_ == nullptr || current_ < 0 || pending_) return pending_.has_value();
  Stage const& here = rules_->stages()[static_cast<std::size_t>(current_)];
  if (here.said.ends.value_or(false) || first_open(here.next, true) == kOver) return false;
  pending_ = here.next;
  pending_why_ = "answered";
  return true;
}

bool State::go_to(std::string_view name) {
  int const target = rules_ == nullptr ? -1 : rules_->stage(name);
  if (target < 0) return false;
  pending_ = target;
  pending_why_ = "rule";
  return true;
}

std::string State::entry_note() const {
  policy::StageSettings const& said = rules_->stages()[static_cast<std::size_t>(current_)].said;
  std::int64_t const turns = left(current_);
  std::string out = fmt::format("Stage {}, {} turn{}", said.name, turns, turns == 1 ? "" : "s");
  if (said.about) out += ": " + *said.about;
  if (!said.tools) return out + ".";
  if (said.tools->empty()) return out + ". No tools are open in it: think, and answer in words.";
  return fmt::format("{}. Open are only these tools: {}.", out, fmt::join(*said.tools, ", "));
}

// In call order: an allowed call in between begins the count anew; the calls of one message are one attempt, because
// its model had not read the hint.
bool State::forbidden(CallAsked const& call, CallAnswer& out) {
  if (!call.root || current_ < 0) return false;
  policy::StageSettings const& said = rules_->stages()[static_cast<std::size_t>(current_)].said;
  if (!said.tools) return false;
  if (any_glob(*said.tools, call.tool)) {
    out.in_stage = true;
    strikes_ = 0;
    return false;
  }
  std::int64_t const round = frames_[call.frame].round;
  if (rolled_in_ != round && (strikes_ == 0 || struck_in_ != round)) ++strikes_;
  struck_in_ = round;
  out.word = CallAnswer::Word::kForbidden;
  out.code = "stage.forbidden";
  out.what = said.tools->empty() ? fmt::format("no tool is open in stage {}", said.name)
                                 : fmt::format("{} is not open in stage {}, which has {}", call.tool, said.name,
                                               fmt::join(*said.tools, ", "));
  out.hint = said.hint.value_or(said.tools->empty() ? "answer in words" : "use what is open");
  if (strikes_ >= 2) {
    strikes_ = 0;
    rolled_in_ = round;
    out.rolls_back = true;
  }
  return true;
}

}  // namespace backedge::route
