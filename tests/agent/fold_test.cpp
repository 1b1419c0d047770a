// A session folded from its record stands where the recorded one stood.

#include "agent/fold.h"

#include <map>

#include <gtest/gtest.h>

#include "support/puppet.h"

namespace backedge {
namespace {

using test::calls;
using test::Puppet;
using test::says;

std::string const kRun(32, 'a');

agent::TextOf texts_of(std::vector<talk::Event> const& events) {
  auto all = std::make_shared<std::map<std::string, std::string, std::less<>>>();
  for (talk::Event const& e : events)
    for (RawText const& raw : e.raws) all->emplace(raw.sha256, raw.text);
  return [all](std::string_view sha) {
    auto const at = all->find(sha);
    return at == all->end() ? std::string() : at->second;
  };
}

// Tools, an agent function, a refusal, a limit, a cut message, a failing model.
void prepare(Puppet& p) {
  p.plain_tool("look", [](std::string_view a) { return ToolResult{CallStatus::kOk, "saw " + std::string(a)}; });
  p.plain_tool("fail", [](std::string_view) { return ToolResult::error("it broke"); });
  p.function({.name = "child", .about = "helps", .max_turns = 3});
}

Result<Reply> eventful(Request const& q) {
  if (q.agent == "child") {
    if (q.turn == 3) return says("child is ready");
    return calls({{"look", R"({"c":)" + std::to_string(q.turn) + "}"}});
  }
  if (q.turn == 1) return calls({{"look", R"({"a":1})"}, {"child", R"({"task":"one two three"})"}, {"fail"}});
  if (q.turn == 2) return calls({{"look", R"({"a":2})"}, {"look", R"({"b)"}}, "long", "max_tokens");
  if (q.turn == 3) return calls({{"nowhere"}});
  return says("done");
}

TEST(Fold, AFinishedRunIsBroughtBackWhole) {
  Puppet p("[limits]\nmax_turns = 20\n");
  prepare(p);
  EXPECT_EQ(p.run("go", eventful).answer, "done");
  Puppet other("[limits]\nmax_turns = 20\n");
  prepare(other);
  Result<std::vector<talk::Event>> const folded = agent::fold(other.session(), kRun, p.events, texts_of(p.events));
  ASSERT_TRUE(folded.ok()) << folded.error().text();
  EXPECT_EQ(other.session().messages(other.session().root()), p.session().messages(p.session().root()));
  EXPECT_EQ(other.session().graph_json(), p.session().graph_json());
  EXPECT_TRUE(other.session().idle());
}

TEST(Fold, ARunWhoseRecordLacksOnlyItsEndEndsWhenItIsResumed) {
  Puppet p;
  prepare(p);
  (void)p.run("go", eventful);
  Puppet other;
  prepare(other);
  std::span<talk::Event const> const cut(p.events.data(), p.events.size() - 1);
  ASSERT_TRUE(agent::fold(other.session(), kRun, cut, texts_of(p.events)).ok());
  EXPECT_FALSE(other.session().running());
  RunResult const r = other.go_on(agent::Resumed{}, eventful);
  EXPECT_EQ(r.end, RunEnd::kFinished);
  EXPECT_EQ(r.answer, "done");
}

TEST(Fold, EveryPrefixOfARecordIsTakenAsFarAsItGoes) {
  Puppet p;
  prepare(p);
  (void)p.run("go", eventful);
  for (std::size_t n = 1; n <= p.events.size(); ++n) {
    Puppet other;
    prepare(other);
    std::span<talk::Event const> const prefix(p.events.data(), n);
    Result<std::vector<talk::Event>> const folded = agent::fold(other.session(), kRun, prefix, texts_of(p.events));
    if (n == 1) {
      EXPECT_FALSE(folded.ok()) << "a run that has not even its task";
      continue;
    }
    ASSERT_TRUE(folded.ok()) << n << ": " << folded.error().text();
    std::size_t const known = n + folded->size();
    for (std::size_t i = n; i < known; ++i) EXPECT_EQ((*folded)[i - n].body, p.events[i].body) << n;
    EXPECT_EQ(other.session().running(), known < p.events.size()) << n;
  }
}

TEST(Fold, ARecordOfOtherDecisionsIsNotTakenUp) {
  Puppet p;
  prepare(p);
  (void)p.run("go", [](Request const& q) -> Result<Reply> {
    if (q.turn >= 6) return says("done");
    return calls({{"look", R"({"same":1})"}});
  });
  Puppet other("[repeat]\nexact = 5\n");
  prepare(other);
  Result<std::vector<talk::Event>> const folded = agent::fold(other.session(), kRun, p.events, texts_of(p.events));
  ASSERT_FALSE(folded.ok());
  EXPECT_EQ(folded.error().kind, ErrorKind::kInput);
  EXPECT_NE(folded.error().text().find("decided otherwise"), std::string::npos) << folded.error().text();
}

// The record ends while `look` runs.
std::size_t cut_after_start(std::vector<talk::Event> const& events) {
  for (std::size_t i = 0; i < events.size(); ++i)
    if (events[i].type == "call.start") return i + 1;
  return 0;
}

TEST(Fold, AStartedCallThatNobodySawEndIsToldAsUnknownAndNotRunAgain) {
  Puppet p;
  prepare(p);
  auto const model = [](Request const& q) -> Result<Reply> {
    if (q.turn > 1) return says("done");
    return calls({{"look", R"({"a":1})"}});
  };
  (void)p.run("go", model);
  Puppet other;
  prepare(other);
  std::span<talk::Event const> const prefix(p.events.data(), cut_after_start(p.events));
  ASSERT_TRUE(agent::fold(other.session(), kRun, prefix, texts_of(p.events)).ok());
  ASSERT_EQ(other.session().running_calls().size(), 1U);
  RunResult const r = other.go_on(agent::Resumed{}, model);
  EXPECT_EQ(r.answer, "done");
  EXPECT_TRUE(other.ran.empty());
  EXPECT_NE(test::results_of(other.seen.front().messages.back()).find("nobody knows"), std::string::npos);
}

TEST(Fold, ADeclaredReadOrAWishRunsItAgain) {
  auto const model = [](Request const& q) -> Result<Reply> {
    if (q.turn > 1) return says("done");
    return calls({{"look", R"({"a":1})"}});
  };
  Puppet p;
  prepare(p);
  (void)p.run("go", model);
  Puppet other;
  prepare(other);
  std::span<talk::Event const> const prefix(p.events.data(), cut_after_start(p.events));
  ASSERT_TRUE(agent::fold(other.session(), kRun, prefix, texts_of(p.events)).ok());
  EXPECT_EQ(other.go_on(agent::Resumed{UnknownCalls::kAgain}, model).answer, "done");
  EXPECT_EQ(other.ran.size(), 1U);
}

TEST(Fold, AnOpenQuestionIsAskedAgain) {
  auto const model = [](Request const&) { return says("done"); };
  Puppet p;
  prepare(p);
  (void)p.run("go", model);
  Puppet other;
  prepare(other);
  std::span<talk::Event const> const prefix(p.events.data(), 3);
  ASSERT_TRUE(agent::fold(other.session(), kRun, prefix, texts_of(p.events)).ok());
  EXPECT_EQ(other.go_on(agent::Resumed{}, model).answer, "done");
}

}  // namespace
}  // namespace backedge
