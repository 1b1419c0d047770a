#include "tools/utf8.h"

#include <algorithm>

#include "base/text.h"

namespace backedge::tools {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";

struct Part {
  std::size_t size = 1;
  bool valid = true;
  bool cut = false;  // the text ends before the character does
};

// The character at the front of `bytes`, or the maximal part that is none.
Part front(std::string_view bytes) {
  auto const byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  unsigned char const lead = byte(0);
  if (lead < 0x80) return {};
  if (lead < 0xc2 || lead > 0xf4) return {1, false, false};
  std::size_t const length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  // The second byte is narrower after some leads: no over-long forms, no surrogates, nothing beyond U+10FFFF.
  unsigned char low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
  unsigned char high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
  for (std::size_t i = 1; i < length; ++i) {
    if (i == bytes.size()) return {i, false, true};
    if (byte(i) < low || byte(i) > high) return {i, false, false};
    low = 0x80;
    high = 0xbf;
  }
  return {length, true, false};
}

// The length of the valid prefix.
std::size_t valid_prefix(std::string_view bytes) {
  std::size_t at = 0;
  while (at < bytes.size()) {
    if (static_cast<unsigned char>(bytes[at]) < 0x80) {
      ++at;
      continue;
    }
    Part const part = front(bytes.substr(at));
    if (!part.valid) break;
    at += part.size;
  }
  return at;
}

}  // namespace

std::size_t incomplete_tail(std::string_view bytes) {
  for (std::size_t back = 1; back <= 3 && back <= bytes.size(); ++back) {
    std::string_view const tail = bytes.substr(bytes.size() - back);
    auto const lead = static_cast<unsigned char>(tail.front());
    if (lead < 0x80) return 0;
    if (lead < 0xc0) continue;
    return front(tail).cut ? back : 0;
  }
  return 0;
}

bool is_utf8(std::string_view bytes) { return valid_prefix(bytes) == bytes.size(); }

std::string to_utf8(std::string bytes) {
  std::size_t at = valid_prefix(bytes);
  if (at == bytes.size()) return bytes;
  std::string out;
  out.reserve(bytes.size() + 64);
  std::string_view rest = bytes;
  while (true) {
    out += rest.substr(0, at);
    rest.remove_prefix(at);
    if (rest.empty()) return out;
    out += kReplacement;
    rest.remove_prefix(front(rest).size);
    at = valid_prefix(rest);
  }
}

std::string shown_name(std::string_view name) {
  bool const plain = is_utf8(name) && std::ranges::none_of(name, [](char c) {
                       return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
                     });
  return plain ? std::string(name) : in_quotes(name, 300);
}

}  // namespace backedge::tools
