// A recorded run with rules, stages and callbacks under its own policy, and under another.
#include <gtest/gtest.h>

#include "agent/rejudge.h"
#include "support/puppet.h"

namespace backedge {
namespace {

using agent::DifferenceKind;
using agent::Rejudged;
using test::calls;
using test::Puppet;
using test::says;

constexpr std::string_view kPolicy = R"([[route]]
name = "confirmed"
then = "reject"
tool = "send"
unless_seen = "confirm"
[[route]]
name = "long"
then = "raise"
over_steps = 3
max_turns = 9
[limits]
max_turns = 6
[stage.look]
tools = ["list", "confirm"]
turns = 3
next = "act"
[stage.act]
tools = ["send"]
turns = 4
)";

Puppet recorded(std::string_view policy) {
  Puppet p(policy);
  for (char const* const name : {"list", "confirm", "send"})
    p.plain_tool(name, [name](auto) { return ToolResult{CallStatus::kOk, name}; });
  return p;
}

Rejudged judge(Puppet& p, std::string_view policy) {
  Policy const own = *Policy::parse(p.setup().policy_text, "own");
  std::vector<std::span<talk::Event const>> const runs{p.events};
  return *agent::rejudge(runs, *Policy::parse(policy, "other"), &own);
}

RunResult play(Puppet& p) {
  std::vector<Reply> const script = {calls({{"list"}}),
                                     calls({{"send", R"({"n":1})"}}),
                                     calls({{"send", R"({"n":2})"}}),
                                     calls({{"send", R"({"n":3})"}}),
                                     says("that is all of it"),
                                     says("done")};
  return p.run("go", [&](Request const& q) { return script[static_cast<std::size_t>(q.turn - 1)]; });
}

TEST(RejudgeRouting, UnderItsOwnPolicyNothingDiffers) {
  Puppet p = recorded(kPolicy);
  (void)play(p);
  Rejudged const same = judge(p, kPolicy);
  EXPECT_TRUE(same.same()) << same.differences.front().now.code << " " << same.differences.front().why;
  EXPECT_EQ(same.not_replayed, 0) << "a view that was set back is replayed";
}

TEST(RejudgeRouting, ATurnThatFailedIsNoAnswer) {
  constexpr std::string_view kThree =
      "[stage.a]\nturns = 2\nnext = \"b\"\n[stage.b]\nturns = 2\nnext = \"c\"\n[stage.c]\nturns = 2\n";
  for (ErrorKind const kind : {ErrorKind::kCancelled, ErrorKind::kModel}) {
    Puppet p = recorded(kThree);
    (void)p.run("go", [kind](Request const& q) -> Result<Reply> {
      if (q.turn == 1) return says("the first part");
      return Error{kind, "the provider is down", {}};
    });
    Rejudged const same = judge(p, kThree);
    EXPECT_TRUE(same.same()) << same.differences.front().then.word << " " << same.differences.front().now.word;
  }
}

TEST(RejudgeRouting, ARuleThatWasNotThereHoldsBackWhatRan) {
  Puppet p = recorded("");
  (void)play(p);
  Rejudged const other = judge(p, "[[route]]\nname = \"confirmed\"\nthen = \"reject\"\ntool = \"send\"\n");
  EXPECT_EQ(other.refused_now, 3);
  ASSERT_EQ(other.differences.size(), 1U) << "one rule and one tool is one difference";
  EXPECT_EQ(other.differences.front().now.code, "route.confirmed");
}

TEST(RejudgeRouting, WithoutItsRulesWhatWasRefusedRunsAndTheRestIsUnknown) {
  Puppet p = recorded(kPolicy);
  (void)play(p);
  Rejudged const other = judge(p, "");
  EXPECT_EQ(other.differences.front().kind, DifferenceKind::kRunsNow);
}

TEST(RejudgeRouting, APlanThatGoesOnOrEndsWithAMessageIsADifference) {
  constexpr std::string_view kTwo = "[stage.a]\nturns = 2\nnext = \"b\"\n[stage.b]\nturns = 2\n";
  Puppet staged = recorded(kTwo);
  (void)staged.run("go", [&](Request const&) { return says("done"); });
  EXPECT_TRUE(judge(staged, kTwo).same());
  Rejudged const ends = judge(staged, "");
  EXPECT_EQ(ends.ends_earlier, 1);
  EXPECT_EQ(ends.saved.turns, 1);
  Puppet plain = recorded("");
  (void)plain.run("go", [&](Request const&) { return says("done"); });
  EXPECT_EQ(judge(plain, kTwo).ends_later, 1);
}

TEST(RejudgeRouting, WhatCallbacksSaidIsTakenFromTheRecord) {
  Puppet p = recorded("");
  p.setup().before_call = [](CallSight const& call) -> CallRoute {
    if (call.tool == "send") return {CallRouteWord::kReject, "host", "no"};
    return {};
  };
  p.setup().after_result = [](ResultSight const&) -> ResultRoute {
    return {ResultRouteWord::kFinal, "host", "enough", {}, 0};
  };
  (void)p.run("go", [&](Request const& q) -> Reply {
    if (!q.may_call) return says("done");
    return calls({{"list"}, {"send"}});
  });
  EXPECT_TRUE(judge(p, "").same());
}

}  // namespace
}  // namespace backedge
