// A list that grows at its end, whose values never move and which costs nothing while it is empty.
//
// Values stand in chunks: the first holds First of them, each further one twice as many as the one before, up to Most
// a chunk; so a short list is small, and a long one wastes at most one chunk. An index is found without a search. Both
// sizes are powers of two. Example with First = 2 and Most = 8: chunks of 2, 4, 8, 8, … begin at 0, 2, 6, 14, …
// Tested in tests/base/chunk_list_test.cpp.
#pragma once

#include <bit>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace backedge {

template <class T, std::size_t First, std::size_t Most>
class ChunkList {
  static_assert(std::has_single_bit(First) && std::has_single_bit(Most) && First <= Most);

 public:
  ChunkList() = default;
  ChunkList(ChunkList const& other) {
    for (std::size_t i = 0; i < other.size(); ++i) push_back(other[i]);
  }
  ChunkList& operator=(ChunkList const& other) { return *this = ChunkList(other); }
  ChunkList(ChunkList&& other) noexcept
      : chunks_(std::exchange(other.chunks_, Chunks())), size_(std::exchange(other.size_, 0)) {}
  ChunkList& operator=(ChunkList&& other) noexcept {
    chunks_ = std::exchange(other.chunks_, Chunks());
    size_ = std::exchange(other.size_, 0);
    return *this;
  }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

  /// i must be below size(). O(1).
  T& operator[](std::size_t i) {
    if (i < kGrowing) {
      std::size_t const chunk = chunk_of(i);
      return chunks_[chunk][i - begin_of(chunk)];
    }
    std::size_t const beyond = i - kGrowing;
    return chunks_[kDoublings + beyond / Most][beyond % Most];
  }
  T const& operator[](std::size_t i) const { return const_cast<ChunkList&>(*this)[i]; }
  T& back() { return (*this)[size_ - 1]; }

  /// Adds a value; those before it stay where they are. Amortised O(1).
  T& push_back(T value) {
    if (size_ == capacity_of(chunks_.size())) {
      chunks_.push_back(std::make_unique<T[]>(chunks_.size() < kDoublings ? First << chunks_.size() : Most));
    }
    T& place = (*this)[size_++];
    place = std::move(value);
    return place;
  }

  /// Empties the list and gives its memory back.
  void clear() {
    chunks_ = Chunks();
    size_ = 0;
  }

 private:
  using Chunks = std::vector<std::unique_ptr<T[]>>;

  // The chunks smaller than Most, and how many values they hold together.
  static constexpr std::size_t kDoublings = static_cast<std::size_t>(std::bit_width(Most / First)) - 1;
  static constexpr std::size_t kGrowing = Most - First;

  static constexpr std::size_t chunk_of(std::size_t i) {
    return static_cast<std::size_t>(std::bit_width(i / First + 1)) - 1;
  }
  static constexpr std::size_t begin_of(std::size_t chunk) { return (First << chunk) - First; }
  static constexpr std::size_t capacity_of(std::size_t chunks) {
    return chunks <= kDoublings ? begin_of(chunks) : kGrowing + (chunks - kDoublings) * Most;
  }

  Chunks chunks_;
  std::size_t size_ = 0;
};

}  // namespace backedge
