// Rules and contracts that might have helped, mined from what happened; none of them is proved yet.
//
// Tested in tests/suggest/candidate_test.cpp.
#pragma once

#include <compare>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "suggest/subject.h"

namespace backedge::suggest {

/// One line of a policy file.
struct Setting {
  std::string section;  // "repeat", "tool.list_files": as it stands between the brackets
  std::string key;
  std::string value;  // TOML

  friend auto operator<=>(Setting const&, Setting const&) = default;
};

struct Candidate {
  std::vector<Setting> settings;
  std::string why;     // one line for people: what was seen
  std::string choice;  // of candidates with the same word here only the best is of use; empty: it stands alone
};

/// `given`: what is to be prevented; `others`: what must go on. Cost: linear in calls and texts, but for fields of
/// arguments that vary, which are compared by pairs of neighbours.
std::vector<Candidate> candidates(std::span<Subject const> given, std::span<Subject const> others);

/// "[tool.x]" with the keys of the settings, section by section: what Policy::with reads.
std::string toml_of(std::span<Setting const> settings);

/// A word as a key of TOML: as it is, or in quotes.
std::string toml_key(std::string_view word);
std::string toml_text(std::string_view text);

}  // namespace backedge::suggest
