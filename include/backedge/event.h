// What happened in a run, one event after the other: what the journal keeps and who listens hears.
//
// `seq` counts from 1 without gaps within a run; `at` never goes backwards. The body is a JSON object that never holds
// the text of arguments, results or messages: it names them by their SHA-256, and `raws` carries those that this event
// brought. Types and bodies: docs/events.md. Tested in tests/embed/run_test.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "backedge/ids.h"

namespace backedge {

/// A text that events name by `sha256` (64 lower-case hexadecimal digits).
struct RawText {
  std::string sha256;
  std::string text;

  friend bool operator==(RawText const&, RawText const&) = default;
};

/// Views hold for the time of the call that hands the event over.
struct EventView {
  std::uint64_t seq = 0;
  Micros at{0};
  FrameId frame;
  std::uint64_t cause = 0;  // seq of the event that brought this one about; 0: none
  std::string_view type;    // "verdict", "call.start", …
  std::string_view body;    // a JSON object
  std::span<RawText const> raws;
};

/// One line of JSON without its end: {"v":1,"seq":N,"at_us":T,"frame":F,"cause":C,"type":"…","body":{…}}. `cause` is
/// left out when there is none.
std::string event_line(EventView const& event);

}  // namespace backedge
