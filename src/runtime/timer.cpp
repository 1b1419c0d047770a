// See timer.h.

#include "runtime/timer.h"

#include <algorithm>

namespace backedge::runtime {

Timer::~Timer() {
  {
    std::lock_guard lock(mutex_);
    ending_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

Timer::Id Timer::at(Clock::time_point when, std::function<void()> task) {
  std::lock_guard lock(mutex_);
  Id const id{when, ++last_};
  tasks_.emplace(id, std::move(task));
  if (threaded_ && !thread_.joinable()) thread_ = std::thread([this] { work(); });
  if (when < sleeps_until_) wake_.notify_one();
  return id;
}

void Timer::call_off(Id const& id) {
  std::lock_guard lock(mutex_);
  tasks_.erase(id);
}

bool Timer::due() {
  bool any = false;
  std::unique_lock lock(mutex_);
  while (!tasks_.empty() && tasks_.begin()->first.first <= Clock::now()) {
    std::function<void()> const task = std::move(tasks_.begin()->second);
    tasks_.erase(tasks_.begin());
    lock.unlock();
    task();
    any = true;
    lock.lock();
  }
  return any;
}

std::chrono::milliseconds Timer::until_next(std::chrono::milliseconds most) {
  std::lock_guard lock(mutex_);
  if (tasks_.empty()) return most;
  auto const rest = std::chrono::ceil<std::chrono::milliseconds>(tasks_.begin()->first.first - Clock::now());
  return std::clamp(rest, std::chrono::milliseconds(0), most);
}

void Timer::work() {
  std::unique_lock lock(mutex_);
  while (!ending_) {
    sleeps_until_ = tasks_.empty() ? Clock::time_point::max() : tasks_.begin()->first.first;
    if (tasks_.empty()) {
      wake_.wait(lock);
    } else if (sleeps_until_ > Clock::now()) {
      wake_.wait_until(lock, sleeps_until_);
    } else {
      lock.unlock();
      due();
      lock.lock();
    }
  }
}

}  // namespace backedge::runtime
