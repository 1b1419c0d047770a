// A list of at most N values inside its owner: no allocation, and a full list drops what does not fit.
//
// Used where a call carries a few values (resources, word hashes) and the decision path must not allocate. Dropping is
// always the milder side: what is not remembered cannot be held against a call. Tested in
// tests/base/fixed_list_test.cpp.
#pragma once

#include <array>
#include <cstddef>
#include <span>

namespace backedge {

template <class T, std::size_t N>
class FixedList {
 public:
  /// False when the list is full and the value was dropped.
  bool push(T value) {
    if (size_ == N) return false;
    values_[size_++] = value;
    return true;
  }
  void clear() { size_ = 0; }
  /// Keeps the first n values; n must not exceed size().
  void truncate(std::size_t n) { size_ = n; }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T& operator[](std::size_t i) { return values_[i]; }
  T const& operator[](std::size_t i) const { return values_[i]; }
  T* begin() { return values_.data(); }
  T* end() { return values_.data() + size_; }
  T const* begin() const { return values_.data(); }
  T const* end() const { return values_.data() + size_; }
  std::span<T const> view() const { return {values_.data(), size_}; }

 private:
  std::array<T, N> values_{};
  std::size_t size_ = 0;
};

}  // namespace backedge
