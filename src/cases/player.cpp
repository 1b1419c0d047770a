// Playing turns, calls and results; see player.h. Events: player_events.cpp.

#include "cases/player.h"

#include <algorithm>

#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "cases/fields.h"

namespace backedge::cases {
namespace {

namespace json = boost::json;

constexpr char const* kRootFrame = "root";

Error not_there(Case const& c, std::string detail) {
  return {ErrorKind::kInput, fmt::format("case {}: {}", c.id, detail), {c.file, c.line, 0}};
}

}  // namespace

Player::Player(Case const& c, Setup setup)
    : case_(c), setup_(std::move(setup)), script_(c), account_(c.id), outside_(!setup_.unattended) {}

Result<void> Player::start() {
  RunOptions options;
  options.now = now_;
  Result<Run> run = Run::open(setup_.policy, std::move(options));
  if (!run) return run.error();
  run_.clear();
  run_.push_back(*std::move(run));
  frames_.clear();
  frames_[kRootFrame] = {.id = run_.front().root(), .by = {}};
  calls_.clear();
  names_.clear();
  over_ = false;
  return start_side_by_side();
}

// Agents that nobody starts and that work at the same time are started by the root, all in one round.
Result<void> Player::start_side_by_side() {
  if (script_.side_by_side().empty()) return {};
  Run& run = run_.front();
  Result<Turn> const turn = run.enter_turn(run.root(), {.cost_nano_usd = 0}, now_);
  if (!turn) return turn.error();
  if (turn->goes()) (void)run.leave_turn(turn->id, {}, {}, true, now_);
  for (std::string const& name : script_.side_by_side()) frames_[name] = {.id = {}, .by = {}, .skipped = true};
  std::vector<StartedCall> const starts = starts_of(script_.side_by_side());
  std::vector<Call> round;
  round.reserve(starts.size());
  for (StartedCall const& one : starts) round.push_back({.tool = kStarter, .arguments = one.arguments});
  Result<std::vector<Entered>> const entered = run.enter(run.root(), round, now_);
  if (!entered) return entered.error();
  for (std::size_t i = 0; i < starts.size(); ++i) {
    Result<FrameId> const opened = run.open_frame((*entered)[i].call, starts[i].agent, std::nullopt, now_);
    if (opened) frames_[starts[i].agent] = {.id = *opened, .by = {}};
  }
  return {};
}

Result<Played> Player::play(Case const& c, Policy const& base, bool contracts) {
  Result<Setup> setup = set_up(c, base, contracts);
  if (!setup) return not_there(c, setup.error().detail);
  Player player(c, *std::move(setup));
  if (Result<void> started = player.start(); !started) return started.error();
  int n = 0;
  for (json::object const& step : c.steps) {
    ++n;
    player.now_ += Micros{1};
    if (Result<void> done = player.step(step); !done)
      return not_there(c, fmt::format("step {}: {}", n, done.error().detail));
  }
  return player.count();
}

Result<void> Player::step(json::object const& step) {
  if (step.contains("user")) {
    user();
    return {};
  }
  if (json::value const* e = step.if_contains("event")) {
    json::object const& body = e->as_object();
    std::string const type = text_of(body, "type");
    if (over_ && type != "session_start" && type != "session_end") return {};
    return event(body);
  }
  if (over_) return {};
  if (step.contains("model")) return model(step);
  if (json::value const* result = step.if_contains("tool_result")) return tool_result(result->as_object());
  return {};  // streams and histories are assembled elsewhere and decide nothing here
}

void Player::user() {
  Author const author = setup_.unattended && account_.decided_anything() ? Author::kAutomatic : Author::kPerson;
  run_.front().user_message(author, now_);
  over_ = false;
}

// A frame that nobody opened belongs to the first call that could have opened one; without such a call it is the root
// under another name (control was handed over, the conversation is the same).
Player::FrameNote& Player::frame(std::string const& name) {
  auto it = frames_.find(name);
  if (it != frames_.end()) return it->second;
  FrameNote note{.id = run_.front().root(), .by = infer_opener()};
  if (!note.by.empty()) {
    CallNote& call = calls_.find(note.by)->second;
    if (Result<FrameId> opened = run_.front().open_frame(call.id, name, std::nullopt, now_)) note.id = *opened;
    call.opened = true;
  }
  return frames_.emplace(name, note).first->second;
}

std::string Player::infer_opener() const {
  for (auto const& [number, name] : names_) {
    auto const call = calls_.find(name);
    if (call != calls_.end() && call->second.under_way && !call->second.opened &&
        Script::may_open(call->second.arguments))
      return name;
  }
  return {};
}

void Player::stop(std::string_view reason) {
  over_ = true;
  account_.stop(reason);
}

// ---------------------------------------------------------------------------------------------- a model message

Result<void> Player::model(json::object const& step) {
  std::string const name = frame_of(step);
  FrameNote& at = frame(name);
  if (at.skipped) return {};
  close_unanswered(name);
  json::array const& calls = step.at("model").as_array();
  Result<bool> goes = ask_turn(at, step);
  if (!goes) return goes.error();
  if (!*goes) return {};
  if (calls.empty()) {
    if (at.id == run_.front().root()) account_.end("final");
    return {};
  }
  return round(at, name, calls);
}

// Calls of the frame's earlier rounds whose results the case does not have: they ended, and nobody knows how. Who is
// still asked about one gives no answer any more.
void Player::close_unanswered(std::string const& frame_name) {
  for (auto& [id, call] : calls_) {
    if (call.frame != frame_name || !call.under_way || call.opened || script_.answers(id)) continue;
    if (Result<Entered> const entered = run_.front().approve(call.id, Approval::kTimeout, now_)) settle(*entered);
    if (Result<Left> left = run_.front().leave(call.id, {CallStatus::kUnknown, {}}, now_)) call.under_way = false;
  }
}

// Before and after the request. False when the frame may not ask, or ended with its own text.
Result<bool> Player::ask_turn(FrameNote& at, json::object const& step) {
  Run& run = run_.front();
  Result<Turn> turn = run.enter_turn(at.id, {.cost_nano_usd = 0}, now_);
  if (!turn) return turn.error();
  if (turn->word == TurnWord::kFinal) account_.forced_final(turn->code, !turn->text.empty());
  if (!turn->goes()) {
    if (turn->code == "stopped") return true;  // a model that was already asked: its calls are to be refused
    look_after(at);
    return false;
  }
  account_.request();
  ++at.requests;
  Usage usage;
  if (json::value const* u = step.if_contains("usage"); u != nullptr && u->is_object()) {
    usage = {count_of(u->get_object(), "in"), count_of(u->get_object(), "out"), 0};
    account_.tokens(usage.input_tokens, usage.output_tokens);
  }
  bool const has_calls = !step.at("model").as_array().empty();
  Result<Turn> said = run.leave_turn(turn->id, usage, text_of(step, "text"), has_calls, now_);
  if (!said) return said.error();
  if (said->word != TurnWord::kStop) return true;
  if (std::string const id = text_of(step, "id"); !id.empty()) account_.decided(id, "stop", said->code, said->text);
  look_after(at);
  return false;
}

Result<void> Player::round(FrameNote& at, std::string const& name, json::array const& calls) {
  std::vector<std::string> arguments;
  std::vector<Call> round;
  arguments.reserve(calls.size());
  for (json::value const& v : calls) {
    json::object const& call = v.as_object();
    arguments.push_back(arguments_of(call));
    std::string_view const tool = call.at("tool").as_string();
    round.push_back({tool, arguments.back(), setup_.rules.opinion(tool)});
  }
  if (at.id == run_.front().root()) account_.end({});
  Result<std::vector<Entered>> entered = run_.front().enter(at.id, round, now_);
  if (!entered) return entered.error();
  for (std::size_t i = 0; i < calls.size(); ++i) {
    Entered const& e = (*entered)[i];
    std::string const id(calls[i].as_object().at("id").as_string());
    CallNote note{.id = e.call, .frame = name, .tool = std::string(round[i].tool), .arguments = arguments[i]};
    names_[e.call.value] = id;
    calls_[id] = note;
    if (e.runs && outside_.invokes_itself(arguments[i])) {
      Judged const self = outside_.judge_itself();
      account_.decided(id, word_text(self.word), self.code, self.text);
      (void)run_.front().leave(e.call, {CallStatus::kCancelled, "not run"}, now_);
      continue;
    }
    settle(e);
  }
  most_descendants_ = std::max(most_descendants_, run_.front().descendants());
  look_after(at);
  return {};
}

void Player::settle(Entered const& e) {
  std::string const& id = names_[e.call.value];
  CallNote& call = calls_[id];
  bool const waits = e.word == CallWord::kAsk || e.word == CallWord::kSerialize;
  call.under_way = e.runs || waits;
  account_.call(id, {e.word, e.runs, e.code, e.earlier.valid()});
  account_.told(id, e.text);
}

// A frame that has come to its end: the root ends the run, any other ends with an error for its caller.
void Player::look_after(FrameNote& at) {
  Result<Standing> s = run_.front().standing(at.id);
  if (!s || !s->stopped) return;
  if (at.id == run_.front().root()) {
    if (s->end == "stopped") {
      account_.end("stop:stopped");  // what is asked after a stop is still refused, call by call
    } else {
      stop(s->end);
    }
    return;
  }
  at.skipped = s->end != "stopped";
  account_.frame_ended(at.by, s->end);
}

// ---------------------------------------------------------------------------------------------- results

Result<void> Player::tool_result(json::object const& body) {
  auto const it = calls_.find(std::string_view(body.at("id").as_string()));
  if (it == calls_.end() || !it->second.under_way) return {};
  CallNote& call = it->second;
  json::value const* ok = body.if_contains("ok");
  bool const good = ok == nullptr || !ok->is_bool() || ok->get_bool();
  std::string const text = text_of(body, "output");
  call.has_scripted = true;
  call.scripted_ok = good;
  call.scripted = text;
  return finish({it->first});
}

// Gives their results to calls that run, then to those that waited for them and have theirs already. A call that still
// waits keeps its result until its turn comes.
Result<void> Player::finish(std::vector<std::string> ready) {
  for (std::size_t i = 0; i < ready.size(); ++i) {
    CallNote& call = calls_[ready[i]];
    if (!call.under_way || !call.has_scripted) continue;
    bool const good = call.scripted_ok && !ended_below(ready[i]);
    CallStatus const status = good ? CallStatus::kOk : CallStatus::kError;
    Result<Left> left = run_.front().leave(call.id, {status, call.scripted}, now_);
    if (!left) continue;  // it waits for an answer or for another call
    call.under_way = false;
    if (left->answers && frame(call.frame).id == run_.front().root()) {
      account_.end("final");
      account_.out().output = call.scripted;
      over_ = true;
    }
    for (Entered const& e : left->released) {
      settle(e);
      ready.push_back(names_[e.call.value]);
    }
  }
  return {};
}

// Calls that waited have been decided anew.
Result<void> Player::set_free(std::vector<Entered> const& released) {
  std::vector<std::string> ready;
  for (Entered const& e : released) {
    settle(e);
    ready.push_back(names_[e.call.value]);
  }
  return finish(std::move(ready));
}

// Did the agent that this call started come to a bad end?
bool Player::ended_below(std::string const& call) const {
  return std::any_of(frames_.begin(), frames_.end(),
                     [&](auto const& f) { return f.second.by == call && f.second.skipped; });
}

Played Player::count() {
  std::vector<std::int64_t> requests;
  for (auto const& [name, f] : frames_) {
    if (!f.by.empty() && f.id.valid() && f.id != run_.front().root()) requests.push_back(f.requests);
  }
  if (outside_.knows_programs()) account_.out().numbers["self_processes"] = 0;
  account_.out().graph = run_.front().graph_json();
  return account_.finish(requests, most_descendants_, now_);
}

}  // namespace backedge::cases
