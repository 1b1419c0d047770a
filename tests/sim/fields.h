// Numbers and words of an event's body, found without parsing it: bodies are flat where it matters here, keys are
// written as "key":, and a quotation mark inside a text is escaped, so that no text can look like a key.
#pragma once

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

namespace backedge::sim {

inline std::string_view after_key(std::string_view body, std::string_view key) {
  std::string const quoted = "\"" + std::string(key) + "\":";
  for (std::size_t at = body.find(quoted); at != std::string_view::npos; at = body.find(quoted, at + 1))
    if (at == 0 || body[at - 1] != '\\') return body.substr(at + quoted.size());
  return {};
}

/// 0 when it is not there.
inline std::int64_t number_in(std::string_view body, std::string_view key) {
  std::string_view const rest = after_key(body, key);
  std::int64_t out = 0;
  std::from_chars(rest.data(), rest.data() + rest.size(), out);
  return out;
}

/// Up to the next quotation mark; empty when it is not there.
inline std::string_view word_in(std::string_view body, std::string_view key) {
  std::string_view const rest = after_key(body, key);
  if (rest.empty() || rest.front() != '"') return {};
  return rest.substr(1, rest.find('"', 1) - 1);
}

}  // namespace backedge::sim
