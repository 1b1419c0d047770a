// The words in which the kernel answers: on a call, on a turn, on anything else that starts work.
//
// Each verdict also carries a stable code such as "repeat.exact"; docs/concepts.md explains them all.
#pragma once

#include <cstdint>
#include <string_view>

namespace backedge {

enum class CallWord : std::uint8_t {
  kRun,
  kWarn,       // runs, with a note to the model
  kReuse,      // not run: an earlier call's result is given back
  kSerialize,  // runs after a call that it conflicts with
  kAsk,        // a person decides
  kBlock,      // refused by the kernel
  kDeny,       // refused by the gate, a person, or a stop
  kReject,     // the arguments or the tool do not exist in this form
};

enum class TurnWord : std::uint8_t {
  kGo,
  kFinal,  // answer now: the same tool list, no tool choice; calls are refused
  kStop,   // ends the frame that the verdict names
};

/// On a compaction, a hook, a trigger or the start of a process.
enum class EventWord : std::uint8_t { kRun, kBlock, kSuppress, kAsk, kRefuse };

/// True when a call with this word is not dispatched now or ever.
constexpr bool refused(CallWord w) {
  return w == CallWord::kReuse || w == CallWord::kBlock || w == CallWord::kDeny || w == CallWord::kReject;
}

std::string_view word_text(CallWord word);
std::string_view word_text(TurnWord word);
std::string_view word_text(EventWord word);

}  // namespace backedge
