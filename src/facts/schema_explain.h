// A fault of arguments in words that a model can act on: which field, what was expected, what was there, what to do.
//
// The validator says where; this says what, from the schema and the value at that place, and falls back on the
// validator's own words where a schema says something rare. Pure. Tested in tests/facts/schema_test.cpp.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include <boost/json.hpp>

#include "facts/schema.h"

namespace backedge::facts {

/// `document` comes from read_schema; `path` is the way from the arguments to the value at fault, as member names and
/// item numbers; `words` is what the validator says of it.
SchemaFault explain(boost::json::value const& document, boost::json::value const& arguments,
                    std::span<std::string const> path, std::string_view words);

}  // namespace backedge::facts
