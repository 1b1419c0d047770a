// Conflicts and deadlocks; see conflict.h.

#include "kernel/conflict.h"

#include <algorithm>

namespace backedge::kernel {
namespace {

bool may_write(Effect e) { return e == Effect::kWrite || e == Effect::kUnknown; }

bool clash(CallFacts const& a, CallFacts const& b) {
  return (may_write(a.terms.effect) || may_write(b.terms.effect)) && overlap(a.resources, b.resources);
}

// Is the call on the path of the frame, that is, can it end only after what the frame does?
bool holds(LiveCall const& c, Frames const& frames, Frame const& frame) {
  if (!c.opened.valid()) return false;
  for (Frame const* f = &frame; f != nullptr; f = frames.find(f->parent)) {
    if (f->opener.call == c.id) return true;
  }
  return false;
}

// The agent whose word a waiting call needs: the one that the contract's target names, else the only one that an
// argument names. Two of one name are no wait for either: one of them may always speak.
Frame const* awaited(Frames const& frames, CallFacts const& call) {
  if (call.terms.effect != Effect::kWait) return nullptr;
  auto const named = [&](Digest agent) {
    if (!call.target.none()) return agent == call.target;
    return std::any_of(call.names.begin(), call.names.end(), [&](NamedText const& t) { return t.value == agent; });
  };
  Frame const* found = nullptr;
  int many = 0;
  frames.each_open([&](Frame const& f) {
    if (f.agent.none() || !named(f.agent)) return;
    found = &f;
    ++many;
  });
  return many == 1 ? found : nullptr;
}

// What must end before a call or a frame can, walked until it comes to the path of `goal`: a call needs the call that
// it is queued behind, the agent that it waits for and the agents that it has started; a frame needs its calls.
class Needs {
 public:
  Needs(LiveCalls const& live, Frames const& frames, Frame const& goal) : live_(live), frames_(frames), goal_(goal) {}

  bool reach_path(LiveCall const& from) {
    add(from);
    return walk();
  }
  bool reach_path(Frame const& from) {
    add(from);
    return walk();
  }
  /// The call through which the path was reached.
  CallId through() const { return through_; }

 private:
  void add(LiveCall const& c) {
    if (std::find(calls_.begin(), calls_.end(), &c) != calls_.end()) return;
    calls_.push_back(&c);
    if (holds(c, frames_, goal_)) found(c.id);
  }
  void add(Frame const& f) {
    if (std::find(seen_.begin(), seen_.end(), f.id) != seen_.end()) return;
    seen_.push_back(f.id);
    if (frames_.on_path(f.id, goal_)) found(at_ != nullptr ? at_->id : goal_.opener.call);
    live_.each([&](LiveCall const& c) {
      if (c.frame == f.id) add(c);
    });
  }
  bool walk() {
    for (std::size_t i = 0; i < calls_.size() && !reached_; ++i) {
      at_ = calls_[i];
      LiveCall const* const ahead = at_->state == CallState::kWaiting ? live_.find(at_->after) : nullptr;
      if (ahead != nullptr) add(*ahead);
      if (Frame const* const agent = awaited(frames_, at_->facts)) add(*agent);
      if (!at_->opened.valid()) continue;
      frames_.each_open([&](Frame const& f) {
        if (f.opener.call == at_->id) add(f);
      });
    }
    return reached_;
  }
  void found(CallId call) {
    if (!reached_) through_ = call;
    reached_ = true;
  }

  LiveCalls const& live_;
  Frames const& frames_;
  Frame const& goal_;
  std::vector<LiveCall const*> calls_;  // reached so far; those before the one under way are done
  std::vector<FrameId> seen_;
  LiveCall const* at_ = nullptr;
  CallId through_;
  bool reached_ = false;
};

}  // namespace

LiveCall& LiveCalls::add(CallId id) {
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(slots_.size()));
    slots_.push_back({});
  }
  std::uint32_t const slot = free_.back();
  free_.pop_back();
  while (slot_of_.size() < id.value) slot_of_.push_back(0);
  slot_of_[id.value - 1] = slot + 1;
  LiveCall& call = slots_[slot];  // clean: new, or cleaned by remove
  call.id = id;
  return call;
}

LiveCall* LiveCalls::find(CallId id) {
  if (id.value == 0 || id.value > slot_of_.size() || slot_of_[id.value - 1] == 0) return nullptr;
  return &slots_[slot_of_[id.value - 1] - 1];
}

void LiveCalls::remove(LiveCall& call) {
  free_.push_back(slot_of_[call.id.value - 1] - 1);
  slot_of_[call.id.value - 1] = 0;
  call.id = CallId{};
  call.state = CallState::kFree;
  call.after = CallId{};
  call.opened = FrameId{};
  call.holds_descendant = call.answered = false;
}

ConflictFinding check_conflict(LiveCalls const& live, Frames const& frames, Frame const& frame, CallFacts const& call,
                               CallId self) {
  ConflictFinding out;
  if (Frame const* const agent = awaited(frames, call)) {
    Needs needs(live, frames, frame);
    if (needs.reach_path(*agent)) return {Code::kDeadlock, needs.through()};
  }
  if (call.resources.empty()) return out;
  live.each([&](LiveCall const& c) {
    if (out.code == Code::kDeadlock || c.id == self || !clash(c.facts, call)) return;
    if (self.valid() && c.id > self && c.state != CallState::kRunning) return;  // it waits for us or comes later
    if (Needs(live, frames, frame).reach_path(c)) {
      out = {Code::kDeadlock, c.id};
    } else {
      out = {Code::kConflict, c.id};
    }
  });
  return out;
}

}  // namespace backedge::kernel
