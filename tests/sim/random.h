// Random numbers that are the same on every machine: splitmix64 (Steele, Lea, Flood, "Fast splittable pseudorandom
// number generators", OOPSLA 2014). One seed, one sequence; nothing else is a source of chance in tests/sim.
//
// At most one number is drawn in the arguments of a call, whose order is the compiler's.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <vector>

namespace backedge::sim {

constexpr std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31U);
}

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() { return mix(state_++); }
  /// 0 to n - 1; 0 for n = 0.
  std::uint64_t below(std::uint64_t n) { return n == 0 ? 0 : next() % n; }
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(below(static_cast<std::uint64_t>(high - low + 1)));
  }
  bool chance(std::uint64_t percent) { return below(100) < percent; }
  template <class T>
  T pick(std::initializer_list<T> from) {
    return from.begin()[below(from.size())];
  }
  template <class T>
  T const& pick(std::vector<T> const& from) {
    return from[below(from.size())];
  }

 private:
  std::uint64_t state_;
};

}  // namespace backedge::sim
