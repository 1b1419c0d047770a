// May this call stand on this path? Re-entry by contract and target, the cap per name, and delegations that hand on
// nothing.
//
// The whole path is looked at, so A -> B -> A is found at the first back edge, before it is dispatched. A call whose
// contract names an agent is a call of that agent; any other is a call of its tool. Cost: one hash lookup when nothing
// of that name is on the stack, else O(depth). Tested in tests/kernel/reentry_test.cpp.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "kernel/frame.h"
#include "kernel/verdict.h"

namespace backedge::kernel {

/// All frames of a run by id; closed ones are null.
class Frames {
 public:
  Frame* find(FrameId id) { return id.value == 0 || id.value > frames_.size() ? nullptr : frames_[id.value - 1].get(); }
  Frame const* find(FrameId id) const { return const_cast<Frames*>(this)->find(id); }
  Frame& add();
  void close(FrameId id);
  /// The frame has its opener and its agent: they are on the stack from now on.
  void on_stack(Frame const& frame);
  /// Does an open frame, on whatever path, have this opener or this agent? O(1), so that a miss costs no walk.
  bool tool_on_stack(Digest tool_id) const { return tools_.contains(tool_id); }
  bool agent_on_stack(Digest agent) const { return agents_.contains(agent); }
  std::size_t count() const { return frames_.size(); }

  template <class Visit>
  void each_open(Visit visit) {
    for (auto& f : frames_) {
      if (f) visit(*f);
    }
  }
  template <class Visit>
  void each_open(Visit visit) const {
    for (auto const& f : frames_) {
      if (f) visit(static_cast<Frame const&>(*f));
    }
  }
  /// Is `above` on the path of `below`, or the same frame? O(depth).
  bool on_path(FrameId above, Frame const& below) const;

 private:
  std::vector<std::unique_ptr<Frame>> frames_;
  std::unordered_map<Digest, std::uint32_t> tools_;  // of open frames, counted
  std::unordered_map<Digest, std::uint32_t> agents_;
};

struct ReentryFinding {
  Code code = Code::kNone;
  Evidence evidence;

  explicit operator bool() const { return code != Code::kNone; }
};

/// What the path says of `call` in `frame`. Fills evidence.earlier with the activation that the call would re-enter.
ReentryFinding check_reentry(Frames const& frames, Frame const& frame, CallFacts const& call);

/// The agent that the call would open: the contract's target or, when none is declared, the argument that named the
/// agent which this tool opened on the path; none if the call is no call of an agent.
Digest target_agent(Frames const& frames, Frame const& frame, CallFacts const& call);

/// Does `call`, made in `frame`, hand on the frame's own task and nothing else? Then the frame it opens is a pass.
bool hands_on(Frame const& frame, CallFacts const& call);

}  // namespace backedge::kernel
