#include "base/hash.h"

#include <bit>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace backedge {

// Words are read as they lie in memory; digests are written into journals and must not differ between machines.
static_assert(std::endian::native == std::endian::little);

namespace {

Digest xxh3(std::string_view bytes, DigestTag tag) {
  XXH128_hash_t const h = XXH3_128bits_withSeed(bytes.data(), bytes.size(), static_cast<XXH64_hash_t>(tag));
  return finish(Digest{h.high64, h.low64});
}

}  // namespace

Digest digest_bytes(std::string_view bytes, DigestTag tag) {
  bool const in_place = tag == DigestTag::kText && bytes.size() <= kShortName;
  return in_place ? digest_name(bytes) : xxh3(bytes, tag);
}

Digest digest_long_name(std::string_view name) { return xxh3(name, DigestTag::kText); }

std::uint64_t hash_bytes(std::string_view bytes, DigestTag tag) {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), static_cast<XXH64_hash_t>(tag));
}

}  // namespace backedge
