// Before and after a turn: go, final or stop, and what of a parent's turns its children get.
#include <gtest/gtest.h>

#include "support/driver.h"

namespace backedge::kernel {
namespace {

using namespace std::chrono_literals;
using namespace support;  // NOLINT(google-build-using-namespace): the words of the tests

Settings max_turns(std::int64_t n) { return limited(Scope::kRun, Meter::kTurns, n); }

// ---------------------------------------------------------------------------------------------- max_turns

TEST(Turns, C1_TheLimitCountsRequestsTheFinalOneIncluded) {
  Driver d(max_turns(3));
  EXPECT_EQ(d.turns(4), (Texts{"go", "go", "final budget.turns 3/3", "stop budget.turns"}));
}

TEST(Turns, C1_ALimitOfOneKeepsItsTools) {
  Driver d(max_turns(1));
  EXPECT_EQ(d.turn(), "go");
  EXPECT_EQ(d.run(read("cat")), "run");
  EXPECT_EQ(d.turn(), "stop budget.turns 2/1");
}

TEST(Turns, C1_ALimitOfZeroMakesNoRequest) {
  Driver d(max_turns(0));
  EXPECT_EQ(d.turn(), "stop budget.turns 1/0");
}

TEST(Turns, C1_MinusOneIsNoLimit) {
  Driver d(max_turns(-1));
  EXPECT_EQ(d.turns(500), Texts(500, "go"));
  EXPECT_EQ(d.left(Meter::kTurns), -1);
}

TEST(Turns, C1_OddAndEvenLimitsEndInTheSamePoliteWay) {
  for (std::int64_t n = 2; n <= 13; ++n) {
    Driver d(max_turns(n));
    Texts const said = d.turns(static_cast<int>(n));
    EXPECT_EQ(Texts(said.begin(), said.end() - 1), Texts(static_cast<std::size_t>(n - 1), "go"));
    EXPECT_EQ(said.back(), "final budget.turns " + std::to_string(n) + "/" + std::to_string(n));
  }
}

TEST(Turns, C1_CallsHooksAndCompactionsNeverEatTurns) {
  Driver d(max_turns(3));
  for (int i = 0; i < 20; ++i) {
    d.run(read("tool " + std::to_string(i)));
    (void)d.kernel.compacted(d.root, {}, true);
    (void)d.kernel.hook_blocks(d.root, named(std::to_string(i)));
  }
  EXPECT_EQ(d.left(Meter::kTurns), 3);
  EXPECT_EQ(d.turn(), "go");
}

TEST(Turns, ACallAskedForInTheLastTurnIsRefusedAndTheFrameIsIncomplete) {
  Driver d(max_turns(2));
  EXPECT_EQ(d.turns(2), (Texts{"go", "final budget.turns 2/2"}));
  EXPECT_EQ(d.round(d.root, {read("a"), write("b")}), (Texts{"block budget.turns stop", "block budget.turns stop"}));
  EXPECT_EQ(d.kernel.standing(d.root).state, FrameState::kStopped);
  EXPECT_EQ(end_reason(d.kernel.standing(d.root).why), "max_turns");
}

TEST(Turns, ALastTurnWithoutCallsIsAnAnswerUnderPressure) {
  Driver d(max_turns(2));
  d.turns(2);
  FrameStanding const s = d.kernel.standing(d.root);
  EXPECT_EQ(s.state, FrameState::kFinal);
  EXPECT_EQ(s.why, Code::kBudgetTurns);
}

TEST(Turns, AfterTheLimitTheSessionTakesTheNextMessage) {
  Driver d(max_turns(2));
  d.turns(3);
  d.kernel.person_spoke(d.now);
  EXPECT_EQ(d.kernel.standing(d.root).state, FrameState::kWorking);
  EXPECT_EQ(d.kernel.standing(d.root).why, Code::kNone);
  EXPECT_EQ(d.turns(2), (Texts{"go", "final budget.turns 2/2"}));
}

TEST(Turns, AnAutomaticMessageBringsNoNewTurns) {
  Driver d(max_turns(2));
  d.turns(1);
  d.kernel.automatic_message();
  EXPECT_EQ(d.turn(), "final budget.turns 2/2");
}

TEST(Turns, TheSessionsTurnsGoOnOverMessages) {
  Settings s = max_turns(3);
  s.limits.at(Scope::kSession, Meter::kTurns) = {4, "test"};
  Driver d(s);
  EXPECT_EQ(d.turns(2), (Texts{"go", "go"}));
  d.kernel.person_spoke(d.now);
  EXPECT_EQ(d.turns(3), (Texts{"go", "final budget.turns 4/4 session", "stop budget.turns"}));
  d.kernel.person_spoke(d.now);
  EXPECT_EQ(d.turn(), "stop budget.turns 5/4 session");
}

TEST(Turns, TheFramesLimitNamesItself) {
  Settings s = max_turns(50);
  s.limits.at(Scope::kFrame, Meter::kTurns) = {2, "test"};
  Driver d(s);
  EXPECT_EQ(d.turns(2), (Texts{"go", "final budget.turns 2/2 frame"}));
}

TEST(Turns, ObservingSaysWhatWouldHaveBeenAndGoesOn) {
  Settings s = max_turns(2);
  s.ladder.observe = true;
  Driver d(s);
  EXPECT_EQ(d.turns(4), (Texts{"go", "final budget.turns 2/2 observed", "stop budget.turns 3/2 observed",
                               "stop budget.turns 4/2 observed"}));
}

TEST(Turns, AnotherWayToTheEndNamesItself) {
  Driver d(max_turns(50));
  d.times(4, read("ls"));
  EXPECT_EQ(d.turn(), "final repeat.exact");
  EXPECT_EQ(d.turn(), "stop repeat.exact");
}

// ---------------------------------------------------------------------------------------------- children

struct ShareRow {
  std::int64_t limit;               // of the root, one turn of it used
  std::vector<std::int64_t> asked;  // by the children of one round, in call order; -1: nothing asked
  std::vector<std::int64_t> granted;
};

TEST(Turns, B4_ChildrenOfARoundShareWhatIsLeftAndTheRemainderGoesInCallOrder) {
  ShareRow const rows[] = {
      {12, {-1}, {10}},  // left 11, one of it stays for the parent's answer
      {12, {-1, -1}, {5, 5}},
      {12, {-1, -1, -1}, {4, 3, 3}},
      {12, {-1, -1, -1, -1}, {3, 3, 2, 2}},
      {12, {2, -1, -1}, {2, 4, 4}},  // what one does not ask for is there for the others
      {12, {50}, {10}},              // never more than there is
      {12, {0, -1}, {0, 10}},
      {3, {-1}, {1}},
  };
  for (ShareRow const& row : rows) {
    Driver d(max_turns(row.limit));
    d.turn();
    std::vector<CallFacts> calls;
    for (std::size_t i = 0; i < row.asked.size(); ++i) calls.push_back(delegate("task", std::to_string(i)));
    std::vector<CallVerdict> const round = d.enter(d.root, calls);
    std::vector<std::int64_t> granted;
    for (std::size_t i = 0; i < round.size(); ++i) {
      ASSERT_EQ(text(round[i]), "run");
      FrameId const child = d.open(round[i].call, "agent " + std::to_string(i), row.asked[i]);
      granted.push_back(d.left(child, Meter::kTurns));
    }
    EXPECT_EQ(granted, row.granted) << row.limit;
    EXPECT_GE(d.left(Meter::kTurns), 1) << "the parent can still answer";
  }
}

TEST(Turns, B4_UnspentTurnsReturnAtTheClose) {
  Driver d(max_turns(12));
  d.turn();
  FrameId const child = d.open(d.root, delegate("task"), "helper");
  EXPECT_EQ(d.left(child, Meter::kTurns), 10);
  EXPECT_EQ(d.left(Meter::kTurns), 1);
  d.turns(3, child);
  (void)d.leave(d.last);
  EXPECT_EQ(d.left(Meter::kTurns), 8) << "1 + 3 of 12 are spent";
}

TEST(Turns, B4_AGrandchildsTurnsComeOutOfTheSameTwelve) {
  Driver d(max_turns(12));
  d.turn();
  FrameId const child = d.open(d.root, delegate("task", "1"), "a");
  CallId const first = d.last;
  d.turn(child);
  FrameId const grandchild = d.open(child, delegate("task", "2"), "b");
  EXPECT_EQ(d.left(grandchild, Meter::kTurns), 8);
  d.turns(8, grandchild);
  EXPECT_EQ(d.turn(grandchild), "stop budget.turns");
  (void)d.leave(first);
  EXPECT_EQ(d.left(Meter::kTurns), 2)
      << "1 + 1 + 8 of 12 are spent, also when the child closes with everything below it";
}

TEST(Turns, B4_AChildsLimitEndsTheChildAlone) {
  Driver d(max_turns(12));
  d.turn();
  std::vector<CallVerdict> const round = d.enter(d.root, {delegate("task", "1"), delegate("task", "2")});
  FrameId const a = d.open(round[0].call, "a", 1);
  FrameId const b = d.open(round[1].call, "b", 4);
  EXPECT_EQ(d.turns(2, a), (Texts{"go", "stop budget.turns 2/1"}));
  EXPECT_EQ(d.turn(b), "go");
  (void)d.leave(round[0].call, error("out of turns"));
  EXPECT_EQ(d.turn(), "go");
}

TEST(Turns, NoMoreAgentsThanThereAreTurnsForThem) {
  Driver d(max_turns(4));
  d.turn();
  EXPECT_EQ(d.round(d.root, {delegate("task", "1"), delegate("task", "2"), delegate("task", "3"), read("cat")}),
            (Texts{"run", "run", "block budget.turns 2/4", "run"}));
}

TEST(Turns, AChildCannotAskForFewerThanNoTurns) {
  Driver d(max_turns(12));
  d.turn();
  FrameId const child = d.open(d.root, delegate("task"), "helper", -7);
  EXPECT_EQ(d.left(child, Meter::kTurns), 10) << "asking for nothing in particular";
  EXPECT_EQ(d.left(Meter::kTurns), 1);
}

TEST(Turns, ChildrenOfAnUnlimitedParentHaveWhatTheyAskFor) {
  Driver d(max_turns(-1));
  d.turn();
  EXPECT_EQ(d.left(d.open(d.root, delegate("task", "1"), "a"), Meter::kTurns), -1);
  FrameId const b = d.open(d.root, delegate("task", "2"), "b", 2);
  EXPECT_EQ(d.turns(3, b), (Texts{"go", "final budget.turns 2/2", "stop budget.turns"}));
}

// ---------------------------------------------------------------------------------------------- conservative mode

struct ConservativeRow {
  std::int64_t limit;
  std::int64_t configured;  // -1: by itself
  std::int64_t from;        // turns left from which only known tools run; 0: never
};

TEST(Turns, C4_NearTheLimitOnlyToolsThatWorkedRun) {
  ConservativeRow const rows[] = {{50, -1, 3}, {12, -1, 3}, {11, -1, 2}, {8, -1, 2}, {7, -1, 1}, {4, -1, 1},
                                  {3, -1, 0},  {12, 5, 5},  {12, 0, 0},  {3, 2, 2},  {-1, -1, 0}};
  for (ConservativeRow const& row : rows) {
    Settings s = max_turns(row.limit);
    s.limits.conservative_at = row.configured;
    Driver d(s);
    d.run(read("known"));
    std::int64_t const most = row.limit == -1 ? 40 : row.limit - 1;
    for (std::int64_t turn = 1; turn <= most; ++turn) {
      ASSERT_EQ(d.turn(), "go");
      std::int64_t const rest = row.limit == -1 ? 1000 : row.limit - turn;
      std::string const fresh = d.run(read("tool " + std::to_string(turn)));
      if (rest > row.from) {
        EXPECT_EQ(fresh, "run") << row.limit << " at " << turn;
      } else {
        EXPECT_EQ(fresh, "block conservative " + std::to_string(rest) + "/" + std::to_string(row.from))
            << row.limit << " at " << turn;
      }
      EXPECT_EQ(d.run(read("known", std::to_string(turn)), ok(std::to_string(turn))), "run");
    }
  }
}

TEST(Turns, C4_TheLimitOfTheFrameCountsWhenItIsTheSmaller) {
  Settings s = max_turns(50);
  s.limits.at(Scope::kFrame, Meter::kTurns) = {4, "test"};
  s.limits.conservative_at = -1;
  Driver d(s);
  Texts said;
  for (int i = 0; i < 3; ++i) {
    d.turn();
    said.push_back(d.run(read("tool " + std::to_string(i))));
  }
  EXPECT_EQ(said, (Texts{"run", "run", "block conservative 1/1"}));
}

TEST(Turns, C4_AToolThatFailedHasNotWorkedAndAMessageForgetsWhatDid) {
  Settings s = max_turns(4);
  s.limits.conservative_at = 3;
  Driver d(s);
  d.run(read("good"));
  d.run(read("bad"), error());
  d.turn();
  EXPECT_EQ(d.run(read("good", "again")), "run");
  EXPECT_EQ(d.run(read("bad", "again")), "block conservative 3/3");
  d.kernel.person_spoke(d.now);
  d.turn();
  EXPECT_EQ(d.run(read("good", "once more")), "block conservative 3/3");
}

// ---------------------------------------------------------------------------------------------- tokens

TEST(Turns, ATurnReservesTheLastInputOrTheEstimateAndTheMostItMayWrite) {
  Driver d(limited(Scope::kRun, Meter::kTokens, 10'000));
  TurnVerdict const first = d.kernel.enter_turn(d.root, {.input_tokens = 1'000, .output_tokens = 500}, d.now);
  EXPECT_EQ(d.left(Meter::kTokens), 8'500);
  (void)d.kernel.leave_turn(first.turn, {.input_tokens = 1'200, .output_tokens = 100}, d.now);
  EXPECT_EQ(d.left(Meter::kTokens), 8'700);
  TurnVerdict const second = d.kernel.enter_turn(d.root, {.input_tokens = 300, .output_tokens = 500}, d.now);
  EXPECT_EQ(d.left(Meter::kTokens), 7'000) << "the last request had 1,200";
  (void)d.kernel.leave_turn(second.turn, {.input_tokens = 1'300, .output_tokens = 100}, d.now);
  EXPECT_EQ(d.left(Meter::kTokens), 7'300);
}

TEST(Turns, TheLastTurnThatTheTokensAllowIsTheAnswerAndTheNextIsNone) {
  Driver d(limited(Scope::kRun, Meter::kTokens, 5'000));
  TurnAsk const ask{.input_tokens = 1'000, .output_tokens = 800};
  TurnSpent const spent{.input_tokens = 1'000, .output_tokens = 800, .has_calls = true};
  EXPECT_EQ(d.turn(d.root, ask, spent), "go");
  EXPECT_EQ(d.turn(d.root, ask, spent), "final budget.tokens 5400/5000");
  EXPECT_EQ(d.turn(d.root, ask, spent), "stop budget.tokens");
  Driver small(limited(Scope::kRun, Meter::kTokens, 1'000));
  EXPECT_EQ(small.turn(small.root, ask, spent), "stop budget.tokens 1800/1000");
}

TEST(Turns, TokensExceedAtMostByWhatATurnInFlightUsedBeyondItsReservation) {
  Driver d(limited(Scope::kRun, Meter::kTokens, 3'000));
  TurnVerdict const v = d.kernel.enter_turn(d.root, {.input_tokens = 500, .output_tokens = 500}, d.now);
  (void)d.kernel.leave_turn(v.turn, {.input_tokens = 2'900, .output_tokens = 400}, d.now);
  EXPECT_EQ(d.left(Meter::kTokens), 0);
  EXPECT_EQ(d.turn(d.root, {.input_tokens = 1}).substr(0, 18), "stop budget.tokens");
}

TEST(Turns, TokensOfTheRunStartAgainAtAPersonsMessageAndThoseOfTheSessionDoNot) {
  Settings s = limited(Scope::kRun, Meter::kTokens, 4'000);
  s.limits.at(Scope::kSession, Meter::kTokens) = {6'000, "test"};
  Driver d(s);
  TurnAsk const ask{.input_tokens = 1'000, .output_tokens = 100};
  TurnSpent const spent{.input_tokens = 1'000, .output_tokens = 100, .has_calls = true};
  EXPECT_EQ(d.turn(d.root, ask, spent), "go");
  EXPECT_EQ(d.left(Meter::kTokens), 2'900);
  d.kernel.person_spoke(d.now);
  EXPECT_EQ(d.left(Meter::kTokens), 4'000);
  EXPECT_EQ(d.turn(d.root, ask, spent), "go");
  EXPECT_EQ(d.turn(d.root, ask, spent), "go");
  d.kernel.person_spoke(d.now);
  EXPECT_EQ(d.left(Meter::kTokens), 2'700) << "6,000 of the session less three turns";
}

TEST(Turns, ATurnInFlightAtAPersonsMessageIsBookedToTheNewRun) {
  Driver d(limited(Scope::kRun, Meter::kTokens, 4'000));
  TurnVerdict const v = d.kernel.enter_turn(d.root, {.input_tokens = 1'000, .output_tokens = 100}, d.now);
  d.kernel.person_spoke(d.now);
  EXPECT_EQ(d.left(Meter::kTokens), 2'900);
  (void)d.kernel.leave_turn(v.turn, {.input_tokens = 1'000, .output_tokens = 0}, d.now);
  EXPECT_EQ(d.left(Meter::kTokens), 3'000);
}

// ---------------------------------------------------------------------------------------------- money

constexpr std::int64_t kCent = 10'000'000;  // nano-USD

TEST(Turns, MoneyIsReservedLikeTokens) {
  Driver d(limited(Scope::kRun, Meter::kCost, 10 * kCent));
  TurnAsk const ask{.cost_nano = 4 * kCent};
  TurnSpent const spent{.cost_nano = 3 * kCent, .has_calls = true};
  EXPECT_EQ(d.turn(d.root, ask, spent), "go");
  EXPECT_EQ(d.left(Meter::kCost), 7 * kCent);
  EXPECT_EQ(d.turn(d.root, ask, spent).substr(0, 17), "final budget.cost");
  EXPECT_EQ(d.left(Meter::kCost), 4 * kCent);
}

TEST(Turns, UnpricedUnderAMoneyLimitIsRefusedUnlessItIsAllowed) {
  Settings s = limited(Scope::kRun, Meter::kCost, 10 * kCent);
  EXPECT_EQ(Driver(s).turn(FrameId{1}, {.priced = false}), "stop budget.cost");
  s.limits.allow_unpriced = true;
  EXPECT_EQ(Driver(s).turn(FrameId{1}, {.priced = false}), "go");
  EXPECT_EQ(Driver().turn(FrameId{1}, {.priced = false}), "go") << "nobody asked for a limit on money";
}

// ---------------------------------------------------------------------------------------------- time

TEST(Turns, AfterItsTimeTheNextTurnIsTheAnswer) {
  Driver d(limited(Scope::kRun, Meter::kTime, 60'000'000));
  EXPECT_EQ(d.turn(), "go");
  d.now = 59s;
  EXPECT_EQ(d.turn(), "go");
  EXPECT_EQ(d.left(Meter::kTime), 1'000'000);
  d.now = 60s;
  EXPECT_EQ(d.turn(), "final budget.time 60000000/60000000");
  EXPECT_EQ(d.turn(), "stop budget.time");
}

TEST(Turns, WaitingForPeopleCostsNoTime) {
  Driver d(limited(Scope::kRun, Meter::kTime, 60'000'000));
  d.now = 10s;
  (void)d.enter(d.root, {gated(write("a"), GateOpinion::kAsk), gated(write("b"), GateOpinion::kAsk)});
  d.now = 1000s;
  EXPECT_EQ(d.left(Meter::kTime), 50'000'000) << "two are asked at the same time, which is one wait";
  (void)d.answer(CallId{1}, Permission::kAllow);
  d.now = 2000s;
  EXPECT_EQ(d.left(Meter::kTime), 50'000'000) << "the second is still asked";
  (void)d.answer(CallId{2}, Permission::kTimeout);
  d.now = 2020s;
  EXPECT_EQ(d.left(Meter::kTime), 30'000'000);
  EXPECT_EQ(d.turn(), "go");
}

TEST(Turns, AnAskedCallThatEndsWithItsFrameEndsTheWait) {
  Driver d(limited(Scope::kRun, Meter::kTime, 60'000'000));
  FrameId const child = d.open(d.root, delegate("task"), "helper");
  CallId const opener = d.last;
  (void)d.enter(child, {gated(write("a"), GateOpinion::kAsk)});
  d.now = 1000s;
  (void)d.leave(opener);
  d.now = 1010s;
  EXPECT_EQ(d.left(Meter::kTime), 50'000'000);
}

TEST(Turns, ThePersonsMessageStartsTheClockAnew) {
  Driver d(limited(Scope::kRun, Meter::kTime, 60'000'000));
  d.now = 100s;
  d.kernel.person_spoke(d.now);
  EXPECT_EQ(d.left(Meter::kTime), 60'000'000);
}

// ---------------------------------------------------------------------------------------------- the model's own text

TEST(Turns, ATextThatRunsInCirclesEndsTheFrame) {
  Driver d;
  TurnSpent spent;
  spent.text.message = named("I cannot.");
  for (int i = 0; i < 3; ++i) {
    TurnVerdict const v = d.kernel.enter_turn(d.root, {}, d.now);
    EXPECT_EQ(text(d.kernel.leave_turn(v.turn, spent, d.now)), "go");
  }
  TurnVerdict const v = d.kernel.enter_turn(d.root, {}, d.now);
  TurnVerdict const said = d.kernel.leave_turn(v.turn, spent, d.now);
  EXPECT_EQ(text(said), "stop repeat.text 4/4");
  EXPECT_EQ(said.evidence.frame, d.root);
  EXPECT_EQ(d.turn(), "stop repeat.text");
}

TEST(Turns, ATurnThatEndsNamesItsFrameWhateverIsSaidOfIt) {
  Driver d;
  FrameId const child = d.open(d.root, delegate("task"), "helper");
  TurnVerdict const v = d.kernel.enter_turn(child, {}, d.now);
  EXPECT_EQ(d.kernel.leave_turn(v.turn, {}, d.now).evidence.frame, child);
}

TEST(Turns, ATurnMayOutliveItsFrameAndIsStillBooked) {
  Driver d(limited(Scope::kRun, Meter::kTokens, 1'000));
  FrameId const child = d.open(d.root, delegate("task"), "helper");
  CallId const opener = d.last;
  TurnVerdict const v = d.kernel.enter_turn(child, {.input_tokens = 100}, d.now);
  (void)d.leave(opener);
  EXPECT_FALSE(d.kernel.has_frame(child));
  EXPECT_TRUE(d.kernel.has_turn(v.turn));
  (void)d.kernel.leave_turn(v.turn, {.input_tokens = 150}, d.now);
  EXPECT_EQ(d.left(Meter::kTokens), 850);
}

}  // namespace
}  // namespace backedge::kernel
