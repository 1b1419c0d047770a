// Conflicts and deadlocks; see conflict.h.

#include "kernel/conflict.h"

#include <algorithm>

namespace backedge::kernel {
namespace {

bool may_write(Effect e) { return e == Effect::kWrite || e == Effect::kUnknown; }

bool overlap(ResourceList const& a, ResourceList const& b) {
  return std::any_of(a.begin(), a.end(), [&](Digest x) { return std::find(b.begin(), b.end(), x) != b.end(); });
}

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

// Does `first` end only after some call on the path of `frame`? Follows calls to what waits below them.
bool depends_on_path(LiveCalls const& live, Frames const& frames, Frame const& frame, LiveCall const& first) {
  std::vector<LiveCall const*> open{&first};
  std::vector<CallId> seen{first.id};
  while (!open.empty()) {
    LiveCall const* const at = open.back();
    open.pop_back();
    bool circle = false;
    auto const follow = [&](CallId next) {
      LiveCall const* const c = live.find(next);
      if (c == nullptr || std::find(seen.begin(), seen.end(), next) != seen.end()) return;
      circle = circle || holds(*c, frames, frame);
      seen.push_back(next);
      open.push_back(c);
    };
    if (at->state == CallState::kWaiting) follow(at->after);
    live.each([&](LiveCall const& c) {
      Frame const* const in = frames.find(c.frame);
      if (c.state == CallState::kWaiting && in != nullptr && holds(*at, frames, *in)) follow(c.after);
    });
    if (circle) return true;
  }
  return false;
}

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
  if (call.resources.empty()) return out;
  live.each([&](LiveCall const& c) {
    if (out.code == Code::kDeadlock || c.id == self || !clash(c.facts, call)) return;
    if (self.valid() && c.id > self && c.state != CallState::kRunning) return;  // it waits for us or comes later
    if (holds(c, frames, frame) || depends_on_path(live, frames, frame, c)) {
      out = {Code::kDeadlock, c.id};
    } else {
      out = {Code::kConflict, c.id};
    }
  });
  return out;
}

}  // namespace backedge::kernel
