#include "facts/json_digest.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "base/hash.h"
#include "base/text.h"
#include "facts/decimal.h"

namespace backedge::facts {
namespace {

// Arbitrary and fixed: they only keep the kinds apart.
constexpr Digest kNullDigest{0x6a09e667f3bcc908ULL, 0xbb67ae8584caa73bULL};
constexpr Digest kTrueDigest{0x3c6ef372fe94f82bULL, 0xa54ff53a5f1d36f1ULL};
constexpr Digest kFalseDigest{0x510e527fade682d1ULL, 0x9b05688c2b3e6c1fULL};
constexpr Digest kArrayStart{0x1f83d9abfb41bd6bULL, 0x5be0cd19137e2179ULL};
constexpr std::uint64_t kObjectTag = 0xcbbb9d5dc1059ed8ULL;
constexpr std::uint64_t kArrayTag = 0x629a292a367cd507ULL;

// Up to this many members, comparing all pairs is cheaper than sorting.
constexpr std::size_t kFewNames = 8;

constexpr bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

constexpr int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// The four hex digits at `at`; -1 if they are not there.
int hex4(std::string_view s, std::size_t at) {
  if (at + 4 > s.size()) return -1;
  int value = 0;
  for (std::size_t i = at; i < at + 4; ++i) {
    int const digit = hex_value(s[i]);
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}

std::size_t put_utf8(char* out, std::uint32_t c) {
  auto const tail = [c](unsigned shift) { return static_cast<char>(0x80 | ((c >> shift) & 0x3f)); };
  if (c < 0x80) {
    out[0] = static_cast<char>(c);
    return 1;
  }
  if (c < 0x800) {
    out[0] = static_cast<char>(0xc0 | (c >> 6));
    out[1] = tail(0);
    return 2;
  }
  if (c < 0x10000) {
    out[0] = static_cast<char>(0xe0 | (c >> 12));
    out[1] = tail(6);
    out[2] = tail(0);
    return 3;
  }
  out[0] = static_cast<char>(0xf0 | (c >> 18));
  out[1] = tail(12);
  out[2] = tail(6);
  out[3] = tail(0);
  return 4;
}

// The character of the \u escape whose backslash is at `at`, and its length in the text (6, or 12 for a pair). A lone
// surrogate has length 0.
std::pair<std::uint32_t, std::size_t> read_u_escape(std::string_view s, std::size_t at) {
  int const first = hex4(s, at + 2);
  if (first < 0 || (first >= 0xdc00 && first <= 0xdfff)) return {0, 0};
  if (first < 0xd800 || first > 0xdbff) return {static_cast<std::uint32_t>(first), 6};
  if (s.substr(at + 6, 2) != "\\u") return {0, 0};
  int const second = hex4(s, at + 8);
  if (second < 0xdc00 || second > 0xdfff) return {0, 0};
  return {static_cast<std::uint32_t>(0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00)), 12};
}

char simple_escape(char c) {
  switch (c) {
    case '"':
    case '\\':
    case '/': return c;
    case 'b': return '\b';
    case 'f': return '\f';
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    default: return '\0';
  }
}

}  // namespace

JsonFault JsonDigester::run(std::string_view text, JsonPlan const& plan) {
  text_ = text;
  plan_ = plan;
  root_ = {};
  depth_ = 0;
  unpointed_ = 0;
  unescaped_used_ = 0;
  names_.clear();
  strings_.clear();
  open_names_.clear();
  fault_text_.clear();
  if (plan.pointers != nullptr) {
    for (std::size_t i = 0; i < plan.pointers->slots(); ++i) found_[i] = {};
  }
  char const* const why = index_.build(text);
  if (why != nullptr) return fail(JsonFault::kNotJson, why);
  tokens_ = index_.positions();
  if (tokens_.empty()) return fail(JsonFault::kEmpty, "the text is empty");
  has_escapes_ = std::memchr(text.data(), '\\', text.size()) != nullptr;
  if (has_escapes_ && unescaped_.size() < text.size()) unescaped_.resize(text.size());
  return walk();
}

// A value is read, then handed to the container around it, which says whether a value, a name or its end comes next.
JsonFault JsonDigester::walk() {
  std::size_t t = 0;
  JsonItem item;
  JsonFault fault = JsonFault::kNone;
  for (;;) {
    if (t == tokens_.size()) return bad(t, "ends too early");
    char const c = text_[tokens_[t]];
    if (c == '{' || c == '[') {
      if ((fault = open(t)) != JsonFault::kNone) return fault;
      ++t;
      bool const empty = t < tokens_.size() && text_[tokens_[t]] == (c == '{' ? '}' : ']');
      if (!empty) {
        if (c == '{' && (fault = read_name(t)) != JsonFault::kNone) return fault;
        if (c == '[') start_element();
        continue;
      }
      fault = close(t, item);
    } else {
      fault = read_scalar(t, item);
    }
    ++t;
    while (fault == JsonFault::kNone && depth_ > 0) {
      deliver(item);
      if (t == tokens_.size()) return bad(t, "ends too early");
      Level& level = levels_[depth_ - 1];
      char const next = text_[tokens_[t]];
      if (next == ',') {
        ++t;
        if (level.is_object) fault = read_name(t);
        if (!level.is_object) start_element();
        break;
      }
      if (next != (level.is_object ? '}' : ']')) return bad(t, "has no comma here");
      fault = close(t, item);
      ++t;
    }
    if (fault != JsonFault::kNone) return fault;
    if (depth_ == 0) break;
  }
  if (t != tokens_.size()) return bad(t, "has text after its end");
  root_ = item;
  if (plan_.pointers != nullptr) {
    std::uint8_t const slot = plan_.pointers->slot(PointerTree::root());
    if (slot != PointerTree::kNone) found_[slot] = item;
  }
  return JsonFault::kNone;
}

JsonFault JsonDigester::open(std::size_t token) {
  if (depth_ == kMaxDepth) return fail(JsonFault::kTooDeep, fmt::format("nested deeper than {} levels", kMaxDepth));
  Level& level = levels_[depth_];
  level.node = depth_ > 0 ? levels_[depth_ - 1].child : plan_.pointers != nullptr ? PointerTree::root() : PointerTree::kOff;
  level.is_object = text_[tokens_[token]] == '{';
  level.sum = level.is_object ? Digest{} : kArrayStart;
  level.count = 0;
  level.index = 0;
  level.token = static_cast<std::uint32_t>(token);
  level.first_name = static_cast<std::uint32_t>(open_names_.size());
  level.child = PointerTree::kOff;
  ++depth_;
  return JsonFault::kNone;
}

// Leaves the container whose closing bracket is `token`; its digest stands for it from now on.
JsonFault JsonDigester::close(std::size_t token, JsonItem& out) {
  Level const& level = levels_[--depth_];
  if (level.is_object) {
    auto const first = open_names_.begin() + level.first_name;
    std::size_t const n = open_names_.size() - level.first_name;
    auto const same = [](Name const& a, Name const& b) { return a.hash == b.hash; };
    auto twice = open_names_.end();
    if (n > kFewNames) {
      std::sort(first, open_names_.end(), [](Name const& a, Name const& b) { return a.hash < b.hash; });
      twice = std::adjacent_find(first, open_names_.end(), same);
    } else {
      for (auto i = first; i != open_names_.end() && twice == open_names_.end(); ++i) {
        if (std::find_if(first, i, [&](Name const& other) { return same(*i, other); }) != i) twice = i;
      }
    }
    if (twice != open_names_.end()) {
      return fail(JsonFault::kDuplicateKey, fmt::format("two members are named {}", quoted(token_text(twice->token), 40)));
    }
    open_names_.resize(level.first_name);
  }
  out.kind = level.is_object ? JsonKind::kObject : JsonKind::kArray;
  out.digest = combine(level.sum, Digest{level.is_object ? kObjectTag : kArrayTag, level.count});
  std::size_t const begin = tokens_[level.token];
  out.text = text_.substr(begin, tokens_[token] + 1 - begin);
  return JsonFault::kNone;
}

// Reads "name" and its colon; `token` then stands at the value.
JsonFault JsonDigester::read_name(std::size_t& token) {
  if (token == tokens_.size()) return bad(token, "ends too early");
  if (text_[tokens_[token]] != '"') return bad(token, "has no member name here");
  std::string_view name;
  if (JsonFault const fault = read_string(token, name); fault != JsonFault::kNone) return fault;
  if (token + 1 == tokens_.size() || text_[tokens_[token + 1]] != ':') return bad(token + 1, "has no colon here");
  Level& level = levels_[depth_ - 1];
  level.key = digest_name(name);
  open_names_.push_back(Name{level.key.lo, static_cast<std::uint32_t>(token)});
  level.child = level.node == PointerTree::kOff ? PointerTree::kOff : plan_.pointers->member(level.node, level.key);
  if (depth_ == 1 && level.child == PointerTree::kOff) ++unpointed_;
  token += 2;
  return JsonFault::kNone;
}

void JsonDigester::start_element() {
  Level& level = levels_[depth_ - 1];
  level.child = level.node == PointerTree::kOff ? PointerTree::kOff : plan_.pointers->element(level.node, level.index);
  ++level.index;
}

// Hands a finished value to the innermost open container.
void JsonDigester::deliver(JsonItem const& item) {
  Level& level = levels_[depth_ - 1];
  bool skipped = false;
  std::uint8_t slot = PointerTree::kNone;
  if (level.child != PointerTree::kOff) {
    slot = plan_.pointers->slot(level.child);
    if (slot != PointerTree::kNone) {
      found_[slot] = item;
      skipped = ((plan_.volatile_slots >> slot) & 1) != 0;
    }
  }
  if (!skipped) {
    level.sum = level.is_object ? add(level.sum, combine(level.key, item.digest)) : combine(level.sum, item.digest);
    ++level.count;
  }
  if (item.kind != JsonKind::kString) return;
  if (depth_ == 1 && level.is_object && item.text.size() <= kMaxNameBytes) names_.push(item.digest);
  if (plan_.list_strings) strings_.push_back(Text{item.text, slot});
}

JsonFault JsonDigester::read_scalar(std::size_t token, JsonItem& out) {
  char const c = text_[tokens_[token]];
  if (c == '"') {
    out.kind = JsonKind::kString;
    JsonFault const fault = read_string(token, out.text);
    if (fault == JsonFault::kNone) out.digest = digest_name(out.text);
    return fault;
  }
  out.text = token_text(token);
  if (c == '-' || (c >= '0' && c <= '9')) {
    out.kind = JsonKind::kNumber;
    switch (digest_number(out.text, out.digest)) {
      case NumberFault::kNone: return JsonFault::kNone;
      case NumberFault::kSyntax: return bad(token, "has a malformed number");
      case NumberFault::kRange: break;
    }
    return fail(JsonFault::kNumberRange, fmt::format("the number {} is beyond the range of a double", quoted(out.text, 24)));
  }
  if (out.text == "null") {
    out.kind = JsonKind::kNull;
    out.digest = kNullDigest;
    return JsonFault::kNone;
  }
  out.kind = JsonKind::kBool;
  if (out.text != "true" && out.text != "false") return bad(token, "has no value here");
  out.digest = out.text == "true" ? kTrueDigest : kFalseDigest;
  return JsonFault::kNone;
}

// The content of the string at `token`. The first stage has made sure that it is closed.
JsonFault JsonDigester::read_string(std::size_t token, std::string_view& out) {
  std::string_view const raw = token_text(token);
  if (raw.size() < 2 || raw.back() != '"') return bad(token, "has a malformed string");
  out = raw.substr(1, raw.size() - 2);
  if (!has_escapes_ || std::memchr(out.data(), '\\', out.size()) == nullptr) return JsonFault::kNone;
  return unescape(out, out) ? JsonFault::kNone : bad(token, "has a string with a bad escape");
}

// From the start of the token to the next one, without the white space between them.
std::string_view JsonDigester::token_text(std::size_t token) const {
  std::size_t const begin = tokens_[token];
  std::size_t end = token + 1 < tokens_.size() ? tokens_[token + 1] : text_.size();
  while (end > begin && is_space(text_[end - 1])) --end;
  return text_.substr(begin, end - begin);
}

bool JsonDigester::unescape(std::string_view raw, std::string_view& out) {
  char* const start = unescaped_.data() + unescaped_used_;
  char* to = start;
  for (std::size_t i = 0; i < raw.size();) {
    std::size_t const run = std::min(raw.find('\\', i), raw.size()) - i;
    std::memcpy(to, raw.data() + i, run);
    to += run;
    i += run;
    if (i == raw.size()) break;
    if (i + 1 < raw.size() && raw[i + 1] == 'u') {
      auto const [character, length] = read_u_escape(raw, i);
      if (length == 0) return false;
      to += put_utf8(to, character);
      i += length;
    } else {
      char const c = i + 1 < raw.size() ? simple_escape(raw[i + 1]) : '\0';
      if (c == '\0') return false;
      *to++ = c;
      i += 2;
    }
  }
  out = std::string_view(start, static_cast<std::size_t>(to - start));
  unescaped_used_ += out.size();
  return true;
}

JsonFault JsonDigester::bad(std::size_t token, std::string_view why) {
  if (token >= tokens_.size()) return fail(JsonFault::kNotJson, fmt::format("the JSON {}", why));
  std::size_t const at = tokens_[token];
  return fail(JsonFault::kNotJson, fmt::format("the JSON {}, at byte {}: {}", why, at + 1, quoted(text_.substr(at), 20)));
}

JsonFault JsonDigester::fail(JsonFault fault, std::string text) {
  fault_text_ = std::move(text);
  return fault;
}

}  // namespace backedge::facts
