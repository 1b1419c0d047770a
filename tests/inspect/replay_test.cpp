// Recordings through the watching kernel.
#include "inspect/replay.h"

#include <gtest/gtest.h>

#include "inspect/support.h"

namespace backedge::inspect {
namespace {

using testing::claude_line;
using testing::claude_result;
using testing::claude_user;
using testing::openai_call;
using testing::tool_use;
using testing::trace_of;

Policy const& watched() {
  static Policy const policy = *watching(Policy::defaults());
  return policy;
}

Replay replay_text(std::string const& text) { return replay(trace_of(text), watched()); }

/// "code call" of every refusal, calls counted from 1.
std::vector<std::string> refusals(Replay const& replay) {
  std::vector<std::string> out;
  for (Finding const& finding : replay.findings) {
    if (finding.weight == Weight::kRefusal) out.push_back(finding.code + " " + std::to_string(finding.call + 1));
  }
  return out;
}

std::string const kAsk = R"({"role":"user","content":"go"},)";

std::string repeated(int times, std::string const& result = "same") {
  std::string out = "[" + kAsk;
  for (int i = 0; i < times; ++i) {
    out += (i > 0 ? "," : "") + openai_call("c" + std::to_string(i), "lookup", R"({"q":1})", result);
  }
  return out + "]";
}

TEST(Replay, SaysWhichCallsOfALoopWouldHaveBeenStopped) {
  Replay const r = replay_text(repeated(6));
  EXPECT_EQ(refusals(r),
            (std::vector<std::string>{"repeat.exact 3", "repeat.exact 4", "repeat.exact 5", "repeat.exact 6"}));
  ASSERT_EQ(r.rules.size(), 1U);
  EXPECT_EQ(r.rules[0].refusals, 4);
  EXPECT_EQ(r.findings[r.rules[0].first].call, 2U);
  EXPECT_FALSE(r.findings[r.rules[0].first].text.empty());
  EXPECT_EQ(r.refusals, 4);
  EXPECT_EQ(r.brought_new, 0);
  EXPECT_EQ(r.tasks, 1);
  EXPECT_EQ(r.tasks_with_refusal, 1);
  EXPECT_EQ(r.ends, 1) << "the ladder has its top";
  EXPECT_EQ(r.not_replayed, 0);
}

TEST(Replay, BoundsWhatWasAvoidableFromBelowAndAbove) {
  std::string text = repeated(4);
  text.pop_back();
  text += "," + openai_call("x", "other", "{}", "new") + "]";
  Trace const trace = trace_of(text);
  Replay const r = replay(trace, watched());
  std::vector<std::int64_t> const quarters = quarter_tokens(trace);
  EXPECT_EQ(r.useless_quarters, quarters[2] + quarters[3]);
  EXPECT_EQ(r.after_quarters, quarters[2] + quarters[3] + quarters[4]);
}

TEST(Replay, AMessageOfAPersonStartsAnew) {
  std::string text = repeated(2);
  text.pop_back();
  text += R"(,{"role":"user","content":"once more"},)" + repeated(2).substr(1 + kAsk.size());
  Replay const r = replay_text(text);
  EXPECT_TRUE(refusals(r).empty());
  EXPECT_EQ(r.tasks, 2);
}

TEST(Replay, ARefusalThatWouldHaveBeenAMistakeIsSaid) {
  // The third call brings an answer that nobody could foresee.
  std::string text = repeated(2);
  text.pop_back();
  text += "," + openai_call("x", "lookup", R"({"q":1})", "at last") + "]";
  Replay const r = replay_text(text);
  EXPECT_EQ(refusals(r), std::vector<std::string>{"repeat.exact 3"});
  EXPECT_EQ(r.brought_new, 1);
  EXPECT_EQ(r.useless_quarters, 0);
  EXPECT_GT(r.refused_quarters, 0);
}

TEST(Replay, ACircleOfCallsIsACycle) {
  std::string text = "[" + kAsk;
  for (int i = 0; i < 12; ++i) {
    char const* const tool = i % 2 == 0 ? "a" : "b";
    text += (i > 0 ? "," : "") + openai_call(std::to_string(i), tool, "{}", tool);
  }
  Replay const r = replay_text(text + "]");
  ASSERT_FALSE(refusals(r).empty());
  EXPECT_TRUE(refusals(r)[0] == "repeat.cycle 5" || refusals(r)[0] == "repeat.exact 5") << refusals(r)[0];
}

TEST(Replay, EqualCallsInOneRoundAreAskedOnce) {
  Replay const r = replay_text(
      R"([{"role":"user","content":"x"},{"role":"assistant","tool_calls":[)"
      R"({"id":"1","name":"Read","arguments":"{\"file_path\":\"a\"}"},{"id":"2","name":"Read","arguments":"{\"file_path\":\"a\"}"}]},)"
      R"({"role":"tool","tool_call_id":"1","content":"x"},{"role":"tool","tool_call_id":"2","content":"x"}])");
  EXPECT_EQ(r.not_replayed, 0);
  EXPECT_EQ(r.ends, 0);
}

TEST(Replay, ArgumentsThatCannotBeDispatchedAreNoLoop) {
  Replay const r = replay_text("[" + openai_call("1", "f", R"({"x": tru)", "Error: bad json") + "]");
  ASSERT_EQ(r.findings.size(), 1U);
  EXPECT_EQ(r.findings[0].weight, Weight::kMalformed);
  EXPECT_EQ(r.refusals, 0);
}

TEST(Replay, LimitsOfThePolicyAreLifted) {
  std::string text = "[" + kAsk;
  for (int i = 0; i < 200; ++i) {
    text += (i > 0 ? "," : "") +
            openai_call(std::to_string(i), "f", "{\"n\":" + std::to_string(i) + "}", std::to_string(i));
  }
  Result<Policy> const strict =
      Policy::defaults().with("[limits]\nmax_turns = 3\nmax_calls = 2\n[limits.session]\nmax_calls = 2\n", "p");
  ASSERT_TRUE(strict);
  Result<Policy> const policy = watching(*strict);
  ASSERT_TRUE(policy);
  EXPECT_TRUE(replay(trace_of(text + "]"), *policy).findings.empty());
}

TEST(Replay, ThresholdsOfThePolicyHold) {
  Result<Policy> const policy = watching(*Policy::defaults().with("[repeat]\nexact = 5\ncycle = false\n", "p"));
  ASSERT_TRUE(policy);
  EXPECT_EQ(refusals(replay(trace_of(repeated(5)), *policy)), std::vector<std::string>{"repeat.exact 5"});
}

// ---- subagents

std::string sub(std::string const& call, std::string const& line) {
  std::string out = line;
  out.insert(1, R"("parent_tool_use_id":")" + call + R"(",)");
  return out;
}

TEST(Replay, AnAgentThatStartsItselfAgainIsFoundOnThePath) {
  std::string const task = R"({"subagent_type":"writer","prompt":"write the report","description":"d"})";
  std::string const text = claude_user("u", "x") + claude_line("1", "m1", tool_use("t1", "Task", task), 1) +
                           sub("t1", claude_line("2", "m2", tool_use("t2", "Task", task), 1)) +
                           sub("t2", claude_line("3", "m3", tool_use("t3", "Task", task), 1)) +
                           sub("t2", claude_result("r3", "t3", "x")) + sub("t1", claude_result("r2", "t2", "x")) +
                           claude_result("r1", "t1", "x");
  Trace const trace = trace_of(text);
  ASSERT_EQ(trace.threads.size(), 3U);
  EXPECT_EQ(trace.threads[2].depth, 2);
  Replay const r = replay(trace, watched());
  ASSERT_FALSE(refusals(r).empty());
  EXPECT_EQ(refusals(r)[0].substr(0, 8), "reentry.") << refusals(r)[0];
  EXPECT_EQ(r.not_replayed, 0);
}

TEST(Replay, RepeatsOfTwoAgentsAreNotAddedUp) {
  std::string const read = tool_use("ID", "Read", R"({"file_path":"a"})");
  auto const with = [&](std::string id) {
    std::string out = read;
    return out.replace(out.find("ID"), 2, id);
  };
  std::string text = claude_user("u", "x");
  text += claude_line("1", "m1", tool_use("t1", "Task", R"({"subagent_type":"a","prompt":"one"})"), 1);
  text += claude_line("2", "m1", tool_use("t2", "Task", R"({"subagent_type":"b","prompt":"two"})"), 1);
  int n = 0;
  for (std::string const task : {"t1", "t2"}) {
    for (int i = 0; i < 2; ++i) {
      std::string const id = "c" + std::to_string(++n);
      text += sub(task, claude_line("l" + id, "m" + id, with(id), 1)) + sub(task, claude_result("r" + id, id, "same"));
    }
  }
  text += claude_result("r1", "t1", "x") + claude_result("r2", "t2", "y");
  Replay const r = replay_text(text);
  EXPECT_TRUE(refusals(r).empty());
  EXPECT_EQ(r.not_replayed, 0);
}

TEST(Replay, ASubagentWithoutItsStartIsARunOfItsOwn) {
  std::string text;
  for (int i = 0; i < 4; ++i) {
    std::string const id = std::to_string(i);
    text += claude_line("l" + id, "m" + id, tool_use("c" + id, "Grep", R"({"q":1})"), 1,
                        R"(,"isSidechain":true,"agentId":"x")");
    text += claude_result("r" + id, "c" + id, "same", R"(,"isSidechain":true,"agentId":"x")");
  }
  // The stream's isSidechain stands twice on a line; the later one counts.
  Replay const r = replay_text(text);
  EXPECT_EQ(refusals(r).size(), 2U);
  EXPECT_EQ(r.tasks, 1);
}

TEST(Replay, WhatATraceBeforeHeldIsNotReportedAgain) {
  Trace trace = trace_of(repeated(5));
  for (std::size_t i = 0; i < 4; ++i) trace.models[i].copied = true;
  Replay const r = replay(trace, watched());
  EXPECT_EQ(refusals(r), std::vector<std::string>{"repeat.exact 5"});
}

TEST(Replay, CallsThatNeverReturnedHoldNothingUp) {
  std::string text = "[" + kAsk;
  for (int i = 0; i < 5; ++i) {
    text += (i > 0 ? "," : "") + std::string(R"({"role":"assistant","tool_calls":[{"id":")") + std::to_string(i) +
            R"(","name":"f","arguments":"{}"}]})";
  }
  EXPECT_EQ(replay_text(text + "]").not_replayed, 0);
}

TEST(Replay, OfRealSessionsLosesNothingAndStopsNoHonestWork) {
  for (Trace const& trace : testing::traces_under(testing::traces_folder().string())) {
    Replay const r = replay(trace, watched());
    EXPECT_EQ(r.not_replayed, 0) << trace.path;
    EXPECT_EQ(r.refusals, 0) << trace.path << trace.title;
  }
}

TEST(Replay, GivesTheSameEachTime) {
  Trace const trace = trace_of(repeated(6));
  Replay const a = replay(trace, watched());
  Replay const b = replay(trace, watched());
  EXPECT_EQ(refusals(a), refusals(b));
  EXPECT_EQ(a.after_quarters, b.after_quarters);
}

}  // namespace
}  // namespace backedge::inspect
