// The rules of replay: what a scripted model that cannot react makes of refusals, frames, stops and people.
#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "cases/play.h"
#include "cases/report.h"
#include "cases/tree.h"

namespace backedge::cases {
namespace {

std::string decisions(Played const& p) {
  std::string out;
  for (Decision const& d : p.decisions)
    out += (out.empty() ? "" : " ") + d.id + ":" + d.word + (d.code.empty() ? "" : ":" + d.code);
  return out;
}

// Through the loop, after a look at what the kernel alone would have decided: the same.
Played play(std::string const& steps, std::string const& config = "{}", bool contracts = true) {
  std::string text = R"({"id": "x", "config": )" + config + R"(, "steps": [)" + steps + "]}";
  std::replace(text.begin(), text.end(), '\n', ' ');  // a case is one line
  Result<std::vector<Case>> const cases = parse_cases(text, "c.jsonl");
  EXPECT_TRUE(cases.ok()) << cases.error().text();
  Result<std::vector<Played>> played = play_all(*cases, Policy::defaults(), contracts);
  EXPECT_TRUE(played.ok()) << played.error().text();
  Result<std::vector<Played>> kernel = play_all(*cases, Policy::defaults(), contracts, Level::kKernel);
  EXPECT_TRUE(kernel.ok()) << kernel.error().text();
  EXPECT_EQ(decisions(played->at(0)), decisions(kernel->at(0)));
  EXPECT_EQ(played->at(0).end, kernel->at(0).end);
  return played->at(0);
}

// A call of `tool` with one argument, and its answer.
std::string call(std::string const& id, std::string const& tool, std::string const& arg, std::string const& out,
                 std::string const& frame = {}) {
  std::string const in = frame.empty() ? "" : R"(, "frame": ")" + frame + "\"";
  return R"({"model": [{"id": ")" + id + R"(", "tool": ")" + tool + R"(", "args": {"q": ")" + arg + "\"}}]" + in +
         "}," + R"({"tool_result": {"id": ")" + id + R"(", "ok": true, "output": ")" + out + "\"}}";
}

std::string same(int n) {
  std::string out;
  for (int i = 1; i <= n; ++i) out += (i > 1 ? "," : "") + call("c" + std::to_string(i), "look", "a", "1");
  return out;
}

TEST(Player, AfterAStopNothingIsPlayedUntilTheNextPersonSpeaks) {
  Played const p = play(same(8) + R"(,{"user": "go on"},)" + call("d1", "look", "a", "1"));
  EXPECT_EQ(decisions(p), "c1:run c2:run c3:block:repeat.exact c4:block:repeat.exact c5:block:repeat.exact d1:run");
}

TEST(Player, AStoppedRunEndsWithItsReasonAndAStatusThatIsNotZero) {
  Played const p = play(same(8));
  EXPECT_EQ(p.end, "stop:no_progress");
  EXPECT_NE(decisions_line(p).find("\"exit\":4"), std::string::npos);
}

TEST(Player, AnAutomaticMessageResetsNothing) {
  Played const p = play(R"({"user": "a"},)" + same(2) + R"(,{"user": "continue"},)" + call("c3", "look", "a", "1") +
                            "," + call("c4", "look", "a", "1"),
                        R"({"mode": "unattended"})");
  EXPECT_EQ(decisions(p), "c1:run c2:run c3:run c4:block:repeat.exact");
}

TEST(Player, AFrameWhoseOpeningCallWasNotRunIsSkippedWithEverythingBelow) {
  std::string const nested = R"({"model": [{"id": "t1", "tool": "task", "args": {"agent": "a", "prompt": "p"}}]},
    {"event": {"type": "open_frame", "frame": "f1", "by_call": "t1", "agent": "a"}},
    {"model": [{"id": "t2", "tool": "task", "args": {"agent": "a", "prompt": "p"}}], "frame": "f1"},
    {"event": {"type": "open_frame", "frame": "f2", "by_call": "t2", "agent": "a"}},
    {"model": [{"id": "t3", "tool": "look", "args": {}}], "frame": "f2"})";
  Played const p = play(nested);
  EXPECT_EQ(decisions(p), "t1:run t2:block:reentry.cycle");
  EXPECT_NE(tree_text(p.graph)->find("└─ task  ⟲ back to task > a (call 1): blocked, reentry.cycle"), std::string::npos)
      << *tree_text(p.graph);
}

TEST(Player, WithoutContractsTheToolsOfTheConfigCountForNothing) {
  std::string const config = R"({"tools": {"look": {"effect": "poll"}}})";
  EXPECT_EQ(decisions(play(same(3), config)), "c1:run c2:run c3:run");
  EXPECT_EQ(decisions(play(same(3), config, false)), "c1:run c2:run c3:block:repeat.exact");
}

TEST(Player, ASweepIsPlayedOncePerValue) {
  Played const p = play(same(1), R"({"sweep": {"limits.max_turns": [0, 1]}})");
  EXPECT_NE(decisions_line(p).find(R"("model_requests":{"0":0,"1":1})"), std::string::npos) << decisions_line(p);
}

TEST(Player, ACallWithoutAResultCountsAsAFailureOfUnknownKind) {
  std::string steps;
  for (int i = 1; i <= 5; ++i) {
    steps += std::string(i > 1 ? "," : "") + R"({"model": [{"id": "c)" + std::to_string(i) +
             R"(", "tool": "look", "args": {}}]})";
  }
  EXPECT_EQ(decisions(play(steps)), "c1:run c2:run c3:run c4:block:repeat.exact c5:block:repeat.exact");
}

TEST(Player, WhatIsCalledAfterAPersonsStopIsRefusedCallByCallUntilThePersonSpeaks) {
  Played const p = play(same(1) + R"(,{"event": {"type": "user_stop"}},)" + call("c2", "look", "b", "1") +
                        R"(,{"user": "go on"},)" + call("c3", "look", "c", "1") + R"(,{"model": [], "text": "done"})");
  EXPECT_EQ(decisions(p), "c1:run c2:deny:stopped c3:run");
  EXPECT_EQ(p.end, "final");
}

TEST(Player, ResultsAreWhatTheModelWasGivenInTheOrderOfItsCalls) {
  Played const p = play(R"({"model": [{"id": "a", "tool": "look", "args": {"q": 1}},
    {"id": "b", "tool": "look", "args": {"q": 2}}]}, {"tool_result": {"id": "b", "ok": false, "output": "no"}},
    {"tool_result": {"id": "a", "ok": true, "output": "yes"}}, {"model": [], "text": "done"})");
  EXPECT_EQ(p.results, (std::map<std::string, std::string>{{"a", "ok:yes"}, {"b", "error:no"}}));
  EXPECT_EQ(p.history_order, (std::vector<std::string>{"a", "b"}));
}

TEST(Player, ARunThatIsTakenUpAgainStillKnowsWhatItSaw) {
  Played const p =
      play(same(2) + R"(,{"event": {"type": "crash"}},{"event": {"type": "resume"}},)" + call("c3", "look", "a", "1"));
  EXPECT_EQ(decisions(p), "c1:run c2:run c3:block:repeat.exact");
}

TEST(Player, ACallThatIsAskedWaitsForThePerson) {
  std::string const config = R"x({"policy": {"ask": ["look(*)"]}})x";
  std::string const asked = R"({"model": [{"id": "c1", "tool": "look", "args": {}}]})";
  std::string const answered =
      R"(,{"tool_result": {"id": "c1", "ok": true, "output": "1"}},{"model": [], "text": "x"})";
  Played const allowed = play(asked + R"(,{"event": {"type": "approve", "call": "c1"}})" + answered, config);
  EXPECT_EQ(decisions(allowed), "c1:ask:gate.ask");
  EXPECT_EQ(allowed.results.at("c1"), "ok:1");
  Played const denied = play(asked + R"(,{"event": {"type": "deny", "call": "c1"}})" + answered, config);
  EXPECT_TRUE(denied.results.at("c1").starts_with("error:")) << denied.results.at("c1");
}

TEST(Player, AgentsThatWorkAtTheSameTimeAndThatNobodyStartsStandSideBySide) {
  std::string const ring = R"({"model": [{"id": "w1", "tool": "wait", "args": {"from": "b"}}], "frame": "a"},
    {"model": [{"id": "w2", "tool": "wait", "args": {"from": "a"}}], "frame": "b"})";
  EXPECT_EQ(decisions(play(ring)), "w1:run w2:block:deadlock");
}

TEST(Player, ParallelEditsOfOneFileAreNotLost) {
  Played const p = play(R"({"event": {"type": "file", "path": "f", "content": "a b"}},
    {"model": [{"id": "c1", "tool": "edit", "args": {"path": "f", "old": "a", "new": "A"}},
               {"id": "c2", "tool": "edit", "args": {"path": "f", "old": "b", "new": "B"}}]})");
  EXPECT_EQ(decisions(p), "c1:run c2:serialize:conflict.serialize");
  EXPECT_EQ(p.files.at("f"), "A B");
}

}  // namespace
}  // namespace backedge::cases
