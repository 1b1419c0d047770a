// Adding up a request and choosing a period; see rates.h.
#include "prices/rates.h"

#include <algorithm>
#include <limits>

namespace backedge::prices {
namespace {

__extension__ typedef __int128 Wide;

constexpr std::int64_t kMillion = 1'000'000;
constexpr std::int64_t kDayMs = 86'400'000;

std::int64_t floor_of(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

}  // namespace

std::int64_t Rate::at(std::int64_t input) const {
  std::int64_t out = per_million;
  for (Tier const& tier : tiers) {
    if (input > tier.start) out = tier.per_million;
  }
  return out;
}

std::optional<std::int64_t> Rates::cost(Usage const& usage) const {
  std::int64_t whole = 0;
  for (std::int64_t const part : {usage.fresh_input, usage.cache_read, usage.cache_write_5m, usage.cache_write_1h})
    whole += std::max<std::int64_t>(part, 0);
  return cost_at(usage, whole, per_request);
}

std::optional<Rates::Parts> Rates::parts(Usage const& usage) const {
  std::int64_t const whole = usage.input();
  Usage fresh = usage, cached, out;
  fresh.cache_read = fresh.output = fresh.reasoning = 0;
  cached.cache_read = usage.cache_read;
  out.output = usage.output;
  out.reasoning = usage.reasoning;
  auto const f = cost_at(fresh, whole, 0), c = cost_at(cached, whole, 0), o = cost_at(out, whole, 0);
  if (!f || !c || !o) return std::nullopt;
  return Parts{*f, *c, *o};
}

std::optional<std::int64_t> Rates::cost_at(Usage const& usage, std::int64_t whole_input, std::int64_t fixed) const {
  std::int64_t const fresh = std::max<std::int64_t>(usage.fresh_input, 0);
  std::int64_t const read = std::max<std::int64_t>(usage.cache_read, 0);
  std::int64_t const short_write = std::max<std::int64_t>(usage.cache_write_5m, 0);
  std::int64_t const long_write = std::max<std::int64_t>(usage.cache_write_1h, 0);
  std::int64_t const out = std::max<std::int64_t>(usage.output, 0);
  std::int64_t const thought = std::clamp<std::int64_t>(usage.reasoning, 0, out);
  Wide sum = fixed;
  bool priced = input.has_value() || output.has_value() || per_request > 0;
  auto const take = [&](std::int64_t tokens, std::optional<Rate> const& rate, std::int64_t times = 1) {
    if (tokens == 0) return;
    if (!rate) {
      priced = false;
      return;
    }
    sum += static_cast<Wide>(tokens) * rate->at(whole_input) * times;
  };
  std::optional<Rate> const& write = cache_write ? cache_write : input;
  take(fresh, input);
  take(read, cache_read ? cache_read : input);
  take(short_write, cache_write_5m ? cache_write_5m : write);
  if (!cache_write_1h && doubles_for_an_hour) {
    take(long_write, input, 2);
  } else {
    take(long_write, cache_write_1h ? cache_write_1h : write);
  }
  take(out - thought, output);
  take(thought, reasoning ? reasoning : output);
  if (!priced) return std::nullopt;
  Wide const nano = (sum + kMillion - 1) / kMillion;
  return static_cast<std::int64_t>(std::min<Wide>(nano, std::numeric_limits<std::int64_t>::max()));
}

Rates const& rates_at(std::vector<Period> const& periods, std::int64_t at_ms) {
  std::int64_t const day = floor_of(at_ms, kDayMs);
  std::int64_t const second = (at_ms - day * kDayMs) / 1000;
  for (std::size_t i = periods.size(); i > 0; --i) {
    Period const& period = periods[i - 1];
    if (std::holds_alternative<std::monostate>(period.when)) return period.rates;
    if (FromDate const* const from = std::get_if<FromDate>(&period.when)) {
      if (day >= from->day) return period.rates;
    } else {
      TimeOfDay const& time = std::get<TimeOfDay>(period.when);
      bool const in =
          time.end < time.start ? second >= time.start || second < time.end : second >= time.start && second < time.end;
      if (in) return period.rates;
    }
  }
  return periods.front().rates;
}

}  // namespace backedge::prices
