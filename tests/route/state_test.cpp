// Rules and stages by themselves: what they remember, and what bounds them.
#include "route/state.h"

#include <set>
#include <string>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "base/hash.h"
#include "policy/table.h"

namespace backedge::route {
namespace {

std::shared_ptr<Rules const> rules(std::string const& toml) {
  policy::Reading const reading = policy::read(toml, "f");
  for (Error const& error : reading.errors) ADD_FAILURE() << error.text();
  return *Rules::compile(reading.table);
}

constexpr FrameId kRoot{1};

/// A state and a world that calls it.
struct World {
  explicit World(std::string const& toml) : state(rules(toml), false) {}

  CallAsked call(std::string_view tool, std::string_view arguments, FrameId frame = kRoot) const {
    return {frame, frame == kRoot, "", tool, arguments, digest_name(std::string(tool) + std::string(arguments)), true};
  }
  /// One call as a round of its own.
  CallAnswer ask(std::string_view tool, std::string_view arguments = "{}", FrameId frame = kRoot) {
    state.begin_round(frame);
    return state.ask(call(tool, arguments, frame));
  }
  ResultAnswer gives(std::string_view tool, std::string_view text, CallStatus status = CallStatus::kOk,
                     std::string_view arguments = "{}") {
    return state.ask(ResultAsked{call(tool, arguments), CallId{++last}, status, text.empty(), text, false});
  }

  State state;
  std::uint32_t last = 0;
};

using Word = CallAnswer::Word;

TEST(State, ArgumentsAreComparedAsValuesAndWhatIsNotThereFails) {
  World w(
      "[[route]]\nthen = \"reject\"\nwhere = [{ pointer = \"/n\", equals = 3 }, { pointer = \"/a~1b/0\", regex = "
      "\"^x\" }]\n");
  EXPECT_EQ(w.ask("t", R"({"n":3,"a/b":["xyz"]})").word, Word::kReject);
  EXPECT_EQ(w.ask("t", R"({"n":"3","a/b":["xyz"]})").word, Word::kReject);
  EXPECT_EQ(w.ask("t", R"({"n":3,"a/b":["y"]})").word, Word::kNone);
  EXPECT_EQ(w.ask("t", R"({"n":3})").word, Word::kNone);
  EXPECT_EQ(w.ask("t", R"({"n":{},"a/b":["x"]})").word, Word::kNone);
  EXPECT_EQ(w.ask("t", "no json").word, Word::kNone);
}

TEST(State, AToolInARowIsCountedInRoundsAndPerAgent) {
  World w("[[route]]\nthen = \"reject\"\nin_row = 3\n");
  EXPECT_EQ(w.ask("a").word, Word::kNone);
  w.state.begin_round(kRoot);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(w.state.ask(w.call("a", "{}")).word, Word::kNone) << "a round counts once";
  EXPECT_EQ(w.ask("a", "{}", FrameId{2}).word, Word::kNone);
  EXPECT_EQ(w.ask("a").word, Word::kReject);
  EXPECT_EQ(w.ask("a").word, Word::kReject) << "refused calls count";
  EXPECT_EQ(w.ask("b").word, Word::kNone);
  EXPECT_EQ(w.ask("a").word, Word::kNone);
}

TEST(State, ErrorIsWhatTheToolSaidAndNotAWordInItsResult) {
  World w("[[route]]\nthen = \"note\"\nerror = true\nhint = \"h\"\n");
  EXPECT_FALSE(w.gives("t", "error: fatal error").spoken);
  EXPECT_TRUE(w.gives("t", "all is well", CallStatus::kError).spoken);
  EXPECT_TRUE(w.gives("t", "", CallStatus::kTimeout).spoken);
  EXPECT_FALSE(w.gives("t", "", CallStatus::kCancelled).spoken);
}

TEST(State, TimesCountsOneToolWithinTheLastRounds) {
  World w("[[route]]\nthen = \"note\"\nempty = true\ntimes = 2\nrounds = 2\nhint = \"h\"\n");
  auto const round = [&](std::string_view tool, std::string_view text) {
    w.state.begin_round(kRoot);
    return w.gives(tool, text).spoken;
  };
  EXPECT_FALSE(round("a", ""));
  EXPECT_FALSE(round("b", ""));
  EXPECT_FALSE(round("a", "")) << "two rounds ago";
  EXPECT_TRUE(round("a", ""));
  EXPECT_FALSE(round("a", "text"));
}

TEST(State, ResultsAreTestedAsJsonAndBySize) {
  World w(
      "[[route]]\nname = \"j\"\nthen = \"final\"\nresult = [{ pointer = \"/ok\", equals = true }]\n"
      "[[route]]\nname = \"l\"\nthen = \"truncate\"\nover_size = 3\n");
  EXPECT_EQ(w.gives("t", R"({"ok":true})").route.name, "j");
  EXPECT_EQ(w.gives("t", R"({"ok":false})").route.name, "l");
  EXPECT_FALSE(w.gives("t", "äöü").spoken) << "characters, not bytes";
  EXPECT_EQ(w.gives("t", "äöüß").route.word, ResultRouteWord::kTruncate);
  EXPECT_EQ(w.gives("t", "äöüß").route.size, 3000);
}

TEST(State, ARunThatBeginsRemembersNothing) {
  World w("[[route]]\nthen = \"reject\"\ntool = \"b\"\nunless_seen = \"a\"\n");
  EXPECT_EQ(w.ask("b").word, Word::kReject);
  (void)w.gives("a", "x");
  EXPECT_EQ(w.ask("b").word, Word::kNone);
  w.state.restart();
  EXPECT_EQ(w.ask("b").word, Word::kReject);
}

TEST(State, RaiseAndRetryActOnce) {
  World w("[[route]]\nthen = \"raise\"\nmax_turns = 20\n[[route]]\nthen = \"retry\"\n[[route]]\nthen = \"pass\"\n");
  EXPECT_EQ(w.gives("t", "x").route.word, ResultRouteWord::kRaise);
  EXPECT_EQ(w.gives("t", "x").route.word, ResultRouteWord::kRetry);
  EXPECT_EQ(w.gives("t", "x").route.word, ResultRouteWord::kPass);
}

TEST(State, OfTwoRulesTheFirstThatMatchesWinsWhateverIsStricter) {
  bool const held = rc::check("pairs", [] {
    std::string const words[] = {"allow", "reject", "ask", "reuse"};
    std::string const first = words[*rc::gen::inRange(0, 3)];  // reuse gives way when there is nothing to give back
    std::string const second = words[*rc::gen::inRange(0, 4)];
    World w("[[route]]\nname = \"one\"\nthen = \"" + first + "\"\n[[route]]\nname = \"two\"\nthen = \"" + second +
            "\"\n");
    CallAnswer const answer = w.ask("t");
    Word const expected = first == "allow" ? Word::kAllow : first == "ask" ? Word::kAsk : Word::kReject;
    RC_ASSERT(answer.word == expected);
    RC_ASSERT(answer.code == (first == "allow" ? "" : "route.one"));
  });
  EXPECT_TRUE(held);
}

// ---------------------------------------------------------------------------------------------- stages

struct AnyPlan {
  std::string toml;
  std::int64_t sum = 0;
  int stages = 0;
};

AnyPlan any_plan() {
  AnyPlan out;
  out.stages = *rc::gen::inRange(1, 6);
  for (int i = 0; i < out.stages; ++i) {
    int const turns = *rc::gen::inRange(1, 5);
    out.sum += turns;
    out.toml += "[stage.s" + std::to_string(i) + "]\nturns = " + std::to_string(turns) + "\n";
    if (i + 1 < out.stages) out.toml += "next = \"s" + std::to_string(i + 1) + "\"\n";
    if (*rc::gen::inRange(0, 3) == 0) out.toml += "tools = [\"a\"]\n";
    if (*rc::gen::inRange(0, 4) == 0)
      out.toml += *rc::gen::arbitrary<bool>() ? "if_seen = \"a\"\n" : "unless_seen = \"a\"\n";
    if (*rc::gen::inRange(0, 5) == 0) out.toml += "ends = true\n";
  }
  return out;
}

TEST(Plan, TakesNoMoreTurnsThanTheSumOfItsBudgetsHoweverItMoves) {
  bool const held = rc::check("plans", [] {
    AnyPlan const plan = any_plan();
    World w(plan.toml);
    std::int64_t turns = 0;
    for (bool over = false; !over && turns < 1000;) {
      TurnAnswer const turn = w.state.before_turn();
      ++turns;
      w.state.turn_taken();
      if (turn.last) break;  // whatever comes, it is the answer
      switch (*rc::gen::inRange(0, 4)) {
        case 0: over = !w.state.answered(); break;
        case 1: (void)w.state.go_to("s" + std::to_string(*rc::gen::inRange(0, plan.stages))); break;
        case 2: (void)w.gives("a", "x"); break;
        default: (void)w.ask(*rc::gen::arbitrary<bool>() ? "a" : "b"); break;
      }
    }
    RC_ASSERT(turns <= plan.sum);
  });
  EXPECT_TRUE(held);
}

TEST(Plan, AStageWhoseConditionFailsIsPassedOver) {
  World w(
      "[stage.a]\nturns = 1\nnext = \"b\"\n[stage.b]\nturns = 5\nif_seen = \"x\"\nnext = \"c\"\n[stage.c]\nturns = "
      "1\n");
  EXPECT_EQ(w.state.before_turn().moves.front().to, "a");
  w.state.turn_taken();
  TurnAnswer const next = w.state.before_turn();
  ASSERT_EQ(next.moves.size(), 1U);
  EXPECT_EQ(next.moves.front().to, "c");
  EXPECT_TRUE(next.last);
}

TEST(Plan, TheSecondForbiddenCallInARowSetsTheViewBackOnce) {
  World w("[stage.a]\nturns = 9\ntools = [\"ok\"]\n");
  (void)w.state.before_turn();
  EXPECT_FALSE(w.ask("x").rolls_back);
  w.state.begin_round(kRoot);
  EXPECT_TRUE(w.state.ask(w.call("x", "{}")).rolls_back);
  EXPECT_FALSE(w.state.ask(w.call("y", "{}")).rolls_back) << "in the same message";
  EXPECT_FALSE(w.ask("x").rolls_back) << "counted anew";
  EXPECT_EQ(w.ask("ok").word, Word::kNone);
  EXPECT_FALSE(w.ask("x").rolls_back);
  EXPECT_TRUE(w.ask("x").rolls_back);
  EXPECT_EQ(w.ask("x", "{}", FrameId{2}).word, Word::kNone) << "stages are the root's";
}

}  // namespace
}  // namespace backedge::route
