// What the steps of a case tell in advance: the players of a script that cannot react have read it to its end.
//
// Nothing of what is expected is in it. Tested in tests/cases/script_test.cpp.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cases/case.h"

namespace backedge::cases {

/// A call with which the root starts an agent that nobody starts in the steps.
struct StartedCall {
  std::string agent;
  std::string arguments;
};
inline constexpr std::string_view kStarter = "task";  // a tool that is known to start agents
std::vector<StartedCall> starts_of(std::vector<std::string> const& agents);

class Script {
 public:
  explicit Script(Case const& c);

  /// A result for the call stands in the steps.
  bool answers(std::string_view call) const { return results_.contains(call); }
  /// The text of that result.
  std::string result(std::string_view call) const;

  /// Agents that nobody starts and that work at the same time, in the order in which they first speak.
  std::vector<std::string> const& side_by_side() const { return side_by_side_; }

  /// Names of all tools that are called, and of agents that calls start.
  std::set<std::string, std::less<>> const& tools() const { return tools_; }
  std::set<std::string, std::less<>> const& agents() const { return agents_; }

  /// Frames that speak and that no event opens.
  std::set<std::string, std::less<>> const& unopened() const { return unopened_; }

  /// Does the frame speak again, at step `from` or after it, before a person does?
  bool goes_on(std::string_view frame, std::size_t from) const;
  /// What the frame's next request costs, from step `from` on.
  std::int64_t next_cost(std::string_view frame, std::size_t from) const;
  bool has_event(std::string_view type) const { return events_.contains(type); }
  /// A hook speaks before any frame does, from step `from` on.
  bool hook_next(std::size_t from) const;

  /// The arguments name a task: the call could start an agent.
  static bool may_open(std::string_view arguments);

 private:
  /// The root has many names: those of frames that nobody starts.
  bool same_frame(std::string_view a, std::string_view b) const;
  void read(boost::json::object const& step);
  void find_side_by_side();

  Case const& case_;
  std::map<std::string, std::string, std::less<>> results_;
  std::map<std::string, std::string, std::less<>> openers_;  // by frame: the call
  std::set<std::string, std::less<>> tools_;
  std::set<std::string, std::less<>> agents_;
  std::set<std::string, std::less<>> events_;
  std::set<std::string, std::less<>> unopened_;
  std::vector<std::string> side_by_side_;
};

}  // namespace backedge::cases
