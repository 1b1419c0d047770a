// A schema as it was written → one that a validator can be trusted with, or the reason why there is none.
//
// The document that comes out holds known keywords only, each with a value that fits: newer spellings are turned into
// those of draft 7 (prefixItems, boolean exclusiveMinimum), `pattern` stands as kPatternKeyword, and what is not
// checked (schema.h) is gone. Every $ref points to a schema inside the document. Bounds, with the reason for each:
//
//   nesting            64 levels of schemas          the validator's compiler is recursive
//   references         levels of all targets ≤ 256   the same: each target can be entered once below another
//   same value         chain ≤ 64, visits ≤ 4,096    allOf and its kin apply schemas to one value again and again
//   levels judged      chain × levels ≤ 1,024        the validator recurses on them
//                      branching^levels ≤ 100,000    two branches that both descend double the work on every level
//
// Tested in tests/facts/schema_test.cpp.
#pragma once

#include <cstddef>
#include <string_view>

#include <boost/json.hpp>

#include "backedge/result.h"

namespace backedge::facts {

/// Where the value of `pattern` stands in a document.
inline constexpr std::string_view kPatternKeyword = "x-re2";

struct SchemaDocument {
  boost::json::value json;
  /// Arguments that nest deeper are not judged.
  std::size_t levels = 0;
};

/// Errors: as Schema::compile.
Result<SchemaDocument> read_schema(std::string_view schema_json);

/// The schema that the $ref of `schema` leads to in the end, or `schema` itself when it has none; null when a $ref
/// leads to nothing. `document` is the whole.
boost::json::value const* follow_references(boost::json::value const& document, boost::json::value const& schema);

}  // namespace backedge::facts
