// Threads that do what is ready, first come first served; without threads, whoever calls run_one().
//
// Threads are started when there is work, at most `threads` that are not blocked: a task that waits for other tasks of
// the same pool says so (Blocked), and another thread takes its place, so that waiting never starves what it waits
// for. Tested in tests/runtime/runtime_test.cpp.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace backedge::runtime {

class Pool {
 public:
  explicit Pool(unsigned threads) : most_(threads) {}
  ~Pool() { finish(); }
  Pool(Pool const&) = delete;
  Pool& operator=(Pool const&) = delete;

  void submit(std::function<void()> task);
  /// Does what is queued, and what comes of it, then ends the threads; what is submitted afterwards is dropped.
  void finish();
  /// Does one task on this thread; waits at most `wait` for one. False when there was none.
  bool run_one(std::chrono::milliseconds wait);
  bool threaded() const { return most_ > 0; }

  /// While it lives, this thread of the pool waits for other tasks of the pool.
  class Blocked {
   public:
    explicit Blocked(Pool& pool);
    ~Blocked();
    Blocked(Blocked const&) = delete;
    Blocked& operator=(Blocked const&) = delete;

   private:
    Pool& pool_;
  };

 private:
  void work();
  void start_if_needed();  // under the lock

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> tasks_;
  std::vector<std::thread> threads_;
  std::size_t most_;
  std::size_t idle_ = 0;
  std::size_t blocked_ = 0;
  bool ending_ = false;
};

}  // namespace backedge::runtime
