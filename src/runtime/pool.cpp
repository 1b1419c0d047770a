// See pool.h.

#include "runtime/pool.h"

namespace backedge::runtime {

void Pool::finish() {
  std::vector<std::thread> threads;
  {
    std::lock_guard lock(mutex_);
    ending_ = true;
    threads.swap(threads_);
  }
  wake_.notify_all();
  for (std::thread& thread : threads) thread.join();
  while (run_one(std::chrono::milliseconds(0))) {
  }
}

void Pool::start_if_needed() {
  if (!ending_ && tasks_.size() > idle_ && threads_.size() < most_ + blocked_)
    threads_.emplace_back([this] { work(); });
}

void Pool::submit(std::function<void()> task) {
  {
    std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
    if (most_ > 0) start_if_needed();
  }
  wake_.notify_one();
}

void Pool::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    ++idle_;
    wake_.wait(lock, [this] { return ending_ || !tasks_.empty(); });
    --idle_;
    if (tasks_.empty()) return;  // ending
    std::function<void()> task = std::move(tasks_.front());
    tasks_.pop_front();
    lock.unlock();
    task();
    task = nullptr;  // what it holds may end other things: not under the lock
    lock.lock();
  }
}

bool Pool::run_one(std::chrono::milliseconds wait) {
  std::unique_lock lock(mutex_);
  if (!wake_.wait_for(lock, wait, [this] { return !tasks_.empty(); })) return false;
  std::function<void()> task = std::move(tasks_.front());
  tasks_.pop_front();
  lock.unlock();
  task();
  return true;
}

Pool::Blocked::Blocked(Pool& pool) : pool_(pool) {
  std::lock_guard lock(pool_.mutex_);
  ++pool_.blocked_;
  if (pool_.most_ > 0) pool_.start_if_needed();
}

// The thread that took its place stays; it only finds less to do.
Pool::Blocked::~Blocked() {
  std::lock_guard lock(pool_.mutex_);
  --pool_.blocked_;
}

}  // namespace backedge::runtime
