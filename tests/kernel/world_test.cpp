// Books that balance: whatever happens in a tree of agents, what was promised is kept and what was lent comes back.
//
// Beside property_test.cpp, which looks at verdicts: here a model beside the kernel keeps what must be true after every
// step. A stream is a list of small numbers; what each means depends on what is open at that moment.
#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "support/driver.h"

namespace backedge::kernel {
namespace {

using Stream = std::vector<std::uint8_t>;

struct Caps {
  std::int64_t turns;
  std::int64_t calls;
  std::int64_t agents;
  std::int64_t tokens;
  std::int64_t frame_tokens;
  std::int64_t frame_agents;
};

constexpr std::int64_t kTurnTokens = 10;

class World {
 public:
  explicit World(Caps caps, bool observe = false) : caps_(caps), observe_(observe), kernel_(options(caps, observe)) {
    frames_.push_back(kernel_.root());
  }

  void play(Stream const& stream) {
    for (std::size_t i = 0; i + 1 < stream.size(); i += 2) {
      now_ += Micros{1000};
      step(stream[i], stream[i + 1]);
      prune();
      check();
    }
    drain();
  }

 private:
  static KernelOptions options(Caps const& caps, bool observe) {
    Settings s = support::plain();
    s.limits.at(Scope::kRun, Meter::kTurns).value = caps.turns;
    s.limits.at(Scope::kRun, Meter::kCalls).value = caps.calls;
    s.limits.at(Scope::kRun, Meter::kDescendants).value = caps.agents;
    s.limits.at(Scope::kRun, Meter::kTokens).value = caps.tokens;
    s.limits.at(Scope::kFrame, Meter::kTokens).value = caps.frame_tokens;
    s.limits.at(Scope::kFrame, Meter::kDescendants).value = caps.frame_agents;
    s.ladder.observe = observe;
    return support::with(std::move(s));
  }

  void step(std::uint8_t what, std::uint8_t n) {
    switch (what % 12) {
      case 0:
      case 1:
      case 2:
      case 3: round(n); break;
      case 4:
      case 5: turn(n); break;
      case 6: result(n); break;
      case 7: open(n); break;
      case 8: answer(n); break;
      case 9: close(n); break;
      case 10: end_turn(n); break;
      default: rare(n); break;
    }
  }

  static CallFacts some_call(std::uint8_t n) {
    static constexpr std::string_view kThings[] = {"a", "b", "c"};
    std::string_view const thing = kThings[n / 8 % 3];
    switch (n % 8) {
      case 0: return support::touching(support::read("cat", thing), {thing});
      case 1: return support::touching(support::write("edit", thing), {thing});
      case 2: return support::touching(support::unknown("shell", thing), {thing});
      case 3: return support::delegate("task", thing);
      case 4: return support::gated(support::touching(support::write("put", thing), {thing}), GateOpinion::kAsk);
      case 5: return support::gated(support::delegate("task", thing), GateOpinion::kAsk);
      case 6: return support::touching(support::write("move", thing), {"a", "b"});
      default: return support::gated(support::read("secret", thing), GateOpinion::kDeny);
    }
  }

  template <class T>
  static T pick(std::vector<T> const& from, std::uint8_t n) {
    return from[n % from.size()];
  }

  void round(std::uint8_t n) {
    FrameId const at = pick(frames_, n);
    std::vector<CallFacts> calls;
    for (int i = 0; i <= n % 3; ++i) calls.push_back(some_call(static_cast<std::uint8_t>(n + i * 7)));
    std::vector<CallVerdict> out;
    kernel_.enter(at, calls, now_, out);
    RC_ASSERT(out.size() == calls.size());
    for (std::size_t i = 0; i < out.size(); ++i) {
      RC_ASSERT(out[i].call.value == ++last_call_);
      facts_[out[i].call] = calls[i];
      take(out[i]);
    }
  }

  void take(CallVerdict const& v) {
    if (v.runs()) ++calls_;
    bool const under_way = v.runs() || !refused(v.word);
    RC_ASSERT(kernel_.has_live(v.call) == under_way);
    RC_ASSERT(kernel_.runs(v.call) == v.runs());
    if (under_way) live_.insert(v.call);
  }
  void take_all(std::vector<CallVerdict> const& all) {
    for (CallVerdict const& v : all) take(v);
  }

  std::vector<CallId> some_live(bool (Kernel::*which)(CallId) const) const {
    std::vector<CallId> out;
    for (CallId c : live_) {
      if ((kernel_.*which)(c)) out.push_back(c);
    }
    return out;
  }

  void result(std::uint8_t n) {
    std::vector<CallId> const running = some_live(&Kernel::runs);
    if (running.empty()) return;
    CallId const call = pick(running, n);
    take_all(kernel_.leave(call, n % 4 == 0 ? support::error() : support::ok(n % 2 == 0 ? "1" : "2"), now_).calls);
    RC_ASSERT(!kernel_.has_live(call));
  }

  void answer(std::uint8_t n) {
    std::vector<CallId> const asked = some_live(&Kernel::asked);
    if (asked.empty()) return;
    std::vector<CallVerdict> released;
    take(kernel_.approve(pick(asked, n), static_cast<Permission>(n % 3), now_, released));
    take_all(released);
  }

  void turn(std::uint8_t n) {
    FrameId const at = pick(frames_, n);
    TurnVerdict const v =
        kernel_.enter_turn(at, {.input_tokens = kTurnTokens / 2, .output_tokens = kTurnTokens / 2}, now_);
    if (v.word == TurnWord::kStop && !v.observed) return;
    ++turns_taken_;
    tokens_ += kTurnTokens;
    own_[at].tokens += kTurnTokens;
    turns_.push_back(v.turn);
    taken_in_[v.turn] = at;
  }
  void end_turn(std::uint8_t n) {
    if (turns_.empty()) return;
    TurnId const turn = pick(turns_, n);
    std::erase(turns_, turn);
    std::int64_t const used = n % (kTurnTokens / 2 + 1);
    (void)kernel_.leave_turn(turn, {.input_tokens = used, .has_calls = true}, now_);
    tokens_ += used - kTurnTokens;
    own_[taken_in_.at(turn)].tokens += used - kTurnTokens;
  }

  void open(std::uint8_t n) {
    std::vector<CallId> const running = some_live(&Kernel::runs);
    if (running.empty() || frames_.size() > 12) return;
    FrameAsk ask{.by = pick(running, n)};
    ask.turns = n % 5 == 0 ? kUnlimited : n % 5 - 2;  // also fewer than nothing
    FrameId const parent = kernel_.frame_of(ask.by);
    FrameId const child = kernel_.open_frame(ask, now_);
    frames_.push_back(child);
    own_[child].parent = parent;
    if (kernel_.standing(child).state != FrameState::kWorking) return;
    ++agents_;
    for (FrameId f = parent; f.valid(); f = own_[f].parent) ++own_[f].agents;
  }
  void close(std::uint8_t n) {
    FrameId const at = pick(frames_, n);
    if (at != kernel_.root()) take_all(kernel_.close_frame(at, now_).calls);
  }

  void rare(std::uint8_t n) {
    if (n % 16 == 0) kernel_.cancel(pick(frames_, n / 16));
    if (n % 16 == 1) kernel_.automatic_message();
    if (n % 16 > 3) return;
    kernel_.person_spoke(now_);
    turns_taken_ = 0;
    tokens_ = kTurnTokens * static_cast<std::int64_t>(turns_.size());
    agents_ = 0;
    own_[kernel_.root()] = {};
    for (TurnId turn : turns_) own_[kernel_.root()].tokens += taken_in_[turn] == kernel_.root() ? kTurnTokens : 0;
    calls_ = static_cast<std::int64_t>(some_live(&Kernel::runs).size());
  }

  void prune() {
    std::erase_if(frames_, [&](FrameId f) { return !kernel_.has_frame(f); });
    std::erase_if(live_, [&](CallId c) { return !kernel_.has_live(c); });
  }

  void check() {
    if (!observe_) {
      RC_ASSERT(turns_taken_ <= caps_.turns);
      RC_ASSERT(calls_ <= caps_.calls);
      RC_ASSERT(agents_ <= caps_.agents);
      RC_ASSERT(tokens_ <= caps_.tokens);
      no_two_clash();
    }
    tokens_add_up();
    grants_add_up();
    somebody_can_go_on();
  }

  // Of the run together, of each frame by itself; agents below it.
  void tokens_add_up() {
    RC_ASSERT(kernel_.frames().find(kernel_.root())->agents == kernel_.descendants());
    for (FrameId id : frames_) {
      Own const& own = own_[id];
      std::int64_t const rest = std::min(caps_.tokens - tokens_, caps_.frame_tokens - own.tokens);
      RC_ASSERT(kernel_.left(id, Meter::kTokens, now_) == std::max<std::int64_t>(0, rest));
      RC_ASSERT(observe_ || own.tokens <= caps_.frame_tokens);
      RC_ASSERT(observe_ || own.agents <= caps_.frame_agents);
    }
  }

  // What a parent has lent is what its children have.
  void grants_add_up() {
    for (FrameId id : frames_) {
      Frame const& frame = *kernel_.frames().find(id);
      if (frame.allowance == kUnlimited) continue;
      std::int64_t lent = 0;
      for (FrameId other : frames_) {
        Frame const& child = *kernel_.frames().find(other);
        if (child.parent == id) lent += child.allowance;
      }
      RC_ASSERT(frame.granted == lent);
      RC_ASSERT(frame.allowance >= 0);
    }
  }

  void no_two_clash() {
    std::vector<CallId> const running = some_live(&Kernel::runs);
    for (CallId a : running) {
      for (CallId b : running) {
        if (a == b) continue;
        CallFacts const& x = facts_[a];
        CallFacts const& y = facts_[b];
        bool const writes = x.terms.effect == Effect::kWrite || x.terms.effect == Effect::kUnknown;
        bool const overlap = std::any_of(x.resources.begin(), x.resources.end(), [&](Digest r) {
          return std::find(y.resources.begin(), y.resources.end(), r) != y.resources.end();
        });
        RC_ASSERT(!writes || !overlap);
      }
    }
  }

  // While anything is under way, something runs or a person is asked: nothing waits for nothing.
  void somebody_can_go_on() {
    if (live_.empty()) return;
    RC_ASSERT(!some_live(&Kernel::runs).empty() || !some_live(&Kernel::asked).empty());
  }

  // Everything ends, and then nothing is held any more.
  void drain() {
    while (!live_.empty()) {
      result(1);
      answer(1);
      prune();
    }
    while (!turns_.empty()) end_turn(0);
    RC_ASSERT(kernel_.descendants() >= agents_);  // those that were opened below a stop count, too
    RC_ASSERT(observe_ || kernel_.descendants() <= caps_.agents);
    tokens_add_up();
    Frame const& root = *kernel_.frames().find(kernel_.root());
    RC_ASSERT(root.granted == 0);
    if (!observe_) {
      RC_ASSERT(kernel_.left(kernel_.root(), Meter::kCalls, now_) == caps_.calls - calls_);
      RC_ASSERT(root.calls <= calls_);
    }
  }

  struct Own {
    FrameId parent;
    std::int64_t tokens = 0;  // of its own turns
    std::int64_t agents = 0;  // below it, that could work
  };

  Caps caps_;
  bool observe_;
  Kernel kernel_;
  Micros now_{0};
  std::vector<FrameId> frames_;
  std::set<CallId> live_;
  std::map<CallId, CallFacts> facts_;
  std::vector<TurnId> turns_;
  std::map<TurnId, FrameId> taken_in_;
  std::map<FrameId, Own> own_;
  std::uint32_t last_call_ = 0;
  std::int64_t turns_taken_ = 0;  // since a person spoke
  std::int64_t calls_ = 0;
  std::int64_t agents_ = 0;  // that could work
  std::int64_t tokens_ = 0;
};

rc::Gen<Stream> long_stream() { return rc::gen::scale(5.0, rc::gen::arbitrary<Stream>()); }

Caps some_caps() {
  return {*rc::gen::inRange<std::int64_t>(0, 15), *rc::gen::inRange<std::int64_t>(0, 15),
          *rc::gen::inRange<std::int64_t>(0, 6),  *rc::gen::inRange<std::int64_t>(0, 150),
          *rc::gen::inRange<std::int64_t>(0, 60), *rc::gen::inRange<std::int64_t>(0, 5)};
}

RC_GTEST_PROP(World, TheBooksBalanceAfterEveryStepAndNothingWaitsForEver, ()) {
  Caps const caps = some_caps();
  World(caps).play(*long_stream());
}

RC_GTEST_PROP(World, TheBooksBalanceAlsoForWhoOnlyObserves, ()) {
  Caps const caps = some_caps();
  World(caps, true).play(*long_stream());
}

RC_GTEST_PROP(World, TheBooksBalanceWithRoomForEverything, ()) {
  World({200, 500, 100, 10'000, 2'000, 100}).play(*long_stream());
}

}  // namespace
}  // namespace backedge::kernel
