// backedge inspect: what was avoidable in recorded sessions, under the policy that counts here.
//
// What can be read is reported on `out`; every path that cannot is one line on `err`, and then the status is that of a
// wrong input although the rest was reported. Tested in tests/cli/inspect_command_test.cpp.

#include <ostream>

#include "cli/commands.h"
#include "cli/journal_file.h"
#include "cli/policy_files.h"
#include "cli/price_file.h"
#include "inspect/report.h"

namespace backedge::cli {

int run_inspect(InspectOptions const& options, std::ostream& out, std::ostream& err) {
  Result<Policy> policy = public_policy(options.common, err);
  if (!policy) return kUsage;
  Result<prices::Table> const prices = load_prices(options.common, err);
  if (!prices) return complain(err, prices.error());
  Result<inspect::Report> report = inspect::inspect_paths(options.paths, *policy, *prices);
  if (!report) {
    err << "backedge: " << report.error().text() << '\n';
    return exit_status(report.error());
  }
  for (Error const& error : report->errors()) err << "backedge: " << error.text() << '\n';
  if (report->errors().empty() || !report->traces().empty()) {
    out << (options.json ? report->json() : report->text(options.full));
    if (options.json) out << '\n';
  }
  return report->errors().empty() ? kOk : kUsage;
}

}  // namespace backedge::cli
