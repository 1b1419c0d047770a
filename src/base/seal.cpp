#include "base/seal.h"

#include <array>
#include <climits>
#include <cstdint>
#include <cstdlib>

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

namespace backedge {
namespace {

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

constexpr std::array<std::uint8_t, 256> reverse_alphabet() {
  std::array<std::uint8_t, 256> out{};
  out.fill(0xff);
  for (std::size_t i = 0; i < kAlphabet.size(); ++i)
    out[static_cast<unsigned char>(kAlphabet[i])] = static_cast<std::uint8_t>(i);
  return out;
}
constexpr std::array<std::uint8_t, 256> kReverse = reverse_alphabet();

std::string mac(std::string_view payload, std::string_view key) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> out{};
  unsigned int size = 0;
  if (key.size() > INT_MAX) std::abort();
  // A null key pointer would mean "the key of the last call" to OpenSSL.
  char const* const key_bytes = key.empty() ? "" : key.data();
  unsigned char const* const done =
      HMAC(EVP_sha256(), key_bytes, static_cast<int>(key.size()),
           reinterpret_cast<unsigned char const*>(payload.data()), payload.size(), out.data(), &size);
  if (done == nullptr) std::abort();
  return std::string(reinterpret_cast<char const*>(out.data()), size);
}

}  // namespace

std::string base64url(std::string_view bytes) {
  std::string out;
  out.reserve((bytes.size() * 4 + 2) / 3);
  std::uint32_t bits = 0;
  int count = 0;
  for (char const c : bytes) {
    bits = (bits << 8) | static_cast<unsigned char>(c);
    count += 8;
    while (count >= 6) {
      count -= 6;
      out += kAlphabet[(bits >> count) & 63];
    }
  }
  if (count > 0) out += kAlphabet[(bits << (6 - count)) & 63];
  return out;
}

Result<std::string> from_base64url(std::string_view text) {
  if (text.size() % 4 == 1)
    return Error{ErrorKind::kInput, fmt::format("{} characters are no length of base64url text", text.size()), {}};
  std::string out;
  out.reserve(text.size() * 3 / 4);
  std::uint32_t bits = 0;
  int count = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::uint8_t const six = kReverse[static_cast<unsigned char>(text[i])];
    if (six == 0xff) return Error{ErrorKind::kInput, fmt::format("character {} is none of base64url", i + 1), {}};
    bits = (bits << 6) | six;
    count += 6;
    if (count >= 8) {
      count -= 8;
      out += static_cast<char>((bits >> count) & 0xff);
    }
  }
  if ((bits & ((1U << count) - 1)) != 0)
    return Error{ErrorKind::kInput, "the unused bits of the base64url text are not zero", {}};
  return out;
}

std::string seal(std::string_view payload, std::string_view key) {
  return base64url(payload) + "." + base64url(mac(payload, key));
}

Result<std::string> open_seal(std::string_view token, std::string_view key) {
  std::size_t const dot = token.find('.');
  if (dot == std::string_view::npos) return Error{ErrorKind::kSignature, "the token has no signature", {}};
  Result<std::string> payload = from_base64url(token.substr(0, dot));
  Result<std::string> const given = from_base64url(token.substr(dot + 1));
  if (!payload || !given) return Error{ErrorKind::kSignature, "the token is malformed", {}};
  std::string const wanted = mac(*payload, key);
  bool const same = given->size() == wanted.size() && CRYPTO_memcmp(given->data(), wanted.data(), wanted.size()) == 0;
  if (!same) return Error{ErrorKind::kSignature, "the token's signature does not verify", {}};
  return payload;
}

}  // namespace backedge
