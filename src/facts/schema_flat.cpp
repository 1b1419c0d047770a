#include "facts/schema_flat.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

namespace backedge::facts {
namespace {

namespace json = boost::json;

// One bit a property in a word.
constexpr std::size_t kMaxProperties = 64;

// In the order of their bits; integer is a number too.
constexpr auto kTypes =
    std::to_array<std::string_view>({"string", "integer", "number", "boolean", "object", "array", "null"});
constexpr std::uint8_t kIntegerBit = 1 << 1;
constexpr std::uint8_t kNumberBit = 1 << 2;
constexpr std::uint8_t kAnyType = 0x7f;

}  // namespace

std::optional<FlatSchema> FlatSchema::from(json::object const& schema) {
  FlatSchema out;
  json::value const* const type = schema.if_contains("type");
  if (type == nullptr || !type->is_string() || type->get_string() != "object") return std::nullopt;
  for (json::key_value_pair const& member : schema) {
    std::string_view const name = member.key();
    if (name == "properties") {
      if (member.value().get_object().size() > kMaxProperties) return std::nullopt;
      for (json::key_value_pair const& property : member.value().get_object()) {
        std::optional<Property> read = read_property(property.key(), property.value());
        if (!read) return std::nullopt;
        out.properties_.push_back(std::move(*read));
      }
    } else if (name == "additionalProperties") {
      if (!member.value().is_bool()) return std::nullopt;
      out.open_ = member.value().get_bool();
    } else if (name != "type" && name != "required" && name != "$defs" && name != "definitions") {
      return std::nullopt;
    }
  }
  if (json::value const* const required = schema.if_contains("required")) {
    for (json::value const& name : required->get_array()) {
      auto const found = std::ranges::find(out.properties_, std::string_view(name.get_string()), &Property::name);
      if (found == out.properties_.end()) return std::nullopt;
      out.required_ |= std::uint64_t{1} << static_cast<unsigned>(found - out.properties_.begin());
    }
  }
  return out;
}

FlatSchema::Types FlatSchema::read_types(json::value const& type) {
  auto const bit = [](std::string_view name) {
    auto const at = static_cast<unsigned>(std::ranges::find(kTypes, name) - kTypes.begin());
    return static_cast<Types>(1U << at);
  };
  if (type.is_string()) return bit(type.get_string());
  Types out = 0;
  for (json::value const& name : type.get_array()) out = static_cast<Types>(out | bit(name.get_string()));
  return out;
}

std::optional<FlatSchema::Property> FlatSchema::read_property(std::string_view name, json::value const& schema) {
  Property out{.name = std::string(name), .types = kAnyType, .item_types = kAnyType};
  if (!schema.is_object()) return std::nullopt;
  for (json::key_value_pair const& member : schema.get_object()) {
    std::string_view const keyword = member.key();
    json::value const& value = member.value();
    if (keyword == "type") {
      out.types = read_types(value);
    } else if (keyword == "enum") {
      for (json::value const& choice : value.get_array()) {
        if (!choice.is_string()) return std::nullopt;
        out.choices.emplace_back(choice.get_string());
      }
    } else if (keyword == "minimum") {
      out.minimum = value.to_number<double>();
    } else if (keyword == "maximum") {
      out.maximum = value.to_number<double>();
    } else if (keyword == "items") {
      json::object const* const items = value.if_object();
      if (items == nullptr || items->size() != 1 || items->begin()->key() != "type") return std::nullopt;
      out.item_types = read_types(items->begin()->value());
    } else {
      return std::nullopt;
    }
  }
  return out;
}

FlatSchema::Types FlatSchema::type_of(json::value const& value) {
  switch (value.kind()) {
    case json::kind::string: return 1 << 0;
    case json::kind::int64:
    case json::kind::uint64: return kIntegerBit | kNumberBit;
    case json::kind::double_: return kNumberBit;
    case json::kind::bool_: return 1 << 3;
    case json::kind::object: return 1 << 4;
    case json::kind::array: return 1 << 5;
    case json::kind::null: return 1 << 6;
  }
  return 0;
}

bool FlatSchema::fits(Property const& property, json::value const& value) {
  if ((property.types & type_of(value)) == 0) return false;
  if (!property.choices.empty()) {
    if (!value.is_string()) return false;
    if (std::ranges::find(property.choices, std::string_view(value.get_string())) == property.choices.end())
      return false;
  }
  if ((property.minimum || property.maximum) && value.is_number()) {
    double const number = value.to_number<double>();
    if (property.minimum && number < *property.minimum) return false;
    if (property.maximum && number > *property.maximum) return false;
  }
  if (property.item_types != kAnyType && value.is_array()) {
    for (json::value const& item : value.get_array()) {
      if ((property.item_types & type_of(item)) == 0) return false;
    }
  }
  return true;
}

bool FlatSchema::accepts(json::value const& arguments) const {
  json::object const* const object = arguments.if_object();
  if (object == nullptr) return false;
  std::uint64_t seen = 0;
  for (json::key_value_pair const& member : *object) {
    auto const found = std::ranges::find(properties_, std::string_view(member.key()), &Property::name);
    if (found == properties_.end()) {
      if (!open_) return false;
      continue;
    }
    if (!fits(*found, member.value())) return false;
    seen |= std::uint64_t{1} << static_cast<unsigned>(found - properties_.begin());
  }
  return (seen & required_) == required_;
}

}  // namespace backedge::facts
