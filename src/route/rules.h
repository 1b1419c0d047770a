// The routing rules and stages of a policy, ready to be asked: patterns compiled, names resolved.
//
// Made once per policy and shared by all runs; never changes. Tested in tests/route/.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "backedge/result.h"
#include "backedge/route.h"
#include "policy/table.h"

namespace re2 {
class RE2;
}

namespace backedge::route {

using Pattern = std::shared_ptr<re2::RE2 const>;

/// Exactly one of equals, glob, pattern, same.
struct Test {
  policy::ValueTest test;
  Pattern pattern;
};

struct Rule {
  policy::RouteSettings said;
  bool on_call = true;
  CallRouteWord call_word = CallRouteWord::kAllow;
  ResultRouteWord result_word = ResultRouteWord::kPass;
  std::vector<Test> where;
  std::vector<Test> seen_where;
  std::vector<Test> result;
  Pattern text;
  int to_stage = -1;
};

struct Stage {
  policy::StageSettings said;
  int next = -1;
};

class Rules {
 public:
  /// Null when the table has neither rules nor stages. Errors: kPolicy, for a table that was not read from a file and
  /// holds what no file may (a pattern that does not compile, a stage that is not there).
  static Result<std::shared_ptr<Rules const>> compile(policy::Table const& table);

  std::vector<Rule> const& rules() const { return rules_; }
  std::vector<Stage> const& stages() const { return stages_; }
  /// -1 when there is none.
  int stage(std::string_view name) const;
  /// Some rule or stage asks what was seen before.
  bool remembers() const { return remembers_; }

 private:
  std::vector<Rule> rules_;
  std::vector<Stage> stages_;
  bool remembers_ = false;
};

/// True when one of the globs matches.
bool any_glob(std::vector<std::string> const& globs, std::string_view text);

}  // namespace backedge::route
