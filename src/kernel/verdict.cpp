// The words and codes of verdicts as text, one table each; the texts are part of the public interface and never change.

#include "kernel/verdict.h"

#include <array>

namespace backedge {

std::string_view word_text(CallWord word) {
  constexpr std::array<std::string_view, 8> kTexts = {"run", "warn",  "reuse", "serialize",
                                                      "ask", "block", "deny",  "reject"};
  return kTexts[static_cast<std::size_t>(word)];
}

std::string_view word_text(TurnWord word) {
  constexpr std::array<std::string_view, 3> kTexts = {"go", "final", "stop"};
  return kTexts[static_cast<std::size_t>(word)];
}

std::string_view word_text(EventWord word) {
  constexpr std::array<std::string_view, 5> kTexts = {"run", "block", "suppress", "ask", "refuse"};
  return kTexts[static_cast<std::size_t>(word)];
}

namespace kernel {

std::string_view code_text(Code code) {
  constexpr std::array<std::string_view, kCodes> kTexts = {
      "",
      "reentry.cycle",
      "reentry.depth",
      "reentry.growing",
      "reentry.conflict",
      "delegate.passthrough",
      "repeat.exact",
      "repeat.effect",
      "repeat.cycle",
      "repeat.stagnant",
      "repeat.error",
      "repeat.range",
      "repeat.poll",
      "repeat.novelty",
      "repeat.text",
      "repeat.hook",
      "livelock",
      "budget.turns",
      "budget.calls",
      "budget.depth",
      "budget.descendants",
      "budget.tokens",
      "budget.cost",
      "budget.time",
      "conservative",
      "args.invalid",
      "args.unknown_tool",
      "gate.deny",
      "gate.ask",
      "gate.timeout",
      "conflict.serialize",
      "conflict.race",
      "deadlock",
      "chain.reentrant_hook",
      "chain.own_event",
      "chain.self_invocation",
      "chain.cycle",
      "compact.no_gain",
      "route",
      "stage.forbidden",
      "stage.spent",
      "stopped",
  };
  return kTexts[static_cast<std::size_t>(code)];
}

std::string_view end_reason(Code code) {
  if (is_repetition(code) || code == Code::kPassthrough || code == Code::kCompactNoGain) return "no_progress";
  if (code == Code::kBudgetTurns) return "max_turns";
  if (is_budget(code)) return "budget";
  if (code == Code::kStopped) return "stopped";
  if (code == Code::kStageSpent) return "budget";
  return "refused";
}

}  // namespace kernel
}  // namespace backedge
