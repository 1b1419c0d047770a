#include "facts/result_text.h"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>

#include "base/digest.h"
#include "facts/words.h"

namespace backedge::facts {
namespace {

constexpr std::size_t kLongestSentence = 80;
constexpr std::size_t kMaskedBytes = 2000;
constexpr std::size_t kLongestQuote = 200;
// Only a text that was made to collide needs more; what does not find a place then is not counted.
constexpr std::size_t kMaxProbes = 64;

constexpr bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
constexpr bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string_view trim(std::string_view s) {
  while (!s.empty() && is_space(s.front())) s.remove_prefix(1);
  while (!s.empty() && is_space(s.back())) s.remove_suffix(1);
  return s;
}

template <std::size_t N>
bool one_of(std::string_view s, std::array<std::string_view, N> const& list) {
  return std::ranges::find(list, s) != list.end();
}

// The words of a short sentence; none when there are more than a sentence of this kind has.
struct Sentence {
  static constexpr std::size_t kMost = 8;
  std::array<std::string_view, kMost> words;
  std::size_t count = 0;

  bool add(std::string_view word) {
    if (count == kMost) return false;
    words[count++] = word;
    return true;
  }
  std::string_view last() const { return words[count - 1]; }
  bool begins(std::string_view a, std::string_view b) const { return count >= 2 && words[0] == a && words[1] == b; }
  bool ends(std::string_view a, std::string_view b) const { return count >= 2 && words[count - 2] == a && last() == b; }
};

std::optional<Sentence> sentence(std::string_view s) {
  Sentence out;
  for (std::size_t i = 0; i < s.size();) {
    std::size_t end = i;
    while (end < s.size() && !is_space(s[end])) ++end;
    if (end > i && !out.add(s.substr(i, end - i))) return std::nullopt;
    i = end + 1;
  }
  if (out.count == 0) return std::nullopt;
  return out;
}

constexpr std::array<std::string_view, 25> kThings{
    "found",   "match", "matches",   "result",      "results",  "output", "file",   "files",   "entry",
    "entries", "item",  "items",     "content",     "contents", "data",   "record", "records", "row",
    "rows",    "hits",  "documents", "directories", "messages", "lines",  "changes"};

// "no files found", "no output", "found no matches", "0 results", "found 0 files", "nothing found", "order 7 not
// found".
bool sentence_says_nothing(Sentence const& s) {
  bool const no = s.words[0] == "no" || s.words[0] == "0" || s.words[0] == "zero";
  if (s.count == 1)
    return one_of(s.words[0], std::array<std::string_view, 5>{"empty", "none", "nothing", "null", "undefined"});
  if (no && one_of(s.last(), kThings)) return true;
  if (s.begins("found", "no") || s.begins("found", "0") || s.begins("returned", "no") || s.begins("returned", "0"))
    return one_of(s.last(), kThings);
  if (s.words[0] == "nothing")
    return one_of(s.last(), std::array<std::string_view, 4>{"found", "matched", "here", "returned"});
  return s.ends("not", "found");
}

// The characters of words and of paths, as bits of a table: most of a text is told apart by one look.
enum CharClass : std::uint8_t { kWordChar = 1, kPathChar = 2, kSlash = 4, kDigit = 8 };

constexpr std::array<std::uint8_t, 256> char_classes() {
  std::array<std::uint8_t, 256> out{};
  for (std::size_t i = 0; i < out.size(); ++i) {
    char const c = static_cast<char>(i);
    if (word_byte(c) != 0) out[i] |= kWordChar | kPathChar;
    if (std::string_view("._-~/\\@+%").find(c) != std::string_view::npos) out[i] |= kPathChar;
    if (c == '/' || c == '\\') out[i] |= kSlash;
    if (is_digit(c)) out[i] |= kDigit;
  }
  return out;
}
constexpr std::array<std::uint8_t, 256> kClasses = char_classes();

// Words that make the number behind them a place or a name.
constexpr std::size_t kLongestNaming = 8;
constexpr std::array<std::string_view, 25> kNaming{
    "line",    "lines", "col",   "column", "row",     "char",    "position", "offset", "index",
    "attempt", "try",   "retry", "step",   "pid",     "process", "port",     "id",     "job",
    "request", "task",  "at",    "after",  "version", "number",  "no"};

class Masker {
 public:
  /// `out` has room for as many bytes as `text` has: nothing gets longer by being masked.
  Masker(std::string_view text, char* out) : text_(text), begin_(out), out_(out) {}

  std::size_t run() {
    while (at_ < text_.size()) {
      char const c = text_[at_];
      if (is_space(c)) {
        if (out_ != begin_ && out_[-1] != ' ') *out_++ = ' ';
        ++at_;
      } else if ((class_at(at_) & kPathChar) != 0) {
        path_run();
      } else if (!take(quote(), '\'')) {
        *out_++ = c;
        ++at_;
      }
    }
    if (out_ != begin_ && out_[-1] == ' ') --out_;
    return static_cast<std::size_t>(out_ - begin_);
  }

 private:
  bool take(std::size_t length, char mark) {
    if (length == 0) return false;
    *out_++ = mark;
    at_ += length;
    return true;
  }

  char at(std::size_t i) const { return i < text_.size() ? text_[i] : '\0'; }
  std::uint8_t class_at(std::size_t i) const {
    return i < text_.size() ? kClasses[static_cast<unsigned char>(text_[i])] : std::uint8_t{0};
  }
  bool in_word(std::size_t i) const { return (class_at(i) & kWordChar) != 0; }

  // A run of path characters: a URL, a path, words with digits in them, or just words.
  void path_run() {
    std::size_t end = at_;
    std::uint8_t seen = 0;
    if (is_letter(text_[at_]) && at(at_ + 1) == ':' && at(at_ + 2) == '\\') end += 2;
    for (; (class_at(end) & kPathChar) != 0; ++end) seen |= class_at(end);
    if ((seen & kSlash) == 0 && is_letter(text_[at_]) && text_.substr(end, 3) == "://") {
      take(url_end(end) - at_, '/');
      return;
    }
    if ((seen & kSlash) != 0 && end > at_ + 1) {
      while (text_[end - 1] == '.') --end;
      take(end - at_, '/');
      return;
    }
    if ((seen & kDigit) == 0) {
      for (; at_ < end; ++at_) *out_++ = lower(text_[at_]);
      return;
    }
    while (at_ < end) word_with_digits(end);
  }

  // The next word of a run, or the character between two.
  void word_with_digits(std::size_t end) {
    if (in_word(at_) && (take(uuid(), '@') || take(hex_id(), '@'))) return;
    std::size_t const plain = count();
    if (plain > 0) {
      out_ = std::copy_n(text_.data() + at_, plain, out_);
      at_ += plain;
      return;
    }
    do {
      if (!take(number(), '#')) *out_++ = lower(text_[at_++]);
    } while (at_ < end && in_word(at_));
  }

  // A number that says how many, not which: at most three digits, a word of its own, no unit, and no word before it
  // that makes it a place or a name. "3 failed" and "7 failed" are two errors, "line 3" and "line 7" are one.
  std::size_t count() const {
    std::size_t end = at_;
    while (is_digit(at(end))) ++end;
    if (end == at_ || end - at_ > 3 || in_word(end) || number() != end - at_) return 0;
    std::size_t before = at_;
    while (before > 0 && text_[before - 1] == ' ') --before;
    if (before == 0) return end - at_;
    if (!in_word(before - 1))
      return std::string_view(",;|.").find(text_[before - 1]) == std::string_view::npos ? 0 : end - at_;
    std::array<char, kLongestNaming> word{};
    std::size_t length = 0;
    std::size_t first = before;
    while (first > 0 && in_word(first - 1) && length < kLongestNaming) word[length++] = lower(text_[--first]);
    std::reverse(word.begin(), word.begin() + static_cast<std::ptrdiff_t>(length));
    return one_of(std::string_view(word.data(), length), kNaming) ? 0 : end - at_;
  }

  std::size_t url_end(std::size_t end) const {
    while (end < text_.size() && !is_space(text_[end]) &&
           std::string_view("\"'`<>)]}").find(text_[end]) == std::string_view::npos) {
      ++end;
    }
    return end;
  }

  // A quote opens only where no word goes before it: don't, files'.
  std::size_t quote() const {
    char const c = text_[at_];
    if ((c != '\'' && c != '"' && c != '`') || (at_ > 0 && in_word(at_ - 1))) return 0;
    for (std::size_t i = at_ + 1; i < text_.size() && i < at_ + kLongestQuote && text_[i] != '\n'; ++i) {
      if (text_[i] == c && (c != '\'' || !in_word(i + 1))) return i + 1 - at_;
    }
    return 0;
  }

  std::size_t uuid() const {
    constexpr std::array<std::size_t, 5> kGroups{8, 4, 4, 4, 12};
    std::size_t end = at_;
    for (std::size_t g = 0; g < kGroups.size(); ++g) {
      if (g > 0 && at(end++) != '-') return 0;
      for (std::size_t i = 0; i < kGroups[g]; ++i) {
        if (!is_hex(at(end++))) return 0;
      }
    }
    return in_word(end) ? 0 : end - at_;
  }

  // At least six hex digits, with a digit and a letter among them, or any number of them after 0x.
  std::size_t hex_id() const {
    bool const prefixed = text_[at_] == '0' && (at(at_ + 1) == 'x' || at(at_ + 1) == 'X') && is_hex(at(at_ + 2));
    std::size_t end = at_ + (prefixed ? 2 : 0);
    bool digit = false;
    bool letter = false;
    for (; is_hex(at(end)); ++end) {
      digit = digit || is_digit(text_[end]);
      letter = letter || is_letter(text_[end]);
    }
    if (in_word(end)) return 0;
    return prefixed || (digit && letter && end - at_ >= 6) ? end - at_ : 0;
  }

  // Digits, with what joins them to dates, times, versions and thousands, and a unit of time or size.
  std::size_t number() const {
    if (!is_digit(text_[at_])) return 0;
    std::size_t end = at_;
    while (is_digit(at(end))) {
      while (is_digit(at(end))) ++end;
      bool const joined = std::string_view("-:.,T+").find(at(end)) != std::string_view::npos && is_digit(at(end + 1));
      if (joined) ++end;
    }
    if (at(end) == 'Z' && !in_word(end + 1)) return end + 1 - at_;
    return unit(end) - at_;
  }

  // The end of a unit after a number that ends at `end`, or `end`.
  std::size_t unit(std::size_t end) const {
    constexpr std::array<std::string_view, 29> kUnits{
        "ns",  "us",   "µs",     "ms",      "s",  "sec", "secs",  "second", "seconds",     "m",
        "min", "mins", "minute", "minutes", "h",  "hr",  "hrs",   "hour",   "hours",       "d",
        "day", "days", "b",      "kb",      "mb", "gb",  "bytes", "millis", "milliseconds"};
    constexpr std::size_t kLongestUnit = 12;
    std::size_t const begin = at(end) == ' ' ? end + 1 : end;
    std::size_t stop = begin;
    std::array<char, kLongestUnit> word{};
    for (; in_word(stop) && stop - begin < kLongestUnit; ++stop) word[stop - begin] = lower(text_[stop]);
    // One letter after a space is more likely a word or a name.
    if (in_word(stop) || (begin > end && stop - begin < 2)) return end;
    return one_of(std::string_view(word.data(), stop - begin), kUnits) ? stop : end;
  }

  std::string_view text_;
  char* begin_;
  char* out_;
  std::size_t at_ = 0;
};

}  // namespace

bool says_nothing(std::string_view text) {
  std::string_view s = trim(text);
  if (one_of(s, std::array<std::string_view, 5>{"", "[]", "{}", "null", "\"\""})) return true;
  if (s.size() > kLongestSentence) return false;
  std::array<char, kLongestSentence> buffer{};
  std::ranges::transform(s, buffer.begin(), lower);
  s = std::string_view(buffer.data(), s.size());
  auto const dressing = [](char c) { return std::string_view(" .!:()[]<>{}\"'`*").find(c) != std::string_view::npos; };
  while (!s.empty() && dressing(s.front())) s.remove_prefix(1);
  while (!s.empty() && dressing(s.back())) s.remove_suffix(1);
  std::optional<Sentence> const words = sentence(s);
  return words && sentence_says_nothing(*words);
}

void mask(std::string_view text, std::string& out) {
  text = text.substr(0, kMaskedBytes);
  out.resize(text.size());
  out.resize(Masker(text, out.data()).run());
}

std::uint32_t Shingler::run(std::string_view text, FixedList<std::uint32_t, kSample>& sample) {
  sample.clear();
  text = text.substr(0, kMaxBytes);
  hashes_.clear();
  // A word takes at least two bytes, with the space: the table stays at most four fifths full.
  std::size_t const size = std::bit_ceil(text.size() * 5 / 8 + 2);
  if (table_.size() < size) table_.resize(size);
  std::fill_n(table_.begin(), size, 0U);
  WordScanner words(text);
  static_assert(kWords == 5);
  std::array<std::uint64_t, kWords> window{};
  std::size_t count = 0;
  for (std::uint64_t word = 0; words.next(word); ++count) {
    std::shift_left(window.begin(), window.end(), 1);
    window.back() = word;
    if (count + 1 < kWords) continue;
    std::uint64_t const h = window[4] + std::rotl(window[3], 13) + std::rotl(window[2], 26) + std::rotl(window[1], 39) +
                            std::rotl(window[0], 52);
    auto const hash = std::max(static_cast<std::uint32_t>(scramble(h)), 1U);
    std::size_t i = hash & (size - 1);
    std::size_t probes = 0;
    while (table_[i] != 0 && table_[i] != hash && ++probes < kMaxProbes) i = (i + 1) & (size - 1);
    if (table_[i] != 0) continue;
    table_[i] = hash;
    hashes_.push_back(hash);
  }
  if (count < kFewestWords) return 0;
  auto const distinct = static_cast<std::uint32_t>(hashes_.size());
  std::size_t const kept = std::min(hashes_.size(), kSample);
  std::partial_sort(hashes_.begin(), hashes_.begin() + static_cast<std::ptrdiff_t>(kept), hashes_.end());
  for (std::size_t i = 0; i < kept; ++i) sample.push(hashes_[i]);
  return distinct;
}

}  // namespace backedge::facts
