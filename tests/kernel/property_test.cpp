// What must hold of the kernel whatever happens: random streams of calls, answers, agents, results out of order, stops.
//
// A stream is a list of small numbers; what each means depends on what is open at that moment, so that every stream is
// a possible history. Failing streams are shrunk by rapidcheck and can be played again by their seed.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "kernel/kernel.h"
#include "support/facts_by_hand.h"

namespace backedge::kernel {
namespace {

using Stream = std::vector<std::uint8_t>;

CallFacts some_call(std::uint8_t n) {
  static char const* const kNames[] = {"a", "b", "c"};
  std::string const argument = kNames[n / 8 % 3];
  switch (n % 8) {
    case 0: return support::read("read", argument);
    case 1: return support::write("write", argument);
    case 2: return support::unknown("run", argument);
    case 3: return support::poll("poll", argument);
    case 4: return support::delegate("task", argument, argument);
    case 5: return support::touching(support::write("edit", argument), {argument});
    case 6: return support::gated(support::unknown("shell", argument), GateOpinion::kAsk);
    default: return support::idempotent(support::write("send", argument), false);
  }
}

ResultFacts some_result(std::uint8_t n) {
  switch (n % 4) {
    case 0: return support::ok("1");
    case 1: return support::ok("2");
    case 2: return support::error("no");
    default: return support::nothing();
  }
}

// Plays a stream and writes down every verdict.
class World {
 public:
  explicit World(Settings settings) : kernel_(KernelOptions{.settings = std::move(settings)}) {
    frames_.push_back(kernel_.root());
  }

  void play(Stream const& stream) {
    for (std::size_t i = 0; i + 1 < stream.size(); i += 2) step(stream[i], stream[i + 1]);
  }

  void step(std::uint8_t what, std::uint8_t n) {
    now_ += Micros{1000};
    switch (what % 8) {
      case 0:
      case 1:
      case 2: round(n); break;
      case 3: result(n); break;
      case 4: open(n); break;
      case 5: close(n); break;
      case 6: answer(n); break;
      default: rare(n); break;
    }
    watch();
  }

  std::vector<std::string> const& verdicts() const { return verdicts_; }
  std::map<std::uint32_t, int> const& decided() const { return decided_; }
  std::int64_t most_calls() const { return most_calls_; }
  std::int64_t most_turns() const { return turns_in_run_; }
  std::int64_t most_descendants() const { return most_descendants_; }
  std::int64_t first_refusal() const { return first_refusal_; }

 private:
  FrameId frame(std::uint8_t n) const { return frames_[n % frames_.size()]; }

  void round(std::uint8_t n) {
    FrameId const at = frame(n);
    TurnVerdict const turn = kernel_.enter_turn(at, {}, now_);
    note(word_text(turn.word), turn.code);
    if (turn.word == TurnWord::kStop) return;
    ++turns_in_run_;
    note(word_text(kernel_.leave_turn(turn.turn, {.has_calls = true}, now_).word), Code::kNone);
    std::vector<CallFacts> calls;
    for (int i = 0; i <= n % 3; ++i) calls.push_back(some_call(static_cast<std::uint8_t>(n + i * 5)));
    std::vector<CallVerdict> out;
    kernel_.enter(at, calls, now_, out);
    ASSERT_EQ(out.size(), calls.size());
    for (CallVerdict const& v : out) {
      ++decided_[v.call.value];
      take(v);
    }
  }
  void take(CallVerdict const& v) {
    note(word_text(v.word), v.code);
    if (refused(v.word) && first_refusal_ < 0) first_refusal_ = static_cast<std::int64_t>(verdicts_.size());
    if (v.runs()) running_.push_back(v.call);
    if (v.word == CallWord::kAsk) asked_.push_back(v.call);
  }
  void result(std::uint8_t n) {
    if (running_.empty()) return;
    std::size_t const i = n % running_.size();
    CallId const call = running_[i];
    running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(i));
    if (!kernel_.runs(call)) return;  // its frame was closed
    for (CallVerdict const& v : kernel_.leave(call, some_result(n), now_).calls) take(v);
    prune();
  }
  void open(std::uint8_t n) {
    if (running_.empty() || frames_.size() > 12) return;
    CallId const by = running_[n % running_.size()];
    if (!kernel_.runs(by) || !openers_.insert({by.value, true}).second) return;
    frames_.push_back(kernel_.open_frame({.by = by, .agent = support::named(n % 2 == 0 ? "a" : "b")}, now_));
    prune();
  }
  void close(std::uint8_t n) {
    FrameId const at = frame(n);
    if (at == kernel_.root()) return;
    for (CallVerdict const& v : kernel_.close_frame(at, now_).calls) take(v);
    prune();
  }
  void answer(std::uint8_t n) {
    if (asked_.empty()) return;
    std::size_t const i = n % asked_.size();
    CallId const call = asked_[i];
    asked_.erase(asked_.begin() + static_cast<std::ptrdiff_t>(i));
    if (!kernel_.asked(call)) return;
    std::vector<CallVerdict> released;
    take(kernel_.approve(call, static_cast<Permission>(n % 3), now_, released));
    for (CallVerdict const& v : released) take(v);
  }
  void rare(std::uint8_t n) {
    if (n % 16 == 0) kernel_.cancel(frame(static_cast<std::uint8_t>(n / 16)));
    if (n % 16 == 1) kernel_.automatic_message();
  }
  void prune() {
    std::erase_if(frames_, [&](FrameId f) { return !kernel_.has_frame(f); });
    std::erase_if(running_, [&](CallId c) { return !kernel_.runs(c); });
    std::erase_if(asked_, [&](CallId c) { return !kernel_.asked(c); });
  }
  void watch() {
    most_calls_ = std::max(most_calls_, kernel_.executed_calls());
    most_descendants_ = std::max(most_descendants_, kernel_.descendants());
  }
  void note(std::string_view word, Code code) {
    verdicts_.push_back(std::string(word) + " " + std::string(code_text(code)));
  }

  Kernel kernel_;
  Micros now_{0};
  std::vector<FrameId> frames_;
  std::vector<CallId> running_;
  std::vector<CallId> asked_;
  std::map<std::uint32_t, bool> openers_;
  std::map<std::uint32_t, int> decided_;
  std::vector<std::string> verdicts_;
  std::int64_t most_calls_ = 0;
  std::int64_t most_descendants_ = 0;
  std::int64_t turns_in_run_ = 0;
  std::int64_t first_refusal_ = -1;
};

// Up to 600 numbers, so that limits are met and loops have time to form.
rc::Gen<Stream> long_stream() { return rc::gen::scale(6.0, rc::gen::arbitrary<Stream>()); }

Settings limited(std::int64_t turns, std::int64_t calls, std::int64_t agents) {
  Settings s;
  s.limits.at(Scope::kRun, Meter::kTurns).value = turns;
  s.limits.at(Scope::kSession, Meter::kCalls).value = calls;
  s.limits.at(Scope::kRun, Meter::kDescendants).value = agents;
  return s;
}

RC_GTEST_PROP(Kernel, CountsNeverExceedTheirLimitsUnderAnyInterleaving, ()) {
  Stream const stream = *long_stream();
  auto const turns = *rc::gen::inRange<std::int64_t>(0, 12);
  auto const calls = *rc::gen::inRange<std::int64_t>(0, 12);
  auto const agents = *rc::gen::inRange<std::int64_t>(0, 4);
  World world(limited(turns, calls, agents));
  world.play(stream);
  RC_ASSERT(world.most_turns() <= turns);
  RC_ASSERT(world.most_calls() <= calls);
  RC_ASSERT(world.most_descendants() <= agents);
}

RC_GTEST_PROP(Kernel, TheSameEventsGiveTheSameVerdicts, ()) {
  Stream const stream = *long_stream();
  World one(limited(20, 40, 5));
  World two(limited(20, 40, 5));
  one.play(stream);
  two.play(stream);
  RC_ASSERT(one.verdicts() == two.verdicts());
}

RC_GTEST_PROP(Kernel, EveryCallIsDecidedOnceInItsRound, ()) {
  Stream const stream = *long_stream();
  World world(limited(-1, -1, -1));
  world.play(stream);
  for (auto const& [call, times] : world.decided()) RC_ASSERT(times == 1);
}

// One frame, one call a round, results as scripted: the index of the first call that is refused, or the length.
std::size_t first_refused(Settings settings, std::vector<std::pair<CallFacts, ResultFacts>> const& script) {
  Kernel kernel(KernelOptions{.settings = std::move(settings)});
  for (std::size_t i = 0; i < script.size(); ++i) {
    Micros const now{static_cast<std::int64_t>(i)};
    TurnVerdict const turn = kernel.enter_turn(kernel.root(), {}, now);
    if (turn.word == TurnWord::kStop) return i;
    kernel.leave_turn(turn.turn, {.has_calls = true}, now);
    std::vector<CallVerdict> out;
    kernel.enter(kernel.root(), std::span(&script[i].first, 1), now, out);
    if (!out[0].runs()) return i;
    kernel.leave(out[0].call, script[i].second, now);
  }
  return script.size();
}

std::vector<std::pair<CallFacts, ResultFacts>> scripted(Stream const& stream) {
  std::vector<std::pair<CallFacts, ResultFacts>> out;
  for (std::size_t i = 0; i + 1 < stream.size(); i += 2) {
    CallFacts call = some_call(stream[i]);
    call.gate = GateOpinion::kAllow;
    out.emplace_back(call, some_result(stream[i + 1]));
  }
  return out;
}

RC_GTEST_PROP(Kernel, AStricterPolicyNeverAllowsMore, ()) {
  Stream const stream = *long_stream();
  Settings loose = limited(40, 40, 5);
  Settings strict = loose;
  Repeat& r = strict.repeat;
  for (int* threshold : {&r.exact, &r.exact_error, &r.stagnant, &r.stagnant_empty, &r.error, &r.range, &r.poll}) {
    *threshold -= *rc::gen::inRange(0, *threshold);
  }
  strict.limits.at(Scope::kRun, Meter::kTurns).value = *rc::gen::inRange<std::int64_t>(0, 41);
  strict.limits.at(Scope::kSession, Meter::kCalls).value = *rc::gen::inRange<std::int64_t>(0, 41);
  auto const script = scripted(stream);
  RC_ASSERT(first_refused(strict, script) <= first_refused(loose, script));
}

RC_GTEST_PROP(Kernel, AskingAgainAfterARefusalDoesNotHelp, ()) {
  Stream const stream = *long_stream();
  // The same history, then the refused call asked for again and again: it stays refused.
  auto const script = scripted(stream);
  Settings const settings = limited(1000, 1000, 5);
  std::size_t const at = first_refused(settings, script);
  RC_PRE(at < script.size());
  Kernel kernel(KernelOptions{.settings = settings});
  std::vector<CallVerdict> out;
  for (std::size_t i = 0; i < at; ++i) {
    out.clear();
    kernel.enter(kernel.root(), std::span(&script[i].first, 1), Micros{0}, out);
    kernel.leave(out[0].call, script[i].second, Micros{0});
  }
  for (int again = 0; again < 6; ++again) {
    out.clear();
    kernel.enter(kernel.root(), std::span(&script[at].first, 1), Micros{0}, out);
    RC_ASSERT(!out[0].runs());
  }
}

}  // namespace
}  // namespace backedge::kernel
