// A scan that knows only where quotes and comments begin and end. It need not be right beyond the first fault of a
// text, because toml++ stops there.
#include "policy/toml_guard.h"

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>

#include "base/text.h"

namespace backedge::policy {
namespace {

enum class Region : std::uint8_t { kPlain, kComment, kBasic, kLiteral, kLongBasic, kLongLiteral };

class Scan {
 public:
  Scan(std::string_view text, std::string const& file) : text_(text), file_(file) {}

  std::optional<Error> run() {
    constexpr std::string_view kMark = "\xef\xbb\xbf";  // a byte order mark may stand at the very beginning
    if (text_.substr(0, kMark.size()) == kMark) at_ = kMark.size();
    while (at_ < text_.size() && !error_) {
      switch (region_) {
        case Region::kPlain: plain(); break;
        case Region::kComment: skip_to("\n"); break;
        case Region::kBasic: basic(); break;
        case Region::kLiteral: skip_to("'\n"); break;
        case Region::kLongBasic: long_basic(); break;
        case Region::kLongLiteral: long_end('\'') ? void() : void(++at_); break;
      }
    }
    if (!error_ && dots_ > kMaxDots) {
      error_ =
          Error{ErrorKind::kPolicy,
                fmt::format("the file has {} dots outside quotes and comments, at most {} are read", dots_, kMaxDots),
                {file_}};
    }
    return error_;
  }

 private:
  bool starts_with(std::string_view word) const { return text_.substr(at_, word.size()) == word; }
  bool ascii() const { return static_cast<unsigned char>(text_[at_]) < 0x80; }

  void open(Region region, std::size_t length) {
    region_ = region;
    at_ += length;
  }

  void plain() {
    if (!ascii()) return refuse("may only stand in quotes or in a comment");
    switch (text_[at_]) {
      case '.':
        ++dots_;
        ++at_;
        return;
      case '#': return open(Region::kComment, 1);
      case '"': return starts_with("\"\"\"") ? open(Region::kLongBasic, 3) : open(Region::kBasic, 1);
      case '\'': return starts_with("'''") ? open(Region::kLongLiteral, 3) : open(Region::kLiteral, 1);
      default: ++at_;
    }
  }

  /// Past the first of `ends`, or to the end of the text; then nothing is open any more.
  void skip_to(std::string_view ends) {
    at_ = std::min(text_.find_first_of(ends, at_), text_.size() - 1);
    open(Region::kPlain, 1);
  }

  void basic() {
    if (text_[at_] == '\\') {
      at_ = std::min(at_ + 2, text_.size());
    } else if (text_[at_] == '"' || text_[at_] == '\n') {
      open(Region::kPlain, 1);
    } else {
      ++at_;
    }
  }

  void long_basic() {
    if (text_[at_] != '\\') {
      if (!long_end('"')) ++at_;
      return;
    }
    std::size_t const next = std::min(text_.find_first_not_of(" \t\r\n\v\f", at_ + 1), text_.size());
    bool const escape = next == at_ + 1;
    at_ = next;
    if (at_ == text_.size()) return;
    if (!ascii()) return refuse("may not follow a backslash");
    if (escape) ++at_;
  }

  /// True after the end of a multi-line string: three quotes, before which up to two may belong to it.
  bool long_end(char quote) {
    std::size_t const end = std::min(text_.find_first_not_of(quote, at_), text_.size());
    std::size_t const quotes = end - at_;
    if (quotes < 3) return false;
    open(Region::kPlain, std::min<std::size_t>(quotes, 5));
    return true;
  }

  void refuse(std::string_view why) {
    std::size_t const line_begin = at_ == 0 ? 0 : text_.rfind('\n', at_ - 1) + 1;  // npos + 1 is 0
    std::string_view const before = text_.substr(line_begin, at_ - line_begin);
    auto const column = 1 + std::count_if(before.begin(), before.end(), [](char c) { return (c & 0xC0) != 0x80; });
    auto const line = 1 + std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(at_), '\n');
    error_ = Error{ErrorKind::kPolicy,
                   fmt::format("{} {}", in_quotes(cut(text_.substr(at_), 1)), why),
                   {file_, static_cast<int>(line), static_cast<int>(column)}};
  }

  std::string_view text_;
  std::string const& file_;
  std::size_t at_ = 0;
  std::size_t dots_ = 0;
  Region region_ = Region::kPlain;
  std::optional<Error> error_;
};

}  // namespace

std::optional<Error> guard_toml(std::string_view text, std::string const& file) {
  if (text.size() > kMaxBytes) {
    return Error{
        ErrorKind::kPolicy, fmt::format("the file has {} bytes, at most {} are read", text.size(), kMaxBytes), {file}};
  }
  return Scan(text, file).run();
}

}  // namespace backedge::policy
