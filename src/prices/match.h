// Which names a rule of a price table means: equals, starts_with, ends_with, contains, regex, and, or.
//
// As the tables of genai-prices define them: letter case counts only in patterns. A pattern may begin with a negative
// look-ahead, `^(?!no)yes`, which RE2 does not know: it is read as "not ^no, and ^yes". Rules are nested kMaxRuleDepth
// deep at most. Tested in tests/prices/match_test.cpp.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/value.hpp>

#include "backedge/result.h"

namespace re2 {
class RE2;
}

namespace backedge::prices {

/// The data nests three deep.
inline constexpr int kMaxRuleDepth = 8;

std::string lower_case(std::string_view text);

// Copies go down the parts, which are nested kMaxRuleDepth deep at most.
class NameRule {  // NOLINT(misc-no-recursion)
 public:
  /// Errors: kInput, saying which word or pattern is wrong.
  static Result<NameRule> read(boost::json::value const& rule, int depth = 0);
  /// The name itself.
  static NameRule equals(std::string_view name);

  /// `name` in lower case. Cost: linear in the name and the rule.
  bool matches(std::string_view name) const;

 private:
  enum class Kind { kEquals, kStartsWith, kEndsWith, kContains, kRegex, kAnd, kOr };

  static Result<NameRule> read_pattern(std::string_view pattern);

  Kind kind_ = Kind::kEquals;
  std::string text_;
  std::shared_ptr<re2::RE2 const> pattern_;
  std::shared_ptr<re2::RE2 const> excluded_;  // what the name may not match; null: nothing
  std::vector<NameRule> parts_;
};

}  // namespace backedge::prices
