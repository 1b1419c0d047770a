// A value of a key: read from a TOML node under the key's form, and written back as TOML or JSON text.
//
// What is written reads back as the same value. Strings are written with escapes that TOML and JSON share, so a value
// that stands alone is the same text in both. Tested in tests/policy/value_test.cpp.
#pragma once

#include <string>
#include <string_view>

#include "backedge/result.h"
#include "policy/key.h"
#include "policy/toml_document.h"

namespace backedge::policy {

/// The value of `node`. The error's detail is the end of a sentence that begins with the key ("must be an integer, not
/// a string"); its place is that of the offending node.
Result<Value> read_value(Form const& form, Node const& node);

/// The value as TOML, and as JSON: 50, true, "1h30m", ["/path"].
std::string value_text(Form const& form, Value const& value);

/// A string in quotes, as TOML and JSON both read it.
std::string toml_string(std::string_view text);
/// A name as it stands in a TOML key: bare when it can be, else in quotes.
std::string toml_key(std::string_view name);

/// "integer or false", "JSON pointer", …
std::string type_text(Form const& form);
/// "2 to 1000, or false"; empty when there is nothing to say beyond the type.
std::string range_text(Form const& form);

/// Why `pointer` is not a JSON pointer that begins with a slash; empty when it is one.
std::string pointer_fault(std::string_view pointer);

}  // namespace backedge::policy
