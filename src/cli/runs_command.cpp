// backedge runs: the list of runs, and runs out of, into and out from the journal.
//
// Names of runs are looked up before anything is done, so that a misspelt one changes nothing. Tested in
// tests/cli/journal_commands_test.cpp.

#include <algorithm>
#include <fstream>
#include <ostream>
#include <set>

#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>

#include "base/text.h"
#include "cli/columns.h"
#include "cli/commands.h"
#include "cli/journal_file.h"
#include "journal/exchange.h"

namespace backedge::cli {
namespace {

namespace json = boost::json;
using journal::Journal;
using journal::RunInfo;

// Enough to name a run among thousands.
constexpr std::size_t kShortId = 8;
constexpr std::size_t kFullId = 32;

std::size_t id_length(std::vector<RunInfo> const& runs) {
  for (std::size_t length = kShortId; length < kFullId; length += 4) {
    std::set<std::string> seen;
    bool const apart = std::all_of(runs.begin(), runs.end(),
                                   [&](RunInfo const& run) { return seen.insert(run.id.substr(0, length)).second; });
    if (apart) return length;
  }
  return kFullId;
}

json::object as_json(RunInfo const& run) {
  json::object out{
      {"run", run.id}, {"session", run.session}, {"number", run.number}, {"opened_us", run.opened.count()}};
  out["closed_us"] = run.closed ? json::value(run.closed->count()) : json::value(nullptr);
  out["status"] = run.status;
  out["code"] = run.code;
  out["turns"] = run.turns;
  out["calls"] = run.calls;
  out["refused"] = run.refused;
  out["tokens"] = run.tokens;
  out["cost_nano_usd"] = run.cost_nano_usd;
  out["near_limit"] = run.near_limit;
  out["task"] = run.task;
  return out;
}

char const* colour_of(RunInfo const& run) {
  if (run.status == "finished") return "";
  return run.status == "open" ? "yellow" : "red";
}

void print_list(std::vector<RunInfo> const& runs, std::size_t width, bool colour, std::ostream& out) {
  Paint const paint(colour);
  std::size_t const length = id_length(runs);
  Columns const columns({{.title = "run", .width = length, .gap = 0, .keeps = 9},
                         {.title = "began (UTC)", .width = 16, .gap = 2, .keeps = 5},
                         {.title = "status", .width = 11, .gap = 2, .keeps = 7},
                         {.title = "turns", .width = 5, .right = true, .keeps = 4},
                         {.title = "calls", .width = 5, .right = true, .keeps = 3},
                         {.title = "refused", .width = 7, .right = true, .keeps = 2},
                         {.title = "tokens", .width = 9, .right = true, .keeps = 1},
                         {.title = "cost", .width = 9, .right = true, .keeps = 4},
                         {.title = "session", .width = 13, .gap = 2, .keeps = 2, .least = 9},
                         {.title = "task", .width = 80, .gap = 2, .keeps = 8, .least = 16}},
                        width);
  columns.head(paint, out);
  for (RunInfo const& run : runs) {
    std::string note = run.code;
    if (run.near_limit) note += note.empty() ? "near limit" : ", near limit";
    if (!note.empty()) note = fmt::format("  [{}]", note);
    columns.row({{run.id.substr(0, length)},
                 {time_text(run.opened)},
                 {run.status, "", colour_of(run)},
                 {std::to_string(run.turns)},
                 {std::to_string(run.calls)},
                 {std::to_string(run.refused)},
                 {std::to_string(run.tokens)},
                 {cost_text(run.cost_nano_usd)},
                 {one_line(fmt::format("{} {}", run.session, run.number), 13)},
                 {one_line(run.task, 60), note}},
                paint, out);
  }
}

Result<std::vector<std::string>> ids_of(Journal const& journal, std::vector<std::string> const& names) {
  std::vector<std::string> out;
  for (std::string const& name : names) {
    Result<RunInfo> const run = journal.find(name);
    if (!run) return run.error();
    if (std::find(out.begin(), out.end(), run->id) == out.end()) out.push_back(run->id);
  }
  return out;
}

Result<void> write_runs(Journal const& journal, std::vector<std::string> const& ids, std::ostream& to) {
  for (std::string const& id : ids) {
    if (Result<void> done = journal::export_run(journal, id, to); !done) return done;
  }
  return {};
}

}  // namespace

int run_runs(RunsOptions const& options, std::ostream& out, std::ostream& err) {
  Result<Journal> journal = open_journal(options.journal, false, err);
  if (!journal) return complain(err, journal.error());
  Result<std::vector<RunInfo>> const runs = journal->runs(options.near_limit);
  if (!runs) return complain(err, runs.error());
  if (options.json) {
    json::array list;
    for (RunInfo const& run : *runs) list.push_back(as_json(run));
    out << json::serialize(list) << '\n';
  } else if (runs->empty()) {
    out << (options.near_limit ? "no run came near a limit\n" : "no runs yet\n");
  } else {
    print_list(*runs, options.width, options.colour, out);
  }
  return kOk;
}

int run_runs_remove(RunsRemoveOptions const& options, std::ostream& out, std::ostream& err) {
  Result<Journal> journal = open_journal(options.journal, false, err);
  if (!journal) return complain(err, journal.error());
  Result<std::vector<std::string>> const ids = ids_of(*journal, options.runs);
  if (!ids) return complain(err, ids.error());
  if (Result<void> done = journal->remove(*ids); !done) return complain(err, done.error());
  out << fmt::format("removed {} run{}\n", ids->size(), ids->size() == 1 ? "" : "s");
  return kOk;
}

int run_runs_export(RunsExportOptions const& options, std::ostream& out, std::ostream& err) {
  Result<Journal> journal = open_journal(options.journal, false, err);
  if (!journal) return complain(err, journal.error());
  Result<std::vector<std::string>> const ids = ids_of(*journal, options.runs);
  if (!ids) return complain(err, ids.error());
  if (options.out.empty()) {
    Result<void> const done = write_runs(*journal, *ids, out);
    return done ? kOk : complain(err, done.error());
  }
  std::filesystem::path const path = options.journal.common.here.folder / options.out;
  std::error_code missing;  // a file that is not there is not the same file
  if (std::filesystem::equivalent(path, journal->path(), missing)) {
    return complain(err,
                    {ErrorKind::kUsage, "the export would overwrite the journal; name another file", {options.out}});
  }
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  if (!file)
    return complain(err,
                    {ErrorKind::kIo, "the export cannot be written; allow it or name another file", {options.out}});
  if (Result<void> done = write_runs(*journal, *ids, file); !done) return complain(err, done.error());
  return kOk;
}

int run_runs_import(RunsImportOptions const& options, std::ostream& out, std::ostream& err) {
  std::filesystem::path const path = options.journal.common.here.folder / options.file;
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored))
    return complain(err, {ErrorKind::kNotFound, "no such file", {options.file}});
  std::ifstream in(path, std::ios::binary);
  if (!in || std::filesystem::is_directory(path, ignored))
    return complain(err, {ErrorKind::kIo, "the file cannot be read", {options.file}});
  Result<Journal> journal = open_journal(options.journal, true, err);
  if (!journal) return complain(err, journal.error());
  Result<journal::Imported> const imported = journal::import_runs(*journal, in, options.file);
  if (!imported) return complain(err, imported.error());
  out << fmt::format("imported {} run{} with {} events\n", imported->runs.size(), imported->runs.size() == 1 ? "" : "s",
                     imported->events);
  return kOk;
}

}  // namespace backedge::cli
