// A result cut for the model: head and tail stay, a mark says what is missing.
//
// Characters are UTF-8 characters; a cut never splits one. Tested in tests/talk/cut_test.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace backedge::talk {

/// `text` itself when it has at most `most` characters; else about 70 % of `most` from its head, the mark
/// "[… 1234 characters left out …]" on a line of its own, and the rest from its tail. Linear in the text; a text of at
/// most `most` bytes costs nothing.
std::string cut_for_model(std::string_view text, std::int64_t most);

}  // namespace backedge::talk
