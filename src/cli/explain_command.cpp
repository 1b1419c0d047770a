// backedge explain: why the verdict on one call of a run fell. Tested in tests/cli/journal_commands_test.cpp.

#include <charconv>
#include <ostream>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/journal_file.h"
#include "journal/story.h"

namespace backedge::cli {

int run_explain(ExplainOptions const& options, std::ostream& out, std::ostream& err) {
  std::uint32_t call = 0;
  char const* const end = options.call.data() + options.call.size();
  auto const [rest, error] = std::from_chars(options.call.data(), end, call);
  if (error != std::errc{} || rest != end || call == 0) {
    return complain(err, {ErrorKind::kUsage,
                          in_quotes(options.call) + " is no call: calls are numbered from 1, backedge show lists them",
                          {}});
  }
  Result<journal::Journal> journal = open_journal(options.journal, false, err);
  if (!journal) return complain(err, journal.error());
  Result<journal::RunInfo> const run = journal->find(options.run);
  if (!run) return complain(err, run.error());
  Result<std::vector<talk::Event>> const events = journal->events(run->id);
  if (!events) return complain(err, events.error());
  Result<std::string> const text = journal::explain(journal::tell(*events), CallId{call});
  if (!text) return complain(err, text.error());
  out << *text;
  return kOk;
}

}  // namespace backedge::cli
