// What the session hears besides models, tools and people: hooks before an end, compactions, a gate, automatic
// messages.
#include "agent/fold.h"
#include "support/puppet.h"

namespace backedge {
namespace {

using test::Asks;
using test::calls;
using test::Puppet;
using test::says;

// Blocks the end `most` times with the same words.
auto blocks(int most) {
  return [most, n = 0](FrameId frame) mutable {
    return n++ < most ? agent::HookAnswered{frame, "tests", "the tests fail"} : agent::HookAnswered{frame, {}, {}};
  };
}

TEST(Hooks, AFrameThatAHookHoldsBackGoesOnWithItsWords) {
  Puppet p;
  p.setup().end_hooks = true;
  p.hooks = blocks(1);
  RunResult const r = p.run("go", [](Request const& q) { return says("answer " + std::to_string(q.turn)); });
  EXPECT_EQ(r.end, RunEnd::kFinished);
  EXPECT_EQ(r.answer, "answer 2");
  EXPECT_EQ(std::get<TextBlock>(p.seen.at(1).messages.back().blocks.back()).text, "the tests fail");
}

TEST(Hooks, AHookThatBlocksAgainAndAgainWithNothingChangedIsOverriddenVisibly) {
  Puppet p("[limits]\nhook_blocks = 3\n");
  p.setup().end_hooks = true;
  p.hooks = blocks(100);
  RunResult const r = p.run("go", [](Request const& q) { return says("answer " + std::to_string(q.turn)); });
  EXPECT_EQ(r.answer, "answer 3");
  ASSERT_EQ(p.judged.size(), 3U);
  EXPECT_EQ(p.judged.back().word, EventWord::kSuppress);
  EXPECT_FALSE(p.judged.back().text.empty());
}

TEST(Hooks, WithoutHooksNobodyIsAsked) {
  Puppet p;
  p.hooks = blocks(1);
  EXPECT_EQ(p.run("go", [](Request const&) { return says("done"); }).answer, "done");
}

TEST(Compaction, TheSecondThatFreesNothingIsNoGain) {
  Puppet p;
  p.feed(agent::Compacted{p.session().root(), {}, false});
  p.feed(agent::Compacted{p.session().root(), {}, false});
  ASSERT_EQ(p.judged.size(), 2U);
  EXPECT_EQ(p.judged.at(0).word, EventWord::kRun);
  EXPECT_EQ(p.judged.at(1).code, "compact.no_gain");
}

TEST(Gate, WhatItDeniesIsNotRunAndWhatItAsksIsAsked) {
  Puppet p;
  p.setup().attended = true;
  for (std::string const name : {"rm", "mv", "ls"}) p.plain_tool(name, [](std::string_view) { return ToolResult{}; });
  p.setup().gate = [](agent::ToolEntry const& tool, std::string_view) {
    return tool.name == "rm" ? Gate::kDeny : tool.name == "mv" ? Gate::kAsk : Gate::kAllow;
  };
  int asked = 0;
  p.person = [&](ApprovalRequest const&) { return ++asked, Approval::kAllow; };
  p.run("go", [](Request const& q) {
    if (q.turn > 1) return says("done");
    return calls({{.tool = "rm"}, {.tool = "mv"}, {.tool = "ls"}});
  });
  EXPECT_EQ(asked, 1);
  EXPECT_EQ(p.ran, (std::vector<std::string>{"ls {}", "mv {}"}));
}

TEST(Hooks, ARecordWithHooksCompactionsAndAutomaticMessagesFoldsToTheSameSession) {
  Puppet p;
  p.setup().end_hooks = true;
  p.hooks = blocks(1);
  p.plain_tool("look", [&](std::string_view) { return ToolResult{}; });
  bool said = false;
  p.run("go", [&](Request const& q) -> Reply {
    if (q.turn > 1) return says("done " + std::to_string(q.turn));
    if (!said) {
      said = true;
      p.feed(agent::UserSaid{"more", Author::kAutomatic});
      p.feed(agent::Compacted{q.frame, {}, true});
    }
    return calls({{.tool = "look"}});
  });
  std::map<std::string, std::string, std::less<>> texts;
  for (talk::Event const& e : p.events)
    for (RawText const& raw : e.raws) texts.emplace(raw.sha256, raw.text);
  Puppet again;
  again.setup().end_hooks = true;
  again.plain_tool("look", [](std::string_view) { return ToolResult{}; });
  auto const text = [&](std::string_view sha) { return texts.contains(sha) ? texts.find(sha)->second : std::string(); };
  auto const beyond = agent::fold(again.session(), std::string(32, 'a'), p.events, text);
  ASSERT_TRUE(beyond.ok()) << beyond.error().text();
  EXPECT_TRUE(beyond->empty());
  EXPECT_EQ(again.session().messages(again.session().root()), p.session().messages(p.session().root()));
}

}  // namespace
}  // namespace backedge
