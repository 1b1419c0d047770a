// What happens in a run, told as lines of JSON to whoever listens; silent and free when nobody does.
//
// One line an event: {"v":1,"seq":N,"at_us":T,"frame":F,"type":"verdict","body":{…}}; seq counts from 1 without gaps.
// Texts of arguments and results are never in it. Tested in tests/embed/run_test.cpp.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "backedge/ids.h"
#include "kernel/call_facts.h"
#include "kernel/verdict.h"

namespace backedge::embed {

class EventLog {
 public:
  explicit EventLog(std::function<void(std::string_view)> listener) : listener_(std::move(listener)) {}

  void turn(std::string_view type, FrameId frame, kernel::TurnVerdict const& verdict, Micros now);
  void call(FrameId frame, std::string_view tool, kernel::CallVerdict const& verdict, Micros now);
  void result(FrameId frame, CallId call, kernel::ResultFacts const& result, Micros now);
  void frame(std::string_view type, FrameId frame, CallId by, std::string_view agent, Micros now);
  void note(std::string_view type, FrameId frame, std::string_view what, Micros now);

 private:
  std::function<void(std::string_view)> listener_;
  std::uint64_t seq_ = 0;
};

}  // namespace backedge::embed
