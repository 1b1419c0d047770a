#include "facts/json_index.h"

#include <algorithm>

#include <simdjson.h>

namespace backedge::facts {
namespace {

// Small texts never make it grow.
constexpr std::size_t kFirstCapacity = 4096;

}  // namespace

// The library's parser, of which only the first stage is used; stable from simdjson 1 to 4.
struct JsonIndex::Scanner {
  std::unique_ptr<simdjson::internal::dom_parser_implementation> parser;
  std::size_t capacity = 0;

  bool grow(std::size_t size) {
    if (size <= capacity) return true;
    std::size_t const wanted = std::max({size, capacity * 2, kFirstCapacity});
    capacity = 0;
    if (simdjson::get_active_implementation()->create_dom_parser_implementation(wanted, 1, parser) != simdjson::SUCCESS)
      return false;
    capacity = wanted;
    return true;
  }
};

JsonIndex::JsonIndex() : scanner_(std::make_unique<Scanner>()) { scanner_->grow(kFirstCapacity); }
JsonIndex::~JsonIndex() = default;
JsonIndex::JsonIndex(JsonIndex&&) noexcept = default;
JsonIndex& JsonIndex::operator=(JsonIndex&&) noexcept = default;

char const* JsonIndex::build(std::string_view text) {
  positions_ = {};
  if (text.empty()) return nullptr;
  if (!scanner_->grow(text.size())) return "the text is too long";
  auto& parser = *scanner_->parser;
  switch (
      parser.stage1(reinterpret_cast<std::uint8_t const*>(text.data()), text.size(), simdjson::stage1_mode::regular)) {
    case simdjson::SUCCESS:
      // The index is always allocated with room for the marks that the second stage wants behind it.
      parser.structural_indexes[parser.n_structural_indexes] = static_cast<std::uint32_t>(text.size());
      positions_ = {parser.structural_indexes.get(), parser.n_structural_indexes};
      return nullptr;
    case simdjson::EMPTY: return nullptr;
    case simdjson::UTF8_ERROR: return "invalid UTF-8";
    case simdjson::UNCLOSED_STRING: return "a string is not closed";
    case simdjson::UNESCAPED_CHARS: return "a control character in a string";
    default: return "the text is no JSON";
  }
}

}  // namespace backedge::facts
