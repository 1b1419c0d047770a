// What is on the disk, what a crash leaves, and what a record must be good for; see simulation.h.

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "agent/fold.h"
#include "sim/simulation.h"

namespace backedge::sim {
namespace {

constexpr Micros kStart{1'000'000};

// The first difference in words; empty when there is none.
std::string difference(std::vector<talk::Event> const& was, std::vector<talk::Event> const& is) {
  for (std::size_t i = 0; i < was.size() && i < is.size(); ++i) {
    if (was[i] == is[i]) continue;
    return fmt::format("event {} ({} {}) has become event {} ({} {})", was[i].seq, was[i].type, was[i].body, is[i].seq,
                       is[i].type, is[i].body);
  }
  return was.size() == is.size() ? "" : fmt::format("{} events have become {}", was.size(), is.size());
}

}  // namespace

std::unique_ptr<agent::Session> Simulation::open() const { return *agent::Session::open(setup_, "sim", kStart); }

std::string Simulation::text_of(std::string_view sha) const {
  auto const at = texts_.find(sha);
  return at == texts_.end() ? std::string() : at->second;
}

void Simulation::keep(std::vector<talk::Event> const& events) {
  for (talk::Event const& e : events) {
    if (e.type == "run.open")
      records_.push_back({fmt::format("{:032x}", world_.seed * 16 + static_cast<std::uint64_t>(told_.runs)), {}});
    if (records_.empty()) return;  // a word before the first run
    records_.back().events.push_back(e);
    for (RawText const& raw : e.raws) texts_.emplace(raw.sha256, raw.text);
    ++told_.events;
  }
}

bool Simulation::fold_into(agent::Session& session, std::vector<Record> const& records,
                           std::vector<talk::Event>* beyond) const {
  for (Record const& record : records) {
    Result<std::vector<talk::Event>> folded =
        agent::fold(session, record.run, record.events, [this](std::string_view sha) { return text_of(sha); });
    if (!folded) {
      if (fault_.empty()) fault_ = "a record is not taken up: " + folded.error().text();
      return false;
    }
    if (!folded->empty() && (beyond == nullptr || &record != &records.back())) {
      if (fault_.empty()) fault_ = "a whole record gives events beyond it";
      return false;
    }
    if (beyond != nullptr) *beyond = *std::move(folded);
  }
  return true;
}

// The process ends in the middle of a step: its batch was not written, written in part, written, or carried out as
// well.
void Simulation::crash(agent::Batch const& batch, agent::Input const& input) {
  ++told_.crashes;
  std::uint64_t const how = random_.below(4);
  std::size_t const kept = how == 0 ? 0 : how == 1 ? random_.below(batch.events.size() + 1) : batch.events.size();
  lines_.push_back(fmt::format("          crash: {} of {} events are kept", kept, batch.events.size()));
  keep({batch.events.begin(), batch.events.begin() + static_cast<std::ptrdiff_t>(kept)});
  if (how == 3) {
    for (agent::Command const& one : batch.commands)
      if (auto const* start = std::get_if<agent::StartTool>(&one)) command(*start, input);
  }
  due_.clear();
  work_.clear();
  questions_.clear();
  tickets_.clear();
  last_ticket_ = 0;
  if (!records_.empty() && records_.back().events.size() < 2) {  // nobody knows what it was to be about
    records_.pop_back();
    --runs_begun_;
  }
  std::unique_ptr<agent::Session> const before = std::move(session_);
  session_ = open();
  std::vector<talk::Event> beyond;
  if (!fold_into(*session_, records_, &beyond)) return;
  std::vector<talk::Event> const lost(batch.events.begin() + static_cast<std::ptrdiff_t>(kept), batch.events.end());
  bool const whole = lost.empty() || !beyond.empty();
  if (!beyond.empty()) {
    if (std::string const d = difference(lost, beyond); !d.empty()) return say("a step that was cut is folded: " + d);
    keep(beyond);
  }
  if (whole) checks_->events(batch.events);
  if (whole && !records_.empty()) same_standing(*before, *session_, "after a crash");
  found_ = records_;
  taken_.clear();
  brought_.clear();
  checks_ = std::make_unique<Checks>(world_, settings_of(setup_->policy));
  for (Record const& record : records_) checks_->events(record.events);
  checks_->process_ended();
  if (!checks_->fault().empty()) return say(checks_->fault());
  if (session_->running()) step(agent::Resumed{random_.chance(50) ? UnknownCalls::kTell : UnknownCalls::kAgain});
}

void Simulation::same_standing(agent::Session& a, agent::Session& b, std::string_view what) {
  if (a.running() != b.running() || a.idle() != b.idle()) say(fmt::format("{}: the session stands otherwise", what));
  if (a.running_calls() != b.running_calls()) say(fmt::format("{}: other calls run", what));
  if (a.graph_json() != b.graph_json()) say(fmt::format("{}: the graph is another", what));
  if (a.messages(a.root()) != b.messages(b.root())) say(fmt::format("{}: the root's messages are others", what));
  for (FrameId const frame : checks_->living()) {
    if (frame == a.root()) continue;
    if (a.messages(frame) != b.messages(frame))
      say(fmt::format("{}: messages of frame {} are others", what, frame.value));
  }
}

// The same inputs at the same times, and another pace of the world: the same events.
void Simulation::replay() {
  std::unique_ptr<agent::Session> const again = open();
  if (!fold_into(*again, found_, nullptr)) return;
  std::vector<talk::Event> events;
  agent::Batch batch;
  for (Taken const& taken : taken_) {
    batch.clear();
    again->step(agent::Input(taken.input), taken.at, batch);
    std::move(batch.events.begin(), batch.events.end(), std::back_inserter(events));
  }
  if (std::string const d = difference(brought_, events); !d.empty()) say("the same inputs give other events: " + d);
  same_standing(*session_, *again, "after a replay");
}

// The record as a whole, and one that ends anywhere, are taken up; what comes next is the same.
void Simulation::last_look() {
  if (records_.empty()) return;
  std::unique_ptr<agent::Session> const folded = open();
  if (!fold_into(*folded, records_, nullptr)) return;
  same_standing(*session_, *folded, "after folding");
  agent::Batch a;
  agent::Batch b;
  std::string const run(32, 'e');
  for (agent::Input const& probe : {agent::Input(agent::Begin{run, "and now", Author::kPerson}),
                                    agent::Input(agent::UserSaid{"well"}), agent::Input(agent::Cancel{})}) {
    now_ += Micros{7};
    session_->step(agent::Input(probe), now_, a);
    folded->step(agent::Input(probe), now_, b);
  }
  if (std::string const d = difference(a.events, b.events); !d.empty()) say("a folded session goes on otherwise: " + d);
  if (a.commands.size() != b.commands.size()) say("a folded session wants something else done");
  if (a.events.empty()) say("a session that is at rest takes no further run");

  std::vector<Record> cut = records_;
  std::vector<talk::Event>& last = cut.back().events;
  last.resize(2 + random_.below(last.size() - 1));
  std::vector<talk::Event> const rest(records_.back().events.begin() + static_cast<std::ptrdiff_t>(last.size()),
                                      records_.back().events.end());
  std::vector<talk::Event> beyond;
  if (!fold_into(*open(), cut, &beyond)) return;
  std::size_t const known = std::min(beyond.size(), rest.size());
  if (difference({rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(known)}, beyond) != "")
    say("a record that was cut within a step goes on otherwise");
}

}  // namespace backedge::sim
