// Where the tokens of a JSON text start: the first stage of simdjson, without its second.
//
// The first stage finds, at several gigabytes a second, the start of every scalar and string and every { } [ ] : ,
// outside strings; it rejects invalid UTF-8, unclosed strings and control characters inside strings. Everything else
// (grammar, escapes, numbers) is left to the reader of the index, which visits every token. Tested through
// tests/facts/json_digest_test.cpp and the fuzz target.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace backedge::facts {

class JsonIndex {
 public:
  JsonIndex();
  ~JsonIndex();
  JsonIndex(JsonIndex&&) noexcept;
  JsonIndex& operator=(JsonIndex&&) noexcept;

  /// Indexes `text`, which needs no padding. Returns null, or in words why the text is no JSON. A text without tokens
  /// has an empty index. Allocates only when the text is longer than any before.
  char const* build(std::string_view text);

  /// Byte offsets in order; valid until the next build(). Behind the last one stands the size of the text, so that the
  /// end of a token can be had from the start of the next.
  std::span<std::uint32_t const> positions() const { return positions_; }

 private:
  struct Scanner;
  std::unique_ptr<Scanner> scanner_;
  std::span<std::uint32_t const> positions_;
};

}  // namespace backedge::facts
