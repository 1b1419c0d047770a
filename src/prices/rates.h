// What a model costs at a time: rates by class of token, in tiers by the size of the request, and which rates hold
// when.
//
// Amounts are exact: a rate is nano-USD per million tokens, the classes are added up in 128 bits, and the sum of one
// request is rounded up once, to the next nano-USD. What has no rate is unpriced; it is never zero.
// Tested in tests/prices/rates_test.cpp and, against another calculator, in tests/prices/expected_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

namespace backedge::prices {

/// Tokens of one request to a model. `input`s do not overlap; `reasoning` is a part of `output`.
struct Usage {
  std::int64_t fresh_input = 0;
  std::int64_t cache_read = 0;
  std::int64_t cache_write_5m = 0;  // also those whose time to live is not known
  std::int64_t cache_write_1h = 0;
  std::int64_t output = 0;
  std::int64_t reasoning = 0;

  std::int64_t input() const { return fresh_input + cache_read + cache_write_5m + cache_write_1h; }
  friend bool operator==(Usage const&, Usage const&) = default;
};

/// A price with tiers: the last one whose start the request's whole input exceeds counts, for all of its tokens.
struct Rate {
  struct Tier {
    std::int64_t start = 0;
    std::int64_t per_million = 0;
  };
  std::int64_t per_million = 0;  // nano-USD per million tokens
  std::vector<Tier> tiers;       // by start

  std::int64_t at(std::int64_t input) const;
};

/// The rates of one model at one time. A class without a rate of its own takes that of the class it is a part of: cache
/// and input, an hour's cache and the shorter one's (at Anthropic twice the input), reasoning and output.
class Rates {
 public:
  std::optional<Rate> input, output, cache_read, cache_write, cache_write_5m, cache_write_1h, reasoning;
  std::int64_t per_request = 0;      // nano-USD · 1,000,000
  bool doubles_for_an_hour = false;  // a cache write for an hour costs twice the input when it has no rate

  /// In nano-USD; none when the request used a class that has no price. Negative counts are taken as 0.
  std::optional<std::int64_t> cost(Usage const& usage) const;
  /// The same in three parts, each rounded up by itself: for dividing a cost, not for adding one up.
  struct Parts {
    std::int64_t fresh = 0;   // input that no cache held, written to one or not
    std::int64_t cached = 0;  // input read from a cache
    std::int64_t output = 0;
  };
  std::optional<Parts> parts(Usage const& usage) const;

 private:
  std::optional<std::int64_t> cost_at(Usage const& usage, std::int64_t whole_input, std::int64_t fixed) const;
};

struct FromDate {
  std::int64_t day = 0;  // since 1970-01-01, UTC
};
/// Times of day in seconds, UTC; `end` before `start` goes over midnight.
struct TimeOfDay {
  std::int64_t start = 0;
  std::int64_t end = 0;
};
struct Period {
  std::variant<std::monostate, FromDate, TimeOfDay> when;
  Rates rates;
};

/// The rates that hold at a time: the last period that it falls into, else the first. `at_ms` since 1970-01-01, UTC.
Rates const& rates_at(std::vector<Period> const& periods, std::int64_t at_ms);

}  // namespace backedge::prices
