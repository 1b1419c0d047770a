// The repetition rules of one agent, driven round by round: what is said before a call, then its result.
#pragma once

#include <chrono>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "kernel/repetition.h"
#include "support/facts_by_hand.h"
#include "support/verdict_text.h"

namespace backedge::support {

/// A call and the answer that it gets when it runs.
struct Step {
  kernel::CallFacts call;
  kernel::ResultFacts result;
};

/// No rule at all: a test switches on what it is about.
inline kernel::Repeat all_off() {
  kernel::Repeat r;
  r.exact = r.exact_error = r.effect = r.cycle = r.stagnant_warn = r.stagnant = r.stagnant_empty = r.error_warn =
      r.error = 0;
  r.range_warn = r.range = r.poll_warn = r.poll = r.novelty_calls = r.text = r.compact = 0;
  return r;
}

class OneFrame {
 public:
  explicit OneFrame(kernel::Repeat rule) : rule_(rule) {}

  /// One round; a call that is acted on does not run. What was said of each call.
  Texts round(std::vector<Step> const& steps) {
    std::vector<kernel::CallFacts> calls;
    for (Step const& s : steps) calls.push_back(s.call);
    rules_.begin_round(calls, rule_);
    Texts said;
    std::vector<std::pair<Step const*, CallId>> run;
    for (Step const& s : steps) {
      CallId const id{++last_};
      kernel::Finding const f = rules_.propose(s.call, id, rule_, now_);
      said.push_back(text(f));
      if (f.code == kernel::Code::kNovelty) rules_.noticed(f.code);
      if (f.acts) continue;
      rules_.joins_round(s.call, id);
      rules_.starts(s.call, rules_.round());
      run.emplace_back(&s, id);
    }
    for (auto const& [step, id] : run) rules_.record(step->call, step->result, id, rules_.round(), rule_, now_);
    now_ += pace_;
    return said;
  }

  std::string step(kernel::CallFacts const& call, kernel::ResultFacts const& result = ok()) {
    return round({{call, result}}).front();
  }

  /// The same step so many times in a row.
  Texts times(int n, kernel::CallFacts const& call, kernel::ResultFacts const& result = ok()) {
    Texts said;
    for (int i = 0; i < n; ++i) said.push_back(step(call, result));
    return said;
  }

  /// Steps of one call each.
  Texts steps(std::vector<Step> const& all) {
    Texts said;
    for (Step const& s : all) said.push_back(step(s.call, s.result));
    return said;
  }

  kernel::Repetition& rules() { return rules_; }
  kernel::Repeat& rule() { return rule_; }
  /// Time between rounds.
  void pace(Micros each) { pace_ = each; }
  CallId last() const { return CallId{last_}; }
  Micros now() const { return now_; }

 private:
  kernel::Repeat rule_;
  kernel::Repetition rules_;
  Micros now_{0};
  Micros pace_{std::chrono::seconds{1}};
  std::uint32_t last_ = 0;
};

}  // namespace backedge::support
