// Why a model stopped writing, in one table for all providers.
//
// Every word that a provider is known to send has a row; any other is an error that names it. Tested in
// tests/agent/loop_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace backedge::agent {

enum class StopReason : std::uint8_t {
  kDone,       // it has said what it wanted to say
  kToolUse,    // it waits for results
  kMaxTokens,  // cut at its token limit
  kPause,      // the provider wants to be asked again, with the message as it is
  kRefusal,    // the model or a filter refused
  kContext,    // the conversation is longer than the window
};

struct StopReasonRow {
  std::string_view word;  // as the provider writes it
  StopReason reason;
  std::string_view provider;
};

std::span<StopReasonRow const> stop_reasons();

/// Empty for a word that is not in the table. An empty word is kDone: a stream that just ended.
std::optional<StopReason> stop_reason(std::string_view word);

}  // namespace backedge::agent
