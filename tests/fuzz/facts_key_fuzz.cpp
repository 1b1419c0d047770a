// Arguments of any bytes into the reader, held against the strict JSON parser and RFC 8785.
//
// Must hold: nothing crashes; a text is taken by both or by neither; the same text gives the same key, with white space
// around it too; a text and its canonical text have one key. The reader is allowed to differ where it is documented to:
// blank text and null are {}, a text in a string is read once more, depth ends at 128, numbers keep the digits that a
// double loses, and an exponent of more than 15 digits is out of range.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/canonical.h"
#include "base/json.h"
#include "facts/book.h"
#include "facts/reader.h"

namespace {

using backedge::Digest;
using backedge::Result;
using backedge::facts::ContractBook;
using backedge::facts::Reader;
using backedge::kernel::ArgumentFault;

void require(bool holds, char const* what, std::string_view text) {
  if (holds) return;
  fmt::print(stderr, "{}: {}\n", what, text);
  std::abort();
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The longest run of digits and points; a longer one than 15 may lose digits in a double.
std::size_t longest_number(std::string_view text) {
  std::size_t longest = 0;
  std::size_t run = 0;
  for (char const c : text) {
    run = is_digit(c) || c == '.' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return longest;
}

// Exponents of three and more digits reach the ends of the double's range.
bool has_large_exponent(std::string_view text) {
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    if (text[i] != 'e' && text[i] != 'E') continue;
    std::size_t at = i + 1;
    if (text[at] == '+' || text[at] == '-') ++at;
    std::size_t digits = 0;
    while (at + digits < text.size() && is_digit(text[at + digits])) ++digits;
    if (digits >= 3) return true;
  }
  return false;
}

bool is_blank(std::string_view text) { return text.find_first_not_of(" \t\r\n") == std::string_view::npos; }

void check(Reader& reader, std::string_view text) {
  backedge::kernel::CallFacts const& facts = reader.call("tool", text);
  ArgumentFault const fault = facts.fault;
  Digest const key = facts.key;
  require(!key.none(), "a call without a key", text);
  require((fault == ArgumentFault::kNone) == facts.fault_text.empty(), "a fault without words", text);
  require(reader.call("tool", text).key == key, "one text with two keys", text);
  require(reader.call("tool", "\n " + std::string(text) + "\t").key == key, "white space in the key", text);
  if (is_blank(text)) return;

  Result<boost::json::value> const value = backedge::parse_json(text);
  switch (fault) {
    case ArgumentFault::kNone:
    case ArgumentFault::kNotObject: break;
    case ArgumentFault::kNotJson:
      require(!value.ok() || has_large_exponent(text), "the reader refuses JSON", text);
      return;
    case ArgumentFault::kDuplicateKey:
      require(!value.ok() || value->is_string(), "the parser takes two members of one name", text);
      return;
    default: return;  // too deep, out of range
  }
  if (!value) {
    require(has_large_exponent(text), "the reader takes what is no JSON", text);
    return;
  }
  bool const plain = longest_number(text) <= 15 && !has_large_exponent(text);
  if (!plain || value->is_string()) return;
  require(reader.call("tool", backedge::canonical(*value)).key == key, "the canonical text has another key", text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  static ContractBook const book = [] {
    ContractBook out = ContractBook::blank();
    backedge::Contract c;
    c.identity = {"/a", "/b/0"};
    c.volatile_args = {"/v"};
    c.range = backedge::RangePointers{"/a", "/b", ""};
    c.conflicts = {"file:{/a}"};
    c.effect = backedge::Effect::kDelegate;
    c.target = "/a";
    if (!out.declare(backedge::facts::Layer::kCode, "with_pointers", c)) std::abort();
    return out;
  }();
  static Reader reader(book);
  std::string_view const text(reinterpret_cast<char const*>(data), size);
  check(reader, text);
  static_cast<void>(reader.call("with_pointers", text));
  return 0;
}
