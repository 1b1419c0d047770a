// An event with its own texts: what the agent hands to the journal and to listeners (see backedge/event.h).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "backedge/event.h"

namespace backedge::talk {

struct Event {
  std::uint64_t seq = 0;
  Micros at{0};
  FrameId frame;
  std::uint64_t cause = 0;
  std::string type;
  std::string body;
  std::vector<RawText> raws;

  EventView view() const { return {seq, at, frame, cause, type, body, raws}; }

  friend bool operator==(Event const&, Event const&) = default;
};

}  // namespace backedge::talk
