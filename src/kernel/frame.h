// A frame: an agent at work on the call stack, and the activation that put it there.
//
// Frames form a tree; the path of a frame is the chain of its openers up to the root.
// Tested in tests/kernel/reentry_test.cpp.
#pragma once

#include <cstdint>
#include <memory>

#include "backedge/ids.h"
#include "base/digest.h"
#include "kernel/call_facts.h"
#include "kernel/ladder.h"
#include "kernel/repetition.h"
#include "kernel/verdict.h"

namespace backedge::kernel {

enum class FrameKind : std::uint8_t { kAgent, kRemote, kSampling, kHook };

/// A call that is on the stack because it opened a frame.
struct Activation {
  CallId call;
  Digest tool_id;
  Digest identity;
  std::int64_t measure = kNoMeasure;
  bool identity_declared = false;
  bool identity_is_text = false;
  Digest agent_argument;  // name of the argument that named the agent; none when no argument did
  bool writes = false;    // its effect may change what its resources name
  ResourceList resources;
  WordSet words;
};

/// Where a frame stands between its first and its last turn.
enum class FrameState : std::uint8_t {
  kWorking,
  kPressed,  // the next turn must be the answer, for the reason in `why`
  kFinal,    // that turn is under way: its calls are refused
  kStopped,  // nothing below dispatches any more
};

struct Frame {
  FrameId id;
  FrameId parent;  // not valid for the root
  FrameKind kind = FrameKind::kAgent;
  FrameState state = FrameState::kWorking;
  Code why = Code::kNone;    // of kPressed, kFinal, kStopped
  Digest agent;              // digest of the agent's name; none if it has none
  Activation opener;         // not set for the root
  std::uint32_t depth = 0;   // calls on the stack above this frame's own calls
  bool write_above = false;  // an opener on the path writes to resources of its contract
  std::uint32_t passes = 0;  // how many levels in a row, this one last, hand on nothing but the task they got
  std::uint32_t work = 0;    // calls run here that are not delegations
  std::uint32_t open_children = 0;

  // Turns: a child's grant is carved out of its parent's allowance and comes back unspent.
  std::int64_t allowance = kUnlimited;
  std::int64_t turns = 0;       // of this frame alone
  std::int64_t spent = 0;       // of this frame and its closed children
  std::int64_t granted = 0;     // to children still open
  std::int64_t calls = 0;       // executed here
  std::int64_t last_input = 0;  // tokens of the last request
  // Against limits of the scope frame (counts.cpp).
  std::int64_t tokens = 0;  // of its own turns, used and reserved
  std::int64_t cost = 0;    // the same, nano-USD
  std::int64_t agents = 0;  // started below it at any depth, and places held for them
  Micros opened{0};         // on the clock that stands still while people are waited for
  std::uint32_t empty_compactions = 0;

  Repetition repetition;
  Rungs ladder;
};

}  // namespace backedge::kernel
