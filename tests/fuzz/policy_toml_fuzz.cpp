// Any bytes as a policy file: never a crash, every error on one line, and a table that parses can be shown and read
// again.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "policy/table.h"

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  using namespace backedge::policy;
  Reading const reading = read({reinterpret_cast<char const*>(data), size}, "f");
  for (auto const& error : reading.errors) {
    if (error.text().find('\n') != std::string::npos) std::abort();
  }
  if (!reading.errors.empty()) return 0;
  std::string shown;
  for (auto const& setting : show(reading.table)) shown += setting.key + " = " + setting.value + "\n";
  Reading const again = read(shown, "f");
  if (!again.errors.empty()) std::abort();
  std::string shown_again;
  for (auto const& setting : show(again.table)) shown_again += setting.key + " = " + setting.value + "\n";
  if (shown != shown_again) std::abort();
  return 0;
}
