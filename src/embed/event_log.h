// What happens in a run, told to whoever listens; silent and free when nobody does.
//
// Each event is an EventView (backedge/event.h): its body names texts of arguments, results and messages by their
// SHA-256 and the event carries them beside it. Tested in tests/embed/run_test.cpp.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "backedge/event.h"
#include "backedge/ids.h"
#include "backedge/run.h"
#include "kernel/call_facts.h"
#include "kernel/verdict.h"

namespace backedge::embed {

class EventLog {
 public:
  explicit EventLog(std::function<void(EventView const&)> listener) : listener_(std::move(listener)) {}

  /// `code`: of the verdict, as it is told; routing's hold the name of the rule.
  void turn_proposed(FrameId frame, TurnEstimate const& estimate, kernel::TurnVerdict const& verdict,
                     std::string_view code, Micros now);
  void turn_ended(FrameId frame, Usage const& usage, std::string_view text, kernel::TurnVerdict const& verdict,
                  std::string_view code, Micros now);
  /// `verdicts` and what they say in words belong to `calls`, in order; so does `set_by`, where the limits that spoke
  /// were set, which is empty when none did.
  void round(FrameId frame, std::span<Call const> calls, std::span<kernel::CallVerdict const> verdicts,
             std::span<Entered const> words, std::span<std::string const> set_by, Micros now);
  void call(FrameId frame, std::string_view tool, kernel::CallVerdict const& verdict, std::string_view code,
            std::string_view text, std::string_view set_by, Micros now);
  void result(FrameId frame, CallId call, kernel::ResultFacts const& result, std::string_view text, Micros now);
  void frame_opened(FrameId frame, CallId by, std::string_view agent, std::optional<std::int64_t> max_turns,
                    Micros now);
  void frame_closed(FrameId frame, Micros now);
  void user(FrameId frame, Author author, std::string_view text, Micros now);
  void approval(FrameId frame, CallId call, Approval answer, Micros now);
  /// A rule's word on a result. `acted`: false when nothing came of it.
  void routed(FrameId frame, CallId call, std::string_view rule, ResultRoute const& route, bool acted, Micros now);
  void stage_moved(FrameId frame, std::string_view from, std::string_view to, std::string_view why, Micros now);
  void note(std::string_view type, FrameId frame, std::string_view what, Micros now);

 private:
  void tell(std::string_view type, FrameId frame, std::string_view body, Micros now,
            std::span<RawText const> raws = {});

  std::function<void(EventView const&)> listener_;
  std::uint64_t seq_ = 0;
};

}  // namespace backedge::embed
