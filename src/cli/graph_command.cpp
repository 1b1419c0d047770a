// backedge graph: the call graph of a run in the journal, or of a recorded session, as a page or as a picture.
//
// What is named by an existing file is a recorded session (FILE#3: the third of the file), everything else a run. A
// page goes into a file, because nobody reads it in a terminal; the other formats go to `out`. Tested in
// tests/cli/graph_command_test.cpp.

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <ostream>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/journal_file.h"
#include "cli/policy_files.h"
#include "cli/price_file.h"
#include "cli/svg.h"
#include "cli/trace_pages.h"
#include "graph/cost.h"
#include "graph/dot.h"
#include "graph/graph.h"
#include "graph/json.h"
#include "graph/page.h"
#include "inspect/read.h"
#include "inspect/replay.h"
#include "journal/call_tree.h"

namespace backedge::cli {
namespace {

constexpr std::size_t kShortId = 8;

struct Source {
  std::filesystem::path file;
  std::size_t number = 0;  // of the session in the file; 0: the only one
};

/// The recorded session that the word names, if it names one.
std::optional<Source> recorded(GraphOptions const& options) {
  std::error_code ignored;
  std::filesystem::path const& folder = options.journal.common.here.folder;
  if (std::filesystem::exists(folder / options.what, ignored)) return Source{options.what, 0};
  std::size_t const mark = options.what.rfind('#');
  if (mark == std::string::npos) return std::nullopt;
  std::size_t number = 0;
  char const* const end = options.what.data() + options.what.size();
  auto const [rest, error] = std::from_chars(options.what.data() + mark + 1, end, number);
  std::string const file = options.what.substr(0, mark);
  if (error != std::errc{} || rest != end || number == 0) return std::nullopt;
  if (!std::filesystem::exists(folder / file, ignored)) return std::nullopt;
  return Source{file, number};
}

Result<graph::CallTree> of_trace(GraphOptions const& options, Source const& source, std::ostream& err) {
  Result<Policy> const policy = public_policy(options.journal.common, err);
  if (!policy) return policy.error();
  Result<Policy> const watched = inspect::watching(*policy);
  if (!watched) return watched.error();
  journal::Redactor const redactor = fresh_redactor();
  std::optional<graph::CallTree> tree;
  std::size_t sessions = 0;
  std::vector<std::string> const paths{(options.journal.common.here.folder / source.file).string()};
  inspect::ReadSummary const read = inspect::read_paths(paths, [&](inspect::Trace&& trace) {
    ++sessions;
    if (sessions == std::max<std::size_t>(1, source.number)) tree = tree_of(trace, *watched, redactor);
  });
  for (Error const& error : read.errors) return error;
  std::string const name = in_quotes(source.file.string());
  if (sessions == 0) return Error{ErrorKind::kInput, "there is no recorded session in " + name, {}};
  if (source.number == 0 && sessions > 1) {
    return Error{
        ErrorKind::kUsage,
        fmt::format("{} holds {} sessions: name one, as in {}#1, or make pages of all with backedge inspect {} "
                    "--html FOLDER",
                    name, sessions, source.file.string(), source.file.string()),
        {}};
  }
  if (!tree)
    return Error{ErrorKind::kNotFound, fmt::format("{} holds {} sessions, not {}", name, sessions, source.number), {}};
  return *std::move(tree);
}

Result<graph::CallTree> of_run(GraphOptions const& options, std::ostream& err) {
  // No run is named so: whoever wrote it meant a file.
  if (options.what.find_first_of("/.#") != std::string::npos) {
    return Error{ErrorKind::kNotFound,
                 in_quotes(options.what) + " is neither a file nor a run: runs are named by the beginning of their id",
                 {}};
  }
  Result<journal::Journal> const journal = open_journal(options.journal, false, err);
  if (!journal) return journal.error();
  Result<journal::RunInfo> const run = journal->find(options.what);
  if (!run) return run.error();
  Result<std::vector<talk::Event>> const events = journal->events(run->id);
  if (!events) return events.error();
  return journal::call_tree(*run, journal::tell(*events));
}

std::string page_name(graph::CallTree const& tree) {
  std::string id = std::filesystem::path(tree.run).stem().string().substr(0, tree.source == "journal" ? kShortId : 40);
  for (char& c : id) {
    if (std::string_view("/\\:*?\"<>|# ").find(c) != std::string_view::npos || static_cast<unsigned char>(c) < 0x20)
      c = '-';
  }
  return "backedge-" + id + ".html";
}

Result<std::string> drawn(std::string const& format, graph::CallTree const& tree) {
  if (format == "html") return graph::page(tree);
  graph::Graph const graph = graph::make_graph(tree);
  if (format == "json") return graph::to_json(tree, graph) + '\n';
  std::string dot = graph::to_dot(tree, graph);
  return format == "dot" ? Result<std::string>(std::move(dot)) : draw_svg(dot);
}

}  // namespace

int run_graph(GraphOptions const& options, std::ostream& out, std::ostream& err) {
  constexpr std::array<std::string_view, 4> kFormats = {"html", "svg", "dot", "json"};
  if (std::find(kFormats.begin(), kFormats.end(), options.format) == kFormats.end()) {
    return complain(err, {ErrorKind::kUsage,
                          fmt::format("{} is no format: there are html, svg, dot and json", in_quotes(options.format)),
                          {}});
  }
  std::optional<Source> const source = recorded(options);
  Result<graph::CallTree> tree = source ? of_trace(options, *source, err) : of_run(options, err);
  if (!tree) return complain(err, tree.error());
  Result<prices::Table> const prices = load_prices(options.journal.common, err);
  if (!prices) return complain(err, prices.error());
  graph::price(*tree, *prices);
  Result<std::string> const text = drawn(options.format, *tree);
  if (!text) return complain(err, text.error());
  std::string file = options.out;
  if (file.empty() && options.format == "html") file = page_name(*tree);
  if (file.empty() || file == "-") {
    out << *text;
    return kOk;
  }
  Result<void> const written = write_file(options.journal.common.here.folder / file, *text);
  if (!written) return complain(err, written.error());
  err << "backedge: the call graph is in " << file << '\n';
  return kOk;
}

}  // namespace backedge::cli
