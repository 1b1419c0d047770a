// A schema and arguments of any bytes, split at the first zero byte.
//
// Must hold: nothing crashes or runs on; a fault is one clean line that is not empty; the same pair gives the same
// answer; a schema that was taken is taken again.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "facts/schema.h"

namespace {

void require(bool holds, char const* what, std::string_view text) {
  if (holds) return;
  fmt::print(stderr, "{}: {}\n", what, text);
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  using backedge::facts::Schema;
  using backedge::facts::SchemaFault;
  std::string_view const input(reinterpret_cast<char const*>(data), size);
  std::size_t const split = input.find('\0');
  std::string_view const text = input.substr(0, split);
  std::string_view const arguments = split == std::string_view::npos ? "{}" : input.substr(split + 1);
  backedge::Result<Schema> const schema = Schema::compile(text);
  if (!schema) {
    require(!schema.error().detail.empty(), "an error without words", text);
    require(!Schema::compile(text).ok(), "a schema that was refused is taken", text);
    return 0;
  }
  std::optional<SchemaFault> const fault = schema->check(arguments);
  require(fault == schema->check(arguments), "two answers to one question", arguments);
  if (!fault) return 0;
  require(!fault->text.empty(), "a fault without words", arguments);
  for (char const c : fault->text) require(static_cast<unsigned char>(c) >= 0x20, "a control character", fault->text);
  return 0;
}
