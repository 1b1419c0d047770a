// Rounds and events against naive rules: every sequence of up to six or seven over small alphabets.
//
// Beside oracle_test.cpp, which plays one call a round: here a letter is a round of one or two calls, a person's or an
// automatic message, a compaction, a refusal, a pause; calls declare what they touch and how often they may be asked.
// After the comparison a call that is acted on does not run. In builds with a sanitizer, or without optimisation,
// sequences are shorter.
#include <chrono>
#include <functional>
#include <string>

#include <gtest/gtest.h>

#include "support/naive_rules.h"
#include "support/one_frame.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define BACKEDGE_SLOW_BUILD
#endif
#endif
#if !defined(__OPTIMIZE__) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define BACKEDGE_SLOW_BUILD
#endif

namespace backedge::kernel {
namespace {

using namespace std::chrono_literals;
using namespace support;  // NOLINT(google-build-using-namespace): the words of the tests

#ifdef BACKEDGE_SLOW_BUILD
constexpr std::uint64_t kMostSequences = 10'000;
#else
constexpr std::uint64_t kMostSequences = 1'000'000;  // about a second
#endif
constexpr int kLongest = 7;

/// One letter of an alphabet: a round of calls with their answers, or something else that happens.
struct Letter {
  enum class What { kRound, kRefusal, kPerson, kAutomatic, kForgotten, kPause };
  std::string name;
  std::vector<Step> round;
  What what = What::kRound;
};

using Alphabet = std::vector<Letter>;

Letter one(std::string name, CallFacts const& call, ResultFacts const& result) {
  return {std::move(name), {{call, result}}};
}
Letter both(std::string name, Step const& a, Step const& b) { return {std::move(name), {a, b}}; }
Letter person() { return {"person", {}, Letter::What::kPerson}; }
Letter automatic() { return {"automatic", {}, Letter::What::kAutomatic}; }
Letter pause() { return {"pause", {}, Letter::What::kPause}; }
Letter refused(CallFacts const& call) { return {"refused", {{call, ok()}}, Letter::What::kRefusal}; }
Letter forgotten(CallFacts const& call) { return {"forgotten", {{call, ok()}}, Letter::What::kForgotten}; }

Said said(Finding const& f) { return {f.code, f.acts, f.count}; }

std::string shown(Said const& s) {
  if (s.code == Code::kNone) return "nothing";
  return std::string(s.acts ? "act " : "warn ") + std::string(code_text(s.code)) + " " + std::to_string(s.count);
}

class Oracle {
 public:
  Oracle(Repeat rule, Alphabet alphabet, int longest)
      : rule_(rule), alphabet_(std::move(alphabet)), longest_(longest), naive_(rule) {}

  /// The number of sequences on which both agreed; stops at the first on which they do not.
  std::uint64_t run() {
    descend(Repetition{}, Micros{0}, 0);
    if (!disagreement_.empty()) ADD_FAILURE() << disagreement_;
    return sequences_;
  }

 private:
  void descend(Repetition const& at, Micros now, int length) {  // NOLINT(misc-no-recursion): at most kLongest deep
    if (length == longest_ || !disagreement_.empty()) return;
    std::size_t const size = naive_.size();
    std::uint32_t const round = naive_.round();
    for (Letter const& letter : alphabet_) {
      Repetition fast = at;
      path_.push_back(&letter);
      ++sequences_;
      happens(fast, letter, now);
      descend(fast, now + (letter.what == Letter::What::kPause ? 100s : 1s), length + 1);
      path_.pop_back();
      naive_.back_to(size, round);
    }
  }

  void happens(Repetition& fast, Letter const& letter, Micros now) {
    CallFacts const* const call = letter.round.empty() ? nullptr : &letter.round.front().call;
    switch (letter.what) {
      case Letter::What::kRound: play(fast, letter, now); return;
      case Letter::What::kPerson:
        fast.reset();
        naive_.person();
        return;
      case Letter::What::kAutomatic:
        fast.note_change();
        naive_.automatic();
        return;
      case Letter::What::kForgotten:
        fast.forget_visible(call->key);
        naive_.forgotten(*call);
        return;
      case Letter::What::kRefusal:
        fast.begin_round(std::span(call, 1), rule_);
        naive_.begin_round({call});
        compare(fast, *call, CallId{}, now);
        fast.record_refusal(*call, Code::kGateDeny, CallId{}, fast.round());
        naive_.refused(*call, Code::kGateDeny);
        return;
      case Letter::What::kPause: return;
    }
  }

  void play(Repetition& fast, Letter const& letter, Micros now) {
    calls_.clear();
    proposed_.clear();
    for (Step const& s : letter.round) {
      calls_.push_back(s.call);
      proposed_.push_back(&s.call);
    }
    fast.begin_round(calls_, rule_);
    naive_.begin_round(proposed_);
    std::uint32_t ran = 0;  // bits
    for (std::size_t i = 0; i < letter.round.size(); ++i) {
      CallFacts const& call = letter.round[i].call;
      CallId const id{fast.round() * 8 + static_cast<std::uint32_t>(i)};
      if (compare(fast, call, id, now)) continue;
      fast.joins_round(call, id);
      fast.starts(call, fast.round());
      naive_.runs(call);
      ran |= 1U << i;
    }
    for (std::size_t i = 0; i < letter.round.size(); ++i) {
      if ((ran >> i & 1U) == 0) continue;
      Step const& s = letter.round[i];
      CallId const id{fast.round() * 8 + static_cast<std::uint32_t>(i)};
      (void)fast.record(s.call, s.result, id, fast.round(), rule_, now);
      naive_.result(s.call, s.result, now);
    }
  }

  /// True when the call is acted on.
  bool compare(Repetition const& fast, CallFacts const& call, CallId id, Micros now) {
    Said const quick = said(fast.propose(call, id, rule_, now));
    Said const slow = naive_.all(call, now);
    if (quick == slow || !disagreement_.empty()) return quick.acts;
    for (Letter const* l : path_) disagreement_ += l->name + "; ";
    disagreement_ += "the kernel says " + shown(quick) + ", the naive rule " + shown(slow);
    return quick.acts;
  }

  Repeat rule_;
  Alphabet alphabet_;
  int longest_;
  NaiveRules naive_;
  std::vector<CallFacts> calls_;
  std::vector<CallFacts const*> proposed_;
  std::vector<Letter const*> path_;
  std::string disagreement_;
  std::uint64_t sequences_ = 0;
};

/// All sequences of 1 to `longest` letters.
std::uint64_t all_sequences(std::size_t letters, int longest) {
  std::uint64_t total = 0;
  std::uint64_t of_length = 1;
  for (int i = 0; i < longest; ++i) total += of_length *= letters;
  return total;
}

void expect_agreement(Repeat const& rule, Alphabet const& alphabet) {
  int longest = kLongest;
  while (all_sequences(alphabet.size(), longest) > kMostSequences) --longest;
  EXPECT_EQ(Oracle(rule, alphabet, longest).run(), all_sequences(alphabet.size(), longest));
}

// ---------------------------------------------------------------------------------------------- one alphabet per rule

TEST(OracleOfRounds, AgreesOnTheSameCallAndItsAnswers) {
  Repeat rule = all_off();
  rule.exact_warn = 2;
  rule.exact = 3;
  rule.exact_error = 4;
  CallFacts const a = read("look", "a");
  CallFacts const w = write("edit", "1");
  expect_agreement(rule, {one("a x", a, ok("x")), one("a y", a, ok("y")), one("a fails", a, error()),
                          both("a and a", {a, ok("x")}, {a, ok("x")}), one("edit x", w, ok("x")),
                          one("edit y", w, ok("y")), refused(a), person()});
}

TEST(OracleOfRounds, AgreesOnWhatIsAChangeForWhom) {
  Repeat rule = all_off();
  rule.exact = 3;
  rule.exact_error = 4;
  CallFacts const a = touching(read("look", "a"), {"a"});
  CallFacts const joins = idempotent(a, true);
  expect_agreement(rule,
                   {one("a", a, ok()), both("a twice", {joins, ok()}, {joins, ok()}),
                    one("edit a", touching(write("edit", "a"), {"a"}), ok()),
                    one("edit b", touching(write("edit", "b"), {"b"}), ok()), one("shell", unknown("shell"), ok()),
                    one("sleep", wait("sleep"), ok()), automatic(), forgotten(a)});
}

TEST(OracleOfRounds, AgreesOnEffects) {
  Repeat rule = all_off();
  rule.effect = 3;
  auto const send = [](std::string_view to, std::string_view words) {
    return about(idempotent(write("send", words), false), to);
  };
  Step const bob{send("bob", "1"), ok("1")};
  Step const bob_again{send("bob", "2"), ok("2")};
  expect_agreement(rule,
                   {one("bob 1", bob.call, bob.result), one("bob 2", bob_again.call, bob_again.result),
                    one("bob fails", bob.call, error()), one("eve", send("eve", "1"), ok()),
                    both("bob and bob", bob, bob_again), both("bob and eve", bob, {send("eve", "1"), ok()}), person()});
}

TEST(OracleOfRounds, AgreesOnPolls) {
  Repeat rule = all_off();
  rule.poll_warn = 2;
  rule.poll = 4;
  CallFacts const quick = poll("status");
  CallFacts slow = touching(poll("build"), {"b"});
  slow.terms.min_interval = 90s;
  expect_agreement(
      rule, {one("status", quick, ok("runs")), one("status moves", quick, ok("done")), one("build", slow, ok("runs")),
             pause(), one("sleep", wait("sleep"), ok()), one("edit a", touching(write("edit", "a"), {"a"}), ok()),
             one("shell", unknown("shell"), ok()), person()});
}

TEST(OracleOfRounds, AgreesOnCycles) {
  Repeat rule = all_off();
  rule.cycle = 2;
  rule.cycle_max_period = 6;
  Step const a{read("look", "a"), ok()};
  Step const b{read("look", "b"), ok()};
  Step const c{delegate("task", "c"), ok()};
  Step const d{delegate("task", "d"), ok()};
  expect_agreement(rule, {one("a", a.call, a.result), one("a changes", a.call, ok("other")), one("b", b.call, b.result),
                          both("a and b", a, b), both("b and a", b, a), one("c", c.call, c.result),
                          one("d", d.call, d.result), one("poll", poll("status"), ok())});
}

TEST(OracleOfRounds, AgreesOnCyclesThatSomethingInterrupts) {
  Repeat rule = all_off();
  rule.cycle = 2;
  rule.cycle_max_period = 6;
  CallFacts const a = touching(read("look", "a"), {"a"});
  CallFacts const b = touching(read("look", "b"), {"b"});
  expect_agreement(rule, {one("a", a, ok()), one("b", b, ok()), one("c", read("look", "c"), error()),
                          one("edit a", touching(write("edit", "a"), {"a"}), ok()), person(), forgotten(b)});
}

TEST(OracleOfRounds, AgreesOnStagnation) {
  Repeat rule = all_off();
  rule.stagnant_warn = 2;
  rule.stagnant = 4;
  rule.stagnant_empty = 5;
  CallFacts const g1 = read("grep", "1");
  CallFacts const g2 = read("grep", "2");
  CallFacts const g3 = read("grep", "3");
  expect_agreement(rule, {one("1 x", g1, ok("x")), one("2 x", g2, ok("x")), one("3 x", g3, ok("x")),
                          one("1 y", g1, ok("y")), one("2 empty", g2, nothing()), one("3 empty", g3, nothing()),
                          one("1 fails", g1, error()), one("edit", write("edit"), ok())});
}

TEST(OracleOfRounds, AgreesOnStagnationInRoundsAndAfterMessages) {
  Repeat rule = all_off();
  rule.stagnant_warn = 2;
  rule.stagnant = 3;
  rule.stagnant_empty = 4;
  CallFacts const g1 = touching(read("grep", "1"), {"a"});
  CallFacts const g2 = touching(read("grep", "2"), {"b"});
  expect_agreement(rule, {one("1", g1, ok("x")), one("2", g2, ok("x")), both("1 and 2", {g1, ok("x")}, {g2, ok("x")}),
                          one("edit a", touching(write("edit", "a"), {"a"}), ok()), person(), forgotten(g1),
                          one("find", read("find", "1"), ok("x"))});
}

TEST(OracleOfRounds, AgreesOnOneErrorOverManyCalls) {
  Repeat rule = all_off();
  rule.error_warn = 2;
  rule.error = 4;
  CallFacts const g1 = read("get", "1");
  CallFacts const g2 = read("get", "2");
  CallFacts const p1 = read("post", "1");
  expect_agreement(rule, {one("get 1 fails", g1, error("no")), one("get 2 fails", g2, error("no")),
                          one("post fails", p1, error("no")), one("get 2 fails otherwise", g2, error("busy")),
                          one("get 1 works", g1, ok()), one("post works", p1, ok()),
                          both("both fail", {g1, error("no")}, {p1, error("no")}), one("edit", write("edit"), ok())});
}

TEST(OracleOfRounds, AgreesOnPages) {
  Repeat rule = all_off();
  rule.range_warn = 2;
  rule.range = 3;
  auto const page = [](std::int64_t begin, std::int64_t end) {
    return touching(lines(read("cat", "a"), begin, end), {"a"});
  };
  expect_agreement(rule,
                   {one("0-2", page(0, 2), ok("x")), one("1-2", page(1, 2), ok("y")), one("1-4", page(1, 4), ok("z")),
                    one("0-2 changes", page(0, 2), ok("other")), one("2-4 empty", page(2, 4), nothing()),
                    both("0-1 and 1-2", {page(0, 1), ok("p")}, {page(1, 2), ok("y")}),
                    one("edit a", touching(write("edit", "a"), {"a"}), ok()), forgotten(page(0, 2))});
}

TEST(OracleOfRounds, AgreesOnAllRulesTogether) {
  Repeat rule;
  rule.exact_warn = 2;
  rule.exact = 3;
  rule.exact_error = 4;
  rule.stagnant_warn = 2;
  rule.stagnant = 3;
  rule.stagnant_empty = 4;
  rule.error_warn = 2;
  rule.error = 3;
  rule.range_warn = 1;
  rule.range = 2;
  rule.novelty_calls = 0;
  CallFacts const a = lines(read("cat", "a"), 0, 4);
  CallFacts const b = lines(read("cat", "a"), 1, 3);
  CallFacts const w = idempotent(write("send", "1"), false);
  expect_agreement(rule, {one("a", a, ok("x")), one("b", b, ok("x")), one("a fails", a, error()),
                          one("b fails", b, error()), one("send", w, ok()), one("shell", unknown("shell"), ok()),
                          both("a and b", {a, ok("x")}, {b, ok("x")}), person()});
}

}  // namespace
}  // namespace backedge::kernel
