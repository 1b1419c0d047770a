// What the calling thread has had of the processor; unlike a clock it does not see what else the machine does.
#pragma once

#include <chrono>
#include <ctime>

namespace backedge::testing {

inline std::chrono::nanoseconds processor_time() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

}  // namespace backedge::testing
