// JSON Schema of a tool's arguments: compiled once, checked before every call, with a fault that a model can act on.
//
// Drafts 4 to 2020-12 as tools write them. What is checked: type, enum, const, properties, required,
// additionalProperties, propertyNames, items (also as a list, and prefixItems), additionalItems, contains,
// dependencies, minimum, maximum (also exclusive), multipleOf, minLength, maxLength, minItems, maxItems, minProperties,
// maxProperties, pattern, allOf, anyOf, oneOf, not, if/then/else, and $ref inside the document. What is not: format,
// uniqueItems, patternProperties (an object that has them takes any other member), unevaluated…, and keywords that
// nobody knows; a call that only those would refuse passes.
//
// A schema and arguments may be hostile. Nothing is fetched: a $ref that leaves the document is refused. Patterns run
// on RE2, in time linear in the text; one that RE2 does not know (look-around, back-references) is refused. A schema
// that applies itself to the same value without end is refused; of a recursive one only as many levels of the arguments
// are judged as can be in bounded time and stack, deeper arguments pass (schema_document.h has the bounds). Tested in
// tests/facts/schema_test.cpp and by the fuzz target facts_schema.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "backedge/result.h"

namespace backedge::facts {

struct SchemaFault {
  enum class Kind : std::uint8_t { kMissing, kMistyped };

  Kind kind = Kind::kMistyped;
  /// One line: the field as a JSON pointer, what was expected, what was there, what to do.
  std::string text;

  friend bool operator==(SchemaFault const&, SchemaFault const&) = default;
};

/// Immutable; a copy shares what was compiled. Any thread.
class Schema {
 public:
  /// Errors: kUsage with the pointer of the keyword at fault: no JSON, no object, a keyword with a value that it cannot
  /// have, a bad pattern, a $ref to elsewhere or to nothing, a schema beyond the bounds. Cost: milliseconds for a large
  /// one.
  static Result<Schema> compile(std::string_view schema_json);

  /// The first fault of the arguments, or none. Blank text and null are {}; a JSON string that holds JSON is read once
  /// more, as facts::Reader does. A schema that allows every object asks no more than that the text begins like one:
  /// that it is JSON to the end, the reader of the call says. Cost: about 10 ns for such a schema, 1 µs for a flat one
  /// at 200 bytes, tens of µs for others.
  std::optional<SchemaFault> check(std::string_view arguments) const;

 private:
  struct Compiled;
  explicit Schema(std::shared_ptr<Compiled const> compiled) : compiled_(std::move(compiled)) {}

  std::shared_ptr<Compiled const> compiled_;
};

}  // namespace backedge::facts
