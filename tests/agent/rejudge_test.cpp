// What another policy would have decided, and that the same one decides the same.

#include "agent/rejudge.h"

#include <random>

#include <gtest/gtest.h>

#include "backedge/run.h"
#include "support/puppet.h"

namespace backedge {
namespace {

using agent::Amounts;
using agent::Difference;
using agent::DifferenceKind;
using agent::rejudge;
using agent::Rejudged;
using test::calls;
using test::Puppet;
using test::says;

using Events = std::vector<talk::Event>;

Reply paid(Reply reply, std::int64_t input = 100, std::int64_t output = 10) {
  reply.usage.input_tokens = input;
  reply.usage.output_tokens = output;
  reply.usage.cost_nano_usd = (input + output) * 1000;
  return reply;
}

void tools(Puppet& p) {
  p.tool({.name = "look", .contract = {.effect = Effect::kRead}},
         [](std::string_view a) { return ToolResult{CallStatus::kOk, "saw " + std::string(a)}; });
  p.tool({.name = "put", .contract = {.effect = Effect::kWrite}},
         [n = 0](std::string_view) mutable { return ToolResult{CallStatus::kOk, "put " + std::to_string(++n)}; });
  p.plain_tool("same", [](std::string_view) { return ToolResult{CallStatus::kOk, "same"}; });
  p.plain_tool("fail", [](std::string_view) { return ToolResult::error("it broke"); });
  p.function({.name = "child", .about = "helps", .max_turns = 4});
  p.function({.name = "twin", .about = "helps too"});
}

/// The runs of a puppet's record, each from its run.open on.
std::vector<std::span<talk::Event const>> runs_of(Events const& events) {
  std::vector<std::span<talk::Event const>> out;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (events[i].type == "run.open") out.emplace_back(events.data() + i, 0);
    out.back() = {out.back().data(), out.back().size() + 1};
  }
  return out;
}

/// The puppet's last run under its own policy with `toml` read over it.
Rejudged under(Puppet& p, std::string_view toml) {
  Policy const other = *p.setup().policy.with(toml, "other.toml");
  Result<Rejudged> out = rejudge(runs_of(p.events), other, &p.setup().policy);
  EXPECT_TRUE(out.ok()) << out.error().text();
  return out ? *std::move(out) : Rejudged{};
}

std::string list(Rejudged const& r) {
  std::string out;
  for (Difference const& d : r.differences) {
    out += std::to_string(static_cast<int>(d.kind)) + " call " + std::to_string(d.call.value) + " turn " +
           std::to_string(d.turn.value) + " " + d.path + " " + d.tool + ": " + d.then.word + " " + d.then.code +
           " -> " + d.now.word + " " + d.now.code + " x" + std::to_string(d.count) + " " + d.why + "\n";
  }
  return out;
}

void expect_same(Puppet& p, RunResult const& last) {
  Rejudged const r = under(p, "");
  EXPECT_TRUE(r.same()) << list(r);
  EXPECT_EQ(r.recorded, (Amounts{last.calls, last.turns, last.usage.input_tokens + last.usage.output_tokens,
                                 last.usage.cost_nano_usd}));
  EXPECT_EQ(r.refused_then, last.refused);
  EXPECT_EQ(r.same_calls, last.calls + last.refused);
  EXPECT_EQ(r.saved, Amounts{});
  EXPECT_EQ(r.unknown, Amounts{});
}

// ---------------------------------------------------------------------------------------------- the same policy

constexpr std::array<std::string_view, 7> kPolicies = {
    "",
    "[limits]\nmax_turns = 6\n",
    "[limits]\nmax_calls = 5\nmax_descendants = 1\n[limits.session]\nmax_turns = 9\n",
    "[limits]\nmax_tokens = 2000\nmax_depth = 3\n",
    "[repeat]\nexact = 2\n[ladder]\nobserve = true\n",
    "[tool.same]\nidempotent = true\nreturns_direct = true\n[tool.look]\neffect = \"poll\"\n",
    "[limits]\nmax_turns = 12\n[limits.frame]\nmax_turns = 3\nmax_calls = 4\n",
};

// A model that does one thing or another, often the same.
class Whim {
 public:
  explicit Whim(unsigned seed) : random_(seed) {}

  Result<Reply> operator()(Request const& request) {
    if (one_in(25)) return Error{ErrorKind::kModel, "the provider is down", {}};
    if (request.turn > 9 || ++asked_ > 60 || one_in(6))
      return paid(says(one_in(2) ? "done" : "finished"), pick(300), pick(50));
    std::vector<test::Asks> all;
    for (unsigned n = 1 + pick(3); n > 0; --n) all.push_back(ask());
    return paid(calls(all, one_in(3) ? "as before" : "", one_in(12) ? "max_tokens" : "tool_use"), pick(300), pick(50));
  }

 private:
  unsigned pick(unsigned below) { return static_cast<unsigned>(random_() % below); }
  bool one_in(unsigned n) { return pick(n) == 0; }
  test::Asks ask() {
    static constexpr std::array<char const*, 7> kNames = {"look", "put", "same", "fail", "child", "twin", "nowhere"};
    char const* const name = kNames[pick(kNames.size())];
    std::string const n = std::to_string(pick(3));
    if (one_in(20)) return {name, R"({"cut)"};
    if (name == kNames[4] || name == kNames[5]) return {name, R"({"task":"do thing )" + n + R"( and no other"})"};
    return {name, R"({"n":)" + n + "}"};
  }

  std::mt19937 random_;
  int asked_ = 0;  // agents that start agents would never come to an end
};

TEST(Rejudge, UnderItsOwnPolicyARandomSessionHasNoDifference) {
  int refused = 0;
  for (unsigned seed = 0; seed < 210; ++seed) {
    Puppet p(kPolicies[seed % kPolicies.size()]);
    tools(p);
    Whim whim(seed);
    for (int run = 0; run < 3; ++run) {
      RunResult const last = p.run("go on " + std::to_string(run), std::ref(whim));
      SCOPED_TRACE("seed " + std::to_string(seed) + " run " + std::to_string(run));
      expect_same(p, last);
      refused += static_cast<int>(last.refused);
      if (testing::Test::HasFailure()) return;
    }
  }
  EXPECT_GT(refused, 300);
}

TEST(Rejudge, UnderAnyPolicyTheAmountsNeverExceedTheRecord) {
  for (unsigned seed = 0; seed < 70; ++seed) {
    Puppet p(kPolicies[seed % kPolicies.size()]);
    tools(p);
    RunResult const last = p.run("go", Whim(seed));
    for (std::string_view const other : kPolicies) {
      SCOPED_TRACE("seed " + std::to_string(seed) + " under " + std::string(other));
      Rejudged const r = under(p, other);
      EXPECT_EQ(r.recorded.calls, last.calls);
      EXPECT_EQ(r.recorded.turns, last.turns);
      EXPECT_LE(r.saved.calls + r.unknown.calls + r.same_calls - r.refused_then, last.calls + last.refused);
      EXPECT_LE(r.saved.turns + r.unknown.turns, last.turns);
      EXPECT_LE(r.saved.tokens + r.unknown.tokens, r.recorded.tokens);
      EXPECT_LE(r.saved.cost_nano_usd + r.unknown.cost_nano_usd, r.recorded.cost_nano_usd);
      EXPECT_EQ(r.cannot_judge, 0) << list(r);
    }
  }
}

TEST(Rejudge, ParallelWritesOfOneThingWaitForEachOtherBothTimes) {
  Puppet p("[tool.put]\nconflicts = [\"file:{/path}\"]\n");
  tools(p);
  RunResult const last = p.run("go", [](Request const& q) -> Result<Reply> {
    if (q.turn > 1) return says("done");
    return calls(
        {{"put", R"({"path":"a","n":1})"}, {"put", R"({"path":"a","n":2})"}, {"put", R"({"path":"a","n":3})"}});
  });
  EXPECT_EQ(last.calls, 3);
  expect_same(p, last);
}

TEST(Rejudge, ACancelledRunIsTheSame) {
  Puppet p;
  tools(p);
  p.feed(agent::Begin{std::string(32, 'a'), "go"});
  p.feed(agent::ModelAnswered{p.session().root(), TurnId{1}, calls({{"look"}, {"child", R"({"task":"one two"})"}})});
  p.feed(agent::Cancel{});
  Rejudged const r = under(p, "");
  EXPECT_TRUE(r.same()) << list(r);
  EXPECT_EQ(r.recorded.calls, 2);
}

// ---------------------------------------------------------------------------------------------- another policy

Puppet looping(std::string_view policy) {
  Puppet p(policy);
  tools(p);
  (void)p.run("go", [](Request const& q) -> Result<Reply> {
    if (q.turn > 8) return paid(says("done"));
    return paid(calls({{"same", R"({"n":1})"}}));
  });
  return p;
}

TEST(Rejudge, ALoopThatRanIsRefusedOnceWithACountAndItsEndSavesTheRest) {
  Puppet p = looping("[repeat]\nexact = false\ncycle = false\n");
  Rejudged const r = under(p, "[repeat]\nexact = 3\n");
  ASSERT_EQ(r.differences.size(), 2U) << list(r);
  Difference const& loop = r.differences[0];
  EXPECT_EQ(loop.kind, DifferenceKind::kRefusedNow);
  EXPECT_EQ(loop.call, CallId{3});
  EXPECT_EQ(loop.tool, "same");
  EXPECT_EQ(loop.arguments, R"({"n":1})");
  EXPECT_EQ(loop.path, "main");
  EXPECT_EQ(loop.then.word, "run");
  EXPECT_EQ(loop.now.word, "block");
  EXPECT_EQ(loop.now.code, "repeat.exact");
  EXPECT_NE(loop.now.text.find("3rd time"), std::string::npos) << loop.now.text;
  EXPECT_EQ(loop.count, 2);
  EXPECT_EQ(loop.saved, (Amounts{.calls = 2}));
  Difference const& end = r.differences[1];
  EXPECT_EQ(end.kind, DifferenceKind::kEndsEarlier);
  EXPECT_EQ(end.turn, TurnId{5});
  EXPECT_EQ(end.now.word, "final");
  EXPECT_EQ(end.saved, (Amounts{.calls = 4, .turns = 4, .tokens = 440, .cost_nano_usd = 440'000}));
  EXPECT_EQ(r.refused_now, 2);
  EXPECT_EQ(r.saved, (Amounts{.calls = 6, .turns = 4, .tokens = 440, .cost_nano_usd = 440'000}));
}

TEST(Rejudge, ACallThatWasRefusedAndWouldRunMakesItsFrameUnknown) {
  Puppet p = looping("[repeat]\nexact = 3\n");
  Rejudged const r = under(p, "[repeat]\nexact = false\ncycle = false\n");
  ASSERT_EQ(r.differences.size(), 1U) << list(r);
  EXPECT_EQ(r.differences[0].kind, DifferenceKind::kRunsNow);
  EXPECT_EQ(r.differences[0].call, CallId{3});
  EXPECT_EQ(r.differences[0].then.code, "repeat.exact");
  EXPECT_EQ(r.runs_now, 1);
  EXPECT_EQ(r.same_calls, 2);
  EXPECT_EQ(r.saved, Amounts{});
  EXPECT_GT(r.unknown.turns, 0);
  EXPECT_EQ(r.same_turns + r.unknown.turns, r.recorded.turns);
}

// The root asks two agents one after the other; each looks about, the first at most three times.
Puppet two_agents(int looks = 2) {
  Puppet p;
  tools(p);
  (void)p.run("go", [looks](Request const& q) -> Result<Reply> {
    if (!q.agent.empty() && (q.turn > looks || !q.may_call)) return paid(says("seen by " + std::string(q.agent)));
    if (!q.agent.empty()) return paid(calls({{"look", R"({"n":)" + std::to_string(q.turn) + "}"}}));
    if (q.turn == 1) return paid(calls({{"child", R"({"task":"look at the left side"})"}}));
    if (q.turn == 2) return paid(calls({{"twin", R"({"task":"look at the right side"})"}, {"same"}}));
    return paid(says("done"));
  });
  return p;
}

TEST(Rejudge, WhatRanBelowARefusedCallIsSkippedAndCounted) {
  Puppet p = two_agents();
  Rejudged const r = under(p, "[limits]\nmax_descendants = 1\n");
  ASSERT_EQ(r.differences.size(), 1U) << list(r);
  EXPECT_EQ(r.differences[0].tool, "twin");
  EXPECT_EQ(r.differences[0].now.code, "budget.descendants");
  EXPECT_EQ(r.differences[0].saved, (Amounts{.calls = 3, .turns = 3, .tokens = 330, .cost_nano_usd = 330'000}));
  EXPECT_EQ(r.saved, r.differences[0].saved);
  EXPECT_EQ(r.recorded, (Amounts{.calls = 7, .turns = 9, .tokens = 990, .cost_nano_usd = 990'000}));
  EXPECT_EQ(r.same_calls, 4) << "two of the root, two of the first child";
}

TEST(Rejudge, AnAgentThatEndsEarlierLeavesItsCallerAsItWas) {
  Puppet p = two_agents(5);
  Rejudged const r = under(p, "[limits]\nconservative_at = 0\n[limits.frame]\nmax_turns = 4\n");
  ASSERT_EQ(r.differences.size(), 2U) << list(r) << "both share what the root has left, less its own answer";
  EXPECT_EQ(r.differences[0].path, "main > child");
  EXPECT_EQ(r.differences[0].now.word, "final");
  EXPECT_EQ(r.differences[0].now.code, "budget.turns");
  EXPECT_EQ(r.differences[0].saved, (Amounts{.calls = 2, .turns = 2, .tokens = 220, .cost_nano_usd = 220'000}));
  EXPECT_EQ(r.differences[1].path, "main > twin");
  EXPECT_EQ(r.ends_earlier, 2);
}

TEST(Rejudge, AFrameThatWouldGoOnIsUnknownFromThere) {
  Puppet p("[limits]\nmax_turns = 3\n");
  tools(p);
  int n = 0;
  (void)p.run("go", [&](Request const& q) -> Result<Reply> {
    if (q.may_call) return calls({{"look", R"({"n":)" + std::to_string(++n) + "}"}});
    return says("so far");
  });
  Rejudged const r = under(p, "[limits]\nmax_turns = 30\n");
  ASSERT_EQ(r.differences.size(), 1U) << list(r);
  EXPECT_EQ(r.differences[0].kind, DifferenceKind::kEndsLater);
  EXPECT_EQ(r.differences[0].turn, TurnId{3});
  EXPECT_EQ(r.differences[0].then.code, "budget.turns");
  EXPECT_EQ(r.ends_later, 1);
  EXPECT_EQ(r.unknown.turns, 1);
}

TEST(Rejudge, ACallThatWouldWaitIsJudgedWhenItsTurnComes) {
  Puppet p;
  tools(p);
  (void)p.run("go", [](Request const& q) -> Result<Reply> {
    if (q.turn > 1) return says("done");
    return calls({{"put", R"({"n":1})"}, {"put", R"({"n":2})"}, {"look", R"({"n":2})"}});
  });
  for (std::string_view const now : {"[tool.put]\nconflicts = [\"all:x\"]\n", "[tool.put]\nconflicts = []\n"}) {
    Rejudged const r = under(p, now);
    EXPECT_EQ(r.refused_now + r.runs_now + r.cannot_judge, 0) << now << list(r);
    EXPECT_EQ(r.same_calls, 3) << now;
  }
}

TEST(Rejudge, ACycleIsOneDifferenceWhateverItsMember) {
  Puppet p("[repeat]\nexact = false\nexact_error = false\ncycle = false\n");
  tools(p);
  (void)p.run("go", [](Request const& q) -> Result<Reply> {
    if (q.turn > 12) return says("done");
    std::string const tool = q.turn % 2 == 1 ? "same" : "fail";
    return calls({{tool, R"({"n":1})"}});
  });
  Rejudged const r = under(p, "[repeat]\ncycle = 2\nexact = 90\nexact_error = 90\n[ladder]\nrefusals = 90\n");
  ASSERT_EQ(r.differences.size(), 1U) << list(r);
  EXPECT_EQ(r.differences[0].now.code, "repeat.cycle");
  EXPECT_GT(r.differences[0].count, 2);
}

TEST(Rejudge, LimitsOfASessionCountItsEarlierRuns) {
  Puppet p;
  tools(p);
  auto const model = [](Request const& q) -> Result<Reply> {
    if (q.turn > 2) return says("done " + std::to_string(q.turn));
    return calls({{"look", R"({"n":)" + std::to_string(q.turn) + "}"}});
  };
  (void)p.run("one", model);
  (void)p.run("two", model);
  Rejudged const r = under(p, "[limits.session]\nmax_calls = 3\n");
  ASSERT_EQ(r.differences.size(), 2U) << list(r);
  EXPECT_EQ(r.differences[0].call, CallId{4});
  EXPECT_EQ(r.differences[0].now.code, "budget.calls");
  EXPECT_EQ(r.differences[1].kind, DifferenceKind::kEndsEarlier) << "there is nothing left to call";
  EXPECT_EQ(r.recorded.calls, 2);
}

// ---------------------------------------------------------------------------------------------- what cannot be judged

TEST(Rejudge, WithoutTextsOnlyLimitsAreJudged) {
  Puppet p = looping("[repeat]\nexact = false\ncycle = false\n");
  for (talk::Event& e : p.events) e.raws.clear();
  Rejudged const same = under(p, "");
  EXPECT_TRUE(same.same()) << list(same);
  EXPECT_TRUE(same.texts_missing);
  Rejudged const loop = under(p, "[repeat]\nexact = 3\n");
  EXPECT_EQ(loop.refused_now + loop.ends_earlier, 0) << list(loop);
  EXPECT_GT(loop.cannot_judge, 0);
  EXPECT_EQ(loop.saved, Amounts{});
  ASSERT_FALSE(loop.differences.empty());
  EXPECT_NE(loop.differences[0].why.find("texts"), std::string::npos);
  Rejudged const limit = under(p, "[limits]\nmax_turns = 3\n");
  EXPECT_EQ(limit.cannot_judge, 0) << list(limit);
  EXPECT_EQ(limit.ends_earlier, 1);
}

TEST(Rejudge, WhatTheRecordsOwnPolicyDoesNotAccountForCannotBeJudged) {
  Puppet p;
  p.tool({.name = "pay", .contract = {.effect = Effect::kWrite, .idempotent = false}},
         [n = 0](std::string_view) mutable { return ToolResult{CallStatus::kOk, "paid " + std::to_string(++n)}; });
  (void)p.run("go", [](Request const& q) -> Result<Reply> {
    if (q.turn > 2) return says("done");
    return calls({{"pay", R"({"n":1})"}});
  });
  Policy const own = Policy::defaults();  // does not know what was declared in code
  Result<Rejudged> const r = rejudge(runs_of(p.events), own, &own);
  ASSERT_TRUE(r.ok());
  EXPECT_EQ(r->cannot_judge, 1) << list(*r);
  EXPECT_EQ(r->runs_now, 0);
  Result<Rejudged> const trusting = rejudge(runs_of(p.events), own, nullptr);
  ASSERT_TRUE(trusting.ok());
  EXPECT_EQ(trusting->runs_now, 1) << list(*trusting);
}

TEST(Rejudge, WhatIsNoRecordIsAnError) {
  EXPECT_FALSE(rejudge({}, Policy::defaults(), nullptr).ok());
  Events events(1);
  events[0].type = "run.open";
  events[0].body = "[]";
  EXPECT_FALSE(rejudge(runs_of(events), Policy::defaults(), nullptr).ok());
  events[0].body = "{}";
  EXPECT_TRUE(rejudge(runs_of(events), Policy::defaults(), nullptr).ok());
  events.push_back(events[0]);
  events[1].type = "round.propose";
  events[1].body = R"({"calls":[3]})";
  EXPECT_FALSE(rejudge(runs_of(events), Policy::defaults(), nullptr).ok());
}

TEST(Rejudge, ARecordWithHolesIsTakenAsFarAsItGoes) {
  Puppet p("[limits]\nmax_turns = 12\n");
  tools(p);
  (void)p.run("go", Whim(7));
  Events const whole = p.events;
  for (std::size_t hole = 1; hole < whole.size(); ++hole) {
    p.events = whole;
    p.events.erase(p.events.begin() + static_cast<std::ptrdiff_t>(hole));
    (void)under(p, "[limits]\nmax_turns = 4\nmax_calls = 3\n");
    p.events.assign(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(hole));
    Rejudged const cut = under(p, "");
    EXPECT_TRUE(cut.same()) << hole << list(cut);
  }
}

// ---------------------------------------------------------------------------------------------- a host with a gate

TEST(Rejudge, APersonsAnswersAreGivenAgain) {
  for (Approval const answer : {Approval::kAllow, Approval::kDeny, Approval::kTimeout}) {
    Events events(1);
    events[0].type = "run.open";
    events[0].body = "{}";
    RunOptions options;
    options.on_event = [&](EventView const& e) {
      events.push_back(
          {e.seq, e.at, e.frame, 0, std::string(e.type), std::string(e.body), {e.raws.begin(), e.raws.end()}});
    };
    Policy const policy = Policy::defaults();
    backedge::Run run = *backedge::Run::open(policy, std::move(options));
    run.user_message(Author::kPerson, Micros{1}, "go");
    TurnId const turn = run.enter_turn(run.root(), {}, Micros{2})->id;
    (void)run.leave_turn(turn, {}, {}, true, Micros{3});
    std::vector<Call> const round = {
        {.tool = "a", .arguments = "{}", .gate = Gate::kAsk},
        {.tool = "b", .arguments = "{}", .gate = Gate::kDeny},
        {.tool = "c", .arguments = "{}", .fault = CallFault::kMissing, .fault_text = "no n"}};
    std::vector<Entered> const entered = *run.enter(run.root(), round, Micros{4});
    bool const runs = run.approve(entered[0].call, answer, Micros{5})->runs;
    if (runs) (void)run.leave(entered[0].call, {CallStatus::kOk, "done"}, Micros{6});
    Result<Rejudged> const r = rejudge(runs_of(events), policy, &policy);
    ASSERT_TRUE(r.ok());
    EXPECT_TRUE(r->same()) << list(*r);
    EXPECT_EQ(r->same_calls, 3);
    EXPECT_EQ(r->recorded.calls, runs ? 1 : 0);
  }
}

}  // namespace
}  // namespace backedge
