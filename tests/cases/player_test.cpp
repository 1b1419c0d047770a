// The rules of replay: what a scripted model that cannot react makes of refusals, frames, stops and people.
#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "cases/play.h"
#include "cases/report.h"
#include "cases/tree.h"

namespace backedge::cases {
namespace {

Played play(std::string const& steps, std::string const& config = "{}", bool contracts = true) {
  std::string text = R"({"id": "x", "config": )" + config + R"(, "steps": [)" + steps + "]}";
  std::replace(text.begin(), text.end(), '\n', ' ');  // a case is one line
  Result<std::vector<Case>> const cases = parse_cases(text, "c.jsonl");
  EXPECT_TRUE(cases.ok()) << cases.error().text();
  Result<std::vector<Played>> played = play_all(*cases, Policy::defaults(), contracts);
  EXPECT_TRUE(played.ok()) << played.error().text();
  return played->at(0);
}

std::string decisions(Played const& p) {
  std::string out;
  for (Decision const& d : p.decisions)
    out += (out.empty() ? "" : " ") + d.id + ":" + d.word + (d.code.empty() ? "" : ":" + d.code);
  return out;
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

}  // namespace
}  // namespace backedge::cases
