// The canonical text of a JSON value by RFC 8785 (JSON Canonicalization Scheme): equal values have equal texts.
//
// No white space; members sorted by the UTF-16 code units of their names; strings escaped as little as JSON allows;
// numbers as doubles in the shortest form that reads back (ECMAScript's Number::toString), so an integer beyond 2^53 is
// written as the double it rounds to. Example: {"b": 1.50, "a": [1E2]} becomes {"a":[100],"b":1.5}. Iterative. Tested
// in tests/base/canonical_test.cpp with the vectors of the RFC.
#pragma once

#include <string>

#include <boost/json/fwd.hpp>

namespace backedge {

/// Precondition: every number in `value` is finite, as parse_json guarantees.
std::string canonical(boost::json::value const& value);

/// One number as RFC 8785 section 3.2.2.3 writes it; `number` must be finite.
std::string canonical_number(double number);

}  // namespace backedge
