// backedge suggest: what would have stopped runs that went wrong, without touching those that went well.
//
// RUN is a run of the journal, or a file or folder of recorded sessions as `backedge inspect` reads them. What is found
// is held against the other runs of the journal, or those that --against names. Output is a policy file; nothing is
// changed. Tested in tests/cli/suggest_command_test.cpp.
#include <algorithm>
#include <memory>
#include <ostream>
#include <set>
#include <string>
#include <system_error>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/journal_file.h"
#include "cli/policy_files.h"
#include "cli/recorded_run.h"
#include "cli/trace_pages.h"
#include "graph/json.h"
#include "inspect/call_tree.h"
#include "inspect/read.h"
#include "journal/call_tree.h"
#include "journal/redact.h"
#include "suggest/suggest.h"

namespace backedge::cli {
namespace {

using suggest::Held;
using suggest::Subject;

constexpr std::size_t kShortId = 8;

Result<Held> held_in_run(RecordedRun const& run, std::unordered_map<std::uint32_t, std::uint32_t> const& index,
                         Policy const& policy) {
  Result<agent::Rejudged> const judged = judge_anew(run, policy);
  if (!judged) return judged.error();
  Held out;
  for (CallId const call : judged->not_run) {
    auto const at = index.find(call.value);
    if (at != index.end()) out.calls.insert(at->second);  // else of an earlier run of the session
  }
  out.tokens = judged->saved.tokens;
  out.releases = judged->runs_now > 0;
  return out;
}

Subject subject_of(RecordedRun&& recorded) {
  auto run = std::make_shared<RecordedRun const>(std::move(recorded));
  Subject out;
  out.name = "run " + run->info.id.substr(0, kShortId);
  out.tree = journal::call_tree(run->info, journal::tell(run->events.back()));
  out.finished = run->info.status == "finished";
  out.near_limit = run->info.near_limit && !out.finished;
  out.code = run->info.code;
  std::unordered_map<std::uint32_t, std::uint32_t> index;
  for (std::uint32_t i = 0; i < out.tree.calls.size(); ++i) index[out.tree.calls[i].id] = i;
  out.judge = [run, index = std::move(index)](Policy const& policy) { return held_in_run(*run, index, policy); };
  return out;
}

/// What lies below a call that would not have run would not have run either.
struct Below {
  std::uint32_t by = graph::kNone;
  std::vector<std::uint32_t> calls;
  std::int64_t tokens = 0;
};

/// A recorded session as it is judged: the trace, where its calls stand in the tree, and the frames of that.
struct Session {
  inspect::Trace trace;
  std::unordered_map<std::uint32_t, std::uint32_t> index;
  std::vector<Below> frames;
  std::vector<std::uint32_t> frame_of;  // by call of the tree
};

Result<Held> held_in_trace(Session const& session, Policy const& usual, Policy const& policy) {
  Result<Policy> const watched = inspect::watching_new_limits(policy, usual);
  if (!watched) return watched.error();
  inspect::Replay const replay = inspect::replay(session.trace, *watched);
  Held out;
  std::unordered_map<std::uint32_t, std::int64_t> quarters;
  for (inspect::Finding const& finding : replay.findings) {
    auto const at = session.index.find(finding.call);
    if (finding.weight != inspect::Weight::kRefusal || at == session.index.end()) continue;
    if (out.calls.insert(at->second).second) quarters[at->second] = finding.tokens;
  }
  std::vector<bool> gone(session.frames.size(), false);
  for (std::size_t f = 0; f < session.frames.size(); ++f) {  // a parent comes before its children
    Below const& frame = session.frames[f];
    if (frame.by == graph::kNone || !out.calls.contains(frame.by)) continue;
    gone[f] = true;
    out.calls.insert(frame.calls.begin(), frame.calls.end());
    out.tokens += frame.tokens;
  }
  std::int64_t sum = 0;
  for (auto const& [call, tokens] : quarters) sum += gone[session.frame_of[call]] ? 0 : tokens;
  out.tokens += sum / 4;
  return out;
}

/// The most that one run of the session took: a run is what follows a message of a person.
suggest::Needs needs_of(inspect::Trace const& trace) {
  using suggest::Needs;
  std::vector<std::vector<std::uint32_t>> started(trace.calls.size());
  std::vector<std::uint32_t> order(trace.threads.size());
  for (std::uint32_t t = 0; t < order.size(); ++t) {
    order[t] = t;
    if (trace.threads[t].spawned_by != inspect::kNoIndex) started[trace.threads[t].spawned_by].push_back(t);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return trace.threads[a].depth > trace.threads[b].depth; });
  std::vector<Needs> of(trace.threads.size());  // of a thread and all that it started
  Needs most;
  for (std::uint32_t const t : order) {  // what is started is deeper, so it comes first
    inspect::Thread const& thread = trace.threads[t];
    if (thread.kind == inspect::ThreadKind::kCompaction) continue;
    bool const root = thread.spawned_by == inspect::kNoIndex;
    Needs sum{0, 0, 1, 0};
    auto const take = [&] {
      most = {std::max(most.turns, sum.turns), std::max(most.calls, sum.calls), std::max(most.depth, sum.depth),
              std::max(most.agents, sum.agents)};
    };
    for (inspect::Step const& step : thread.steps) {
      bool const person =
          step.kind == inspect::Step::Kind::kUser && trace.users[step.index].author == inspect::Author::kPerson;
      if (root && person) {
        take();
        sum = {0, 0, 1, 0};
      }
      if (step.kind != inspect::Step::Kind::kModel) continue;
      ++sum.turns;
      sum.calls += std::ssize(trace.models[step.index].calls);
      for (std::uint32_t const call : trace.models[step.index].calls) {
        for (std::uint32_t const child : started[call]) {
          sum.turns += of[child].turns;
          sum.calls += of[child].calls;
          sum.agents += of[child].agents + 1;
          sum.depth = std::max(sum.depth, of[child].depth + 1);
        }
      }
    }
    of[t] = sum;
    if (root) take();
  }
  return most;
}

/// A recorded session. It does not say whether it went well: the caller does. `usual`: the policy that counts.
Subject subject_of(inspect::Trace&& read, bool finished, Policy const& usual, Policy const& watched,
                   journal::Redactor const& redactor) {
  auto session = std::make_shared<Session>();
  session->trace = std::move(read);
  inspect::Trace const& trace = session->trace;
  Subject out;
  out.name = trace.title.empty() ? trace.path : trace.path + " " + trace.title;
  out.needs = needs_of(trace);
  inspect::CountingTree counted = inspect::counting_tree(trace, inspect::replay(trace, watched));
  for (std::uint32_t i = 0; i < counted.calls.size(); ++i) session->index[counted.calls[i]] = i;
  out.tree = std::move(counted.tree);
  // What the guard would have said of the calls is no verdict: they ran.
  for (graph::Call& call : out.tree.calls) {
    call.verdict = {};
    call.id = counted.calls[static_cast<std::size_t>(&call - out.tree.calls.data())] + 1;
    session->frame_of.push_back(call.frame);
  }
  for (graph::Frame const& frame : out.tree.frames) {
    Below below{frame.by, frame.calls, 0};
    for (std::uint32_t const turn : frame.turns) below.tokens += out.tree.turns[turn].tokens.total();
    session->frames.push_back(std::move(below));
  }
  graph::clean_texts(out.tree, [&](std::string const& text) { return redactor.clean(text); });
  out.finished = finished;
  out.judge = [session = std::shared_ptr<Session const>(session), usual](Policy const& policy) {
    return held_in_trace(*session, usual, policy);
  };
  return out;
}

/// Reads what the words of the command line name.
class Reader {
 public:
  Reader(SuggestOptions const& options, Policy const& policy, std::ostream& err)
      : options_(options), policy_(policy), err_(err) {}

  Result<std::vector<Subject>> given() { return named(options_.runs, false); }

  /// Without --against: all other runs of the journal, if there is one.
  Result<std::vector<Subject>> others() {
    if (!options_.against.empty()) return named(options_.against, true);
    std::vector<Subject> out;
    if (Result<void> const opened = open(); !opened) {
      bool const none = opened.error().kind == ErrorKind::kNotFound || opened.error().kind == ErrorKind::kUsage;
      if (none) return out;
      return opened.error();
    }
    Result<std::vector<journal::RunInfo>> const runs = journal_->runs();
    if (!runs) return runs.error();
    for (journal::RunInfo const& run : *runs) {
      if (Result<void> const read = add(run, out); !read) return read.error();
    }
    return out;
  }

 private:
  Result<void> open() {
    if (journal_) return {};
    Result<journal::Journal> journal = open_journal(options_.journal, false, err_);
    if (!journal) return journal.error();
    journal_ = std::make_unique<journal::Journal>(*std::move(journal));
    return {};
  }

  Result<void> add(journal::RunInfo const& run, std::vector<Subject>& out) {
    if (!seen_.insert(run.id).second) return {};
    Result<RecordedRun> recorded = recorded_run(*journal_, run);
    if (!recorded) return recorded.error();
    out.push_back(subject_of(*std::move(recorded)));
    return {};
  }

  Result<void> add_traces(std::string const& path, bool finished, std::vector<Subject>& out) {
    Result<Policy> const watched = inspect::watching(policy_);
    if (!watched) return watched.error();
    std::vector<std::string> const paths{path};
    std::size_t const before = out.size();
    inspect::ReadSummary const read = inspect::read_paths(paths, [&](inspect::Trace&& trace) {
      out.push_back(subject_of(std::move(trace), finished, policy_, *watched, redactor_));
    });
    if (!read.errors.empty()) return read.errors.front();
    if (out.size() == before) return Error{ErrorKind::kInput, "holds no recorded session", {path, 0, 0}};
    return {};
  }

  Result<std::vector<Subject>> named(std::vector<std::string> const& names, bool finished) {
    std::vector<Subject> out;
    for (std::string const& name : names) {
      std::error_code ignored;
      std::filesystem::path const path = options_.journal.common.here.folder / name;
      if (std::filesystem::exists(path, ignored)) {
        if (!seen_.insert(path.string()).second) continue;
        if (Result<void> const read = add_traces(path.string(), finished, out); !read) return read.error();
        continue;
      }
      if (Result<void> const opened = open(); !opened) return opened.error();
      Result<journal::RunInfo> const run = journal_->find(name);
      if (!run) return run.error();
      if (Result<void> const read = add(*run, out); !read) return read.error();
    }
    return out;
  }

  SuggestOptions const& options_;
  Policy const& policy_;
  std::ostream& err_;
  std::unique_ptr<journal::Journal> journal_;
  journal::Redactor const redactor_ = fresh_redactor();
  std::set<std::string> seen_;
};

}  // namespace

int run_suggest(SuggestOptions const& options, std::ostream& out, std::ostream& err) {
  Result<Policy> const policy = public_policy(options.journal.common, err);
  if (!policy) return kUsage;
  Reader reader(options, *policy, err);
  Result<std::vector<Subject>> const given = reader.given();
  if (!given) return complain(err, given.error());
  Result<std::vector<Subject>> const others = reader.others();
  if (!others) return complain(err, others.error());
  Result<suggest::Suggestions> const all = suggest::suggest(*given, *others, *policy);
  if (!all) return complain(err, all.error());
  if (options.json) {
    out << suggest::json_report(*all, *given, *others) << '\n';
  } else {
    out << suggest::toml_report(*all, *given, *others);
  }
  return kOk;
}

}  // namespace backedge::cli
