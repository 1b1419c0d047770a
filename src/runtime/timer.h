// Deadlines: what is to be done when one passes, unless it is called off before.
//
// One thread, started with the first deadline. Without threads (a host that polls), due() does what is due. A deadline
// that is called off is never done afterwards, except when it was being done at that moment. Tested in
// tests/runtime/runtime_test.cpp.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

namespace backedge::runtime {

class Timer {
 public:
  using Clock = std::chrono::steady_clock;
  using Id = std::pair<Clock::time_point, std::uint64_t>;

  explicit Timer(bool threaded) : threaded_(threaded) {}
  ~Timer();
  Timer(Timer const&) = delete;
  Timer& operator=(Timer const&) = delete;

  Id at(Clock::time_point when, std::function<void()> task);
  void call_off(Id const& id);
  /// Does what is due on this thread; true when there was any.
  bool due();
  /// How long until the next one, at most `most`.
  std::chrono::milliseconds until_next(std::chrono::milliseconds most);

 private:
  void work();

  std::mutex mutex_;
  std::condition_variable wake_;
  std::map<Id, std::function<void()>> tasks_;
  std::thread thread_;
  Clock::time_point sleeps_until_ = Clock::time_point::min();  // only an earlier deadline wakes the thread
  std::uint64_t last_ = 0;
  bool threaded_;
  bool ending_ = false;
};

}  // namespace backedge::runtime
