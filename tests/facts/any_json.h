// Random JSON values for property tests, and many ways to write one.
//
// Numbers have at most 15 significant digits, so that two of them are the same double exactly when they are the same
// decimal. Values are small and drawn from small alphabets: equal ones must meet often enough to be tested.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace backedge::testing {

struct AnyJson {
  enum class Kind { kNull, kTrue, kFalse, kNumber, kString, kArray, kObject };

  Kind kind = Kind::kNull;
  std::int64_t digits = 0;  // a number is digits * 10^exponent
  int exponent = 0;
  std::u32string text;
  std::vector<AnyJson> elements;
  struct Member;  // a std::pair would ask whether it can be copied before that is known
  std::vector<Member> members;
};

struct AnyJson::Member {
  std::u32string name;
  AnyJson value;
};

class JsonMaker {
 public:
  explicit JsonMaker(std::uint64_t seed) : random_(seed) {}

  AnyJson value(int depth = 0) {
    AnyJson out;
    out.kind = static_cast<AnyJson::Kind>(below(depth < 4 ? 7 : 5));
    if (out.kind == AnyJson::Kind::kNumber) number(out);
    if (out.kind == AnyJson::Kind::kString) out.text = text();
    if (out.kind == AnyJson::Kind::kArray) {
      for (std::size_t n = below(4); n > 0; --n) out.elements.push_back(value(depth + 1));
    }
    if (out.kind == AnyJson::Kind::kObject) fill(out, depth);
    return out;
  }

  AnyJson object() {
    AnyJson out;
    out.kind = AnyJson::Kind::kObject;
    fill(out, 0);
    return out;
  }

  /// The value with one of its parts drawn again, which may come out as it was.
  AnyJson altered(AnyJson value) {
    AnyJson* part = &value;
    for (bool deeper = true; deeper; deeper = below(3) != 0) {
      if (part->kind == AnyJson::Kind::kArray && !part->elements.empty()) {
        part = &part->elements[below(part->elements.size())];
      } else if (part->kind == AnyJson::Kind::kObject && !part->members.empty()) {
        part = &part->members[below(part->members.size())].value;
      } else {
        break;
      }
    }
    *part = part == &value ? this->value() : this->value(3);
    return value;
  }

  /// One of the texts of the value: members in any order, any white space, numbers and characters in any spelling.
  std::string write(AnyJson const& v) {
    switch (v.kind) {
      case AnyJson::Kind::kNull: return "null";
      case AnyJson::Kind::kTrue: return "true";
      case AnyJson::Kind::kFalse: return "false";
      case AnyJson::Kind::kNumber: return write_number(v);
      case AnyJson::Kind::kString: return write_text(v.text);
      case AnyJson::Kind::kArray: break;
      case AnyJson::Kind::kObject: return write_object(v);
    }
    std::string out = "[" + space();
    for (std::size_t i = 0; i < v.elements.size(); ++i) {
      if (i > 0) out += "," + space();
      out += write(v.elements[i]) + space();
    }
    return out + "]";
  }

  std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_() % n); }

 private:
  void number(AnyJson& out) {
    constexpr std::array<std::int64_t, 8> kDigits{0, 1, 10, 15, -1, 120, 123456789012345, 999999999999999};
    out.digits = kDigits[below(kDigits.size())];
    out.exponent = static_cast<int>(below(5)) - 2;
    if (below(8) == 0) out.exponent = static_cast<int>(below(560)) - 280;
  }

  std::u32string text() {
    constexpr std::u32string_view kAlphabet = U"ab\"\\/\n\u00e9\u20ac\ufb33\U0001f600\u0000";
    std::u32string out;
    for (std::size_t n = below(4); n > 0; --n) out += kAlphabet[below(kAlphabet.size() + 1) % kAlphabet.size()];
    if (below(10) == 0) out += std::u32string(below(40), U'x');
    return out;
  }

  void fill(AnyJson& out, int depth) {
    for (std::size_t n = below(12) == 0 ? 30 : below(5); n > 0; --n) {
      std::u32string name = text();
      if (n > 6) name += static_cast<char32_t>(U'A' + n);
      bool const taken = std::ranges::any_of(out.members, [&](auto const& m) { return m.name == name; });
      if (!taken) out.members.push_back({std::move(name), value(depth + 1)});
    }
  }

  std::string space() {
    constexpr std::array<std::string_view, 5> kSpaces{"", "", " ", "\n\t", "\r\n  "};
    return std::string(kSpaces[below(kSpaces.size())]);
  }

  std::string write_number(AnyJson const& v) {
    std::int64_t digits = v.digits;
    int exponent = v.exponent;
    if (below(2) == 0 && digits % 10 == 0 && digits != 0) {
      digits /= 10;
      ++exponent;
    }
    std::string const sign = digits < 0 || (digits == 0 && below(3) == 0) ? "-" : "";
    std::string text = std::to_string(digits < 0 ? -digits : digits);
    if (below(2) == 0) {  // move the point
      std::size_t const places = below(4);
      if (text.size() <= places) text.insert(0, places + 1 - text.size(), '0');
      if (places > 0) text.insert(text.size() - places, ".");
      exponent += static_cast<int>(places);
    }
    if (below(3) == 0) text += text.find('.') == std::string::npos ? ".000" : "00";
    if (exponent == 0 && below(2) == 0) return sign + text;
    std::string const e = below(2) == 0 ? "e" : "E";
    std::string const plus = exponent >= 0 && below(2) == 0 ? "+" : "";
    std::string power = std::to_string(exponent);
    if (below(4) == 0) power.insert(exponent < 0 ? 1U : 0U, "0");
    return sign + text + e + plus + power;
  }

  std::string write_text(std::u32string const& text) {
    std::string out = "\"";
    for (char32_t const c : text) {
      bool const must = c == U'"' || c == U'\\' || c < 0x20;
      if (must || below(3) == 0) {
        out += escape(c);
      } else {
        out += utf8(c);
      }
    }
    return out + "\"";
  }

  std::string escape(char32_t c) {
    constexpr std::u32string_view kPlain = U"\"\\/\b\f\n\r\t";
    std::size_t const i = kPlain.find(c);
    if (i != std::u32string_view::npos && below(2) == 0) return std::string("\\") + "\"\\/bfnrt"[i];
    if (c < 0x10000) return unit(c);
    return unit(0xd800 + ((c - 0x10000) >> 10)) + unit(0xdc00 + ((c - 0x10000) & 0x3ff));
  }

  std::string unit(char32_t c) {
    std::string_view const digits = below(2) == 0 ? "0123456789abcdef" : "0123456789ABCDEF";
    std::string out = "\\u";
    for (int shift = 12; shift >= 0; shift -= 4) out += digits[(c >> shift) & 15];
    return out;
  }

  static std::string utf8(char32_t c) {
    std::string out;
    if (c < 0x80) return {static_cast<char>(c)};
    int const more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    constexpr std::array<int, 4> kLead{0, 0xc0, 0xe0, 0xf0};
    out += static_cast<char>(kLead[static_cast<std::size_t>(more)] | static_cast<int>(c >> (6 * more)));
    for (int i = more - 1; i >= 0; --i) out += static_cast<char>(0x80 | ((c >> (6 * i)) & 0x3f));
    return out;
  }

  std::string write_object(AnyJson const& v) {
    std::vector<std::size_t> order(v.members.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::shuffle(order, random_);
    std::string out = "{" + space();
    for (std::size_t i = 0; i < order.size(); ++i) {
      auto const& [name, value] = v.members[order[i]];
      if (i > 0) out += "," + space();
      out += write_text(name) + space() + ":" + space() + write(value) + space();
    }
    return out + "}";
  }

  std::mt19937_64 random_;
};

}  // namespace backedge::testing
