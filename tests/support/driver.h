// A kernel with its ids and its clock kept, so that a test reads as what happens: turn, call, result, frame, message.
#pragma once

#include <chrono>
#include <initializer_list>
#include <string>
#include <vector>

#include "kernel/kernel.h"
#include "support/facts_by_hand.h"
#include "support/verdict_text.h"

namespace backedge::support {

inline kernel::KernelOptions with(kernel::Settings settings) {
  kernel::KernelOptions out;
  out.settings = std::move(settings);
  return out;
}

/// Default settings without conservative mode, which would have its say in tests of everything else: a parent whose
/// turns are lent to a child is near its limit.
inline kernel::Settings plain() {
  kernel::Settings out;
  out.limits.conservative_at = 0;
  return out;
}

/// The same, with one limit.
inline kernel::Settings limited(kernel::Scope scope, kernel::Meter meter, std::int64_t value) {
  kernel::Settings out = plain();
  out.limits.at(scope, meter) = {value, "test"};
  return out;
}

class Driver {
 public:
  explicit Driver(kernel::KernelOptions options) : kernel(std::move(options)), root(kernel.root()) {}
  Driver() : Driver(plain()) {}
  explicit Driver(kernel::Settings settings) : Driver(with(std::move(settings))) {}

  /// One round; nothing is given back yet.
  std::vector<kernel::CallVerdict> enter(FrameId frame, std::vector<kernel::CallFacts> const& calls) {
    std::vector<kernel::CallVerdict> out;
    kernel.enter(frame, calls, now, out);
    if (!out.empty()) last = out.back().call;
    return out;
  }
  /// A round of one call.
  std::string ask(FrameId frame, kernel::CallFacts const& call) { return text(enter(frame, {call}).front()); }
  /// The same, and its result if it runs.
  std::string run(FrameId frame, kernel::CallFacts const& call, kernel::ResultFacts const& result = ok()) {
    kernel::CallVerdict const v = enter(frame, {call}).front();
    if (v.runs()) (void)leave(v.call, result);
    return text(v);
  }
  std::string run(kernel::CallFacts const& call, kernel::ResultFacts const& result = ok()) {
    return run(root, call, result);
  }
  Texts times(int n, kernel::CallFacts const& call, kernel::ResultFacts const& result = ok()) {
    Texts said;
    for (int i = 0; i < n; ++i) said.push_back(run(call, result));
    return said;
  }
  /// A round, and a result for every call of it that runs.
  Texts round(FrameId frame, std::vector<kernel::CallFacts> const& calls, kernel::ResultFacts const& result = ok()) {
    std::vector<kernel::CallVerdict> const all = enter(frame, calls);
    for (kernel::CallVerdict const& v : all) {
      if (kernel.runs(v.call)) (void)leave(v.call, result);
    }
    return texts(all);
  }

  /// What a result sets free.
  Texts leave(CallId call, kernel::ResultFacts const& result = ok()) {
    return texts(kernel.leave(call, result, now).calls);
  }
  /// What becomes of an asked call; then of the calls that waited for it.
  Texts answer(CallId call, kernel::Permission permission) {
    std::vector<kernel::CallVerdict> released;
    Texts out{text(kernel.approve(call, permission, now, released))};
    for (kernel::CallVerdict const& v : released) out.push_back(text(v));
    return out;
  }

  /// A turn that is over at once.
  std::string turn(FrameId frame, kernel::TurnAsk const& ask = {}, kernel::TurnSpent const& spent = {}) {
    kernel::TurnVerdict const v = kernel.enter_turn(frame, ask, now);
    if (v.word != TurnWord::kStop || v.observed) (void)kernel.leave_turn(v.turn, spent, now);
    return text(v);
  }
  std::string turn() { return turn(root); }
  Texts turns(int n, FrameId frame) {
    Texts said;
    for (int i = 0; i < n; ++i) said.push_back(turn(frame));
    return said;
  }
  Texts turns(int n) { return turns(n, root); }

  /// A call that runs and opens a frame.
  FrameId open(FrameId frame, kernel::CallFacts const& call, std::string_view agent = {},
               std::int64_t turns = kernel::kUnlimited) {
    (void)ask(frame, call);
    return open(last, agent, turns);
  }
  FrameId open(CallId by, std::string_view agent = {}, std::int64_t turns = kernel::kUnlimited) {
    kernel::FrameAsk ask{.by = by};
    if (!agent.empty()) ask.agent = named(agent);
    ask.turns = turns;
    return kernel.open_frame(ask, now);
  }

  std::int64_t left(kernel::Meter meter) { return left(root, meter); }
  /// -1 without a limit.
  std::int64_t left(FrameId frame, kernel::Meter meter) { return kernel.left(frame, meter, now).value_or(-1); }

  kernel::Kernel kernel;
  FrameId root;
  CallId last;
  Micros now{0};
};

}  // namespace backedge::support
