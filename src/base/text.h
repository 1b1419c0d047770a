// Text for people: what an error message quotes, cuts and suggests.
//
// Everything here takes untrusted bytes and gives one clean line: nothing it returns holds a control character, and a
// cut never splits a UTF-8 sequence. Tested in tests/base/text_test.cpp.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace backedge {

/// The longest prefix of at most `characters` UTF-8 characters; a byte that begins no valid sequence counts as one.
std::string_view cut(std::string_view text, std::size_t characters);

/// `text` in double quotes on one line: control characters, quotes, backslashes and bytes that are not UTF-8 are
/// escaped; after `characters` characters it ends in "…".
std::string in_quotes(std::string_view text, std::size_t characters = 80);

/// The names that `word` is likely a misspelling of, nearest first, at most `count`: those within an edit distance
/// (insert, delete, change, swap of neighbours; letter case ignored) of a third of the word's length, at least 1. Words
/// beyond 64 bytes have no near names. Cost: O(names · length²).
std::vector<std::string_view> nearest(std::string_view word, std::span<std::string_view const> names,
                                      std::size_t count = 3);

}  // namespace backedge
