// The shingles that a frame has seen lately: kPlaces places, each remembering the last shingle that belongs there.
//
// A shingle belongs at its value modulo kPlaces, so old ones are forgotten when a newer one takes their place. Few are
// kept by open addressing in a small table, which doubles when three quarters are taken; at kPlaces slots every place
// has its own. What is remembered does not depend on the size of the table. Zero is no shingle. Tested in
// tests/kernel/seen_shingles_test.cpp against the plain array.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace backedge::kernel {

class SeenShingles {
 public:
  static constexpr std::uint32_t kPlaces = 2048;

  /// Puts the shingle in its place; true when it was not there. Amortised O(1), no allocation once grown.
  bool put(std::uint32_t shingle) {
    if (shingle == 0) return false;
    if (slots_.empty()) slots_.assign(kFirstSlots, 0);
    std::uint32_t& slot = slot_for(shingle);
    if (slot == shingle) return false;
    bool const taken = slot != 0;
    slot = shingle;
    if (!taken && ++used_ * 4 > slots_.size() * 3 && slots_.size() < kPlaces) grow();
    return true;
  }

 private:
  static constexpr std::size_t kFirstSlots = 64;

  // The slot of the shingle's place, or the free one where it would be.
  std::uint32_t& slot_for(std::uint32_t shingle) {
    std::size_t const mask = slots_.size() - 1;
    std::size_t at = shingle & mask;
    while (slots_[at] != 0 && slots_[at] % kPlaces != shingle % kPlaces) at = (at + 1) & mask;
    return slots_[at];
  }

  void grow() {
    std::vector<std::uint32_t> few(slots_.size() * 2, 0);
    few.swap(slots_);
    for (std::uint32_t const shingle : few) {
      if (shingle != 0) slot_for(shingle) = shingle;
    }
  }

  std::vector<std::uint32_t> slots_;  // 0 is free; the size is a power of two
  std::size_t used_ = 0;
};

}  // namespace backedge::kernel
