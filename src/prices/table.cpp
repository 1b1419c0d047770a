// Reading price tables of both shapes; see table.h.
#include "prices/table.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"

namespace backedge::prices {

/// Made by the build from data/prices/genai-prices.json.
std::string genai_prices_text();

namespace {

namespace json = boost::json;

Error wrong(std::string detail) { return {ErrorKind::kInput, std::move(detail), {}}; }

/// Units of genai-prices that are not tokens of text or requests: known, and not counted here.
constexpr std::array<std::string_view, 5> kOtherUnitEnds{"_mtok", "_kcount", "_hours", "_kpages", "_gpixels"};

std::string_view view(json::string const& text) { return {text.data(), text.size()}; }
std::string_view view(json::string_view text) { return {text.data(), text.size()}; }

std::optional<double> number(json::value const& value) {
  if (value.is_double()) return value.get_double();
  if (value.is_int64()) return static_cast<double>(value.get_int64());
  if (value.is_uint64()) return static_cast<double>(value.get_uint64());
  return std::nullopt;
}

Result<std::int64_t> rate_number(json::value const& value, double factor) {
  std::optional<double> const dollars = number(value);
  std::optional<std::int64_t> const out = dollars ? per_million_of(*dollars * factor) : std::nullopt;
  if (!out) return wrong("a price is a number from 0 to a million dollars per million tokens");
  return *out;
}

Result<Rate> read_rate(json::value const& value) {
  Rate out;
  json::object const* const tiered = value.if_object();
  json::value const* const base = tiered == nullptr ? &value : tiered->if_contains("base");
  if (base == nullptr) return wrong("a price with tiers has a \"base\"");
  Result<std::int64_t> const base_rate = rate_number(*base, 1);
  if (!base_rate) return base_rate.error();
  out.per_million = *base_rate;
  if (tiered == nullptr) return out;
  json::value const* const tiers = tiered->if_contains("tiers");
  if (tiers == nullptr || !tiers->is_array()) return wrong("a price with tiers has a list \"tiers\"");
  for (json::value const& tier : tiers->get_array()) {
    json::object const* const fields = tier.if_object();
    json::value const* const start = fields == nullptr ? nullptr : fields->if_contains("start");
    json::value const* const price = fields == nullptr ? nullptr : fields->if_contains("price");
    if (start == nullptr || !start->is_int64() || start->get_int64() < 0 || price == nullptr)
      return wrong("a tier has a \"start\" (tokens) and a \"price\"");
    Result<std::int64_t> const tier_rate = rate_number(*price, 1);
    if (!tier_rate) return tier_rate.error();
    out.tiers.push_back({start->get_int64(), *tier_rate});
  }
  std::stable_sort(out.tiers.begin(), out.tiers.end(), [](auto const& a, auto const& b) { return a.start < b.start; });
  return out;
}

bool other_unit(std::string_view key) {
  return key == "input_mchars" || std::any_of(kOtherUnitEnds.begin(), kOtherUnitEnds.end(),
                                              [&](std::string_view end) { return key.ends_with(end); });
}

Result<Rates> read_rates(json::value const& value) {
  json::object const* const prices = value.if_object();
  if (prices == nullptr) return wrong("\"prices\" is an object, or a list of objects with \"prices\"");
  Rates out;
  std::array<std::pair<std::string_view, std::optional<Rate>*>, 7> const classes{
      {{"input_mtok", &out.input},
       {"output_mtok", &out.output},
       {"cache_read_mtok", &out.cache_read},
       {"cache_write_mtok", &out.cache_write},
       {"cache_write_5m_mtok", &out.cache_write_5m},
       {"cache_write_1h_mtok", &out.cache_write_1h},
       {"output_reasoning_mtok", &out.reasoning}}};
  for (json::key_value_pair const& member : *prices) {
    std::string_view const key = view(member.key());
    if (key == "requests_kcount") {
      // Dollars per thousand requests: a million times the nano-USD of one request is 10¹² of them.
      Result<std::int64_t> const rate = rate_number(member.value(), 1000);
      if (!rate) return rate.error();
      out.per_request = *rate;
      continue;
    }
    auto const known = std::find_if(classes.begin(), classes.end(), [&](auto const& c) { return c.first == key; });
    if (known == classes.end()) {
      if (other_unit(key)) continue;
      return wrong(
          fmt::format("{} is no price; known are input_mtok, output_mtok, cache_read_mtok, cache_write_mtok, "
                      "cache_write_1h_mtok, output_reasoning_mtok, requests_kcount",
                      in_quotes(key)));
    }
    Result<Rate> rate = read_rate(member.value());
    if (!rate) return wrong(fmt::format("{}: {}", key, rate.error().detail));
    *known->second = *std::move(rate);
  }
  return out;
}

/// "HH:MM:SSZ" or with an offset "+HH:MM", as seconds of the day in UTC.
std::optional<std::int64_t> second_of(std::string_view text) {
  auto const two = [&](std::size_t at, std::int64_t most) -> std::int64_t {
    if (at + 2 > text.size()) return -1;
    char const a = text[at], b = text[at + 1];
    if (a < '0' || a > '9' || b < '0' || b > '9') return -1;
    std::int64_t const value = (a - '0') * 10 + (b - '0');
    return value <= most ? value : -1;
  };
  std::int64_t const h = two(0, 23), m = two(3, 59), s = two(6, 59);
  if (h < 0 || m < 0 || s < 0 || text[2] != ':' || text[5] != ':') return std::nullopt;
  std::int64_t out = h * 3600 + m * 60 + s;
  std::string_view const zone = text.substr(8);
  if (zone == "Z") return out;
  if (zone.size() != 6 || (zone[0] != '+' && zone[0] != '-') || zone[3] != ':') return std::nullopt;
  std::int64_t const zone_h = two(9, 23), zone_m = two(12, 59);
  if (zone_h < 0 || zone_m < 0) return std::nullopt;
  out -= (zone[0] == '+' ? 1 : -1) * (zone_h * 3600 + zone_m * 60);
  return (out % 86'400 + 86'400) % 86'400;
}

Result<Period> read_period(json::value const& value) {
  json::object const* const object = value.if_object();
  json::value const* const prices = object == nullptr ? nullptr : object->if_contains("prices");
  if (prices == nullptr) return wrong("each of a list of prices is an object with \"prices\"");
  Result<Rates> rates = read_rates(*prices);
  if (!rates) return rates.error();
  Period out{{}, *std::move(rates)};
  json::value const* const constraint = object->if_contains("constraint");
  if (constraint == nullptr) return out;
  auto const text_of = [&](char const* name) {
    json::object const* const fields = constraint->if_object();
    json::value const* const field = fields == nullptr ? nullptr : fields->if_contains(name);
    return field != nullptr && field->is_string() ? view(field->get_string()) : std::string_view();
  };
  std::optional<std::int64_t> const day = day_of(text_of("start_date"));
  std::optional<std::int64_t> const start = second_of(text_of("start_time"));
  std::optional<std::int64_t> const end = second_of(text_of("end_time"));
  if (day) {
    out.when = FromDate{*day};
  } else if (start && end) {
    out.when = TimeOfDay{*start, *end};
  } else {
    return wrong("a \"constraint\" has a \"start_date\" (2026-01-31), or \"start_time\" and \"end_time\" (16:30:00Z)");
  }
  return out;
}

/// At Anthropic, whoever serves its models, an hour's cache write costs twice the input.
bool is_claude(std::string_view id) { return lower_case(id).find("claude") != std::string::npos; }

Result<PricedModel> read_model(json::value const& value) {
  json::object const* const object = value.if_object();
  json::value const* const id = object == nullptr ? nullptr : object->if_contains("id");
  if (id == nullptr || !id->is_string()) return wrong("each of \"models\" is an object with an \"id\"");
  PricedModel out;
  out.id = std::string(view(id->get_string()));
  auto const at = [&](Error const& error) {
    return wrong(fmt::format("model {}: {}", in_quotes(out.id), error.detail));
  };
  json::value const* const rule = object->if_contains("match");
  if (rule == nullptr) return at(wrong("\"match\" is missing"));
  Result<NameRule> names = NameRule::read(*rule);
  if (!names) return at(names.error());
  out.rule = *std::move(names);
  json::value const* const prices = object->if_contains("prices");
  if (prices == nullptr) return at(wrong("\"prices\" is missing"));
  if (json::array const* const list = prices->if_array()) {
    if (list->empty()) return at(wrong("\"prices\" is an empty list"));
    for (json::value const& one : *list) {
      Result<Period> period = read_period(one);
      if (!period) return at(period.error());
      out.periods.push_back(*std::move(period));
    }
  } else {
    Result<Rates> rates = read_rates(*prices);
    if (!rates) return at(rates.error());
    out.periods.push_back({{}, *std::move(rates)});
  }
  for (Period& period : out.periods) period.rates.doubles_for_an_hour = is_claude(out.id);
  return out;
}

Result<Provider> read_provider(json::value const& value) {
  json::object const* const object = value.if_object();
  json::value const* const id = object == nullptr ? nullptr : object->if_contains("id");
  if (id == nullptr || !id->is_string()) return wrong("each provider is an object with an \"id\"");
  Provider out;
  out.id = lower_case(view(id->get_string()));
  auto const at = [&](Error const& e) { return wrong(fmt::format("provider {}: {}", in_quotes(out.id), e.detail)); };
  for (auto const& [name, field] : {std::pair{"model_match", &out.claims}, std::pair{"provider_match", &out.called}}) {
    json::value const* const rule = object->if_contains(name);
    if (rule == nullptr || rule->is_null()) continue;
    Result<NameRule> read = NameRule::read(*rule);
    if (!read) return at(read.error());
    *field = *std::move(read);
  }
  if (json::value const* const others = object->if_contains("fallback_model_providers")) {
    if (!others->is_array()) return at(wrong("\"fallback_model_providers\" is a list of ids"));
    for (json::value const& other : others->get_array()) {
      if (!other.is_string()) return at(wrong("\"fallback_model_providers\" is a list of ids"));
      out.falls_back_on.push_back(lower_case(view(other.get_string())));
    }
  }
  json::value const* const models = object->if_contains("models");
  if (models == nullptr || !models->is_array()) return at(wrong("\"models\" is a list"));
  for (json::value const& one : models->get_array()) {
    Result<PricedModel> model = read_model(one);
    if (!model) return at(model.error());
    out.models.push_back(*std::move(model));
  }
  return out;
}

/// One entry of LiteLLM's file; none for what has no price of tokens (pictures, speech).
Result<std::optional<Rates>> read_entry(json::object const& entry) {
  Rates out;
  struct Field {
    char const* name;
    char const* above;  // from 200,000 tokens on
    std::optional<Rate>* rate;
  };
  std::array<Field, 6> const fields{{
      {"input_cost_per_token", "input_cost_per_token_above_200k_tokens", &out.input},
      {"output_cost_per_token", "output_cost_per_token_above_200k_tokens", &out.output},
      {"cache_read_input_token_cost", "cache_read_input_token_cost_above_200k_tokens", &out.cache_read},
      {"cache_creation_input_token_cost", "cache_creation_input_token_cost_above_200k_tokens", &out.cache_write},
      {"cache_creation_input_token_cost_above_1hr", "cache_creation_input_token_cost_above_1hr_above_200k_tokens",
       &out.cache_write_1h},
      {"output_cost_per_reasoning_token", "output_cost_per_reasoning_token_above_200k_tokens", &out.reasoning},
  }};
  constexpr std::int64_t kAbove = 200'000;
  constexpr double kTokens = 1e6;
  bool any = false;
  for (Field const& field : fields) {
    json::value const* const base = entry.if_contains(field.name);
    if (base == nullptr || base->is_null()) continue;
    Result<std::int64_t> const rate = rate_number(*base, kTokens);
    if (!rate) return wrong(fmt::format("{}: {}", field.name, rate.error().detail));
    *field.rate = Rate{*rate, {}};
    any = true;
    json::value const* const above = entry.if_contains(field.above);
    if (above == nullptr || above->is_null()) continue;
    Result<std::int64_t> const tier = rate_number(*above, kTokens);
    if (!tier) return wrong(fmt::format("{}: {}", field.above, tier.error().detail));
    (*field.rate)->tiers.push_back({kAbove, *tier});
  }
  return any ? std::optional<Rates>(std::move(out)) : std::nullopt;
}

}  // namespace

std::optional<std::int64_t> per_million_of(double dollars) {
  constexpr double kMost = 1e9;  // a thousand requests for a million dollars; times 10⁹ it still fits
  if (!(dollars >= 0) || dollars > kMost) return std::nullopt;
  return std::llround(dollars * 1e9);
}

std::optional<std::int64_t> day_of(std::string_view date) {
  if (date.size() != 10 || date[4] != '-' || date[7] != '-') return std::nullopt;
  std::array<int, 3> parts{};
  std::size_t part = 0;
  for (char const c : date) {
    if (c == '-') {
      if (++part == parts.size()) return std::nullopt;
    } else if (c < '0' || c > '9') {
      return std::nullopt;
    } else {
      parts[part] = parts[part] * 10 + (c - '0');
    }
  }
  std::chrono::year_month_day const day{std::chrono::year(parts[0]),
                                        std::chrono::month(static_cast<unsigned>(parts[1])),
                                        std::chrono::day(static_cast<unsigned>(parts[2]))};
  if (!day.ok()) return std::nullopt;
  return std::chrono::sys_days(day).time_since_epoch().count();
}

Result<Table::Sheet> Table::read_providers(json::array const& list) {
  Sheet out;
  for (json::value const& one : list) {
    Result<Provider> provider = read_provider(one);
    if (!provider) return provider.error();
    out.providers.push_back(*std::move(provider));
  }
  return out;
}

Result<Table::Sheet> Table::read_names(json::object const& names) {
  Sheet out;
  for (json::key_value_pair const& member : names) {
    std::string const id(view(member.key()));
    if (id == "sample_spec") continue;  // describes the fields
    json::object const* const entry = member.value().if_object();
    if (entry == nullptr) return wrong(fmt::format("model {}: its prices are an object", in_quotes(id)));
    Result<std::optional<Rates>> rates = read_entry(*entry);
    if (!rates) return wrong(fmt::format("model {}: {}", in_quotes(id), rates.error().detail));
    if (!*rates) continue;
    (*rates)->doubles_for_an_hour = is_claude(id);
    PricedModel model{id, NameRule::equals(id), {}};
    model.periods.push_back({{}, **std::move(rates)});
    out.by_name.insert_or_assign(lower_case(id), std::move(model));
  }
  if (out.by_name.empty())
    return wrong(
        "no model has a price; the file is a list of providers as genai-prices has it, or an object of models "
        "with input_cost_per_token as LiteLLM has it");
  return out;
}

Result<Table> Table::read(std::string_view text, std::string_view file) {
  Result<json::value> const root = parse_json(text, file);
  if (!root) return root.error();
  Table out;
  out.name_ = std::string(file);
  json::object const* const object = root->if_object();
  json::value const* const wrapped = object == nullptr ? nullptr : object->if_contains("providers");
  json::array const* const list = wrapped != nullptr ? wrapped->if_array() : root->if_array();
  if (list == nullptr && (object == nullptr || wrapped != nullptr)) {
    return Error{
        ErrorKind::kInput, "prices are a list of providers, or an object of models", {std::string(file), 1, 1}};
  }
  Result<Sheet> sheet = list != nullptr ? read_providers(*list) : read_names(*object);
  if (!sheet) return Error{ErrorKind::kInput, sheet.error().detail, {std::string(file), 0, 0}};
  out.sheets_.push_back(*std::move(sheet));
  if (wrapped == nullptr) return out;
  json::value const* const date = object->if_contains("date");
  if (date == nullptr) return out;
  std::optional<std::int64_t> const day = date->is_string() ? day_of(view(date->get_string())) : std::nullopt;
  if (!day) return Error{ErrorKind::kInput, "\"date\" is a day such as \"2026-01-31\"", {std::string(file), 0, 0}};
  constexpr std::int64_t kDayMs = 86'400'000;
  out.day_ms_ = *day * kDayMs;
  json::value const* const version = object->if_contains("version");
  bool const versioned = version != nullptr && version->is_string();
  out.name_ += (versioned ? " " + std::string(view(version->get_string())) : "") + " of " +
               std::string(view(date->get_string()));
  return out;
}

Table Table::builtin() {
  Result<Table> out = read(genai_prices_text(), "genai-prices");
  return *std::move(out);
}

Table Table::over(Table below) && {
  if (day_ms_ == 0) day_ms_ = below.day_ms_;
  name_ += ", then " + below.name_;
  for (Sheet& sheet : below.sheets_) sheets_.push_back(std::move(sheet));
  return std::move(*this);
}

std::size_t Table::size() const {
  std::size_t out = 0;
  for (Sheet const& sheet : sheets_) {
    out += sheet.by_name.size();
    for (Provider const& provider : sheet.providers) out += provider.models.size();
  }
  return out;
}

}  // namespace backedge::prices
