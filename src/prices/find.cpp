// From a name to a model; see table.h.
#include <algorithm>
#include <array>

#include "prices/table.h"

namespace backedge::prices {
namespace {

/// A provider may fall back on another, which falls back on none that matters.
constexpr int kFallbackDepth = 3;

constexpr std::array<std::string_view, 12> kBedrockRegions{"ap.", "apac.", "au.", "ca.", "eu.",     "global.",
                                                           "jp.", "me.",   "sa.", "us.", "us-gov.", "uk."};
constexpr std::array<std::string_view, 14> kBedrockVendors{"ai21.",   "amazon.", "anthropic.", "cohere.",   "deepseek.",
                                                           "google.", "meta.",   "mistral.",   "moonshot.", "nvidia.",
                                                           "openai.", "qwen.",   "stability.", "writer."};
/// Programs that pass on to providers: what stands behind them is the name.
constexpr std::array<std::string_view, 3> kRouters{"litellm/", "litellm_proxy/", "models/"};

bool is_bedrock(std::string_view model) {
  for (std::string_view const region : kBedrockRegions) {
    if (model.starts_with(region)) {
      model.remove_prefix(region.size());
      break;
    }
  }
  return std::any_of(kBedrockVendors.begin(), kBedrockVendors.end(),
                     [&](std::string_view vendor) { return model.starts_with(vendor); });
}

bool digits(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// "x-20250929" as "x-2025-09-29"; as it is when no such day stands in it.
std::string with_dashes(std::string_view name) {
  std::string out;
  for (std::size_t i = 0; i < name.size(); ++i) {
    out += name[i];
    if (name[i] != '-' || name.size() - i < 9) continue;
    std::string_view const day = name.substr(i + 1, 8);
    std::size_t const end = i + 9;
    bool const ends = end == name.size() || name[end] == '-' || name[end] == ':';
    if (!ends || !day.starts_with("20") || !digits(day)) continue;
    std::string const dashed =
        std::string(day.substr(0, 4)) + "-" + std::string(day.substr(4, 2)) + "-" + std::string(day.substr(6));
    if (!day_of(dashed)) continue;
    out += dashed;
    i += 8;
  }
  return out;
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  std::size_t const begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

}  // namespace

Provider const* Table::Sheet::provider(std::string_view name) const {
  for (Provider const& one : providers) {
    if (one.id == name) return &one;
  }
  for (Provider const& one : providers) {
    if (one.called && one.called->matches(name)) return &one;
  }
  return nullptr;
}

// No deeper than kFallbackDepth. NOLINTNEXTLINE(misc-no-recursion)
PricedModel const* Table::Sheet::under(Provider const& provider, std::string_view model, int depth) const {
  for (PricedModel const& one : provider.models) {
    if (one.rule.matches(model)) return &one;
  }
  if (depth == kFallbackDepth) return nullptr;
  for (std::string const& next : provider.falls_back_on) {
    for (Provider const& other : providers) {
      if (other.id != next) continue;
      if (PricedModel const* const found = under(other, model, depth + 1)) return found;
    }
  }
  return nullptr;
}

PricedModel const* Table::Sheet::anywhere(std::string_view model) const {
  std::size_t const slash = model.find('/');
  if (slash != std::string_view::npos && slash > 0) {
    Provider const* const named = provider(model.substr(0, slash));
    if (named != nullptr) {
      if (PricedModel const* const found = under(*named, model.substr(slash + 1))) return found;
    }
  }
  if (is_bedrock(model)) {
    Provider const* const bedrock = provider("aws");
    return bedrock == nullptr ? nullptr : under(*bedrock, model);
  }
  for (Provider const& one : providers) {
    if (one.claims && one.claims->matches(model)) return under(one, model);
  }
  return nullptr;
}

PricedModel const* Table::Sheet::find_by_name(std::string_view model, std::string_view provider_name) const {
  std::string const with = std::string(provider_name) + "/" + std::string(model);
  if (auto const found = by_name.find(with); !provider_name.empty() && found != by_name.end()) return &found->second;
  for (std::string_view rest = model; !rest.empty();) {
    if (auto const found = by_name.find(rest); found != by_name.end()) return &found->second;
    std::size_t const slash = rest.find('/');
    if (slash == std::string_view::npos) break;
    rest.remove_prefix(slash + 1);
  }
  return nullptr;
}

PricedModel const* Table::Sheet::find(std::string_view model, std::string_view provider_name) const {
  if (PricedModel const* const found = find_by_name(model, provider_name)) return found;
  Provider const* const named = provider_name.empty() ? nullptr : provider(provider_name);
  auto const look = [&](std::string_view name) { return named != nullptr ? under(*named, name) : anywhere(name); };
  if (PricedModel const* const found = look(model)) return found;
  std::string const dashed = with_dashes(model);
  if (dashed != model) {
    if (PricedModel const* const found = look(dashed)) return found;
  }
  // A provider may be given, and stand before the name as well.
  std::size_t const slash = model.find('/');
  bool const twice = named != nullptr && slash != std::string_view::npos && provider(model.substr(0, slash)) == named;
  return twice ? look(model.substr(slash + 1)) : nullptr;
}

PricedModel const* Table::find(std::string_view model, std::string_view provider) const {
  std::string const lower = lower_case(trim(model));
  std::string const of = lower_case(trim(provider));
  std::string_view name = lower;
  for (std::string_view const router : kRouters) {
    if (name.starts_with(router)) name.remove_prefix(router.size());
  }
  if (name.empty()) return nullptr;
  for (Sheet const& sheet : sheets_) {
    if (PricedModel const* const found = sheet.find(name, of)) return found;
  }
  return nullptr;
}

std::optional<std::int64_t> Table::price(PricedModel const* model, std::int64_t at_ms, Usage const& usage) const {
  if (model == nullptr) return std::nullopt;
  return rates(*model, at_ms).cost(usage);
}

Rates const& Table::rates(PricedModel const& model, std::int64_t at_ms) const {
  return rates_at(model.periods, at_ms == 0 ? day_ms_ : at_ms);
}

}  // namespace backedge::prices
