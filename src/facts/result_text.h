// What a result's text says, without understanding it: whether it says that there is nothing, what kind of message it
// is once its variable parts are masked, and which five-word shingles it consists of.
//
// All three are small recognisers of surface forms. None of them ever turns a success into a failure: the word "error"
// in a successful result is just a word. Tested in tests/facts/result_text_test.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/fixed_list.h"

namespace backedge::facts {

/// True for blank text, an empty JSON value ("[]", "{}", "null", "\"\""), and a sentence of at most 80 bytes that says
/// that nothing was found: "No files found", "0 results", "(no output)".
bool says_nothing(std::string_view text);

/// Sets `out` to the first 2,000 bytes of `text` in lower case with white space folded, where numbers (with unit, time
/// or date parts) became # unless they are small and say how many, ids of hex digits and UUIDs became @, quoted parts
/// became ', and paths and URLs became /. Example: "Error: /tmp/a.txt:12: no 'foo' after 350ms" becomes "error: /:#: no
/// ' after #".
void mask(std::string_view text, std::string& out);

/// Shingles of a text: every five words in a row, hashed.
class Shingler {
 public:
  static constexpr std::size_t kSample = 64;
  static constexpr std::size_t kWords = 5;
  static constexpr std::size_t kFewestWords = 12;                   // a shorter text has no shingles
  static constexpr std::size_t kMaxBytes = std::size_t{64} * 1024;  // the rest of a text is not looked at

  /// Sets `sample` to the kSample smallest hashes, in order and without repeats, and returns how many distinct ones
  /// there are.
  std::uint32_t run(std::string_view text, FixedList<std::uint32_t, kSample>& sample);

 private:
  std::vector<std::uint32_t> table_;   // open addressing, 0 is free
  std::vector<std::uint32_t> hashes_;  // distinct, in order of appearance
};

}  // namespace backedge::facts
