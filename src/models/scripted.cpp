// Answering from a script; see scripted.h.

#include "models/scripted.h"

#include <algorithm>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "base/text.h"
#include "models/reply.h"

namespace backedge::models {
namespace {

// Do the results that came last hold one that failed?
bool refused(Request const& request) {
  if (request.messages.empty() || request.messages.back().role != Role::kTool) return false;
  return std::ranges::any_of(request.messages.back().blocks, [](Block const& block) {
    ResultBlock const* const result = std::get_if<ResultBlock>(&block);
    return result != nullptr && result->failed;
  });
}

Reply answer(std::string text, std::string stop) {
  Reply out;
  out.message.role = Role::kAssistant;
  out.message.blocks.emplace_back(TextBlock{std::move(text)});
  out.stop_reason = std::move(stop);
  return out;
}

}  // namespace

Result<std::shared_ptr<ScriptedModel>> ScriptedModel::load(std::string const& path) {
  Result<Script> script = Script::load(path);
  if (!script) return script.error();
  return std::make_shared<ScriptedModel>(std::move(*script));
}

ScriptStep const* ScriptedModel::choose(Request const& request) const {
  ScriptStep const* const step = script_.at(request.agent, request.turn);
  return step != nullptr && !step->if_refused.empty() && refused(request) ? &step->if_refused.front() : step;
}

Estimate ScriptedModel::estimate(Request const& request) const {
  ScriptStep const* const step = choose(request);
  if (step == nullptr) return {.cost_nano_usd = 0};
  return {step->usage.input_tokens, step->usage.output_tokens, step->usage.cost_nano_usd};
}

Result<Reply> ScriptedModel::at_end(Request const& request, DeltaSink& deltas) const {
  ScriptStep const* const last = script_.last(request.agent);
  if (last == nullptr || script_.then() == Then::kError) {
    std::string const who = request.agent.empty() ? "the root" : "agent " + in_quotes(request.agent, 64);
    std::string const what = last == nullptr ? "has no steps" : "has no step left";
    return Error{ErrorKind::kModel,
                 fmt::format("the script {} for {} in turn {}; add one", what, who, request.turn),
                 {script_.file(), last == nullptr ? 0 : last->line, 0}};
  }
  bool const answered = last->calls.empty() && !last->text.empty();
  Reply out = answer(answered ? last->text : "done", "end_turn");
  tell(std::get<TextBlock>(out.message.blocks[0]).text, deltas);
  return out;
}

Result<Reply> ScriptedModel::ask(Request const& request, DeltaSink& deltas, std::stop_token stop) {
  ScriptStep const* const step = choose(request);
  if (!wait_for(step == nullptr ? std::chrono::milliseconds(0) : step->delay, stop))
    return Error{ErrorKind::kCancelled, "the request was cancelled", {}};
  if (step == nullptr) return at_end(request, deltas);
  if (step->error) return Error{step->error_kind, *step->error, {script_.file(), step->line, 0}};
  bool const gives_in = !request.may_call && step->final_text.has_value();
  std::string const& text = gives_in ? *step->final_text : step->text;
  Reply out = answer(text, gives_in ? "end_turn" : step->stop);
  if (text.empty()) out.message.blocks.clear();
  out.usage = step->usage;
  if (!gives_in) {
    for (ScriptCall const& call : step->calls)
      out.message.blocks.emplace_back(CallBlock{call.id, call.tool, call.arguments});
    ids_->make_unique(request.messages, out.message);
  }
  tell(text, deltas);
  return out;
}

}  // namespace backedge::models
