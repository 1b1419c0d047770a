// A policy: limits, thresholds, the ladder and the contracts of tools, read strictly from TOML.
//
// Immutable once made; copies share it, any thread may use it. Tested in tests/embed/policy_test.cpp.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "backedge/contract.h"
#include "backedge/result.h"

namespace backedge {

namespace embed {
struct PolicyState;
}

class Policy {
 public:
  /// What holds without any file.
  static Policy defaults();

  /// Reads the text of a policy file. `file` names it in errors. Errors: kPolicy with file, line and column, and the
  /// nearest known key when one is misspelt. Linear in the text.
  static Result<Policy> parse(std::string_view toml, std::string_view file);

  /// This policy with another file read over it.
  Result<Policy> with(std::string_view toml, std::string_view file) const;

  /// This policy with a contract declared by code, below what its file says of the tool. Errors: kUsage.
  Result<Policy> with(std::string_view tool, Contract const& contract) const;

  /// This policy with every verdict reported and none enforced, or the other way round.
  Policy observing(bool yes) const;

  embed::PolicyState const& state() const { return *state_; }

 private:
  friend struct embed::PolicyState;
  explicit Policy(std::shared_ptr<embed::PolicyState const> state) : state_(std::move(state)) {}

  std::shared_ptr<embed::PolicyState const> state_;
};

}  // namespace backedge
