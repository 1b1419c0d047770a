// Routing at the first level of the API: a loop of one's own under rules and stages.
#include <string>

#include <gtest/gtest.h>

#include "backedge/run.h"

namespace backedge {
namespace {

constexpr Micros kNow{1};

Run open(std::string const& toml) { return *Run::open(*Policy::parse(toml, "f")); }

TEST(RunRouting, ARuleRefusesInItsPlaceInTheOrderOfChecks) {
  backedge::Run run =
      open("[[route]]\nname = \"no\"\nthen = \"reject\"\ntool = \"rm\"\nhint = \"move it to the bin\"\n");
  Entered const refused = *run.enter(run.root(), Call{"rm", "{}", Gate::kDeny}, kNow);
  EXPECT_EQ(refused.code, "route.no") << "before the gate";
  EXPECT_NE(refused.text.find("move it to the bin"), std::string::npos);
  EXPECT_NE(refused.json.find("\"code\":\"route.no\""), std::string::npos) << refused.json;
  Call broken{"rm", "{}"};
  broken.fault = CallFault::kUnknownTool;
  broken.fault_text = "there is no tool named rm";
  EXPECT_EQ(run.enter(run.root(), broken, kNow)->code, "args.unknown_tool") << "after the arguments";
}

TEST(RunRouting, AWordOfTheHostCountsWhereNoRuleSpeaks) {
  backedge::Run run = open("[[route]]\nthen = \"allow\"\ntool = \"free\"\n");
  Call call{"free", "{}"};
  call.route = {CallRouteWord::kReject, "mine", "wait"};
  EXPECT_TRUE(run.enter(run.root(), call, kNow)->runs);
  call.tool = "other";
  EXPECT_EQ(run.enter(run.root(), call, kNow)->code, "route.mine");
}

TEST(RunRouting, WhatTheStageNamesRunsNearTheLimitToo) {
  std::string const limit = "[limits]\nmax_turns = 4\nconservative_at = 4\n";
  backedge::Run plain = open(limit);
  EXPECT_EQ(plain.enter(plain.root(), Call{"list", "{}"}, kNow)->code, "conservative");
  backedge::Run staged = open(limit + "[stage.a]\nturns = 3\ntools = \"list\"\n");
  ASSERT_TRUE(staged.enter_turn(staged.root(), {}, kNow)->goes());
  EXPECT_EQ(staged.stage(), "a");
  EXPECT_TRUE(staged.enter(staged.root(), Call{"list", "{}"}, kNow)->runs);
  EXPECT_EQ(staged.enter(staged.root(), Call{"read", "{}"}, kNow)->code, "stage.forbidden");
}

TEST(RunRouting, ObservedRulesAreReportedAndHoldNothingUp) {
  Policy const policy = Policy::parse(
                            "[[route]]\nname = \"no\"\nthen = \"reject\"\n[[route]]\nthen = \"stop\"\n"
                            "[stage.a]\nturns = 1\ntools = []\n",
                            "f")
                            ->observing(true);
  backedge::Run run = *Run::open(policy);
  for (int i = 0; i < 3; ++i) {
    Turn const turn = *run.enter_turn(run.root(), {}, kNow);
    EXPECT_EQ(turn.word, TurnWord::kGo);
    Entered const call = *run.enter(run.root(), Call{"rm", "{}"}, kNow);
    EXPECT_TRUE(call.runs);
    EXPECT_FALSE(call.code.empty());
    EXPECT_FALSE(call.rolls_back);
    EXPECT_EQ(run.leave(call.call, {CallStatus::kOk, "x"}, kNow)->route.word, ResultRouteWord::kPass);
    EXPECT_FALSE(run.standing(run.root())->stopped);
    (void)run.leave_turn(turn.id, {}, {}, true, kNow);
  }
}

TEST(RunRouting, ARouteThatFitsNothingIsAnError) {
  backedge::Run run = open("");
  EXPECT_EQ(run.route(FrameId{9}, {}, {ResultRouteWord::kFinal}, kNow).error().kind, ErrorKind::kState);
  EXPECT_EQ(run.route(run.root(), {}, {ResultRouteWord::kStage, {}, {}, "nowhere"}, kNow).error().kind,
            ErrorKind::kInput);
  ASSERT_TRUE(run.route(run.root(), {}, {ResultRouteWord::kFinal, "mine", "say it"}, kNow).ok());
  Turn const turn = *run.enter_turn(run.root(), {}, kNow);
  EXPECT_EQ(turn.word, TurnWord::kFinal);
  EXPECT_EQ(turn.code, "route.mine");
  EXPECT_NE(turn.text.find("say it"), std::string::npos) << turn.text;
}

}  // namespace
}  // namespace backedge
