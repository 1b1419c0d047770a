// The fast detectors against naive ones: every sequence of seven calls over a small alphabet, call by call.
//
// The naive detectors keep the whole history as a list and count in it, as the rules are worded; they share nothing
// with the fast ones but the values that go in. A symbol of the alphabet is a call and the answer it gets when it runs;
// a call that is acted on does not run. All shorter sequences are prefixes of these.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/one_frame.h"

namespace backedge::kernel {
namespace {

using support::about;
using support::all_off;
using support::error;
using support::error_of;
using support::idempotent;
using support::lines;
using support::nothing;
using support::ok;
using support::Step;

constexpr int kLength = 7;

struct Said {
  Code code = Code::kNone;
  bool acts = false;
  std::int64_t count = 0;

  friend bool operator==(Said const&, Said const&) = default;
};

bool good(Step const& s) { return !failed(s.result.status); }
bool waits(Step const& s) { return s.call.terms.effect == Effect::kPoll || s.call.terms.effect == Effect::kWait; }
bool may_change(Effect e) { return e == Effect::kWrite || e == Effect::kDelegate || e == Effect::kUnknown; }

Said judged(Code code, std::int64_t n, int acts, int warns) {
  if (acts > 0 && n >= acts) return {code, true, n};
  if (acts > 0 && warns > 0 && n >= warns) return {code, false, n};
  return {};
}

// The whole history of calls that ran, oldest first.
class Naive {
 public:
  explicit Naive(Repeat rule) : rule_(rule) {}

  Said propose(Step const& s) {
    look_for_cycle(s);
    if (Said const said = cycle(s); said.acts) return said;
    Said const all[] = {exact(s), range(s), stagnant(s), error_rule(s)};
    for (Said const& said : all) {
      if (said.acts) return said;
    }
    for (Said const& said : all) {
      if (said.code != Code::kNone) return said;
    }
    return {};
  }
  void ran(Step const& s) { history_.push_back(&s); }

 private:
  // Is the i-th step a change: a success that may alter something and is no answer given before?
  bool change(std::size_t i) const {
    Step const& s = *history_[i];
    if (!good(s) || !may_change(s.call.terms.effect)) return false;
    for (std::size_t j = 0; j < i; ++j) {
      if (history_[j]->call.key == s.call.key && history_[j]->result.outcome == s.result.outcome) return false;
    }
    return true;
  }
  bool elapsed(std::size_t i) const { return good(*history_[i]) && history_[i]->call.terms.effect == Effect::kWait; }
  // Does anything after step `i` and before step `end` excuse a repeat?
  bool excused(std::size_t i, std::size_t end, bool polled = false) const {
    for (std::size_t k = i + 1; k < end; ++k) {
      if (change(k) || (!polled && elapsed(k))) return true;
    }
    return false;
  }

  Said exact(Step const& s) const {
    if (rule_.effect > 0 && s.call.terms.idempotent == Idempotent::kNo && may_change(s.call.terms.effect)) {
      std::int64_t done = 0;
      for (Step const* h : history_)
        done += h->call.tool_id == s.call.tool_id && h->call.identity == s.call.identity && good(*h);
      if (done + 1 >= rule_.effect) return {Code::kEffect, true, done + 1};
    }
    std::optional<std::size_t> last;
    std::int64_t count = 0;
    bool const polled = waits(s);
    for (std::size_t i = 0; i < history_.size(); ++i) {
      if (history_[i]->call.key != s.call.key) continue;
      bool const same = last && history_[*last]->result.outcome == history_[i]->result.outcome;
      if (!same) {
        count = 1;
      } else if (!excused(*last, i, polled)) {
        ++count;
      }
      last = i;
    }
    if (!last || excused(*last, history_.size(), polled)) return {};
    bool const failing = !good(*history_[*last]);
    return judged(polled ? Code::kPoll : Code::kExact, count + 1,
                  polled    ? rule_.poll
                  : failing ? rule_.exact_error
                            : rule_.exact,
                  polled ? rule_.poll_warn : rule_.exact_warn);
  }

  // The steps that count for cycles, as indexes.
  std::vector<std::size_t> rounds() const {
    std::vector<std::size_t> out;
    for (std::size_t i = 0; i < history_.size(); ++i) {
      if (!waits(*history_[i])) out.push_back(i);
    }
    return out;
  }
  void look_for_cycle(Step const& s) {
    if (rule_.cycle <= 0 || waits(s)) return;
    std::vector<std::size_t> const r = rounds();
    auto const same = [&](std::size_t a, std::size_t b) {
      return history_[a]->call.key == history_[b]->call.key &&
             history_[a]->result.outcome == history_[b]->result.outcome;
    };
    for (std::size_t p = 2; p <= static_cast<std::size_t>(rule_.cycle_max_period); ++p) {
      std::size_t const need = p * static_cast<std::size_t>(rule_.cycle);
      if (r.size() < need) break;
      bool cyclic = history_[r[r.size() - p]]->call.key == s.call.key;
      std::set<Digest> keys;
      for (std::size_t i = r.size() - need; i < r.size(); ++i) {
        keys.insert(history_[r[i]]->call.key);
        if (i + p < r.size()) cyclic = cyclic && same(r[i], r[i + p]);
      }
      if (!cyclic || keys.size() < 2) continue;
      members_ = keys;
      since_ = history_.size();
      count_ = static_cast<std::int64_t>(need + 1);
      return;
    }
  }
  Said cycle(Step const& s) const {
    if (rule_.cycle <= 0 || !members_.contains(s.call.key)) return {};
    for (std::size_t i = since_; i < history_.size(); ++i) {
      if (change(i) || elapsed(i)) return {};
    }
    return {Code::kCycle, true, count_};
  }

  Said stagnant(Step const& s) const {
    if (rule_.stagnant <= 0 || s.call.terms.effect != Effect::kRead) return {};
    std::optional<std::size_t> last;
    std::int64_t count = 0;
    for (std::size_t i = 0; i < history_.size(); ++i) {
      Step const& h = *history_[i];
      if (h.call.tool_id != s.call.tool_id || h.call.terms.effect != Effect::kRead) continue;
      if (!good(h)) {
        count = 0;
      } else if (count == 0 || history_[*last]->result.outcome != h.result.outcome) {
        count = 1;
      } else if (history_[*last]->call.key != h.call.key && !excused(*last, i)) {
        ++count;
      }
      last = i;
    }
    if (!last || count == 0 || history_[*last]->call.key == s.call.key || excused(*last, history_.size())) return {};
    bool const empty = history_[*last]->result.status == ResultStatus::kEmpty;
    return judged(Code::kStagnant, count + 1, empty ? rule_.stagnant_empty : rule_.stagnant,
                  empty ? 0 : rule_.stagnant_warn);
  }

  Said error_rule(Step const& s) const {
    if (rule_.error <= 0) return {};
    std::set<Digest> kinds;
    for (Step const* h : history_) {
      if (!good(*h)) kinds.insert(h->result.masked);
    }
    Said worst;
    for (Digest kind : kinds) {
      std::set<Digest> tools;
      std::optional<std::size_t> last;
      std::int64_t count = 0;
      bool moves = false;
      for (std::size_t i = 0; i < history_.size(); ++i) {
        Step const& h = *history_[i];
        if (good(h) && tools.contains(h.call.tool_id)) {
          tools.clear();
          last.reset();
          count = 0;
        }
        if (good(h) || h.result.masked != kind) continue;
        bool const again = last && history_[*last]->call.key == h.call.key;
        bool const differs = !again || history_[*last]->result.outcome != h.result.outcome;
        moves = again && differs;
        if (count == 0 || (differs && !excused(*last, i))) ++count;
        tools.insert(h.call.tool_id);
        last = i;
      }
      if (!last || !tools.contains(s.call.tool_id) || excused(*last, history_.size())) continue;
      if (history_[*last]->call.key == s.call.key && !moves) continue;
      Said const said = judged(Code::kError, count + 1, rule_.error, rule_.error_warn);
      if (said.code != Code::kNone && said.count > worst.count) worst = said;
    }
    return worst;
  }

  static bool pages(Step const& s) { return s.call.has_range && s.call.terms.effect == Effect::kRead; }
  Said range(Step const& s) const {
    if (rule_.range <= 0 || !pages(s)) return {};
    std::set<std::int64_t> shown;
    constexpr std::int64_t kNotMet = 1000;  // beyond every line of the alphabet
    std::int64_t end = kNotMet;
    std::optional<std::size_t> last;
    std::int64_t streak = 0;
    auto const nothing_new = [&](LineRange asked) {
      if (asked.begin >= end) return true;
      for (std::int64_t line = asked.begin; line < asked.end; ++line) {
        if (!shown.contains(line)) return false;
      }
      return true;
    };
    for (std::size_t i = 0; i < history_.size(); ++i) {
      Step const& h = *history_[i];
      if (!pages(h) || !good(h) || h.call.tool_id != s.call.tool_id || h.call.identity != s.call.identity) continue;
      bool other = false;
      for (std::size_t j = i; j-- > 0;) {
        if (history_[j]->call.key != h.call.key) continue;
        other = history_[j]->result.outcome != h.result.outcome;
        break;
      }
      if (other || (last ? excused(*last, i) : false)) {
        shown.clear();
        end = kNotMet;
        streak = 0;
      }
      bool const covered = nothing_new(h.call.range);
      bool const empty = h.result.status == ResultStatus::kEmpty;
      if (empty) end = std::min(end, h.call.range.begin);
      if (!empty && end <= h.call.range.begin) end = kNotMet;
      streak = covered ? streak + 1 : 0;
      for (std::int64_t line = h.call.range.begin; !covered && !empty && line < h.call.range.end; ++line)
        shown.insert(line);
      last = i;
    }
    if (!last || excused(*last, history_.size()) || !nothing_new(s.call.range)) return {};
    return judged(Code::kRange, streak + 1, rule_.range, rule_.range_warn);
  }

  Repeat rule_;
  std::vector<Step const*> history_;
  std::set<Digest> members_;  // of the cycle found last
  std::size_t since_ = 0;     // length of the history when it was found
  std::int64_t count_ = 0;
};

// Plays one sequence on both sides; the first difference as text, or nothing.
std::string difference(std::vector<Step> const& alphabet, std::vector<std::size_t> const& word, Repeat const& rule) {
  Repetition fast;
  Naive naive(rule);
  std::uint32_t id = 0;
  for (std::size_t at = 0; at < word.size(); ++at) {
    Step const& s = alphabet[word[at]];
    ++id;
    fast.begin_round(std::span(&s.call, 1), rule);
    Finding const f = fast.propose(s.call, CallId{id}, rule, Micros{id});
    Said const got = f ? Said{f.code, f.acts, f.count} : Said{};
    Said const want = naive.propose(s);
    if (got != want) {
      std::string text = "after";
      for (std::size_t i = 0; i <= at; ++i) text += " " + std::to_string(word[i]);
      return text + ": fast says " + std::string(code_text(got.code)) + (got.acts ? " acts " : " notes ") +
             std::to_string(got.count) + ", naive says " + std::string(code_text(want.code)) +
             (want.acts ? " acts " : " notes ") + std::to_string(want.count);
    }
    if (got.acts) continue;
    fast.joins_round(s.call, CallId{id});
    fast.starts(s.call, fast.round());
    fast.record(s.call, s.result, CallId{id}, fast.round(), rule, Micros{id});
    naive.ran(s);
  }
  return {};
}

struct Counted {
  std::int64_t sequences = 0;
  std::string difference;
};

Counted every_sequence(std::vector<Step> const& alphabet, Repeat const& rule, int length = kLength) {
  Counted out;
  std::vector<std::size_t> word(static_cast<std::size_t>(length), 0);
  while (true) {
    ++out.sequences;
    out.difference = difference(alphabet, word, rule);
    if (!out.difference.empty()) return out;
    std::size_t at = word.size();
    while (at > 0 && ++word[at - 1] == alphabet.size()) word[--at] = 0;
    if (at == 0) return out;
  }
}

void agree(std::vector<Step> const& alphabet, Repeat const& rule) {
  Counted const counted = every_sequence(alphabet, rule);
  EXPECT_EQ(counted.difference, "");
  std::int64_t all = 1;
  for (int i = 0; i < kLength; ++i) all *= static_cast<std::int64_t>(alphabet.size());
  EXPECT_EQ(counted.sequences, all);
}

TEST(Oracle, RuleExactAgreesOnEverySequenceOfSevenCalls) {
  Repeat rule = all_off();
  rule.exact = 3;
  rule.exact_error = 4;
  rule.exact_warn = 2;
  agree({{support::read("r", "a"), ok("1")},
         {support::read("r", "a"), ok("2")},
         {support::read("r", "a"), error("no")},
         {support::write("w", "x"), ok("1")},
         {support::unknown("u", "y"), ok("1")},
         {support::wait("s", "z"), ok("1")}},
        rule);
}

TEST(Oracle, RuleEffectAgreesOnEverySequenceOfSevenCalls) {
  Repeat rule = all_off();
  rule.effect = 2;
  rule.exact = 3;
  rule.exact_error = 4;
  Step const sent{about(idempotent(support::write("send", "1"), false), "to ann"), ok("sent")};
  Step const again{about(idempotent(support::write("send", "2"), false), "to ann"), ok("sent")};
  Step const failing{about(idempotent(support::write("send", "1"), false), "to ann"), error("down")};
  Step const other{about(idempotent(support::write("send", "1"), false), "to bob"), ok("sent")};
  agree({sent, again, failing, other, {support::write("edit", "x"), ok("done")}}, rule);
}

TEST(Oracle, RuleCycleAgreesOnEverySequenceOfSevenCalls) {
  Repeat rule = all_off();
  rule.cycle = 2;
  agree({{support::read("r", "a"), ok("1")},
         {support::read("r", "b"), ok("1")},
         {support::read("r", "c"), error("1")},
         {support::read("r", "a"), ok("2")},
         {support::write("w", "x"), ok("1")},
         {support::poll("p", "x"), ok("1")}},
        rule);
}

TEST(Oracle, RulesCycleAndExactTogetherAgreeOnEverySequenceOfSevenCalls) {
  Repeat rule = all_off();
  rule.cycle = 2;
  rule.exact = 3;
  rule.exact_error = 4;
  agree({{support::read("r", "a"), ok("1")},
         {support::unknown("u", "b"), ok("1")},
         {support::unknown("u", "b"), ok("2")},
         {support::write("w", "c"), error("1")},
         {support::write("w", "d"), ok("1")}},
        rule);
}

TEST(Oracle, RuleStagnantAgreesOnEverySequenceOfSevenCalls) {
  Repeat rule = all_off();
  rule.stagnant_warn = 3;
  rule.stagnant = 4;
  rule.stagnant_empty = 5;
  agree({{support::read("r", "a"), ok("1")},
         {support::read("r", "b"), ok("1")},
         {support::read("r", "c"), nothing()},
         {support::read("r", "d"), nothing()},
         {support::read("r", "e"), error("no")},
         {support::write("w", "x"), ok("1")}},
        rule);
}

TEST(Oracle, RuleErrorAgreesOnEverySequenceOfSevenCalls) {
  Repeat rule = all_off();
  rule.error_warn = 3;
  rule.error = 4;
  agree({{support::unknown("a", "1"), error_of("e", "e at 1")},
         {support::unknown("a", "1"), error_of("e", "e at 2")},
         {support::unknown("b", "2"), error_of("e", "e at 1")},
         {support::unknown("b", "3"), error_of("f", "f")},
         {support::unknown("b", "4"), ok("1")},
         {support::write("w", "x"), ok("1")}},
        rule);
}

TEST(Oracle, RuleRangeAgreesOnEverySequenceOfSevenCalls) {
  Repeat rule = all_off();
  rule.range_warn = 2;
  rule.range = 4;
  auto const page = [](std::int64_t begin, std::int64_t end) {
    return lines(about(support::read("r"), "file"), begin, end);
  };
  agree({{page(0, 2), ok("a")},
         {page(0, 2), ok("b")},
         {page(2, 4), ok("c")},
         {page(1, 3), ok("d")},
         {page(4, 6), nothing()},
         {support::write("w", "x"), ok("1")}},
        rule);
}

TEST(Oracle, RulePollAgreesOnEverySequenceOfSevenCalls) {
  Repeat rule = all_off();
  rule.poll_warn = 3;
  rule.poll = 5;
  rule.exact = 3;
  agree({{support::poll("p", "job"), ok("running")},
         {support::poll("p", "job"), ok("done")},
         {support::wait("s", "30"), ok("slept")},
         {support::write("w", "x"), ok("1")},
         {support::read("r", "a"), ok("1")}},
        rule);
}

TEST(Oracle, AllRulesTogetherAgreeOnEverySequenceOfSevenCalls) {
  Repeat rule;
  rule.novelty_calls = 0;
  rule.stagnant_warn = rule.error_warn = 3;
  rule.stagnant = rule.error = 4;
  auto const page = [](std::int64_t begin, std::int64_t end) {
    return lines(about(support::read("r"), "file"), begin, end);
  };
  agree({{page(0, 2), ok("a")},
         {page(0, 1), ok("a")},
         {support::unknown("u", "b"), ok("1")},
         {support::unknown("u", "c"), error_of("e", "e at 1")},
         {support::read("q", "d"), error_of("e", "e at 2")},
         {support::write("w", "x"), ok("1")}},
        rule);
}

}  // namespace
}  // namespace backedge::kernel
