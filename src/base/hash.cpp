#include "base/hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace backedge {

Digest digest_bytes(std::string_view bytes, DigestTag tag) {
  XXH128_hash_t const h = XXH3_128bits_withSeed(bytes.data(), bytes.size(), static_cast<XXH64_hash_t>(tag));
  return finish(Digest{h.high64, h.low64});
}

std::uint64_t hash_bytes(std::string_view bytes, DigestTag tag) {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), static_cast<XXH64_hash_t>(tag));
}

}  // namespace backedge
