// The whole corpus, played and laid before its judge.
#include "support/corpus.h"

#include <set>

namespace backedge::cases {
namespace {

using support::corpus;
using support::judge;
using support::Judgement;

std::vector<Played> play(std::string const& name) {
  auto played = play_all(corpus(name), Policy::defaults(), true);
  if (!played) {
    ADD_FAILURE() << played.error().text();
    return {};
  }
  return *std::move(played);
}

TEST(Corpus, EveryLoopCaseIsDecidedRight) {
  Judgement const judgement = judge("loop.jsonl", play("loop.jsonl"));
  EXPECT_TRUE(judgement.right) << judgement.report;
  EXPECT_EQ(judgement.last_line(), "130 of 130 right");
}

// Written by someone who had not seen the rules.
TEST(Corpus, EveryScenarioIsDecidedRight) {
  Judgement const judgement = judge("scenarios.jsonl", play("scenarios.jsonl"));
  EXPECT_TRUE(judgement.right) << judgement.report;
  EXPECT_EQ(judgement.last_line(), "268 of 268 right");
}

struct IncidentRow {
  std::string category;
  std::string last_line;
};

TEST(Corpus, EveryIncidentOfLoopsRepetitionsAndLimitsIsDecidedRight) {
  std::vector<Played> const played = play("incidents.jsonl");
  // a: loops and recursion; b: honest repetition; c: limits.
  IncidentRow const rows[] = {{"a", "18 of 18 right"}, {"b", "9 of 9 right"}, {"c", "9 of 9 right"}};
  for (IncidentRow const& row : rows) {
    Judgement const judgement = judge("incidents.jsonl", played, row.category);
    EXPECT_TRUE(judgement.right) << judgement.report;
    EXPECT_EQ(judgement.last_line(), row.last_line);
  }
}

// f: parallel work and waiting. Two need more than a script can show: an approval that is bound to what the person saw,
// and a shell with a working directory.
TEST(Corpus, EveryIncidentOfParallelWorkThatAScriptCanShowIsDecidedRight) {
  Judgement const judgement = judge("incidents.jsonl", play("incidents.jsonl"), "f");
  EXPECT_EQ(judgement.last_line(), "9 of 11 right") << judgement.report;
  for (std::string const id : {"f-04", "f-18"})
    EXPECT_NE(judgement.report.find("\n" + id + " "), std::string::npos) << id;
}

TEST(Corpus, APlayedCaseIsPlayedTheSameWayAgain) {
  for (std::string const name : {"loop.jsonl", "incidents.jsonl"}) {
    std::vector<Played> const first = play(name);
    std::vector<Played> const second = play(name);
    ASSERT_EQ(first.size(), second.size());
    for (std::size_t i = 0; i < first.size(); ++i) {
      EXPECT_EQ(decisions_line(first[i]), decisions_line(second[i]));
    }
  }
}

TEST(Corpus, EveryCallThatIsReachedHasExactlyOneDecision) {
  for (std::string const name : {"loop.jsonl", "incidents.jsonl"}) {
    for (Played const& played : play(name)) {
      std::set<std::string> ids;
      for (Decision const& d : played.decisions) EXPECT_TRUE(ids.insert(d.id).second) << played.id << " " << d.id;
    }
  }
}

}  // namespace
}  // namespace backedge::cases
