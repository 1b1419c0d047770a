#include "facts/json_digest.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "base/hash.h"
#include "base/text.h"
#include "facts/decimal.h"
#include "facts/json_string.h"

namespace backedge::facts {
namespace {

// Arbitrary and fixed: they only keep the kinds apart.
constexpr Digest kNullDigest{0x6a09e667f3bcc908ULL, 0xbb67ae8584caa73bULL};
constexpr Digest kTrueDigest{0x3c6ef372fe94f82bULL, 0xa54ff53a5f1d36f1ULL};
constexpr Digest kFalseDigest{0x510e527fade682d1ULL, 0x9b05688c2b3e6c1fULL};
constexpr Digest kArrayStart{0x1f83d9abfb41bd6bULL, 0x5be0cd19137e2179ULL};
constexpr std::uint64_t kObjectTag = 0xcbbb9d5dc1059ed8ULL;
constexpr std::uint64_t kArrayTag = 0x629a292a367cd507ULL;

constexpr std::size_t kFirstLevels = 8;

// The ordered pair (a, b): half the work of combine(), enough where well-mixed digests are only summed or chained and
// the container's end is combined.
constexpr Digest pair(Digest const& a, Digest const& b) {
  return {fold(a.hi ^ 0xa0761d6478bd642fULL, b.lo ^ 0xe7037ed1a0b428dbULL),
          fold(a.lo ^ 0x8ebc6af09c88c6e3ULL, b.hi ^ 0x589965cc75374cc3ULL)};
}

// Whether [first, last) may hold a name twice: exact for few names, where a look at every pair is the cheapest.
template <class Name>
bool maybe_twins(Name const* first, Name const* last) {
  if (last - first > 12) return true;
  bool found = false;
  for (Name const* a = first; a != last; ++a) {
    for (Name const* b = first; b != a; ++b) found |= a->hash == b->hash;
  }
  return found;
}

constexpr bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

}  // namespace

// The pass itself. Its state stays in registers: everything on the way of good text is inlined into run(), and what is
// not is handed values, never the pass.
class JsonDigester::Pass {
 public:
  Pass(JsonDigester& owner, std::span<std::uint32_t const> tokens)
      : owner_(owner),
        text_(owner.text_.data()),
        token_(tokens.data()),
        end_(tokens.data() + tokens.size()),
        has_escapes_(std::memchr(text_, '\\', owner.text_.size()) != nullptr),
        plain_(owner.plan_.pointers == nullptr && !owner.plan_.list_strings),
        pointers_(owner.plan_.pointers) {}

  JsonFault run();

 private:
  struct Value {
    Digest digest;
    std::string_view text;
    JsonKind kind = JsonKind::kAbsent;
  };

  bool ended() const { return token_ == end_; }
  char first_char() const { return text_[*token_]; }
  std::string_view token_text() const;
  void open(char bracket);
  JsonFault close(Value& value);
  JsonFault read_name();
  JsonFault read_scalar(char first, Value& value);
  JsonFault read_string(std::string_view& out);
  void start_element();
  void deliver(Value const& value);
  JsonFault bad(std::string_view why) const { return owner_.bad(at(), why); }
  std::size_t at() const { return static_cast<std::size_t>(token_ - owner_.index_.positions().data()); }

  JsonDigester& owner_;
  char const* text_;
  std::uint32_t const* token_;  // the one that is read next
  std::uint32_t const* end_;
  bool has_escapes_;
  bool plain_;  // nothing is asked for but what note_name() notes
  PointerTree const* pointers_;
  Level* level_ = nullptr;  // the innermost open container, in owner_.levels_
  Name* names_end_ = nullptr;
};

// A value is read and handed to the container around it, which says whether another value or its end comes next.
[[gnu::always_inline]] inline JsonFault JsonDigester::Pass::run() {
  level_ = owner_.levels_.data();
  *level_ = Level{};
  level_->quiet = false;
  if (pointers_ != nullptr) level_->child = PointerTree::root();
  names_end_ = owner_.names_seen_.data();
  Value value;
  JsonFault fault = JsonFault::kNone;
  for (;;) {
    if (ended()) return bad("ends too early");
    char const c = first_char();
    if (c == '{' || c == '[') {
      if (level_ - owner_.levels_.data() == kMaxDepth) return owner_.too_deep();
      open(c);
      if (ended() || first_char() != level_->closing) {
        if (c == '[') start_element();
        if (c == '{') fault = read_name();
        if (fault != JsonFault::kNone) return fault;
        continue;
      }
      fault = close(value);
    } else {
      fault = read_scalar(c, value);
    }
    for (;;) {
      if (fault != JsonFault::kNone) return fault;
      deliver(value);
      char const closing = level_->closing;
      if (closing == '\0') return ended() ? JsonFault::kNone : bad("has text after its end");
      if (ended()) return bad("ends too early");
      char const next = first_char();
      if (next == ',') {
        ++token_;
        if (closing == ']') start_element();
        if (closing == '}') fault = read_name();
        if (fault != JsonFault::kNone) return fault;
        break;
      }
      if (next != closing) return bad("has no comma here");
      fault = close(value);
    }
  }
}

// From the start of the token to the next one, without the white space between them.
[[gnu::always_inline]] inline std::string_view JsonDigester::Pass::token_text() const {
  char const* const begin = text_ + token_[0];
  char const* end = text_ + token_[1];
  while (static_cast<unsigned char>(end[-1]) <= ' ' && is_space(end[-1])) --end;
  return {begin, static_cast<std::size_t>(end - begin)};
}

[[gnu::always_inline]] inline void JsonDigester::Pass::open(char bracket) {
  std::uint16_t const node = level_->child;
  bool const member_of_text = level_->closing == '\0';
  if (++level_ == owner_.levels_.data() + owner_.levels_.size()) level_ = owner_.more_levels();
  Level& level = *level_;
  bool const object = bracket == '{';
  level.closing = object ? '}' : ']';
  level.sum = object ? Digest{} : kArrayStart;
  level.count = 0;
  level.index = 0;
  level.token = token_++;
  level.names = names_end_;
  level.node = node;
  level.child = PointerTree::kOff;
  level.quiet = !(member_of_text && object) && node == PointerTree::kOff && !owner_.plan_.list_strings;
}

// Leaves the container at its closing bracket; its digest stands for it from now on.
[[gnu::always_inline]] inline JsonFault JsonDigester::Pass::close(Value& value) {
  Level const& level = *level_;
  std::uint64_t tag = kArrayTag;
  value.kind = JsonKind::kArray;
  if (level.closing == '}') {
    tag = kObjectTag;
    value.kind = JsonKind::kObject;
    Name* const last = std::exchange(names_end_, level.names);
    if (maybe_twins(names_end_, last) && owner_.has_twins(names_end_, last)) return JsonFault::kDuplicateKey;
  }
  value.digest = pair(level.sum, Digest{tag, level.count});
  value.text = {text_ + *level.token, *token_ + std::size_t{1} - *level.token};
  --level_;
  ++token_;
  return JsonFault::kNone;
}

// Reads "name" and its colon; the value is next.
[[gnu::always_inline]] inline JsonFault JsonDigester::Pass::read_name() {
  if (ended()) return bad("ends too early");
  if (first_char() != '"') return bad("has no member name here");
  std::string_view name;
  if (JsonFault const fault = read_string(name); fault != JsonFault::kNone) return fault;
  Digest const digest = digest_name(name);
  Level& level = *level_;
  level.name = digest;
  *names_end_++ = Name{digest.lo, token_};
  ++token_;
  if (ended() || first_char() != ':') return bad("has no colon here");
  ++token_;
  if (!level.quiet && level.node != PointerTree::kOff) level.child = pointers_->member(level.node, digest);
  return JsonFault::kNone;
}

[[gnu::always_inline]] inline void JsonDigester::Pass::start_element() {
  Level& level = *level_;
  if (level.node != PointerTree::kOff) level.child = pointers_->element(level.node, level.index);
  ++level.index;
}

// Hands a finished value to the innermost open container.
[[gnu::always_inline]] inline void JsonDigester::Pass::deliver(Value const& value) {
  Level& level = *level_;
  if (!level.quiet) {
    if (plain_ && level.closing != '\0') {
      // Only the members of the root get here.
      ++owner_.unpointed_;
      if (value.kind == JsonKind::kString) owner_.note_name(level.name, value.digest, value.text);
    } else if (owner_.note(JsonItem{value.kind, value.digest, value.text}, level)) {
      return;
    }
  }
  level.sum = level.closing == '}' ? add(level.sum, pair(level.name, value.digest)) : pair(level.sum, value.digest);
  ++level.count;
}

[[gnu::always_inline]] inline JsonFault JsonDigester::Pass::read_scalar(char first, Value& value) {
  JsonFault fault = JsonFault::kNone;
  if (first == '"') {
    value.kind = JsonKind::kString;
    fault = read_string(value.text);
    value.digest = digest_name(value.text);
  } else {
    value.text = token_text();
    if (first == '-' || (first >= '0' && first <= '9')) {
      value.kind = JsonKind::kNumber;
      if (!digest_plain_number(value.text, value.digest)) fault = owner_.long_number(at(), value.text, value.digest);
    } else if (value.text == "null") {
      value.kind = JsonKind::kNull;
      value.digest = kNullDigest;
    } else {
      value.kind = JsonKind::kBool;
      value.digest = value.text == "true" ? kTrueDigest : kFalseDigest;
      if (value.text != "true" && value.text != "false") fault = bad("has no value here");
    }
  }
  ++token_;
  return fault;
}

// The content of the string token. The index has made sure that it is closed.
[[gnu::always_inline]] inline JsonFault JsonDigester::Pass::read_string(std::string_view& out) {
  std::string_view const raw = token_text();
  if (raw.size() < 2 || raw.back() != '"') return bad("has a malformed string");
  std::string_view const inside = raw.substr(1, raw.size() - 2);
  out = inside;
  if (!has_escapes_ || std::memchr(inside.data(), '\\', inside.size()) == nullptr) return JsonFault::kNone;
  out = owner_.unescape(inside);
  return out.data() == nullptr ? bad("has a string with a bad escape") : JsonFault::kNone;
}

JsonFault JsonDigester::run(std::string_view text, JsonPlan const& plan) {
  text_ = text;
  plan_ = plan;
  root_ = {};
  unpointed_ = 0;
  unescaped_used_ = 0;
  names_.clear();
  strings_.clear();
  fault_text_.clear();
  if (plan.pointers != nullptr) std::fill_n(found_.begin(), plan.pointers->slots(), JsonItem{});
  char const* const why = index_.build(text);
  if (why != nullptr) return fail(JsonFault::kNotJson, why);
  std::span<std::uint32_t const> const tokens = index_.positions();
  if (tokens.empty()) return fail(JsonFault::kEmpty, "the text is empty");
  // A member is at least four tokens.
  if (names_seen_.size() < tokens.size() / 4 + 1) names_seen_.resize(tokens.size() / 4 + 1);
  if (levels_.empty()) levels_.resize(kFirstLevels);
  return Pass(*this, tokens).run();
}

// Notes of a value in `level` what is wanted beside its digest: the root and its members, and what a pointer or the
// plan asks for. True when the value is volatile.
bool JsonDigester::note(JsonItem const& item, Level const& level) {
  std::uint16_t const node = level.child;
  std::uint8_t const slot = node == PointerTree::kOff ? PointerTree::kNone : plan_.pointers->slot(node);
  if (slot != PointerTree::kNone) found_[slot] = item;
  if (&level == levels_.data()) root_ = item;
  bool const member_of_root = &level == levels_.data() + 1 && level.closing == '}';
  if (member_of_root && node == PointerTree::kOff) ++unpointed_;
  if (item.kind == JsonKind::kString && member_of_root) note_name(level.name, item.digest, item.text);
  if (item.kind == JsonKind::kString && plan_.list_strings) strings_.push_back(Text{item.text, slot});
  return slot != PointerTree::kNone && ((plan_.volatile_slots >> slot) & 1) != 0;
}

// Whether two of the names in [first, last) are the same; their order is lost.
bool JsonDigester::has_twins(Name* first, Name* last) {
  auto const same = [](Name const& a, Name const& b) { return a.hash == b.hash; };
  std::sort(first, last, [](Name const& a, Name const& b) { return a.hash < b.hash; });
  Name const* const twin = std::adjacent_find(first, last, same);
  if (twin == last) return false;
  std::string_view const from = text_.substr(*twin->token + 1);
  fail(JsonFault::kDuplicateKey,
       fmt::format("two members are named {}", in_quotes(from.substr(0, from.find('"')), 40)));
  return true;
}

JsonFault JsonDigester::long_number(std::size_t token, std::string_view text, Digest& out) {
  switch (digest_number(text, out)) {
    case NumberFault::kNone: return JsonFault::kNone;
    case NumberFault::kSyntax: return bad(token, "has a malformed number");
    case NumberFault::kRange: break;
  }
  return fail(JsonFault::kNumberRange,
              fmt::format("the number {} is beyond the range of a double", in_quotes(text, 24)));
}

// The content of a string with escapes; a null view for a bad one.
std::string_view JsonDigester::unescape(std::string_view raw) {
  if (unescaped_.size() < text_.size()) unescaped_.resize(text_.size());
  char* const to = unescaped_.data() + unescaped_used_;
  std::size_t length = 0;
  if (!unescape_json(raw, to, length)) return {};
  unescaped_used_ += length;
  return {to, length};
}

// The first of twice as many levels as there were.
JsonDigester::Level* JsonDigester::more_levels() {
  std::size_t const first = levels_.size();
  levels_.resize(first * 2);
  return levels_.data() + first;
}

JsonFault JsonDigester::too_deep() {
  return fail(JsonFault::kTooDeep, fmt::format("nested deeper than {} levels", kMaxDepth));
}

JsonFault JsonDigester::bad(std::size_t token, std::string_view why) {
  std::span<std::uint32_t const> const tokens = index_.positions();
  if (token >= tokens.size()) return fail(JsonFault::kNotJson, fmt::format("the JSON {}", why));
  std::size_t const at = tokens[token];
  return fail(JsonFault::kNotJson,
              fmt::format("the JSON {}, at byte {}: {}", why, at + 1, in_quotes(text_.substr(at), 20)));
}

JsonFault JsonDigester::fail(JsonFault fault, std::string text) {
  fault_text_ = std::move(text);
  return fault;
}

}  // namespace backedge::facts
