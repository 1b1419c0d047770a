// What routing does to a frame: results for the model, stages and their roll-back, the short view of a retry, and the
// callbacks of the host. What is decided, is decided by the run. See session.h.

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "agent/event_body.h"
#include "agent/session.h"
#include "talk/cut.h"

namespace backedge::agent {
namespace {

std::string with_note(std::string_view text, std::string_view note) { return fmt::format("{}\n\n[{}]", text, note); }

}  // namespace

// ---------------------------------------------------------------------------------------------- callbacks

void Session::recall(std::vector<RecordedRoute> answers) {
  recalled_.assign(std::make_move_iterator(answers.begin()), std::make_move_iterator(answers.end()));
}

bool Session::recorded(RecordedRoute& out) {
  if (recalled_.empty()) return false;
  out = std::move(recalled_.front());
  recalled_.pop_front();
  return true;
}

CallSight Session::sight(Frame const& frame, CallBlock const& block, std::string_view stage) const {
  std::string_view const agent = frame.function == nullptr ? std::string_view(setup_->agent) : frame.function->name;
  return {frame.id, agent, block.tool, block.arguments, stage};
}

CallRoute Session::ask_host(Frame const& frame, CallBlock const& block, std::size_t index) {
  RecordedRoute said;
  if (!recorded(said)) {
    std::string const stage = run_.stage();
    CallRoute const route = setup_->before_call(sight(frame, block, stage));
    said = {std::string(word_text(route.word)), route.name, route.hint, {}, 0};
  }
  recorder_->route_answered(frame.id, index, {}, said, now_);
  return call_route_of(said);
}

ResultRoute Session::ask_host(Frame const& frame, PlannedCall const& call, ToolResult const& result) {
  RecordedRoute said;
  if (!recorded(said)) {
    std::string const stage = run_.stage();
    ResultRoute const route =
        setup_->after_result({sight(frame, block_of(frame, call), stage), result.status, result.text});
    said = {std::string(word_text(route.word)), route.name, route.text, route.stage, route.size};
  }
  recorder_->route_answered(frame.id, {}, call.call, said, now_);
  return result_route_of(said);
}

// ---------------------------------------------------------------------------------------------- results

// What the model gets of a result. What is recorded and compared is the tool's own text.
std::string Session::route_result(Frame& frame, PlannedCall const& call, ToolResult const& result, Left const& left,
                                  std::string text) {
  ResultRoute route = left.route;
  if (!left.routed && setup_->after_result && result.status != CallStatus::kCancelled &&
      result.status != CallStatus::kUnknown) {
    route = ask_host(frame, call, result);
    if (Result<void> const done = run_.route(frame.id, call.call, route, now_); !done)
      return with_note(text, done.error().text());
  }
  std::string const code = "route." + (route.name.empty() ? std::string("callback") : route.name);
  auto const noted = [&](std::string_view what) {
    return with_note(text, route.text.empty()
                               ? fmt::format("{}: {}", code, what)
                               : fmt::format("{}: {}{}{}", code, what, what.empty() ? "" : "; ", route.text));
  };
  switch (route.word) {
    case ResultRouteWord::kPass:
    case ResultRouteWord::kStage: return text;
    case ResultRouteWord::kTruncate:
      text = talk::cut_for_model(text, std::max<std::int64_t>(1, route.size));
      return route.text.empty() ? text : noted("cut");
    case ResultRouteWord::kNote: return noted("");
    case ResultRouteWord::kReplace: return route.text;
    case ResultRouteWord::kFinal: return noted("the next message must be the answer");
    case ResultRouteWord::kStop: return noted("the work ends here");
    case ResultRouteWord::kRaise:
      return noted(fmt::format("this is a long chain of steps, so the limit of turns is raised to {}", route.size));
    case ResultRouteWord::kRetry:
      frame.retry = route.text.empty() ? "Try this step once more, in another way." : route.text;
      return text;
  }
  return text;
}

// ---------------------------------------------------------------------------------------------- views

void Session::enter_stage(Frame& frame, std::string note) {
  say(frame, std::move(note));
  frame.stage_start = frame.messages.size();
  heard_before_stage_ = heard_.size();
}

// The model sees again what it saw when the stage began, and why. What a person has said since then stays said.
void Session::roll_back(Frame& frame) {
  std::string const why = std::exchange(frame.rolls_back, {});
  if (frame.stage_start == 0 || frame.stage_start >= frame.messages.size()) return;
  std::vector<CallId> dropped;
  for (std::size_t i = 0; i < results_.size(); ++i) {
    Place& at = results_[i];
    if (at.frame != frame.id || at.message < frame.stage_start) continue;
    CallId const call{static_cast<std::uint32_t>(i + 1)};
    set_aside_[call] = std::get<ResultBlock>(std::move(frame.messages[at.message].blocks[at.block]));
    at = {};
    dropped.push_back(call);
  }
  recorder_->rolled_back(frame.id, run_.stage(), dropped, now_);
  (void)run_.compacted(frame.id, dropped, true, now_);
  frame.messages.resize(frame.stage_start);
  frame.counted = 0;
  frame.last_input = 0;
  for (std::size_t i = heard_before_stage_; i < heard_.size(); ++i) say(frame, heard_[i]);
  say(frame, "Your view was set back to the start of the stage. Your last call was " + why);
}

// Only the task, what a person has added, and the last round; for one turn.
void Session::shorten_view(Frame& frame) {
  std::string const why = std::exchange(frame.retry, {});
  std::vector<Message> const& all = frame.messages;
  if (all.size() < 3 || all.back().role == Role::kAssistant || all[all.size() - 2].role != Role::kAssistant) return;
  std::vector<Message> view;
  if (frame.id == run_.root()) {
    Message task{Role::kUser, {TextBlock{task_}}};
    for (std::string const& said : heard_) task.blocks.emplace_back(TextBlock{said});
    view.push_back(std::move(task));
  } else {
    view.push_back(all.front());
  }
  view.push_back(all[all.size() - 2]);
  view.push_back(all.back());
  view.back().blocks.emplace_back(TextBlock{why});
  frame.short_view = std::move(view);
}

}  // namespace backedge::agent
