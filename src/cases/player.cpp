// Playing turns, calls and results; see player.h. Events: player_events.cpp.

#include "cases/player.h"

#include <algorithm>

#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"

namespace backedge::cases {
namespace {

namespace json = boost::json;

constexpr char const* kRootFrame = "root";

std::string text_of(json::object const& o, char const* key) {
  json::value const* v = o.if_contains(key);
  if (v == nullptr || v->is_null()) return {};
  return v->is_string() ? std::string(v->get_string()) : json::serialize(*v);
}

// A count of tokens; what is none, or beyond what a request can have, is 0.
std::int64_t number_of(json::object const& o, char const* key) {
  json::value const* v = o.if_contains(key);
  if (v == nullptr || !v->is_number()) return 0;
  auto const n = v->to_number<double>();
  return n > 0 && n < 1e15 ? static_cast<std::int64_t>(n) : 0;
}

Error not_there(Case const& c, std::string detail) {
  return {ErrorKind::kInput, fmt::format("case {}: {}", c.id, detail), {c.file, c.line, 0}};
}

}  // namespace

Player::Player(Case const& c, Setup setup) : case_(c), setup_(std::move(setup)) {
  out_.id = c.id;
  for (json::object const& step : c.steps) {
    if (json::value const* result = step.if_contains("tool_result"))
      answered_ids_.insert(text_of(result->as_object(), "id"));
  }
}

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
  player.count();
  player.out_.graph = player.run_.front().graph_json();
  return std::move(player.out_);
}

Result<void> Player::step(json::object const& step) {
  if (json::value const* said = step.if_contains("user")) {
    user(said->as_string());
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

void Player::user(std::string_view /*text*/) {
  Author const author = setup_.unattended && out_.decisions.size() + static_cast<std::size_t>(requests_) > 0
                            ? Author::kAutomatic
                            : Author::kPerson;
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
    if (call != calls_.end() && call->second.under_way && !call->second.opened && !call->second.arguments.empty() &&
        (call->second.arguments.find("\"prompt\"") != std::string::npos ||
         call->second.arguments.find("\"task\"") != std::string::npos)) {
      return name;
    }
  }
  return {};
}

void Player::decided(std::string_view id, std::string_view word, std::string_view code, std::string_view text) {
  auto const [it, fresh] = decision_of_.emplace(std::string(id), out_.decisions.size());
  if (fresh) {
    out_.decisions.push_back({std::string(id), std::string(word), std::string(code), std::string(text)});
  } else {
    out_.decisions[it->second] = {std::string(id), std::string(word), std::string(code), std::string(text)};
  }
}

void Player::stop(std::string_view reason) {
  over_ = true;
  out_.end = fmt::format("stop:{}", reason);
}

// ---------------------------------------------------------------------------------------------- a model message

Result<void> Player::model(json::object const& step) {
  std::string const name = step.contains("frame") ? text_of(step, "frame") : std::string(kRootFrame);
  FrameNote& at = frame(name);
  if (at.skipped) return {};
  close_unanswered(name);
  json::array const& calls = step.at("model").as_array();
  Result<bool> goes = ask_turn(at, name, step);
  if (!goes) return goes.error();
  if (!*goes) return {};
  if (calls.empty()) {
    answered(at, step);
    return {};
  }
  return round(at, name, calls);
}

// Calls of the frame's earlier rounds whose results the case does not have: they ended, and nobody knows how.
void Player::close_unanswered(std::string const& frame_name) {
  for (auto& [id, call] : calls_) {
    if (call.frame != frame_name || !call.under_way || call.opened || answered_ids_.contains(id)) continue;
    if (Result<Left> left = run_.front().leave(call.id, {CallStatus::kUnknown, {}}, now_)) call.under_way = false;
  }
}

// Before and after the request. False when the frame may not ask, or ended with its own text.
Result<bool> Player::ask_turn(FrameNote& at, std::string const& name, json::object const& step) {
  Run& run = run_.front();
  Result<Turn> turn = run.enter_turn(at.id, {.cost_nano_usd = 0}, now_);
  if (!turn) return turn.error();
  if (turn->word == TurnWord::kFinal) {
    out_.properties["forced_final_answer"] = true;
    if (turn->code.starts_with("budget.")) out_.properties["limit_notice"] = !turn->text.empty();
  }
  if (!turn->goes()) {
    if (turn->code == "stopped") return true;  // a model that was already asked: its calls are to be refused
    look_after(at);
    return false;
  }
  ++requests_;
  ++at.requests;
  Usage usage;
  if (json::value const* u = step.if_contains("usage"); u != nullptr && u->is_object()) {
    usage = {number_of(u->get_object(), "in"), number_of(u->get_object(), "out"), 0};
    tokens_ += usage.input_tokens + usage.output_tokens;
    has_usage_ = true;
  }
  bool const has_calls = !step.at("model").as_array().empty();
  Result<Turn> said = run.leave_turn(turn->id, usage, text_of(step, "text"), has_calls, now_);
  if (!said) return said.error();
  if (said->word != TurnWord::kStop) return true;
  if (std::string const id = text_of(step, "id"); !id.empty()) decided(id, "stop", said->code, said->text);
  look_after(at);
  (void)name;
  return false;
}

void Player::answered(FrameNote const& at, json::object const& step) {
  bool const closes = step.contains("stop") || step.contains("text");
  if (at.id == run_.front().root() && closes) out_.end = "final";
}

Result<void> Player::round(FrameNote& at, std::string const& name, json::array const& calls) {
  std::vector<std::string> arguments;
  std::vector<Call> round;
  arguments.reserve(calls.size());
  for (json::value const& v : calls) {
    json::object const& call = v.as_object();
    arguments.push_back(call.contains("args_raw") ? text_of(call, "args_raw") : json::serialize(call.at("args")));
    std::string_view const tool = call.at("tool").as_string();
    round.push_back({tool, arguments.back(), setup_.rules.opinion(tool)});
  }
  if (at.id == run_.front().root()) out_.end.clear();
  Result<std::vector<Entered>> entered = run_.front().enter(at.id, round, now_);
  if (!entered) return entered.error();
  for (std::size_t i = 0; i < calls.size(); ++i) {
    Entered const& e = (*entered)[i];
    std::string const id(calls[i].as_object().at("id").as_string());
    CallNote note{.id = e.call, .frame = name, .tool = std::string(round[i].tool), .arguments = arguments[i]};
    names_[e.call.value] = id;
    calls_[id] = note;
    if (e.runs && invokes_itself(arguments[i])) {
      Judged const self = Chain{{"program"}}.process("program", false, !setup_.unattended);
      decided(id, word_text(self.word), self.code, self.text);
      (void)run_.front().leave(e.call, {CallStatus::kCancelled, "not run"}, now_);
      continue;
    }
    settle(e);
    calls_[id].asked_by_us = e.word == CallWord::kAsk;
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
  if (!call.asked_by_us && !(decision_of_.contains(id) && e.runs)) decided(id, word_text(e.word), e.code, e.text);
  if (refused(e.word) && !e.runs) ++refused_;
  if (e.code == "reentry.cycle") {
    out_.properties["error_names_ancestor_frame"] = e.earlier.valid() && e.text.find("call ") != std::string::npos;
    out_.properties["chain_in_message"] = e.text.find(" > ") != std::string::npos;
  }
  if (e.code == "reentry.depth")
    out_.properties["error_names_function_and_cap"] = e.text.find("limit is") != std::string::npos;
  if (e.code == "livelock") out_.properties["livelock_named"] = true;
  if (e.word == CallWord::kReuse)
    out_.properties["reuse_note_points_to_earlier_result"] = e.text.find("call ") != std::string::npos;
  if (e.code.starts_with("budget."))
    out_.properties["refusal_states_remaining"] = e.text.find("left ") != std::string::npos;
  if (e.word == CallWord::kReject) out_.properties["rejects_are_counted"] = true;
}

// A frame that has come to its end: the root ends the run, any other ends with an error for its caller.
void Player::look_after(FrameNote& at) {
  Result<Standing> s = run_.front().standing(at.id);
  if (!s || !s->stopped) return;
  if (at.id == run_.front().root()) {
    if (s->end == "stopped") {
      out_.end = "stop:stopped";  // what is asked after a stop is still refused, call by call
    } else {
      stop(s->end);
    }
    return;
  }
  at.skipped = s->end != "stopped";
  if (!at.by.empty()) {
    std::string const why = s->end == "max_turns" ? "incomplete:turn_limit"
                            : s->end == "budget"  ? "incomplete:budget"
                                                  : "stopped:" + s->end;
    out_.status[at.by] = why;
  }
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
      out_.end = "final";
      out_.output = call.scripted;
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

void Player::count() {
  std::int64_t fewest = -1;
  std::int64_t most = 0;
  for (auto const& [name, f] : frames_) {
    if (f.by.empty() || !f.id.valid() || f.id == run_.front().root()) continue;
    fewest = fewest < 0 ? f.requests : std::min(fewest, f.requests);
    most = std::max(most, f.requests);
  }
  if (fewest >= 0) out_.numbers["child_turns_spread"] = static_cast<double>(most - fewest);
  if (has_spend_) out_.numbers["subtree_usd"] = static_cast<double>(spent_nano_) / 1e9;
  out_.numbers["spawned"] = static_cast<double>(most_descendants_);
  out_.numbers["model_requests"] = static_cast<double>(requests_);
  out_.numbers["total_turns"] = static_cast<double>(requests_);
  out_.numbers["refused_before_end"] = static_cast<double>(refused_);
  if (!own_programs_.empty()) out_.numbers["self_processes"] = static_cast<double>(own_processes_);
  if (has_usage_) out_.numbers["tokens"] = static_cast<double>(tokens_);
}

Result<std::vector<Played>> play_all(std::vector<Case> const& cases, Policy const& base, bool contracts) {
  std::vector<Played> out;
  for (Case const& c : cases) {
    json::value const* sweep = c.config.if_contains("sweep");
    if (sweep == nullptr || !sweep->is_object()) {
      Result<Played> played = Player::play(c, base, contracts);
      if (!played) return played.error();
      out.push_back(*std::move(played));
      continue;
    }
    if (sweep->get_object().size() != 1) return not_there(c, "a sweep goes over one limit");
    for (auto const& [path, values] : sweep->get_object()) {
      std::string_view const key = path;
      if (!key.starts_with("limits.") || !values.is_array())
        return not_there(c, fmt::format("a sweep goes over limits, not {}", backedge::quoted(key)));
      Played all;
      for (json::value const& value : values.get_array()) {
        Case one = c;
        if (value.is_object() || value.is_array()) return not_there(c, "a value of the sweep is not a number");
        one.config["limits"] = json::object{{key.substr(7), value}};
        Result<Played> played = Player::play(one, base, contracts);
        if (!played) return played.error();
        std::map<std::string, double> numbers;
        for (auto const& [name, n] : played->numbers) numbers[fmt::format("{}/{}", name, json::serialize(value))] = n;
        numbers.merge(all.numbers);
        all = *std::move(played);
        all.numbers = std::move(numbers);
      }
      out.push_back(std::move(all));
    }
  }
  return out;
}

}  // namespace backedge::cases
