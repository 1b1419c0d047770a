#include "base/json.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/value_stack.hpp>
#include <fmt/format.h>

#include "base/text.h"

namespace backedge {
namespace {

namespace json = boost::json;

enum class Fault { kNone, kNumber, kDuplicate };

// Builds the value and counts the members as they are written; a value that holds fewer has lost duplicates. The shape
// of the members is what basic_parser asks for.
struct Builder {
  static constexpr std::size_t max_object_size = json::string::max_size();
  static constexpr std::size_t max_array_size = json::string::max_size();
  static constexpr std::size_t max_key_size = json::string::max_size();
  static constexpr std::size_t max_string_size = json::string::max_size();

  json::value_stack stack;
  std::size_t members = 0;
  Fault fault = Fault::kNone;

  bool on_document_begin(json::error_code&) {
    stack.reset();
    return true;
  }
  bool on_document_end(json::error_code&) { return true; }
  bool on_object_begin(json::error_code&) { return true; }
  bool on_object_end(std::size_t n, json::error_code&) {
    members += n;
    stack.push_object(n);
    return true;
  }
  bool on_array_begin(json::error_code&) { return true; }
  bool on_array_end(std::size_t n, json::error_code&) {
    stack.push_array(n);
    return true;
  }
  bool on_key_part(json::string_view s, std::size_t, json::error_code&) {
    stack.push_chars(s);
    return true;
  }
  bool on_key(json::string_view s, std::size_t, json::error_code&) {
    stack.push_key(s);
    return true;
  }
  bool on_string_part(json::string_view s, std::size_t, json::error_code&) {
    stack.push_chars(s);
    return true;
  }
  bool on_string(json::string_view s, std::size_t, json::error_code&) {
    stack.push_string(s);
    return true;
  }
  bool on_number_part(json::string_view, json::error_code&) { return true; }
  bool on_int64(std::int64_t i, json::string_view, json::error_code&) {
    stack.push_int64(i);
    return true;
  }
  bool on_uint64(std::uint64_t u, json::string_view, json::error_code&) {
    stack.push_uint64(u);
    return true;
  }
  // The library's own double may be off by a unit in the last place, so the text is read again.
  bool on_double(double d, json::string_view s, json::error_code& ec) {
    double exact = d;
    std::from_chars_result const r = std::from_chars(s.data(), s.data() + s.size(), exact);
    if (r.ec == std::errc::result_out_of_range) exact = std::abs(d) > 1 ? HUGE_VAL : std::copysign(0.0, d);
    if (!std::isfinite(exact)) {
      fault = Fault::kNumber;
      ec = json::error::exponent_overflow;
      return false;
    }
    stack.push_double(exact);
    return true;
  }
  bool on_bool(bool b, json::error_code&) {
    stack.push_bool(b);
    return true;
  }
  bool on_null(json::error_code&) {
    stack.push_null();
    return true;
  }
  bool on_comment_part(json::string_view, json::error_code&) { return true; }
  bool on_comment(json::string_view, json::error_code&) { return true; }
};

// Stops at the first member name that its object has already; used only when there is one.
struct DuplicateFinder {
  static constexpr std::size_t max_object_size = Builder::max_object_size;
  static constexpr std::size_t max_array_size = Builder::max_array_size;
  static constexpr std::size_t max_key_size = Builder::max_key_size;
  static constexpr std::size_t max_string_size = Builder::max_string_size;

  std::vector<std::set<std::string, std::less<>>> open;
  std::string part;
  std::string found;

  bool on_document_begin(json::error_code&) { return true; }
  bool on_document_end(json::error_code&) { return true; }
  bool on_object_begin(json::error_code&) {
    open.emplace_back();
    return true;
  }
  bool on_object_end(std::size_t, json::error_code&) {
    open.pop_back();
    return true;
  }
  bool on_array_begin(json::error_code&) { return true; }
  bool on_array_end(std::size_t, json::error_code&) { return true; }
  bool on_key_part(json::string_view s, std::size_t, json::error_code&) {
    part.append(s.data(), s.size());
    return true;
  }
  bool on_key(json::string_view s, std::size_t, json::error_code& ec) {
    part.append(s.data(), s.size());
    std::string name = std::exchange(part, {});
    if (open.back().insert(name).second) return true;
    found = std::move(name);
    ec = json::error::syntax;
    return false;
  }
  bool on_string_part(json::string_view, std::size_t, json::error_code&) { return true; }
  bool on_string(json::string_view, std::size_t, json::error_code&) { return true; }
  bool on_number_part(json::string_view, json::error_code&) { return true; }
  bool on_int64(std::int64_t, json::string_view, json::error_code&) { return true; }
  bool on_uint64(std::uint64_t, json::string_view, json::error_code&) { return true; }
  bool on_double(double, json::string_view, json::error_code&) { return true; }
  bool on_bool(bool, json::error_code&) { return true; }
  bool on_null(json::error_code&) { return true; }
  bool on_comment_part(json::string_view, json::error_code&) { return true; }
  bool on_comment(json::string_view, json::error_code&) { return true; }
};

json::parse_options strict() {
  json::parse_options options;
  options.max_depth = kMaxJsonDepth;
  return options;
}

std::size_t count_members(json::value const& root) {
  std::size_t count = 0;
  std::vector<json::value const*> open{&root};
  while (!open.empty()) {
    json::value const& v = *open.back();
    open.pop_back();
    if (json::object const* o = v.if_object()) {
      count += o->size();
      for (json::key_value_pair const& member : *o) open.push_back(&member.value());
    } else if (json::array const* a = v.if_array()) {
      for (json::value const& element : *a) open.push_back(&element);
    }
  }
  return count;
}

// True when the parser stopped behind an escape of the first half of a pair: \ud800 to \udbff.
bool after_half_pair(std::string_view text, std::size_t at) {
  if (at < 6 || text.substr(at - 6, 2) != "\\u") return false;
  char const third = text[at - 3];
  return (text[at - 4] == 'd' || text[at - 4] == 'D') &&
         std::string_view("89abAB").find(third) != std::string_view::npos;
}

// What the parser found, in words; `at` is the offset where it stopped.
std::string explain(json::error_code const& ec, std::string_view text, std::size_t at) {
  if (ec == json::error::incomplete) return "the JSON ends too early";
  if (ec == json::error::extra_data)
    return fmt::format("text after the end of the JSON: {}", in_quotes(text.substr(at), 20));
  if (ec == json::error::too_deep) return fmt::format("the JSON is nested deeper than {} levels", kMaxJsonDepth);
  if (ec == json::error::exponent_overflow) return "a number is beyond the range of a double";
  bool const half = ec == json::error::illegal_leading_surrogate || ec == json::error::illegal_trailing_surrogate;
  if (half || after_half_pair(text, at)) return "a \\u escape is half of a surrogate pair";
  if (at >= text.size()) return "not JSON: " + ec.message();
  std::string const found = in_quotes(cut(text.substr(at), 1));
  if (static_cast<unsigned char>(text[at]) >= 0x80) return "unexpected bytes or invalid UTF-8: " + found;
  return "not JSON: unexpected " + found;
}

// Where the string that ends before `end` begins: at the quote before it that no odd number of backslashes escapes.
std::size_t string_start(std::string_view text, std::size_t end) {
  std::size_t at = end - 1;
  for (;;) {
    at = text.rfind('"', at - 1);
    std::size_t slashes = 0;
    while (slashes < at && text[at - 1 - slashes] == '\\') ++slashes;
    if (slashes % 2 == 0) return at;
  }
}

Error duplicate_error(std::string_view text, std::string_view file) {
  json::basic_parser<DuplicateFinder> finder(strict());
  json::error_code ec;
  std::size_t const at = finder.write_some(false, text.data(), text.size(), ec);
  std::string const name = in_quotes(finder.handler().found, 40);
  return Error{ErrorKind::kInput, fmt::format("two members are named {}", name),
               locate(text, string_start(text, at), file)};
}

}  // namespace

Where locate(std::string_view text, std::size_t offset, std::string_view file) {
  std::string_view const before = text.substr(0, std::min(offset, text.size()));
  std::size_t const line_start = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  return Where{std::string(file), static_cast<int>(std::ranges::count(before, '\n')) + 1,
               static_cast<int>(before.size() - line_start) + 1};
}

Result<boost::json::value> parse_json(std::string_view text, std::string_view file) {
  json::basic_parser<Builder> parser(strict());
  json::error_code ec;
  std::size_t at = parser.write_some(false, text.data(), text.size(), ec);
  if (!ec && at < text.size()) ec = json::error::extra_data;
  if (ec) return Error{ErrorKind::kInput, explain(ec, text, at), locate(text, at, file)};
  json::value value = parser.handler().stack.release();
  if (count_members(value) != parser.handler().members) return duplicate_error(text, file);
  return value;
}

}  // namespace backedge
