// Work on text that no parser does: repairs of JSON that is not quite JSON, lengths for estimates, times, keeping long
// texts.
//
// All are single passes over the text without recursion. Tested in tests/inspect/text_test.cpp.
#include "inspect/text.h"

#include <array>
#include <charconv>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "inspect/lines.h"
#include "inspect/trace.h"

namespace backedge::inspect {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD
constexpr std::string_view kReplacementEscape = "\\ufffd";

/// Bytes of the UTF-8 sequence that starts `text`; 0 when it is none (Unicode 15, table 3-7).
std::size_t sequence_length(std::string_view text) {
  auto const byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  auto const follows = [&](std::size_t i) { return (byte(i) & 0xC0U) == 0x80U; };
  unsigned const a = byte(0);
  unsigned const b = byte(1);
  if (a < 0x80) return 1;
  if (a >= 0xC2 && a <= 0xDF) return follows(1) ? 2 : 0;
  if (a >= 0xE0 && a <= 0xEF) {
    bool const overlong = a == 0xE0 && b < 0xA0;
    bool const surrogate = a == 0xED && b > 0x9F;
    return follows(1) && follows(2) && !overlong && !surrogate ? 3 : 0;
  }
  if (a >= 0xF0 && a <= 0xF4) {
    bool const overlong = a == 0xF0 && b < 0x90;
    bool const beyond = a == 0xF4 && b > 0x8F;
    return follows(1) && follows(2) && follows(3) && !overlong && !beyond ? 4 : 0;
  }
  return 0;
}

/// The four hex digits of a \u escape at `at`, or -1.
int hex4(std::string_view text, std::size_t at) {
  if (at + 4 > text.size()) return -1;
  int value = 0;
  auto const [end, code] = std::from_chars(text.data() + at, text.data() + at + 4, value, 16);
  return code == std::errc() && end == text.data() + at + 4 && value >= 0 ? value : -1;
}

bool high_surrogate(int unit) { return unit >= 0xD800 && unit <= 0xDBFF; }
bool low_surrogate(int unit) { return unit >= 0xDC00 && unit <= 0xDFFF; }

/// Copies the escape that starts at `at`; returns the bytes it took.
std::size_t copy_escape(std::string_view text, std::size_t at, std::string& out) {
  if (at + 1 >= text.size()) {
    out += text[at];
    return 1;
  }
  int const unit = text[at + 1] == 'u' ? hex4(text, at + 2) : -1;
  if (unit < 0 || (!high_surrogate(unit) && !low_surrogate(unit))) {
    out.append(text.substr(at, 2));
    return 2;
  }
  bool const paired = high_surrogate(unit) && text.substr(at + 6, 2) == "\\u" && low_surrogate(hex4(text, at + 8));
  if (paired) {
    out.append(text.substr(at, 12));
    return 12;
  }
  out.append(kReplacementEscape);
  return 6;
}

void append_control(char c, std::string& out) {
  constexpr char kHex[] = "0123456789abcdef";
  auto const value = static_cast<unsigned char>(c);
  out += "\\u00";
  out += kHex[value >> 4U];
  out += kHex[value & 15U];
}

/// Length of one code point as ASCII JSON: itself, a two-character escape, or \uXXXX once or twice.
std::int64_t escaped_length(char32_t c) {
  if (c == U'"' || c == U'\\' || c == U'\b' || c == U'\f' || c == U'\n' || c == U'\r' || c == U'\t') return 2;
  if (c >= 0x20 && c < 0x7F) return 1;
  return c > 0xFFFF ? 12 : 6;
}

/// The same of the escape that starts at `at`. Each half of a surrogate pair is an escape of its own.
std::int64_t escape_length(std::string_view json, std::size_t at) {
  char const c = at + 1 < json.size() ? json[at + 1] : '\\';
  if (c == '/') return 1;
  if (c != 'u') return 2;
  int const unit = hex4(json, at + 2);
  return unit < 0 ? 6 : escaped_length(static_cast<char32_t>(unit));
}

}  // namespace

PaddedText::PaddedText(std::string text) : bytes_(std::move(text)), size_(bytes_.size()) {
  bytes_.append(kJsonPadding, ' ');
}

PaddedText repaired(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size() + kJsonPadding);
  bool inside = false;
  for (std::size_t i = 0; i < bytes.size();) {
    char const c = bytes[i];
    std::size_t const length = sequence_length(bytes.substr(i, 4));
    if (length == 0) {
      out.append(kReplacement);
      ++i;
    } else if (inside && c == '\\') {
      i += copy_escape(bytes, i, out);
    } else if (inside && static_cast<unsigned char>(c) < 0x20) {
      append_control(c, out);
      ++i;
    } else {
      if (c == '"') inside = !inside;
      out.append(bytes.substr(i, length));
      i += length;
    }
  }
  return PaddedText(std::move(out));
}

PaddedText closed(std::string_view bytes) {
  std::vector<char> open;  // closers that are still owed
  std::vector<char> owed;  // the same, at the last complete element
  std::size_t keep = 0;
  bool inside = false;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    char const c = bytes[i];
    if (inside) {
      if (c == '\\') ++i;
      inside = c != '"';
      continue;
    }
    if (c == '"') inside = true;
    if (c == '{' || c == '[') open.push_back(c == '{' ? '}' : ']');
    if ((c == '}' || c == ']') && !open.empty()) open.pop_back();
    bool const in_list = !open.empty() && open.back() == ']';
    bool const complete = c == '}' || c == ']' || (c == ',' && in_list);  // half an object is kept only for its lists
    if (complete && !open.empty() && open.size() <= 8) {  // deeper cuts save nothing that a trace is made of
      keep = c == ',' ? i : i + 1;
      owed = open;
    }
  }
  if (keep == 0) return {};
  std::string out(bytes.substr(0, keep));
  out.append(owed.rbegin(), owed.rend());
  return PaddedText(std::move(out));
}

std::int64_t code_points(std::string_view text) {
  std::int64_t count = 0;
  for (char const c : text) count += (static_cast<unsigned char>(c) & 0xC0U) != 0x80U ? 1 : 0;
  return count;
}

std::int64_t spaced_length(std::string_view json) {
  std::int64_t length = 0;
  bool inside = false;
  for (std::size_t i = 0; i < json.size();) {
    char const c = json[i];
    if (!inside) {
      bool const blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
      if (!blank) length += c == ',' || c == ':' ? 2 : 1;
      inside = c == '"';
      ++i;
    } else if (c == '\\') {
      length += escape_length(json, i);
      i += i + 1 < json.size() && json[i + 1] == 'u' ? std::size_t{6} : std::size_t{2};
    } else if (c == '"') {
      inside = false;
      ++length;
      ++i;
    } else {
      std::size_t const bytes = sequence_length(json.substr(i, 4));
      length += bytes <= 1 ? escaped_length(static_cast<unsigned char>(c)) : bytes == 4 ? 12 : 6;
      i += bytes == 0 ? 1 : bytes;
    }
  }
  return length;
}

std::string kept(std::string_view text) {
  if (text.size() <= kKeptText) return std::string(text);
  std::size_t end = kKeptText;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  Digest const whole = digest_bytes(text, DigestTag::kRaw);
  std::string out(text.substr(0, end));
  out += "\n[" + std::to_string(text.size()) + " bytes in all, digest " + std::to_string(whole.hi) + "-" +
         std::to_string(whole.lo) + "]";
  return out;
}

std::int64_t time_ms(std::string_view iso) {
  std::array<std::int64_t, 6> parts{};  // year, month, day, hour, minute, second
  constexpr std::array<std::size_t, 6> kAt{0, 5, 8, 11, 14, 17};
  if (iso.size() < 19 || iso[4] != '-' || iso[7] != '-' || iso[10] != 'T' || iso[13] != ':' || iso[16] != ':') return 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    char const* const from = iso.data() + kAt[i];
    char const* const to = from + (i == 0 ? 4 : 2);
    auto const [end, code] = std::from_chars(from, to, parts[i]);
    if (code != std::errc() || end != to || parts[i] < 0) return 0;
  }
  if (parts[0] < 1970 || parts[1] < 1 || parts[1] > 12 || parts[2] < 1 || parts[2] > 31) return 0;
  std::int64_t millis = 0;
  if (iso.size() > 20 && iso[19] == '.') {
    std::int64_t unit = 100;
    for (std::size_t i = 20; i < iso.size() && iso[i] >= '0' && iso[i] <= '9'; ++i, unit /= 10)
      millis += unit * (iso[i] - '0');
  }
  // Days from the civil calendar, with the year starting in March so that the leap day is its last (H. Hinnant, 2014).
  std::int64_t const year = parts[1] <= 2 ? parts[0] - 1 : parts[0];
  std::int64_t const month = (parts[1] + 9) % 12;
  std::int64_t const day_of_year = (153 * month + 2) / 5 + parts[2] - 1;
  std::int64_t const days = year * 365 + year / 4 - year / 100 + year / 400 + day_of_year - 719'468;
  std::int64_t offset = 0;  // minutes
  if (std::size_t const zone = iso.find_first_of("+-", 19); zone != std::string_view::npos && iso.size() >= zone + 6) {
    std::int64_t hours = 0;
    std::int64_t minutes = 0;
    std::from_chars(iso.data() + zone + 1, iso.data() + zone + 3, hours);
    std::from_chars(iso.data() + zone + 4, iso.data() + zone + 6, minutes);
    offset = (iso[zone] == '-' ? -1 : 1) * (hours * 60 + minutes);
  }
  return (((days * 24 + parts[3]) * 60 + parts[4] - offset) * 60 + parts[5]) * 1000 + millis;
}

}  // namespace backedge::inspect
