#include "policy/table.h"

#include <utility>

#include "policy/file_reader.h"

namespace backedge::policy {

std::string_view Table::source_of(std::string_view key) const {
  auto const found = sources.find(key);
  return found == sources.end() ? kDefaultSource : std::string_view(found->second);
}

Table defaults() { return {}; }

Reading read(std::string_view toml, std::string const& file, Table base) {
  return FileReader(file, std::move(base)).read(toml);
}

Result<Table> parse(std::string_view toml, std::string const& file, Table base) {
  Reading reading = read(toml, file, std::move(base));
  if (!reading.errors.empty()) return std::move(reading.errors.front());
  return std::move(reading.table);
}

Result<void> declare_into(Table const& table, facts::ContractBook& book) {
  for (auto const& [name, contract] : table.tools) {
    auto const declared = book.declare(facts::Layer::kPolicy, name, contract);
    if (!declared) return Error{ErrorKind::kPolicy, declared.error().detail, {}};
  }
  return {};
}

}  // namespace backedge::policy
