#include "facts/schema.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <limits>
#include <new>
#include <utility>
#include <vector>

#include <boost/json.hpp>
#include <fmt/format.h>
#include <re2/re2.h>

// The validator reports by exceptions; they end in this file.
#define VALIJSON_USE_EXCEPTIONS 1
#include <valijson/adapters/boost_json_adapter.hpp>
#include <valijson/constraint_builder.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

#include "base/json.h"
#include "base/text.h"
#include "facts/schema_document.h"
#include "facts/schema_explain.h"
#include "facts/schema_flat.h"

namespace backedge::facts {
namespace {

namespace json = boost::json;
using valijson::adapters::BoostJsonAdapter;

constexpr std::string_view kBlank = " \t\r\n";

// `pattern` on RE2, for the validator's own runs on std::regex, which may take exponential time and a stack as deep as
// the text is long.
class PatternConstraint final : public valijson::constraints::PolyConstraint {
 public:
  explicit PatternConstraint(std::shared_ptr<RE2 const> pattern) : pattern_(std::move(pattern)) {}

  bool validate(valijson::adapters::Adapter const& target, std::vector<std::string> const& context,
                valijson::ValidationResults* results) const override {
    if (!target.isString() || RE2::PartialMatch(target.asString(), *pattern_)) return true;
    if (results != nullptr)
      results->pushError(context, fmt::format("The string does not match {}", in_quotes(pattern_->pattern())));
    return false;
  }

 private:
  Constraint* cloneInto(void* place) const override { return new (place) PatternConstraint(*this); }
  std::size_t sizeOf() const override { return sizeof(PatternConstraint); }

  std::shared_ptr<RE2 const> pattern_;
};

class PatternBuilder final : public valijson::ConstraintBuilder {
 public:
  valijson::constraints::Constraint* make(valijson::adapters::Adapter const& node) const override {
    std::string const text = node.asString();
    return new PatternConstraint(std::make_shared<RE2 const>(text, RE2::Quiet));
  }
};

// Levels of values, without recursion. Whole numbers beyond the validator's range become the largest that it knows: it
// would take them for fractions.
std::size_t prepare(json::value& value) {
  std::vector<std::pair<json::value*, std::size_t>> open{{&value, 1}};
  std::size_t deepest = 0;
  while (!open.empty()) {
    auto const [at, depth] = open.back();
    open.pop_back();
    deepest = std::max(deepest, depth);
    auto const look = [&, below = depth + 1](json::value& part) {
      if (part.is_structured()) open.emplace_back(&part, below);
      if (part.is_uint64()) part = std::numeric_limits<std::int64_t>::max();
    };
    if (json::array* const array = at->if_array()) {
      for (json::value& item : *array) look(item);
    } else if (json::object* const object = at->if_object()) {
      for (json::key_value_pair& member : *object) look(member.value());
    }
  }
  return deepest;
}

// The validator names the way as "<root>", "[name]", "[0]".
std::vector<std::string> path_of(std::vector<std::string> const& context) {
  std::vector<std::string> out;
  for (std::size_t i = 1; i < context.size(); ++i) {
    std::string const& part = context[i];
    out.push_back(part.size() >= 2 ? part.substr(1, part.size() - 2) : part);
  }
  return out;
}

}  // namespace

struct Schema::Compiled {
  bool any_object = false;
  std::optional<FlatSchema> flat;
  SchemaDocument document;
  valijson::Schema rules;
};

Result<Schema> Schema::compile(std::string_view schema_json) {
  Result<SchemaDocument> document = read_schema(schema_json);
  if (!document) return document.error();
  auto out = std::make_shared<Compiled>();
  out->document = std::move(*document);
  out->flat = FlatSchema::from(out->document.json.get_object());
  out->any_object = out->flat && out->flat->takes_any_object();
  if (!out->any_object) {
    try {
      valijson::SchemaParser parser(valijson::SchemaParser::kDraft7);
      // The parser owns the builder.
      parser.addConstraintBuilder(std::string(kPatternKeyword), new PatternBuilder);
      parser.populateSchema(BoostJsonAdapter(out->document.json), out->rules);
    } catch (std::exception const& fault) {
      return Error{ErrorKind::kUsage, fmt::format("schema: {}", in_quotes(fault.what(), 200)), {}};
    }
  }
  return Schema(std::move(out));
}

std::optional<SchemaFault> Schema::check(std::string_view arguments) const {
  std::size_t const first = arguments.find_first_not_of(kBlank);
  if (first == std::string_view::npos) arguments = "{}";
  if (compiled_->any_object && (first == std::string_view::npos || arguments[first] == '{')) return std::nullopt;

  Result<json::value> value = parse_json(arguments);
  if (value && value->is_string()) value = parse_json(std::string(value->get_string()));
  if (!value) {
    Error const& error = value.error();
    return SchemaFault{
        SchemaFault::Kind::kMistyped,
        fmt::format("the arguments: expected a JSON object, got text that is no JSON ({}); write it anew "
                    "and call again",
                    error.detail)};
  }
  if (value->is_null()) *value = json::object();
  if (compiled_->flat && compiled_->flat->accepts(*value)) return std::nullopt;
  if (compiled_->any_object) return explain(compiled_->document.json, *value, {}, "expected an object");
  if (prepare(*value) > compiled_->document.levels) return std::nullopt;
  try {
    valijson::Validator validator;
    BoostJsonAdapter const target(*value);
    // The first pass stops at the first fault and keeps no account; most calls are valid.
    if (validator.validate(compiled_->rules, target, nullptr)) return std::nullopt;
    valijson::ValidationResults results;
    validator.validate(compiled_->rules, target, &results);
    valijson::ValidationResults::Error error;
    if (!results.popError(error)) error = {{"<root>"}, "the schema allows no such value"};
    return explain(compiled_->document.json, *value, path_of(error.context), error.description);
  } catch (std::exception const& fault) {
    return SchemaFault{SchemaFault::Kind::kMistyped,
                       fmt::format("the arguments cannot be judged: {}; simplify them and "
                                   "call again",
                                   in_quotes(fault.what(), 200))};
  }
}

}  // namespace backedge::facts
