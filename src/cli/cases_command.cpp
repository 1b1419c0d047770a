// backedge cases: plays recorded cases and says what was decided.
//
// Everything is read and played before anything is written, so that a malformed case leaves no half file behind. The
// user's own policy files do not count here, only one that --policy names: decisions must not depend on where they are
// made. Tested in tests/cli/cases_command_test.cpp; what it prints in tests/cases.

#include <algorithm>
#include <fstream>
#include <ostream>
#include <set>

#include "base/text.h"
#include "cases/play.h"
#include "cases/report.h"
#include "cases/tree.h"
#include "cli/commands.h"
#include "cli/policy_files.h"

namespace backedge::cli {
namespace {

Result<std::vector<cases::Case>> read_cases(CasesOptions const& options) {
  std::vector<cases::Case> all;
  std::set<std::string> ids;
  std::set<std::string> wanted(options.only.begin(), options.only.end());
  for (std::string const& file : options.files) {
    Result<std::string> text = read_file(file, file);
    if (!text) return text.error();
    Result<std::vector<cases::Case>> some = cases::parse_cases(*text, file);
    if (!some) return some.error();
    for (cases::Case& c : *some) {
      if (!ids.insert(c.id).second) {
        return Error{ErrorKind::kInput, "case " + c.id + " stands in a file before this one, too", {c.file, c.line, 0}};
      }
      if (options.only.empty() || std::find(options.only.begin(), options.only.end(), c.id) != options.only.end()) {
        wanted.erase(c.id);
        all.push_back(std::move(c));
      }
    }
  }
  if (!wanted.empty()) {
    std::string const& word = *wanted.begin();
    std::vector<std::string_view> const known(ids.begin(), ids.end());
    std::vector<std::string_view> const near = nearest(word, known, 1);
    return Error{ErrorKind::kNotFound,
                 "no case is called " + in_quotes(word) +
                     (near.empty() ? "" : "; did you mean " + std::string(near.front()) + "?"),
                 {}};
  }
  return all;
}

Result<void> write_decisions(std::string const& file, std::vector<cases::Played> const& played) {
  std::ofstream to(file, std::ios::binary | std::ios::trunc);
  for (cases::Played const& p : played) to << cases::decisions_line(p) << '\n';
  to.flush();
  if (!to) return Error{ErrorKind::kIo, "the decisions cannot be written", {file, 0, 0}};
  return {};
}

int complain(std::ostream& err, Error const& error) {
  err << "backedge: " << error.text() << '\n';
  return error.kind == ErrorKind::kIo ? kFailed : kUsage;
}

}  // namespace

int run_cases(CasesOptions const& options, std::ostream& out, std::ostream& err) {
  for (std::string const& file : options.files) {
    std::error_code missing;  // a file that is not there is not the same file
    if (!options.decisions.empty() && std::filesystem::equivalent(file, options.decisions, missing)) {
      return complain(err,
                      {ErrorKind::kUsage, "the decisions would overwrite the cases; name another file", {file, 0, 0}});
    }
  }
  bool const named = !options.common.policy_file.empty();
  Result<Policy> policy = named ? public_policy(options.common, err) : Result<Policy>(Policy::defaults());
  if (!policy) return kUsage;
  Result<std::vector<cases::Case>> all = read_cases(options);
  if (!all) return complain(err, all.error());
  Result<std::vector<cases::Played>> played = cases::play_all(
      *all, *policy, !options.without_contracts, options.kernel ? cases::Level::kKernel : cases::Level::kLoop);
  if (!played) return complain(err, played.error());
  if (!options.decisions.empty()) {
    if (Result<void> written = write_decisions(options.decisions, *played); !written)
      return complain(err, written.error());
  }
  for (cases::Played const& p : *played) {
    if (options.explain) out << cases::explanation(p);
    if (!options.tree) continue;
    Result<std::string> tree = cases::tree_text(p.graph);
    if (!tree) return complain(err, tree.error());
    out << *tree;
  }
  if (!options.explain && !options.tree) out << cases::summary(*played);
  return kOk;
}

}  // namespace backedge::cli
