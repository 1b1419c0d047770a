// The prices that count here: the file of --prices, else that of [prices] in the policy, before the built-in table.
//
// Relative paths begin at the working directory, "~/" of the policy is the home folder. Tested in
// tests/cli/price_file_test.cpp.
#pragma once

#include <iosfwd>

#include "backedge/result.h"
#include "cli/commands.h"
#include "prices/table.h"

namespace backedge::cli {

/// Errors: kNotFound, kIo, kInput (a file that is none); of the policy, which are told to `err` first, kPolicy.
Result<prices::Table> load_prices(CommonOptions const& options, std::ostream& err);

}  // namespace backedge::cli
