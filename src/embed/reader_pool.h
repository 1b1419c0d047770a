// The readers of a policy: a run borrows one for as long as one call of it takes, so that a run at rest holds none.
//
// A reader remembers nothing from one text to the next but its buffers, which makes any of them as good as another.
// There are never more than were at work at once. Any thread; the lock is held for a few instructions. No allocation
// once the pool has seen its busiest moment. Tested in tests/embed/reader_pool_test.cpp, under threads too.
#pragma once

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "facts/reader.h"
#include "kernel/call_facts.h"
#include "kernel/verdict.h"

namespace backedge::embed {

/// What it takes to read a round of calls and to decide on it; grows once, is used again.
struct Desk {
  explicit Desk(facts::ContractBook const& book) : reader(book) {}

  facts::Reader reader;
  std::vector<kernel::CallFacts> round;
  std::vector<kernel::CallVerdict> verdicts;
};

class ReaderPool {
 public:
  /// A desk until the end of its scope. Views into it are void from then on.
  class Loan {
   public:
    Loan(ReaderPool& pool, std::unique_ptr<Desk> desk) : pool_(&pool), desk_(std::move(desk)) {}
    Loan(Loan const&) = delete;
    Loan& operator=(Loan const&) = delete;
    ~Loan() { pool_->give_back(std::move(desk_)); }

    Desk* operator->() const { return desk_.get(); }

   private:
    ReaderPool* pool_;
    std::unique_ptr<Desk> desk_;
  };

  /// The book of all borrowers of this pool; it outlives every loan, and does not change while there is one.
  Loan borrow(facts::ContractBook const& book) {
    std::unique_lock lock(mutex_);
    if (free_.empty()) {
      if (free_.capacity() < ++desks_) free_.reserve(desks_ * 2);  // so that giving back never allocates
      lock.unlock();
      return {*this, std::make_unique<Desk>(book)};
    }
    std::unique_ptr<Desk> desk = std::move(free_.back());
    free_.pop_back();
    return {*this, std::move(desk)};
  }

  /// Desks made so far, at work or not.
  std::size_t size() const {
    std::lock_guard lock(mutex_);
    return desks_;
  }

 private:
  void give_back(std::unique_ptr<Desk> desk) {
    std::lock_guard lock(mutex_);
    free_.push_back(std::move(desk));
  }

  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<Desk>> free_;  // the one used last is taken first: it is still in the cache
  std::size_t desks_ = 0;
};

}  // namespace backedge::embed
