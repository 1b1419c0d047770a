// Lines and escapes; see shown_text.h.

#include "cli/shown_text.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"

namespace backedge::cli {
namespace {

// A terminal takes C1 characters for commands, too: two bytes in UTF-8, the first of them 0xc2.
bool is_control(std::string_view character) {
  auto const first = static_cast<unsigned char>(character[0]);
  if (character.size() == 1) return (first < 0x20 && first != '\t') || first >= 0x7f;
  return character.size() == 2 && first == 0xc2 && static_cast<unsigned char>(character[1]) < 0xa0;
}

std::string shown_line(std::string_view line, std::size_t characters) {
  std::string_view const kept = characters == 0 ? line : cut(line, characters);
  std::string out;
  for (std::string_view rest = kept; !rest.empty();) {
    std::string_view const one = cut(rest, 1);
    rest.remove_prefix(one.size());
    if (!is_control(one)) {
      out += one;
      continue;
    }
    for (char const c : one) out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  }
  if (kept.size() < line.size()) out += "…";
  return out;
}

}  // namespace

std::vector<std::string> shown_lines(std::string_view text, TextLimits limits) {
  std::vector<std::string> out;
  if (text.ends_with('\n')) text.remove_suffix(1);
  while (!text.empty()) {
    if (limits.lines != 0 && out.size() == limits.lines) {
      auto const more = std::count(text.begin(), text.end(), '\n') + 1;
      out.push_back(fmt::format("… {} more line{}", more, more == 1 ? "" : "s"));
      break;
    }
    std::size_t const end = text.find('\n');
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    out.push_back(shown_line(line, limits.characters));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
    if (text.empty()) out.emplace_back();
  }
  return out;
}

std::string many(std::int64_t n, std::string_view one) {
  return std::to_string(n) + ' ' + std::string(one) + (n == 1 ? "" : "s");
}

}  // namespace backedge::cli
