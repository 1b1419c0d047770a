// Reading fields; see fields.h.

#include "cases/fields.h"

#include <cmath>

#include <boost/json/serialize.hpp>

#include "base/json.h"

namespace backedge::cases {

namespace json = boost::json;

std::string text_of(json::object const& o, std::string_view key) {
  json::value const* v = o.if_contains(key);
  if (v == nullptr || v->is_null()) return {};
  return v->is_string() ? std::string(v->get_string()) : json::serialize(*v);
}

std::vector<std::string> texts_of(json::object const& o, std::string_view key) {
  std::vector<std::string> out;
  json::value const* v = o.if_contains(key);
  if (v == nullptr || !v->is_array()) return out;
  for (json::value const& item : v->get_array()) {
    if (item.is_string()) out.emplace_back(item.get_string());
  }
  return out;
}

std::int64_t count_of(json::object const& o, std::string_view key) {
  json::value const* v = o.if_contains(key);
  if (v == nullptr || !v->is_number()) return 0;
  auto const n = v->to_number<double>();
  return n > 0 && n < 1e15 ? static_cast<std::int64_t>(n) : 0;
}

std::optional<std::int64_t> nano_usd_of(json::object const& o) {
  json::value const* usd = o.if_contains("usd");
  if (usd == nullptr || !usd->is_number()) return std::nullopt;
  auto const n = usd->to_number<double>();
  if (!(n >= 0 && n < 1e6)) return std::nullopt;
  return static_cast<std::int64_t>(std::ceil(n * 1e9));
}

std::string arguments_of(json::object const& call) {
  return call.contains("args_raw") ? text_of(call, "args_raw") : json::serialize(call.at("args"));
}

std::optional<std::int64_t> max_turns_of(std::string_view arguments) {
  Result<json::value> const args = parse_json(arguments);
  json::value const* const asked = args && args->is_object() ? args->get_object().if_contains("max_turns") : nullptr;
  if (asked == nullptr || !asked->is_int64()) return std::nullopt;
  return asked->get_int64();
}

Approval approval_of(json::object const& event) {
  std::string const type = text_of(event, "type");
  std::string const value = text_of(event, "value");
  if (type == "ask_timeout") return Approval::kTimeout;
  bool const allow = type == "approve" || value == "allow" || value == "yes" || value == "once" || value == "always";
  return allow ? Approval::kAllow : Approval::kDeny;
}

std::optional<Micros> clock_of(json::object const& event) {
  json::value const* s = event.if_contains("seconds");
  if (s == nullptr || !s->is_number() || s->to_number<double>() > 1e9) return std::nullopt;
  return Micros{static_cast<std::int64_t>(s->to_number<double>() * 1e6)};
}

std::string frame_of(json::object const& step) {
  std::string name = text_of(step, "frame");
  return name.empty() ? std::string("root") : name;
}

}  // namespace backedge::cases
