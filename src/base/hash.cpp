#include "base/hash.h"

#include <bit>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace backedge {

// Words are read as they lie in memory; digests are written into journals and must not differ between machines.
static_assert(std::endian::native == std::endian::little);

Digest digest_bytes(std::string_view bytes, DigestTag tag) {
  // digest_name() comes here with longer texts only.
  if (tag == DigestTag::kText && bytes.size() <= 16) return digest_name(bytes);
  XXH128_hash_t const h = XXH3_128bits_withSeed(bytes.data(), bytes.size(), static_cast<XXH64_hash_t>(tag));
  return finish(Digest{h.high64, h.low64});
}

std::uint64_t hash_bytes(std::string_view bytes, DigestTag tag) {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), static_cast<XXH64_hash_t>(tag));
}

}  // namespace backedge
