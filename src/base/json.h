// The one door to Boost.JSON: strict parsing with an error that a person can find in the file.
//
// Stricter than the library: at most kMaxJsonDepth levels, no number beyond the range of a double, no object with two
// members of one name; doubles are the nearest ones, which the library does not promise. Bytes that are passed on to
// others are passed on as they came, never written again from a value. Tested in tests/base/json_test.cpp.
#pragma once

#include <cstddef>
#include <string_view>

#include <boost/json.hpp>

#include "backedge/result.h"

namespace backedge {

/// More than any honest document, and little enough for the recursive destructor of a value.
inline constexpr std::size_t kMaxJsonDepth = 256;

/// The value of a complete JSON text in UTF-8. Errors: kInput with line and column (in bytes, both from 1) of the
/// fault; `file` is only repeated in the error.
Result<boost::json::value> parse_json(std::string_view text, std::string_view file = {});

/// Line and column (in bytes, both from 1) of a byte offset.
Where locate(std::string_view text, std::size_t offset, std::string_view file = {});

}  // namespace backedge
