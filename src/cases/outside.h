// What starts work from outside a run: hooks, triggers, servers and processes, judged by the chain that they come from.
//
// Chains belong to sessions and outlive a run, so they stand beside every player. Tested through the players.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/value.hpp>

#include "cases/account.h"

namespace backedge::cases {

class Outside {
 public:
  explicit Outside(bool attended) : attended_(attended) {}

  /// Judges the event and writes it down; false when it is none of these.
  bool event(std::string_view type, boost::json::object const& e, Account& account);
  /// Keeps the chain of a session.
  void keep_chain(boost::json::object const& e);
  /// Would a call with these arguments start the agent's own program?
  bool invokes_itself(std::string_view arguments) const;
  Judged judge_itself() const { return Chain{{"program"}}.process("program", false, attended_); }
  bool knows_programs() const { return !own_programs_.empty(); }

 private:
  void hook_fires(boost::json::object const& e, Account& account) const;
  static void starts(boost::json::object const& e, Account& account);
  void profile(boost::json::object const& e);

  bool attended_;
  std::map<std::string, std::vector<std::string>, std::less<>> chains_;  // by session
  std::set<std::string, std::less<>> own_programs_;
};

}  // namespace backedge::cases
