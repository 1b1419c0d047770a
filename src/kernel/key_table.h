// What a frame remembers of each distinct call: its last outcome and how often that came back with nothing changed.
//
// At most kMaxKeys records; the oldest goes first, which only makes the kernel milder. Lookup is one probe sequence
// over 32-bit slots, records never move. 56 bytes a record and 4 bytes a slot at a load of 3/8 to 3/4. Tested in
// tests/kernel/key_table_test.cpp.
#pragma once

#include <cstdint>
#include <vector>

#include "backedge/ids.h"
#include "base/chunk_list.h"
#include "base/digest.h"

namespace backedge::kernel {

struct KeyRecord {
  Digest key;
  Digest outcome;             // of the last result
  std::uint32_t stamp = 0;    // number of changes in the frame when the call was last seen
  std::uint32_t round = 0;    // in which it last counted
  CallId last;                // the call that gave `outcome` last
  std::uint32_t last_ms = 0;  // when, in milliseconds since the frame's first call
  std::uint16_t count = 0;    // occurrences of (key, outcome) with nothing changed in between
  std::uint16_t visible = 0;  // results of this key that the model still sees
  bool failing = false;
  bool empty = false;
};

class KeyTable {
 public:
  static constexpr std::uint32_t kMaxKeys = 65536;

  /// The record of `key`, or null. O(1).
  KeyRecord* find(Digest key) {
    if (slots_.empty()) return nullptr;
    for (std::uint32_t at = home(key);; at = next(at)) {
      std::uint32_t const slot = slots_[at];
      if (slot == 0) return nullptr;
      if (records_[slot - 1].key == key) return &records_[slot - 1];
    }
  }

  KeyRecord const* find(Digest key) const { return const_cast<KeyTable*>(this)->find(key); }

  /// The record of `key`, made if it is not there; the oldest record makes room when the table is full. Amortised O(1).
  KeyRecord& obtain(Digest key) {
    if (KeyRecord* known = find(key)) return *known;
    if (records_.size() < kMaxKeys) {
      if ((records_.size() + 1) * 4 > slots_.size() * 3) grow();
      records_.push_back({});
      return place(key, static_cast<std::uint32_t>(records_.size() - 1));
    }
    std::uint32_t const victim = oldest_;
    oldest_ = (oldest_ + 1) % kMaxKeys;
    remove_slot(victim);
    records_[victim] = KeyRecord{};
    return place(key, victim);
  }

  void clear() {
    slots_.clear();
    records_.clear();
    oldest_ = 0;
  }
  std::size_t size() const { return records_.size(); }

  /// Calls `visit(KeyRecord&)` for every record.
  template <class Visit>
  void each(Visit visit) {
    for (std::size_t i = 0; i < records_.size(); ++i) visit(records_[i]);
  }

 private:
  std::uint32_t mask() const { return static_cast<std::uint32_t>(slots_.size() - 1); }
  std::uint32_t home(Digest key) const { return static_cast<std::uint32_t>(key.lo) & mask(); }
  std::uint32_t next(std::uint32_t at) const { return (at + 1) & mask(); }

  KeyRecord& place(Digest key, std::uint32_t index) {
    std::uint32_t at = home(key);
    while (slots_[at] != 0) at = next(at);
    slots_[at] = index + 1;
    records_[index].key = key;
    return records_[index];
  }

  void grow() {
    slots_.assign(slots_.empty() ? 16 : slots_.size() * 2, 0);
    for (std::uint32_t i = 0; i < records_.size(); ++i) {
      std::uint32_t at = home(records_[i].key);
      while (slots_[at] != 0) at = next(at);
      slots_[at] = i + 1;
    }
  }

  // Linear probing without tombstones: what follows the gap moves up unless that would put it before its home.
  void remove_slot(std::uint32_t index) {
    std::uint32_t gap = home(records_[index].key);
    while (slots_[gap] != index + 1) gap = next(gap);
    for (std::uint32_t at = next(gap); slots_[at] != 0; at = next(at)) {
      std::uint32_t const want = home(records_[slots_[at] - 1].key);
      if (((at - want) & mask()) < ((at - gap) & mask())) continue;
      slots_[gap] = slots_[at];
      gap = at;
    }
    slots_[gap] = 0;
  }

  std::vector<std::uint32_t> slots_;  // record index + 1; 0 = free; size is a power of two
  ChunkList<KeyRecord, 4, 64> records_;
  std::uint32_t oldest_ = 0;
};

}  // namespace backedge::kernel
