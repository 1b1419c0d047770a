// The parts of Json that do not depend on a caller's function.
//
// Numbers are read from their digits, so that an integer of any length is a number like any other. Tested in
// tests/inspect/json_test.cpp.
#include "inspect/json.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "inspect/lines.h"

namespace backedge::inspect {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

static_assert(kJsonPadding >= simdjson::SIMDJSON_PADDING);

std::string_view trimmed(std::string_view text) {
  std::size_t const first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

}  // namespace

bool Json::open(std::string_view bytes) {
  error_ = simdjson::SUCCESS;
  bytes_ = trimmed(bytes);
  counted_to_ = bytes_.data();
  counted_ = 0;
  std::size_t const room = bytes_.size() + kJsonPadding;
  if (note(parser_.iterate(bytes_.data(), bytes_.size(), room).get(document_))) return false;
  return !note(document_.get_value().get(root_));
}

std::string Json::error() const {
  switch (error_) {
    case simdjson::SUCCESS: return {};
    case simdjson::UTF8_ERROR: return "bytes that are not UTF-8";
    case simdjson::UNCLOSED_STRING: return "a text that is not closed";
    case simdjson::UNESCAPED_CHARS: return "a control character inside a text";
    case simdjson::STRING_ERROR: return "a text with a broken escape";
    case simdjson::EMPTY: return "nothing";
    case simdjson::INCOMPLETE_ARRAY_OR_OBJECT: return "an object or a list that is not closed";
    case simdjson::SCALAR_DOCUMENT_AS_VALUE: return "neither an object nor a list";
    case simdjson::CAPACITY: return "more than 4 GiB in one text";
    default: return "malformed JSON";
  }
}

bool Json::repairable() const {
  return error_ == simdjson::UTF8_ERROR || error_ == simdjson::STRING_ERROR || error_ == simdjson::UNESCAPED_CHARS;
}

JsonType Json::type(JsonValue& value) {
  simdjson::ondemand::json_type type{};
  if (failed() || note(value.type().get(type))) return JsonType::kBroken;
  switch (type) {
    case simdjson::ondemand::json_type::object: return JsonType::kObject;
    case simdjson::ondemand::json_type::array: return JsonType::kArray;
    case simdjson::ondemand::json_type::string: return JsonType::kString;
    case simdjson::ondemand::json_type::number: return JsonType::kNumber;
    case simdjson::ondemand::json_type::boolean: return JsonType::kBool;
    case simdjson::ondemand::json_type::null: return JsonType::kNull;
  }
  return JsonType::kBroken;
}

std::string_view Json::text(JsonValue value) {
  std::string_view out;
  if (type(value) != JsonType::kString || note(value.get_string().get(out))) return {};
  return out;
}

double Json::number(JsonValue value) {
  if (type(value) != JsonType::kNumber) return 0;
  std::string_view const digits = trimmed(value.raw_json_token());
  double out = 0;
  auto const [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), out);
  return code == std::errc() && end != digits.data() && std::isfinite(out) ? out : 0;
}

std::int64_t Json::integer(JsonValue value) {
  if (type(value) != JsonType::kNumber) return 0;
  std::string_view const digits = trimmed(value.raw_json_token());
  std::int64_t out = 0;
  auto const [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), out);
  if (code == std::errc() && end == digits.data() + digits.size()) return out;
  double const wide = number(value);
  constexpr double kEdge = 9.2e18;  // below 2^63
  if (wide >= kEdge) return std::numeric_limits<std::int64_t>::max();
  if (wide <= -kEdge) return std::numeric_limits<std::int64_t>::min();
  return static_cast<std::int64_t>(wide);
}

bool Json::truth(JsonValue value) {
  bool out = false;
  if (type(value) != JsonType::kBool || note(value.get_bool().get(out))) return false;
  return out;
}

std::string_view Json::raw(JsonValue value) {
  std::string_view out;
  JsonType const kind = type(value);
  if (kind == JsonType::kObject) {
    simdjson::ondemand::object object;
    if (note(value.get_object().get(object)) || note(object.raw_json().get(out))) return {};
  } else if (kind == JsonType::kArray) {
    simdjson::ondemand::array array;
    if (note(value.get_array().get(array)) || note(array.raw_json().get(out))) return {};
  } else if (kind != JsonType::kBroken) {
    out = value.raw_json_token();
  }
  return trimmed(out);
}

std::string_view Json::since(char const* start) {
  char const* end = bytes_.data() + bytes_.size();
  char const* here = nullptr;
  if (failed()) return {};
  if (document_.current_location().get(here) == simdjson::SUCCESS) end = std::min(end, here);
  if (start < bytes_.data() || start > end) return {};
  return trimmed({start, static_cast<std::size_t>(end - start)});
}

void Json::skip_unread() {
  char const* here = nullptr;
  if (failed() || document_.current_location().get(here) != simdjson::SUCCESS) return;
  if (here == bytes_.data()) static_cast<void>(raw(root_));
}

std::string_view Json::rest() {
  char const* here = nullptr;
  if (failed() || document_.current_location().get(here) != simdjson::SUCCESS) return {};
  if (here < bytes_.data() || here >= bytes_.data() + bytes_.size()) return {};
  return bytes_.substr(static_cast<std::size_t>(here - bytes_.data()));
}

std::int64_t Json::line() {
  char const* here = nullptr;
  if (document_.current_location().get(here) != simdjson::SUCCESS) return counted_;
  if (here < counted_to_ || here > bytes_.data() + bytes_.size()) return counted_;
  for (char const* p = counted_to_; p < here; ++p) counted_ += *p == '\n' ? 1 : 0;
  counted_to_ = here;
  return counted_;
}

}  // namespace backedge::inspect
