// A 128-bit digest and the ways digests are combined. Not cryptographic: it finds equals, it does not withstand
// forgers.
//
// All-zero means "none"; no real digest is zero, because finish() never returns it. Combining is pure arithmetic, so
// the kernel needs no hash library; digests of bytes come from base/hash.h. Tested in tests/base/digest_test.cpp.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace backedge {

struct Digest {
  std::uint64_t hi = 0;
  std::uint64_t lo = 0;

  constexpr bool none() const { return (hi | lo) == 0; }
  friend constexpr auto operator<=>(Digest const&, Digest const&) = default;
};

/// Bijective 64-bit finaliser (the constants of MurmurHash3's fmix64, public domain).
constexpr std::uint64_t scramble(std::uint64_t x) {
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccdULL;
  x ^= x >> 33;
  x *= 0xc4ceb9fe1a85ec53ULL;
  x ^= x >> 33;
  return x;
}

/// Both halves of the product of two words, as wyhash joins them. Well mixed when the factors are, or are offset by odd
/// constants of high weight.
constexpr std::uint64_t fold(std::uint64_t a, std::uint64_t b) {
  auto const product = static_cast<__uint128_t>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

/// Never zero, so that "none" stays free.
constexpr Digest finish(Digest d) {
  d.lo += d.none() ? 1U : 0U;
  return d;
}

/// Digest of the ordered pair (a, b).
constexpr Digest combine(Digest a, Digest b) {
  Digest out;
  out.hi = scramble(a.hi ^ (b.lo * 0x9e3779b97f4a7c15ULL + 0x2545f4914f6cdd1dULL));
  out.lo = scramble(a.lo + (b.hi ^ 0xd1b54a32d192ed03ULL) * 0xda942042e4dd58b5ULL);
  out.hi += out.lo;
  return finish(out);
}

/// Sum of digests: the same for any order of the summands. Start from Digest{} and finish() at the end.
constexpr Digest add(Digest a, Digest b) {
  Digest out;
  out.lo = a.lo + b.lo;
  out.hi = a.hi + b.hi + (out.lo < a.lo ? 1 : 0);
  return out;
}

}  // namespace backedge

template <>
struct std::hash<backedge::Digest> {
  std::size_t operator()(backedge::Digest const& d) const noexcept {
    return static_cast<std::size_t>(d.lo ^ (d.hi * 0x9e3779b97f4a7c15ULL));
  }
};
