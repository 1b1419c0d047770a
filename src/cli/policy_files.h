// Which policy files count, and what they say together.
//
// --policy names the one file that counts. Else two are read, the second over the first: the user's own
// ($XDG_CONFIG_HOME or ~/.config, then backedge/backedge.toml), and the nearest backedge.toml from the working
// directory upwards. None at all is no error: the defaults hold. Tested in tests/cli/policy_files_test.cpp.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "backedge/policy.h"
#include "backedge/result.h"
#include "cli/commands.h"
#include "policy/table.h"

namespace backedge::cli {

inline constexpr char kPolicyFileName[] = "backedge.toml";

/// The text of a policy file, and the name it goes by in messages: as short as the user would write it.
struct PolicyText {
  std::string name;
  std::string text;
};

/// A whole file. Errors: kNotFound, kIo.
Result<std::string> read_file(std::filesystem::path const& path, std::string const& name);

/// The texts of the files that count, lowest first. Errors: kNotFound for a --policy that does not exist, kIo.
Result<std::vector<PolicyText>> read_policy_files(CommonOptions const& options);

/// The files read over one another. With errors the table is not to be used.
struct LayeredPolicy {
  policy::Table table;
  std::vector<Error> errors;
};
LayeredPolicy layer(std::vector<PolicyText> const& texts);

/// All of it, for a command that needs a policy: complaints go to `err`, one line each. Errors: the first of them.
Result<policy::Table> load_policy(CommonOptions const& options, std::ostream& err);

/// The same as the public policy that runs are opened under.
Result<Policy> public_policy(CommonOptions const& options, std::ostream& err);

}  // namespace backedge::cli
