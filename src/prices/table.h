// Prices of models: a name as a trace writes it, a time and the tokens by class → nano-USD, or unpriced.
//
// Two shapes of file are read: genai-prices' (a list of providers, or an object that has them under "providers" with
// "origin", "version" and "date"), and LiteLLM's (an object of model names with costs per token). Reading is strict:
// what is not understood of a price is an error, not a guess. How a name finds its model:
//   provider known to the table   its models, then those of the providers it falls back on; if it has none: unpriced
//   "provider/name"               the same, with what stands before the first slash
//   "us.anthropic.name"           a name as Bedrock writes it: provider aws
//   otherwise                     the first provider that claims such names
// A date in the name, -20250929, is also tried as -2025-09-29. A name that nothing matches is unpriced, never free.
// A table laid over another is asked first. Immutable once built. Tested in tests/prices/table_test.cpp.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backedge/result.h"
#include "prices/match.h"
#include "prices/rates.h"

namespace backedge::prices {

struct PricedModel {
  std::string id;
  NameRule rule;
  std::vector<Period> periods;  // not empty
};

struct Provider {
  std::string id;
  std::optional<NameRule> claims;  // names of models that are its own
  std::optional<NameRule> called;  // names of the provider
  std::vector<std::string> falls_back_on;
  std::vector<PricedModel> models;
};

class Table {
 public:
  /// The table that the library carries.
  static Table builtin();
  /// `file` is only repeated in errors and in name(). Errors: kInput with file and what is wrong where.
  static Result<Table> read(std::string_view text, std::string_view file);

  /// This table, asked before `below`.
  Table over(Table below) &&;

  /// The model that a name means; null: unpriced. `provider` may be empty. Valid while the table is. Cost: linear in
  /// the models; keep it for names that come again.
  PricedModel const* find(std::string_view model, std::string_view provider = {}) const;

  /// In nano-USD, rounded up once; none: unpriced. `at_ms` since 1970; 0 = not known, then the day of the table.
  std::optional<std::int64_t> price(PricedModel const* model, std::int64_t at_ms, Usage const& usage) const;

  /// The rates of a found model at a time; `at_ms` as above.
  Rates const& rates(PricedModel const& model, std::int64_t at_ms) const;

  /// Where the prices come from and of which day they are: "genai-prices 0.1.8 of 2026-09-23".
  std::string const& name() const { return name_; }
  std::size_t size() const;

 private:
  /// One file's models.
  struct Sheet {
    std::vector<Provider> providers;
    std::map<std::string, PricedModel, std::less<>> by_name;  // LiteLLM's shape

    PricedModel const* find(std::string_view model, std::string_view provider) const;
    PricedModel const* find_by_name(std::string_view model, std::string_view provider) const;
    PricedModel const* under(Provider const& provider, std::string_view model, int depth = 0) const;
    PricedModel const* anywhere(std::string_view model) const;
    Provider const* provider(std::string_view name) const;
  };

  static Result<Sheet> read_providers(boost::json::array const& list);
  static Result<Sheet> read_names(boost::json::object const& names);

  std::vector<Sheet> sheets_;
  std::string name_;
  std::int64_t day_ms_ = 0;
};

/// A rate from US dollars per million tokens; none when it is negative or beyond what money can be counted in.
std::optional<std::int64_t> per_million_of(double dollars);
/// Days since 1970-01-01 of YYYY-MM-DD; none when it is no such day.
std::optional<std::int64_t> day_of(std::string_view date);

}  // namespace backedge::prices
