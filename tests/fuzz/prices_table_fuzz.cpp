// Any bytes as a price table: never a crash, one line an error, and no price below zero.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "prices/table.h"

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  using namespace backedge;
  std::string_view const text(reinterpret_cast<char const*>(data), size);
  Result<prices::Table> const table = prices::Table::read(text, "f");
  if (!table) {
    if (table.error().text().find('\n') != std::string::npos) std::abort();
    return 0;
  }
  std::optional<std::int64_t> const price =
      table->price(table->find("p/m-20250929", "p"), 1'780'000'000'000, {5, 4, 3, 2, 9, 1});
  if (price && *price < 0) std::abort();
  return 0;
}
