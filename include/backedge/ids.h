// Names of the things a run consists of, and its time: strong ids, so that a frame is never passed for a call.
//
// Ids are 32-bit, assigned in order by the run itself, and mean nothing outside that run. Zero names nothing; the root
// frame is what Run::root() says. Time is handed in by the caller; nothing in the library reads a clock.
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <functional>

namespace backedge {

/// A 32-bit id that only compares with ids of its own kind.
template <class Tag>
struct Id {
  std::uint32_t value = 0;

  constexpr bool valid() const { return value != 0; }
  friend constexpr auto operator<=>(Id, Id) = default;
};

using FrameId = Id<struct FrameTag>;
using TurnId = Id<struct TurnTag>;
using CallId = Id<struct CallTag>;

/// Time of an event in microseconds since any fixed start; it must never go backwards within one run.
using Micros = std::chrono::microseconds;

}  // namespace backedge

template <class Tag>
struct std::hash<backedge::Id<Tag>> {
  std::size_t operator()(backedge::Id<Tag> id) const noexcept { return id.value; }
};
