// Any bytes through the redactor.
//
// Must hold: nothing crashes; what was JSON is JSON; a second pass finds nothing; what is not hidden is unchanged, so
// that without marks the text has not grown.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "journal/redact.h"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  using namespace backedge;
  std::string_view const text(reinterpret_cast<char const*>(data), size);
  static journal::Redactor const redactor("key");
  std::optional<std::string> const once = redactor.clean(text);
  if (!once) return 0;
  require(*once != text);
  require(!redactor.clean(*once));
  if (parse_json(text).ok()) require(parse_json(*once).ok());
  return 0;
}
