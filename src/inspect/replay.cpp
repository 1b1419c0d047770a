// The walk over a trace's threads with an explicit stack, one entry per open frame. Tested in
// tests/inspect/replay_test.cpp.
#include "inspect/replay.h"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "backedge/run.h"
#include "base/hash.h"
#include "base/json.h"
#include "embed/policy_state.h"
#include "facts/book.h"
#include "facts/reader.h"
#include "inspect/counts.h"

namespace backedge::inspect {
namespace {

constexpr std::string_view kLifted =
    "[limits]\nmax_turns = -1\nmax_calls = -1\nmax_descendants = -1\nmax_tokens = -1\nmax_cost = -1\nmax_time = -1\n"
    "conservative_at = 0\n"
    "[limits.session]\nmax_turns = -1\nmax_calls = -1\nmax_descendants = -1\nmax_tokens = -1\nmax_cost = -1\nmax_time "
    "= -1\n"
    "[limits.frame]\nmax_turns = -1\nmax_calls = -1\nmax_descendants = -1\nmax_tokens = -1\nmax_cost = -1\nmax_time = "
    "-1\n";

// Of what a verdict says about itself (Entered::json), the numbers.
void read_evidence(std::string const& text, Finding& finding) {
  Result<boost::json::value> const value = parse_json(text);
  if (!value || !value->is_object()) return;
  boost::system::error_code none;
  auto const number = [&](std::string_view pointer) {
    boost::json::value const* const at = value->find_pointer(pointer, none);
    return at != nullptr && at->is_int64() ? at->get_int64() : 0;
  };
  finding.count = number("/backedge/evidence/count");
  finding.limit = number("/backedge/evidence/limit");
  finding.period = number("/backedge/evidence/period");
}

class Replayer {
 public:
  Replayer(Trace const& trace, Policy const& policy, Keep keep);
  Replay run();

 private:
  /// A thread that is being replayed.
  struct Cursor {
    std::uint32_t thread = 0;
    std::size_t step = 0;
    FrameId frame;  // invalid until its first step
    bool root = false;
  };

  void replay_root(std::uint32_t thread);
  bool open(Cursor& cursor);
  void close(Cursor const& cursor);
  void take_step(Cursor& cursor, Step step);
  void take_user(Cursor const& cursor, UserMessage const& user);
  void take_model(Cursor& cursor, std::uint32_t index);
  void take_round(Cursor const& cursor, std::uint32_t index, bool beyond);
  void take_result(std::uint32_t call);
  void take_compaction(Cursor const& cursor);
  void settle_open_calls(std::uint32_t thread);
  void note_call(std::uint32_t call, Entered const& entered);
  void note_message(std::uint32_t message, Turn const& turn);
  void note_beyond(std::uint32_t message, Turn const& turn);
  void record(Finding finding, std::string const& text);
  void start_task();
  bool is_new(std::uint32_t call);
  void remember(CallId id, std::uint32_t call);
  std::uint32_t call_of(CallId id) const;
  Micros at(std::int64_t ms);

  Trace const& trace_;
  Policy const& policy_;
  Keep keep_;
  std::vector<std::int64_t> quarters_;
  std::vector<std::vector<std::uint32_t>> children_;   // threads by the call that started them
  std::vector<CallId> ids_;                            // of calls in the run under way
  std::vector<std::uint32_t> calls_;                   // of the run under way, by id
  std::vector<std::deque<std::uint32_t>> open_calls_;  // calls under way, by thread; most end in their order
  std::vector<std::vector<CallId>> finished_;          // since the last compaction, by thread
  std::optional<Run> run_;
  std::vector<Cursor> stack_;
  std::vector<std::uint32_t> unplaced_;  // threads whose frame could not be opened: runs of their own
  facts::ContractBook book_;
  facts::Reader reader_;
  std::unordered_map<Digest, std::unordered_set<Digest>> results_;  // seen so far, by call
  std::map<std::string, std::size_t> rule_of_;
  Micros now_{0};
  std::int64_t start_ms_ = 0;
  bool task_counted_ = false;
  bool refused_in_task_ = false;
  bool ended_in_task_ = false;
  Replay out_;
};

Replayer::Replayer(Trace const& trace, Policy const& policy, Keep keep)
    : trace_(trace),
      policy_(policy),
      keep_(keep),
      quarters_(quarter_tokens(trace)),
      children_(trace.calls.size()),
      ids_(trace.calls.size()),
      open_calls_(trace.threads.size()),
      finished_(trace.threads.size()),
      book_(facts::ContractBook::blank()),
      reader_(book_) {}

Micros Replayer::at(std::int64_t ms) {
  if (start_ms_ == 0) start_ms_ = ms;
  Micros const recorded{ms == 0 ? 0 : (ms - start_ms_) * 1000};
  now_ = std::max(now_ + Micros{1}, recorded);
  return now_;
}

void Replayer::start_task() { task_counted_ = refused_in_task_ = ended_in_task_ = false; }

/// The call's result has not been seen before for the same call of the same thread. Remembers it.
bool Replayer::is_new(std::uint32_t index) {
  Call const& call = trace_.calls[index];
  Digest const key = combine(Digest{call.thread, 1}, reader_.call(call.tool, call.arguments).key);
  return call.has_result && results_[key].insert(digest_bytes(call.result, DigestTag::kOutcome)).second;
}

void Replayer::record(Finding finding, std::string const& text) {
  if (trace_.models[finding.message].copied) return;
  auto const [place, fresh] = rule_of_.try_emplace(finding.code, out_.rules.size());
  if (fresh) {
    out_.rules.push_back({});
    out_.rules.back().code = finding.code;
    out_.rules.back().first = out_.findings.size();
  }
  if (fresh || keep_ == Keep::kAll) finding.text = text;
  RuleFindings& rule = out_.rules[place->second];
  if (finding.weight == Weight::kNote) ++rule.notes;
  if (finding.weight == Weight::kMalformed) ++rule.malformed;
  if (finding.weight == Weight::kRefusal) {
    ++rule.refusals;
    ++out_.refusals;
    rule.refused_quarters += finding.tokens;
    out_.refused_quarters += finding.tokens;
    out_.useless_quarters += finding.brought_new ? 0 : finding.tokens;
    rule.brought_new += finding.brought_new ? 1 : 0;
    out_.brought_new += finding.brought_new ? 1 : 0;
    if (!refused_in_task_) {
      ++out_.tasks_with_refusal;
      out_.after_quarters += finding.tokens;
    }
    refused_in_task_ = true;
    if (finding.ends && !ended_in_task_) {
      ++out_.ends;
      ended_in_task_ = true;
    }
  }
  out_.findings.push_back(std::move(finding));
}

void Replayer::note_call(std::uint32_t index, Entered const& entered) {
  Call const& call = trace_.calls[index];
  bool const fresh = is_new(index);
  if (entered.code.empty()) return;
  Finding finding;
  finding.code = entered.code;
  if (entered.word == CallWord::kReject) {
    finding.weight = Weight::kMalformed;
  } else if (refused(entered.word)) {
    finding.weight = Weight::kRefusal;
  }
  finding.ends = entered.ends_run;
  finding.brought_new = finding.weight == Weight::kRefusal && fresh && call.ok;
  finding.call = index;
  finding.message = call.message;
  finding.word = word_text(entered.word);
  finding.earlier = call_of(entered.earlier);
  if (keep_ == Keep::kAll) read_evidence(entered.json, finding);
  finding.tokens = quarters_[call.message] / static_cast<std::int64_t>(trace_.models[call.message].calls.size());
  record(std::move(finding), entered.text);
}

void Replayer::remember(CallId id, std::uint32_t index) {
  ids_[index] = id;
  if (calls_.size() <= id.value) calls_.resize(id.value + std::size_t{1}, kNoIndex);
  calls_[id.value] = index;
}

std::uint32_t Replayer::call_of(CallId id) const {
  return id.valid() && id.value < calls_.size() ? calls_[id.value] : kNoIndex;
}

void Replayer::note_message(std::uint32_t message, Turn const& turn) {
  if (turn.code.empty()) return;
  Finding finding;
  finding.code = turn.code;
  finding.weight = Weight::kRefusal;
  finding.ends = true;
  finding.message = message;
  finding.word = word_text(turn.word);
  finding.tokens = quarters_[message];
  record(std::move(finding), turn.text);
}

/// A turn that a limit leaves no room for, or only for the answer: none of its calls would have run.
void Replayer::note_beyond(std::uint32_t message, Turn const& turn) {
  std::vector<std::uint32_t> const& calls = trace_.models[message].calls;
  for (std::uint32_t const call : calls) {
    Finding finding;
    finding.code = turn.code;
    finding.weight = Weight::kRefusal;
    finding.call = call;
    finding.message = message;
    finding.word = word_text(CallWord::kBlock);
    finding.tokens = quarters_[message] / std::ssize(calls);
    record(std::move(finding), turn.text);
  }
}

void Replayer::take_user(Cursor const& cursor, UserMessage const& user) {
  if (!cursor.root || user.author == Author::kSystem) return;
  bool const person = user.author == Author::kPerson;
  if (!person && user.beside_results) return;  // reminders that ride along with results bring nothing about
  if (person) start_task();
  run_->user_message(person ? backedge::Author::kPerson : backedge::Author::kAutomatic, at(user.at_ms));
}

void Replayer::take_round(Cursor const& cursor, std::uint32_t index, bool beyond) {
  ModelMessage const& message = trace_.models[index];
  std::vector<backedge::Call> round;
  round.reserve(message.calls.size());
  for (std::uint32_t const call : message.calls) {
    round.push_back({trace_.calls[call].tool, trace_.calls[call].arguments});
  }
  Result<std::vector<Entered>> const entered = run_->enter(cursor.frame, round, at(message.at_ms));
  if (!entered) {
    out_.not_replayed += static_cast<std::int64_t>(round.size());
    return;
  }
  for (std::size_t i = 0; i < message.calls.size(); ++i) {
    std::uint32_t const call = message.calls[i];
    remember((*entered)[i].call, call);
    open_calls_[message.thread].push_back(call);
    if (beyond) {
      is_new(call);  // remembers it
    } else {
      note_call(call, (*entered)[i]);
    }
  }
  for (std::size_t i = message.calls.size(); i > 0; --i) {
    std::vector<std::uint32_t> const& started = children_[message.calls[i - 1]];
    for (std::size_t k = started.size(); k > 0; --k) stack_.push_back({started[k - 1], 0, FrameId{}, false});
  }
}

void Replayer::take_model(Cursor& cursor, std::uint32_t index) {
  ModelMessage const& message = trace_.models[index];
  settle_open_calls(cursor.thread);
  if (!task_counted_ && !message.copied) {
    ++out_.tasks;
    task_counted_ = true;
  }
  if (refused_in_task_ && !message.copied) out_.after_quarters += quarters_[index];
  inspect::Usage const usage = message.usage.value_or(inspect::Usage{});
  Micros const now = at(message.at_ms);
  Result<Turn> const turn = run_->enter_turn(cursor.frame, {usage.total() - usage.output, usage.output, {}}, now);
  if (!turn) {
    ++out_.not_replayed;
    return;
  }
  bool const beyond = turn->code.starts_with("budget.");
  if (beyond) note_beyond(index, *turn);
  backedge::Usage const spent{usage.total() - usage.output, usage.output, std::max<std::int64_t>(message.cost_nano, 0)};
  Result<Turn> const said = run_->leave_turn(turn->id, spent, message.text, !message.calls.empty(), now);
  if (said) note_message(index, *said);
  if (!message.calls.empty()) take_round(Cursor(cursor), index, beyond);  // the stack may move
}

void Replayer::take_result(std::uint32_t index) {
  Call const& call = trace_.calls[index];
  std::deque<std::uint32_t>& open = open_calls_[call.thread];
  auto const place = std::find(open.begin(), open.end(), index);
  if (place == open.end()) {
    ++out_.not_replayed;
    return;
  }
  open.erase(place);
  Outcome const outcome{call.ok ? CallStatus::kOk : CallStatus::kError, call.result};
  if (!run_->leave(ids_[index], outcome, at(call.result_at_ms))) ++out_.not_replayed;
  finished_[call.thread].push_back(ids_[index]);
}

void Replayer::settle_open_calls(std::uint32_t thread) {
  std::deque<std::uint32_t>& open = open_calls_[thread];
  std::deque<std::uint32_t> later;
  for (std::uint32_t const call : open) {
    if (trace_.calls[call].has_result) {
      later.push_back(call);  // in the background: its result is still to come
    } else if (!run_->leave(ids_[call], {CallStatus::kUnknown, {}}, at(0))) {
      ++out_.not_replayed;
    }
  }
  open = std::move(later);
}

void Replayer::take_compaction(Cursor const& cursor) {
  std::vector<CallId>& dropped = finished_[cursor.thread];
  if (!run_->compacted(cursor.frame, dropped, true, at(0))) ++out_.not_replayed;
  dropped.clear();
}

void Replayer::take_step(Cursor& cursor, Step step) {
  switch (step.kind) {
    case Step::Kind::kUser: take_user(cursor, trace_.users[step.index]); break;
    case Step::Kind::kModel: take_model(cursor, step.index); break;
    case Step::Kind::kResult: take_result(step.index); break;
    case Step::Kind::kCompaction: take_compaction(cursor); break;
  }
}

bool Replayer::open(Cursor& cursor) {
  if (cursor.frame.valid()) return true;
  Thread const& thread = trace_.threads[cursor.thread];
  Result<FrameId> const frame = run_->open_frame(ids_[thread.spawned_by], thread.agent, std::nullopt, at(0));
  if (frame) cursor.frame = *frame;
  return frame.ok();
}

void Replayer::close(Cursor const& cursor) {
  settle_open_calls(cursor.thread);
  if (!cursor.root && !run_->close_frame(cursor.frame, at(0))) ++out_.not_replayed;
}

void Replayer::replay_root(std::uint32_t thread) {
  RunOptions options;
  options.door = Door::kForeign;  // the recorded calls of a round ran side by side
  options.graph = false;
  options.agent = trace_.threads[thread].agent;
  options.now = now_;
  Result<Run> opened = Run::open(policy_, std::move(options));
  if (!opened) return;
  run_.emplace(*std::move(opened));
  calls_.clear();
  start_task();
  stack_.push_back({thread, 0, run_->root(), true});
  while (!stack_.empty()) {
    Cursor& cursor = stack_.back();
    std::vector<Step> const& steps = trace_.threads[cursor.thread].steps;
    if (!open(cursor)) {
      unplaced_.push_back(cursor.thread);
      stack_.pop_back();
    } else if (cursor.step == steps.size()) {
      close(cursor);
      stack_.pop_back();
    } else {
      take_step(cursor, steps[cursor.step++]);
    }
  }
}

Replay Replayer::run() {
  std::vector<std::uint32_t> roots;
  for (std::uint32_t i = 0; i < trace_.threads.size(); ++i) {
    Thread const& thread = trace_.threads[i];
    if (thread.kind == ThreadKind::kCompaction || thread.steps.empty()) continue;
    if (thread.spawned_by == kNoIndex) {
      roots.push_back(i);
    } else {
      children_[thread.spawned_by].push_back(i);
    }
  }
  for (std::uint32_t const root : roots) replay_root(root);
  while (!unplaced_.empty()) {  // replaying one may leave more behind
    for (std::uint32_t const root : std::exchange(unplaced_, {})) replay_root(root);
  }
  std::sort(out_.rules.begin(), out_.rules.end(),
            [](RuleFindings const& a, RuleFindings const& b) { return a.code < b.code; });
  return std::move(out_);
}

}  // namespace

Result<Policy> watching(Policy const& policy) {
  Result<Policy> lifted = policy.with(kLifted, "inspect");
  if (!lifted) return lifted;
  return lifted->observing(true);
}

Result<Policy> watching_new_limits(Policy const& policy, Policy const& usual) {
  Result<Policy> lifted = policy.with(kLifted, "inspect");
  if (!lifted) return lifted;
  kernel::SharedSettings const mine = embed::PolicyState::settings(policy);
  kernel::SharedSettings const theirs = embed::PolicyState::settings(usual);
  std::string held;
  auto const hold = [&](kernel::Meter meter, std::string_view key) {
    std::int64_t const limit = mine->limits.at(kernel::Scope::kRun, meter).value;
    if (limit != theirs->limits.at(kernel::Scope::kRun, meter).value) held += fmt::format("{} = {}\n", key, limit);
  };
  hold(kernel::Meter::kTurns, "max_turns");
  hold(kernel::Meter::kCalls, "max_calls");
  hold(kernel::Meter::kDescendants, "max_descendants");
  if (!held.empty()) lifted = lifted->with("[limits]\n" + held, "inspect");
  if (!lifted) return lifted;
  return lifted->observing(true);
}

Replay replay(Trace const& trace, Policy const& watching_policy, Keep keep) {
  return Replayer(trace, watching_policy, keep).run();
}

}  // namespace backedge::inspect
