// Calls that are under way at the same time and touch the same thing: which must wait, and which would wait for ever.
//
// Two calls conflict when their resources overlap and one of them may write. The later waits for the earlier. A call of
// effect `wait` waits for the agent that it names. A wait that would close a circle (of calls queued behind calls,
// agents waiting for agents, and agents that need their own calls and those they have started) is a deadlock, found
// before it begins: with A waiting for B and B for C, C's wait for A is refused. Cost: O(live calls); when something
// stands in the way, O(live calls × (live calls + open frames)). Tested in tests/kernel/conflict_test.cpp.
#pragma once

#include <vector>

#include "base/chunk_list.h"
#include "kernel/reentry.h"

namespace backedge::kernel {

enum class CallState : std::uint8_t { kFree, kAsked, kWaiting, kRunning };

/// A call between its verdict and its result.
struct LiveCall {
  CallId id;
  FrameId frame;
  CallState state = CallState::kFree;
  std::uint32_t round = 0;
  CallId after;                   // kWaiting: the call it waits for
  FrameId opened;                 // the frame that it opened last, if any
  bool holds_descendant = false;  // a place for the agent that it is still to open
  bool answered = false;          // a person has allowed it
  CallFacts facts;                // without views
};

/// The calls under way, by id; slots are used again, 4 bytes a call stay.
class LiveCalls {
 public:
  /// Ids are added in order, one after the other, whether the call goes under way or not.
  LiveCall& add(CallId id);
  LiveCall* find(CallId id);
  LiveCall const* find(CallId id) const { return const_cast<LiveCalls*>(this)->find(id); }
  void remove(LiveCall& call);

  template <class Visit>
  void each(Visit visit) const {
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      if (LiveCall const& c = slots_[i]; c.state != CallState::kFree) visit(c);
    }
  }
  template <class Visit>
  void each(Visit visit) {
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      if (LiveCall& c = slots_[i]; c.state != CallState::kFree) visit(c);
    }
  }

 private:
  ChunkList<LiveCall, 1, 16> slots_;
  std::vector<std::uint32_t> free_;
  ChunkList<std::uint32_t, 16, 1024> slot_of_;  // by call id - 1: slot + 1, 0 when the call is not under way
};

struct ConflictFinding {
  Code code = Code::kNone;  // kConflict: wait for `with`; kDeadlock: never
  CallId with;

  explicit operator bool() const { return code != Code::kNone; }
};

/// What stands in the way of `call`, made in `frame` under the id `self`.
ConflictFinding check_conflict(LiveCalls const& live, Frames const& frames, Frame const& frame, CallFacts const& call,
                               CallId self);

}  // namespace backedge::kernel
