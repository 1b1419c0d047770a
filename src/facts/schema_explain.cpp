#include "facts/schema_explain.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "facts/schema_document.h"

namespace backedge::facts {
namespace {

namespace json = boost::json;

// What a message shows of one value, in characters.
constexpr std::size_t kShown = 60;
// And of one list of names or choices.
constexpr std::size_t kShownNames = 12;

std::string pointer_text(std::span<std::string const> path) {
  std::string out;
  for (std::string const& name : path) {
    out += '/';
    for (char const c : name) out += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
  }
  // Quoted for its escapes; a pointer needs no marks of its own.
  std::string const clean = in_quotes(out, 200);
  return out.empty() ? "the arguments" : clean.substr(1, clean.size() - 2);
}

std::string article(std::string_view noun) {
  bool const vowel = !noun.empty() && std::string_view("aeio").find(noun.front()) != std::string_view::npos;
  return fmt::format("{} {}", vowel ? "an" : "a", noun);
}

std::string describe_value(json::value const& value) {
  switch (value.kind()) {
    case json::kind::null: return "null";
    case json::kind::bool_: return value.get_bool() ? "the boolean true" : "the boolean false";
    case json::kind::string:
      return fmt::format("the string {}", in_quotes(std::string_view(value.get_string()), kShown));
    case json::kind::array: return fmt::format("an array of {}", value.get_array().size());
    case json::kind::object: return fmt::format("an object with {} members", value.get_object().size());
    default: return fmt::format("the number {}", cut(json::serialize(value), kShown));
  }
}

bool is_of_type(json::value const& value, std::string_view type) {
  if (type == "string") return value.is_string();
  if (type == "boolean") return value.is_bool();
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "null") return value.is_null();
  return type == "number" ? value.is_number() : value.is_int64() || value.is_uint64();
}

std::vector<std::string_view> types_of(json::object const& schema) {
  std::vector<std::string_view> out;
  json::value const* const type = schema.if_contains("type");
  if (type == nullptr) return out;
  if (type->is_string()) out.emplace_back(type->get_string());
  if (type->is_array()) {
    for (json::value const& name : type->get_array()) out.emplace_back(name.get_string());
  }
  return out;
}

template <class Texts>
std::string join(Texts const& texts, std::string_view last) {
  std::string out;
  std::size_t n = 0;
  for (auto const& text : texts) {
    if (n == kShownNames) return out + ", …";
    if (n > 0) out += n + 1 == texts.size() ? last : std::string_view(", ");
    out += text;
    ++n;
  }
  return out;
}

// "an integer", "one of "a", "b"", "a string or null"; empty when the schema says nothing of this.
std::string describe_schema(json::value const& document, json::value const* schema) {
  schema = schema == nullptr ? nullptr : follow_references(document, *schema);
  json::object const* const object = schema == nullptr ? nullptr : schema->if_object();
  if (object == nullptr) return {};
  for (std::string_view const name : {"enum", "const"}) {
    json::value const* const value = object->if_contains(name);
    if (value == nullptr) continue;
    std::vector<std::string> choices;
    if (name == "const") choices.emplace_back(cut(json::serialize(*value), kShown));
    if (name == "enum") {
      for (json::value const& choice : value->get_array()) choices.emplace_back(cut(json::serialize(choice), kShown));
    }
    return choices.size() == 1 ? choices.front() : "one of " + join(choices, " or ");
  }
  std::vector<std::string> words;
  for (std::string_view const type : types_of(*object)) words.push_back(type == "null" ? "null" : article(type));
  if (words.empty()) {
    for (std::string_view const name : {"anyOf", "oneOf"}) {
      json::value const* const forms = object->if_contains(name);
      if (forms == nullptr) continue;
      for (json::value const& form : forms->get_array()) {
        json::value const* const target = follow_references(document, form);
        json::object const* const inner = target == nullptr ? nullptr : target->if_object();
        if (inner == nullptr) continue;
        for (std::string_view const type : types_of(*inner)) {
          std::string word = type == "null" ? "null" : article(type);
          if (std::ranges::find(words, word) == words.end()) words.push_back(std::move(word));
        }
      }
      break;
    }
  }
  return join(words, " or ");
}

// The schema of one member or item, as far as the plain keywords tell it.
json::value const* step(json::value const& document, json::value const* schema, std::string const& name) {
  schema = schema == nullptr ? nullptr : follow_references(document, *schema);
  json::object const* const object = schema == nullptr ? nullptr : schema->if_object();
  if (object == nullptr) return nullptr;
  if (json::value const* const properties = object->if_contains("properties")) {
    if (json::value const* const found = properties->get_object().if_contains(name)) return found;
  }
  json::value const* const items = object->if_contains("items");
  bool const numbered = !name.empty() && std::ranges::all_of(name, [](char c) { return c >= '0' && c <= '9'; });
  if (items != nullptr && numbered) {
    if (!items->is_array()) return items;
    std::size_t const at = name.size() > 6 ? items->get_array().size() : std::stoul(name);
    return at < items->get_array().size() ? &items->get_array()[at] : object->if_contains("additionalItems");
  }
  return object->if_contains("additionalProperties");
}

std::vector<std::string_view> property_names(json::object const& schema) {
  std::vector<std::string_view> out;
  if (json::value const* const properties = schema.if_contains("properties")) {
    for (json::key_value_pair const& member : properties->get_object()) out.emplace_back(member.key());
  }
  return out;
}

std::string field(std::span<std::string const> path, std::string_view name) {
  std::vector<std::string> longer(path.begin(), path.end());
  longer.emplace_back(name);
  return pointer_text(longer);
}

// A name that was required and is not there.
std::optional<SchemaFault> missing(json::value const& document, json::object const& schema, json::object const& value,
                                   std::span<std::string const> path) {
  json::value const* const required = schema.if_contains("required");
  if (required == nullptr) return std::nullopt;
  std::vector<std::string_view> const known = property_names(schema);
  for (json::value const& entry : required->get_array()) {
    std::string_view const name = entry.get_string();
    if (value.contains(name)) continue;
    std::string what;
    if (json::value const* const properties = schema.if_contains("properties"))
      what = describe_schema(document, properties->get_object().if_contains(name));
    std::string text = fmt::format("{} is missing", field(path, name));
    if (!what.empty()) text += fmt::format(": expected {}", what);
    std::vector<std::string_view> unknown;
    for (json::key_value_pair const& member : value) {
      if (std::ranges::find(known, std::string_view(member.key())) == known.end()) unknown.emplace_back(member.key());
    }
    std::vector<std::string_view> const near = nearest(name, unknown, 1);
    if (!near.empty()) {
      text += fmt::format(", but there is {}; rename it and call again", in_quotes(near.front(), kShown));
    } else {
      text += "; add it and call again";
    }
    return SchemaFault{SchemaFault::Kind::kMissing, std::move(text)};
  }
  return std::nullopt;
}

// A name that is there and not allowed.
std::optional<SchemaFault> unknown(json::object const& schema, json::object const& value,
                                   std::span<std::string const> path) {
  json::value const* const additional = schema.if_contains("additionalProperties");
  if (additional == nullptr || !additional->is_bool() || additional->get_bool()) return std::nullopt;
  std::vector<std::string_view> const known = property_names(schema);
  for (json::key_value_pair const& member : value) {
    std::string_view const name = member.key();
    if (std::ranges::find(known, name) != known.end()) continue;
    std::vector<std::string_view> const near = nearest(name, known, 1);
    std::vector<std::string> shown;
    shown.reserve(known.size());
    for (std::string_view const one : known) shown.push_back(in_quotes(one, kShown));
    std::string text = fmt::format("{} is not a known name", field(path, name));
    text += known.empty() ? ": expected none" : fmt::format(": expected {}", join(shown, " or "));
    text += near.empty() ? "; leave it out and call again"
                         : fmt::format("; did you mean {}", in_quotes(near.front(), kShown));
    return SchemaFault{SchemaFault::Kind::kMistyped, std::move(text)};
  }
  return std::nullopt;
}

std::string bounds(json::object const& schema) {
  std::string out;
  for (auto const& [keyword, words] :
       {std::pair{"minimum", "at least"}, std::pair{"exclusiveMinimum", "more than"}, std::pair{"maximum", "at most"},
        std::pair{"exclusiveMaximum", "less than"}, std::pair{"multipleOf", "a multiple of"}}) {
    if (json::value const* const bound = schema.if_contains(keyword))
      out += fmt::format("{}{} {}", out.empty() ? "" : ", ", words, json::serialize(*bound));
  }
  return out;
}

// The validator's sentences as clauses in our form.
std::string clause(std::string_view words) {
  while (!words.empty() && words.back() == '.') words.remove_suffix(1);
  std::string const clean = in_quotes(words, 200);
  std::string out = clean.substr(1, clean.size() - 2);
  if (!out.empty()) out.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(out.front())));
  return out;
}

}  // namespace

SchemaFault explain(json::value const& document, json::value const& arguments, std::span<std::string const> path,
                    std::string_view words) {
  json::value const* schema = &document;
  json::value const* value = &arguments;
  for (std::string const& name : path) {
    schema = step(document, schema, name);
    if (json::object const* const object = value->if_object()) {
      value = object->if_contains(name);
    } else if (json::array const* const array = value->if_array()) {
      value = name.size() <= 9 ? array->if_contains(std::stoul(name)) : nullptr;
    } else {
      value = nullptr;
    }
    if (value == nullptr) break;
  }
  if (value == nullptr)
    return {SchemaFault::Kind::kMistyped,
            fmt::format("{}: {}; change it and call again", pointer_text(path), clause(words))};

  schema = schema == nullptr ? nullptr : follow_references(document, *schema);
  json::object const* const rules = schema == nullptr ? nullptr : schema->if_object();
  std::string expected;
  if (rules != nullptr) {
    std::vector<std::string_view> const types = types_of(*rules);
    bool const right_type = types.empty() || std::ranges::any_of(types, [&](auto t) { return is_of_type(*value, t); });
    if (json::object const* const object = value->if_object(); object != nullptr && right_type) {
      if (std::optional<SchemaFault> out = missing(document, *rules, *object, path)) return *out;
      if (std::optional<SchemaFault> out = unknown(*rules, *object, path)) return *out;
    }
    bool const listed = rules->contains("enum") || rules->contains("const");
    if (!right_type || listed) expected = describe_schema(document, schema);
    if (expected.empty() && value->is_number()) expected = bounds(*rules);
    if (expected.empty() && value->is_string() && rules->contains(kPatternKeyword)) {
      expected = fmt::format("a string that matches {}",
                             in_quotes(std::string_view(rules->at(kPatternKeyword).as_string()), kShown));
    }
    if (expected.empty() && (rules->contains("anyOf") || rules->contains("oneOf")))
      expected = describe_schema(document, schema);
  }
  expected = expected.empty() ? clause(words) : "expected " + expected;
  return {SchemaFault::Kind::kMistyped, fmt::format("{}: {}, got {}; change it and call again", pointer_text(path),
                                                    expected, describe_value(*value))};
}

}  // namespace backedge::facts
