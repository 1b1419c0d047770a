// Choosing among candidates, on runs whose judge is written by hand.
#include "suggest/suggest.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "embed/policy_state.h"

namespace backedge::suggest {
namespace {

struct Made {
  char const* tool;
  char const* arguments;
  char const* result;
  char const* status = "ok";
};

/// What [repeat] exact says; 0: off.
std::int64_t exact_of(Policy const& policy) {
  kernel::SharedSettings const settings = embed::PolicyState::settings(policy);
  return settings->repeat.exact;
}

/// A policy holds back a call that is the `most`-th equal one or a later one, `most` being what `repeat.exact` says.
Subject subject(std::string name, std::vector<Made> const& calls, bool finished = false) {
  Subject out;
  out.name = std::move(name);
  out.finished = finished;
  out.tree.frames.emplace_back();
  std::vector<int> nth;
  for (Made const& made : calls) {
    graph::Call call;
    call.id = static_cast<std::uint32_t>(out.tree.calls.size()) + 1;
    call.frame = 0;
    call.tool = made.tool;
    call.arguments = {made.arguments, 1, true};
    call.result = {made.result, 1, true};
    call.status = made.status;
    call.verdict.word = "run";
    int same = 1;
    for (graph::Call const& before : out.tree.calls)
      same += before.tool == call.tool && before.arguments.text == call.arguments.text ? 1 : 0;
    nth.push_back(same);
    out.tree.frames[0].calls.push_back(static_cast<std::uint32_t>(out.tree.calls.size()));
    out.tree.calls.push_back(call);
  }
  out.judge = [nth](Policy const& policy) -> Result<Held> {
    Held held;
    std::int64_t const most = exact_of(policy);
    for (std::uint32_t i = 0; i < nth.size(); ++i) {
      if (most > 0 && nth[i] >= most) held.calls.insert(i);
    }
    held.tokens = 100 * std::ssize(held.calls);
    return held;
  };
  return out;
}

Policy const kOpen = *Policy::parse("[repeat]\nexact = false\n", "open");

bool takes(Suggestions const& all, std::string const& toml) {
  return std::any_of(all.taken.begin(), all.taken.end(),
                     [&](Suggestion const& one) { return toml_of(one.candidate.settings) == toml; });
}

TEST(Suggest, TakesWhatStopsCallsInVainAndCountsThem) {
  std::vector<Subject> const given{subject("run a", std::vector<Made>(5, {"look", "{}", "A"}))};
  std::vector<Subject> const others{subject("run b", {{"look", "{}", "A"}}, true)};
  Result<Suggestions> const all = suggest(given, others, kOpen);
  ASSERT_TRUE(all);
  EXPECT_TRUE(takes(*all, "[repeat]\nexact = 2\n")) << toml_report(*all, given, others);
  EXPECT_EQ(all->together.caught.size(), 4u);
  EXPECT_EQ(all->together.tokens, 400);
  EXPECT_TRUE(all->together.wrong.empty());
  EXPECT_EQ(all->given_calls, 5);
  EXPECT_EQ(all->other_calls, 1);
  EXPECT_EQ(all->other_runs, 1);
}

TEST(Suggest, WhatBroughtSomethingInTheGivenRunItselfIsAWrongCatchAlsoWithoutOtherRuns) {
  // It waits until the third answer, and then asks four times for nothing.
  std::vector<Made> calls(2, {"status", "{}", "busy"});
  calls.push_back({"status", "{}", "ready"});
  for (int i = 0; i < 4; ++i) calls.push_back({"status", "{}", "ready"});
  std::vector<Subject> const given{subject("run a", calls)};
  Result<Suggestions> const all = suggest(given, {}, kOpen);
  ASSERT_TRUE(all);
  EXPECT_FALSE(takes(*all, "[repeat]\nexact = 2\n"));
  EXPECT_FALSE(takes(*all, "[repeat]\nexact = 3\n"));
  EXPECT_TRUE(takes(*all, "[repeat]\nexact = 4\n")) << toml_report(*all, given, {});
  EXPECT_TRUE(all->together.wrong.empty());
  std::string const said = toml_report(*all, given, {});
  EXPECT_NE(said.find("would have wrongly caught 0 of 7"), std::string::npos) << said;
  EXPECT_NE(said.find("held only against what the given runs brought"), std::string::npos) << said;
}

TEST(Suggest, WhatWouldHaveStoppedAnotherRunThatFinishedIsToldAndNotTaken) {
  std::vector<Subject> const given{subject("run a", {{"look", "{}", "A"}, {"look", "{}", "A"}})};
  std::vector<Subject> const others{subject("run b", {{"look", "{}", "A"}, {"look", "{}", "B"}}, true)};
  Result<Suggestions> const all = suggest(given, others, kOpen);
  ASSERT_TRUE(all);
  EXPECT_FALSE(takes(*all, "[repeat]\nexact = 2\n"));
  std::string const said = toml_report(*all, given, others);
  EXPECT_NE(said.find("# exact = 2\n"), std::string::npos) << said;
  EXPECT_NE(said.find("wrongly: run b call 2"), std::string::npos) << said;
  EXPECT_TRUE(Policy::parse(said, "x")) << said;
}

TEST(Suggest, WithNothingInVainThereIsNothingToSuggestAndAJudgeThatFailsIsToldOf) {
  std::vector<Subject> given{subject("run a", {{"look", "{}", "A"}, {"look", "{ }", "B"}}, true)};
  Result<Suggestions> const none = suggest(given, {}, kOpen);
  ASSERT_TRUE(none);
  EXPECT_TRUE(none->taken.empty());
  EXPECT_NE(toml_report(*none, given, {}).find("nothing to suggest for 1 run"), std::string::npos);
  given[0].judge = [](Policy const&) -> Result<Held> { return Error{ErrorKind::kInput, "cannot be read", {}}; };
  Result<Suggestions> const broken = suggest(given, {}, kOpen);
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().text(), "cannot be read");
}

}  // namespace
}  // namespace backedge::suggest
