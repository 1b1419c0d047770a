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

// Reads one piece of the text and says how many bytes it covers; 0 when the piece is not there.
class Masker {
 public:
  Masker(std::string_view text, std::string& out) : text_(text), out_(out) {}

  void run() {
    while (at_ < text_.size()) {
      if (is_space(text_[at_])) {
        if (!out_.empty() && out_.back() != ' ') out_ += ' ';
        ++at_;
        continue;
      }
      if (take(url(), '/') || take(quote(), '\'') || take(path(), '/') || take(uuid(), '@') || take(hex_id(), '@') ||
          take(number(), '#'))
        continue;
      out_ += lower(text_[at_++]);
    }
    while (!out_.empty() && out_.back() == ' ') out_.pop_back();
  }

 private:
  bool take(std::size_t length, char mark) {
    if (length == 0) return false;
    out_ += mark;
    at_ += length;
    return true;
  }

  char at(std::size_t i) const { return i < text_.size() ? text_[i] : '\0'; }
  bool word_starts() const { return at_ == 0 || word_byte(text_[at_ - 1]) == 0; }

  std::size_t url() const {
    if (!word_starts() || !is_letter(text_[at_])) return 0;
    std::size_t end = at_;
    while (is_letter(at(end))) ++end;
    if (text_.substr(end, 3) != "://") return 0;
    while (end < text_.size() && !is_space(text_[end]) &&
           std::string_view("\"'`<>)]}").find(text_[end]) == std::string_view::npos)
      ++end;
    return end - at_;
  }

  // A quote opens only where no word goes before it: don't, files'.
  std::size_t quote() const {
    char const c = text_[at_];
    if ((c != '\'' && c != '"' && c != '`') || !word_starts()) return 0;
    for (std::size_t i = at_ + 1; i < text_.size() && i < at_ + kLongestQuote && text_[i] != '\n'; ++i) {
      if (text_[i] == c && (c != '\'' || word_byte(at(i + 1)) == 0)) return i + 1 - at_;
    }
    return 0;
  }

  static constexpr bool in_path(char c) {
    return word_byte(c) != 0 || std::string_view("._-~/\\@+%").find(c) != std::string_view::npos;
  }

  // A run of path characters with a slash or backslash in it, without the dots after it.
  std::size_t path() const {
    if (!word_starts() || !in_path(text_[at_])) return 0;
    std::size_t end = at_;
    bool slash = false;
    if (is_letter(text_[at_]) && at(at_ + 1) == ':' && at(at_ + 2) == '\\') end += 2;
    for (; end < text_.size() && in_path(text_[end]); ++end) slash = slash || text_[end] == '/' || text_[end] == '\\';
    while (end > at_ && text_[end - 1] == '.') --end;
    return slash && end > at_ + 1 ? end - at_ : 0;
  }

  std::size_t uuid() const {
    constexpr std::array<std::size_t, 5> kGroups{8, 4, 4, 4, 12};
    if (!word_starts()) return 0;
    std::size_t end = at_;
    for (std::size_t g = 0; g < kGroups.size(); ++g) {
      if (g > 0 && at(end++) != '-') return 0;
      for (std::size_t i = 0; i < kGroups[g]; ++i) {
        if (!is_hex(at(end++))) return 0;
      }
    }
    return word_byte(at(end)) == 0 ? end - at_ : 0;
  }

  // At least six hex digits, with a digit and a letter among them, or any number of them after 0x.
  std::size_t hex_id() const {
    if (!word_starts()) return 0;
    bool const prefixed = text_[at_] == '0' && (at(at_ + 1) == 'x' || at(at_ + 1) == 'X') && is_hex(at(at_ + 2));
    std::size_t end = at_ + (prefixed ? 2 : 0);
    bool digit = false;
    bool letter = false;
    for (; is_hex(at(end)); ++end) {
      digit = digit || is_digit(text_[end]);
      letter = letter || is_letter(text_[end]);
    }
    if (word_byte(at(end)) != 0) return 0;
    return prefixed || (digit && letter && end - at_ >= 6) ? end - at_ : 0;
  }

  // Digits, with what joins them to dates, times, versions and thousands, and a unit of time or size.
  std::size_t number() const {
    if (!is_digit(text_[at_])) return 0;
    std::size_t end = at_;
    while (is_digit(at(end))) {
      while (is_digit(at(end))) ++end;
      bool const joined = std::string_view("-:.,/T+").find(at(end)) != std::string_view::npos && is_digit(at(end + 1));
      if (joined) ++end;
    }
    if (at(end) == 'Z' && word_byte(at(end + 1)) == 0) return end + 1 - at_;
    return unit(end) - at_;
  }

  // The end of a unit after a number that ends at `end`, or `end`.
  std::size_t unit(std::size_t end) const {
    constexpr std::array<std::string_view, 29> kUnits{
        "ns",  "us",   "µs",     "ms",      "s",  "sec", "secs",  "second", "seconds",     "m",
        "min", "mins", "minute", "minutes", "h",  "hr",  "hrs",   "hour",   "hours",       "d",
        "day", "days", "b",      "kb",      "mb", "gb",  "bytes", "millis", "milliseconds"};
    std::size_t const begin = at(end) == ' ' ? end + 1 : end;
    std::size_t stop = begin;
    std::array<char, 16> word{};
    while (word_byte(at(stop)) != 0 && stop - begin < word.size()) {
      word[stop - begin] = lower(text_[stop]);
      ++stop;
    }
    if (word_byte(at(stop)) != 0) return end;
    // One letter after a space is more likely a word or a name.
    if (begin > end && stop - begin < 2) return end;
    return one_of(std::string_view(word.data(), stop - begin), kUnits) ? stop : end;
  }

  std::string_view text_;
  std::string& out_;
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
  out.clear();
  Masker(text.substr(0, kMaskedBytes), out).run();
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
  std::array<std::uint64_t, kWords> window{};
  std::size_t count = 0;
  for (std::uint64_t word = 0; words.next(word); ++count) {
    std::shift_left(window.begin(), window.end(), 1);
    window.back() = word;
    if (count + 1 < kWords) continue;
    std::uint64_t h = 0;
    for (std::uint64_t const w : window) h = (std::rotl(h, 13) ^ w) * 0x9e3779b97f4a7c15ULL;
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
