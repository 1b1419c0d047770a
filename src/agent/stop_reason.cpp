// The table; see stop_reason.h.

#include "agent/stop_reason.h"

#include <algorithm>
#include <array>

namespace backedge::agent {
namespace {

using enum StopReason;

constexpr auto kRows = std::to_array<StopReasonRow>({
    // Anthropic, Messages.
    {"end_turn", kDone, "anthropic"},
    {"stop_sequence", kDone, "anthropic"},
    {"tool_use", kToolUse, "anthropic"},
    {"max_tokens", kMaxTokens, "anthropic"},
    {"pause_turn", kPause, "anthropic"},
    {"refusal", kRefusal, "anthropic"},
    {"model_context_window_exceeded", kContext, "anthropic"},
    // OpenAI, Chat Completions and those who speak it.
    {"stop", kDone, "openai"},
    {"tool_calls", kToolUse, "openai"},
    {"function_call", kToolUse, "openai"},
    {"length", kMaxTokens, "openai"},
    {"content_filter", kRefusal, "openai"},
    {"eos", kDone, "openai"},
    // OpenAI, Responses.
    {"completed", kDone, "openai"},
    {"max_output_tokens", kMaxTokens, "openai"},
    // Gemini.
    {"STOP", kDone, "gemini"},
    {"MAX_TOKENS", kMaxTokens, "gemini"},
    {"SAFETY", kRefusal, "gemini"},
    {"RECITATION", kRefusal, "gemini"},
    {"BLOCKLIST", kRefusal, "gemini"},
    {"PROHIBITED_CONTENT", kRefusal, "gemini"},
    {"SPII", kRefusal, "gemini"},
});

}  // namespace

std::span<StopReasonRow const> stop_reasons() { return kRows; }

std::optional<StopReason> stop_reason(std::string_view word) {
  if (word.empty()) return kDone;
  auto const row = std::find_if(kRows.begin(), kRows.end(), [&](StopReasonRow const& r) { return r.word == word; });
  return row == kRows.end() ? std::nullopt : std::optional(row->reason);
}

}  // namespace backedge::agent
