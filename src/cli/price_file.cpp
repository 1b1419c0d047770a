#include "cli/price_file.h"

#include <filesystem>
#include <utility>

#include "cli/policy_files.h"

namespace backedge::cli {

Result<prices::Table> load_prices(CommonOptions const& options, std::ostream& err) {
  Result<policy::Table> const policy = load_policy(options, err);
  if (!policy) return Error{ErrorKind::kPolicy, {}, {}};
  std::string const& of_policy = policy->settings.prices.file;
  std::string const name = options.price_file.empty() ? of_policy : options.price_file;
  if (name.empty()) return prices::Table::builtin();
  std::filesystem::path path = options.here.folder / name;
  bool const home = options.price_file.empty() && name.starts_with("~/") && !options.here.home.empty();
  if (home) path = options.here.home / name.substr(2);
  Result<std::string> const text = read_file(path, name);
  if (!text) return text.error();
  Result<prices::Table> table = prices::Table::read(*text, name);
  if (!table) return table.error();
  return (*std::move(table)).over(prices::Table::builtin());
}

}  // namespace backedge::cli
