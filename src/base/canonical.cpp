#include "base/canonical.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include <boost/json.hpp>

namespace backedge {
namespace {

namespace json = boost::json;

// UTF-8 sorts like UTF-16 except that UTF-16 puts U+E000 to U+FFFF (lead bytes ee, ef) after everything beyond U+FFFF
// (lead bytes f0 to f4), whose code units begin with a surrogate.
constexpr int utf16_rank(char c) {
  int const b = static_cast<unsigned char>(c);
  return b == 0xee || b == 0xef ? b + 0x10 : b;
}

bool utf16_less(json::string_view a, json::string_view b) {
  auto const [x, y] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  if (x == a.end() || y == b.end()) return x == a.end() && y != b.end();
  return utf16_rank(*x) < utf16_rank(*y);
}

void append_string(std::string& out, json::string_view s) {
  static constexpr std::string_view kHex = "0123456789abcdef";
  out += '"';
  for (char const c : s) {
    auto const b = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (b >= 0x20) {
      out += c;
    } else if (std::size_t const i = std::string_view("\b\t\n\f\r").find(c); i != std::string_view::npos) {
      out += '\\';
      out += std::string_view("btnfr")[i];
    } else {
      out += "\\u00";
      out += kHex[b >> 4];
      out += kHex[b & 15];
    }
  }
  out += '"';
}

void append_number(std::string& out, double number) {
  if (number == 0) {
    out += '0';
    return;
  }
  std::array<char, 32> buffer{};
  // "d.ddde±xx", the shortest digits that read back.
  auto const end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), number, std::chars_format::scientific).ptr;
  std::string_view text(buffer.data(), static_cast<std::size_t>(end - buffer.data()));
  if (text.front() == '-') {
    out += '-';
    text.remove_prefix(1);
  }
  std::size_t const e = text.find('e');
  std::string digits(1, text.front());
  if (e > 2) digits += text.substr(2, e - 2);
  int exponent = std::atoi(buffer.data() + (text.data() - buffer.data()) + e + 1);
  // In the words of ECMAScript: the value is 0.digits times ten to the n.
  int const n = exponent + 1;
  int const k = static_cast<int>(digits.size());
  if (k <= n && n <= 21) {
    out += digits;
    out.append(static_cast<std::size_t>(n - k), '0');
  } else if (0 < n && n <= 21) {
    out.append(digits, 0, static_cast<std::size_t>(n));
    out += '.';
    out.append(digits, static_cast<std::size_t>(n));
  } else if (-6 < n && n <= 0) {
    out += "0.";
    out.append(static_cast<std::size_t>(-n), '0');
    out += digits;
  } else {
    out += digits.front();
    if (k > 1) out += '.' + digits.substr(1);
    out += exponent < 0 ? "e-" : "e+";
    out += std::to_string(std::abs(exponent));
  }
}

void append_scalar(std::string& out, json::value const& v) {
  switch (v.kind()) {
    case json::kind::null: out += "null"; break;
    case json::kind::bool_: out += v.get_bool() ? "true" : "false"; break;
    case json::kind::int64: append_number(out, static_cast<double>(v.get_int64())); break;
    case json::kind::uint64: append_number(out, static_cast<double>(v.get_uint64())); break;
    case json::kind::double_: append_number(out, v.get_double()); break;
    case json::kind::string: append_string(out, v.get_string()); break;
    case json::kind::array:
    case json::kind::object: break;
  }
}

// A container that is being written: its parts in the order of writing.
struct Open {
  bool is_object = false;
  std::vector<json::key_value_pair const*> members;
  json::array const* elements = nullptr;
  std::size_t next = 0;

  std::size_t size() const { return is_object ? members.size() : elements->size(); }
};

}  // namespace

std::string canonical(json::value const& value) {
  std::string out;
  std::vector<Open> open;
  auto const begin = [&](json::value const& v) {
    if (json::object const* o = v.if_object()) {
      Open level{.is_object = true, .members = {}};
      for (json::key_value_pair const& member : *o) level.members.push_back(&member);
      std::ranges::sort(level.members, utf16_less, [](json::key_value_pair const* m) { return m->key(); });
      open.push_back(std::move(level));
      out += '{';
    } else if (json::array const* a = v.if_array()) {
      open.push_back(Open{.is_object = false, .members = {}, .elements = a});
      out += '[';
    } else {
      append_scalar(out, v);
    }
  };
  begin(value);
  while (!open.empty()) {
    Open& level = open.back();
    if (level.next == level.size()) {
      out += level.is_object ? '}' : ']';
      open.pop_back();
      continue;
    }
    std::size_t const i = level.next++;
    if (i > 0) out += ',';
    if (level.is_object) {
      append_string(out, level.members[i]->key());
      out += ':';
      begin(level.members[i]->value());
    } else {
      begin((*level.elements)[i]);
    }
  }
  return out;
}

std::string canonical_number(double number) {
  std::string out;
  append_number(out, number);
  return out;
}

}  // namespace backedge
