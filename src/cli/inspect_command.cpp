// backedge inspect: what was avoidable in recorded sessions, under the policy that counts here; with --html also as
// pages.
//
// What can be read is reported on `out`; every path that cannot is one line on `err`, and then the status is that of a
// wrong input although the rest was reported. Tested in tests/inspect/report_test.cpp and
// tests/cli/graph_command_test.cpp.

#include <optional>
#include <ostream>

#include "cli/commands.h"
#include "cli/journal_file.h"
#include "cli/policy_files.h"
#include "cli/price_file.h"
#include "cli/trace_pages.h"
#include "inspect/report.h"

namespace backedge::cli {

int run_inspect(InspectOptions const& options, std::ostream& out, std::ostream& err) {
  Result<Policy> policy = public_policy(options.common, err);
  if (!policy) return kUsage;
  Result<prices::Table> const prices = load_prices(options.common, err);
  if (!prices) return complain(err, prices.error());
  std::optional<TracePages> pages;
  if (!options.html.empty()) {
    Result<Policy> watched = inspect::watching(*policy);
    if (!watched) return complain(err, watched.error());
    pages.emplace(options.common.here.folder / options.html, *std::move(watched), *prices);
  }
  auto const also = [&](inspect::Trace const& trace) {
    if (pages) pages->add(trace);
  };
  Result<inspect::Report> report = inspect::inspect_paths(options.paths, *policy, *prices, also);
  if (!report) {
    err << "backedge: " << report.error().text() << '\n';
    return exit_status(report.error());
  }
  for (Error const& error : report->errors()) err << "backedge: " << error.text() << '\n';
  if (report->errors().empty() || !report->traces().empty()) {
    out << (options.json ? report->json() : report->text(options.full));
    if (options.json) out << '\n';
  }
  if (pages) {
    Result<std::filesystem::path> const page = pages->finish();
    if (!page) return complain(err, page.error());
    err << "backedge: the call graph is in " << page->string() << '\n';
  }
  return report->errors().empty() ? kOk : kUsage;
}

}  // namespace backedge::cli
