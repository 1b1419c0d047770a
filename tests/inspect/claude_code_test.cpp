// Sessions of Claude Code: lines into messages, copies, and subagents of all generations.
#include "inspect/claude_code.h"

#include <gtest/gtest.h>

#include "inspect/support.h"

namespace backedge::inspect {
namespace {

using testing::claude_line;
using testing::claude_result;
using testing::claude_user;
using testing::tool_use;
using testing::trace_of;
using testing::traces_under;

std::string text_block(std::string const& text) { return R"({"type":"text","text":")" + text + R"("})"; }

TEST(ClaudeCode, OneMessageOnSixLinesIsOneMessage) {
  std::string session = claude_user("u1", "do it");
  session += claude_line("a1", "m", R"({"type":"thinking","thinking":"hm"})", 10);
  session += claude_line("a2", "m", text_block("first"), 10);
  session += claude_line("a3", "m", tool_use("t1", "Read", "{}"), 10);
  session += claude_result("r1", "t1", "one");
  session += claude_line("a4", "m", tool_use("t2", "Read", R"({"x":1})"), 10);
  session += claude_line("a5", "m", tool_use("t3", "Bash", "{}"), 10);
  session += claude_line("a6", "m", text_block("last"), 25);
  session += claude_result("r2", "t3", "three") + claude_result("r3", "t2", "two");
  Trace const t = trace_of(session);
  ASSERT_EQ(t.models.size(), 1U);
  EXPECT_EQ(t.models[0].text, "first\nlast");
  EXPECT_EQ(t.models[0].calls, (std::vector<std::uint32_t>{0, 1, 2}));
  EXPECT_EQ(count(t).total_tokens, 26) << "the last line's usage, once";
  EXPECT_EQ(t.calls.at(0).result + t.calls.at(1).result + t.calls.at(2).result, "onetwothree");
  EXPECT_EQ(t.users.at(0).author, Author::kPerson);
  EXPECT_EQ(t.calls[2].line, 7);
}

TEST(ClaudeCode, LinesWithoutAMessageIdAreMessagesOfTheirOwn) {
  std::string const line = R"({"type":"assistant","sessionId":"s","message":{"role":"assistant","content":[]}})"
                           "\n";
  EXPECT_EQ(trace_of(line + line).models.size(), 2U);
}

TEST(ClaudeCode, AResumedSessionThatRepeatsOldLinesCountsThemOnce) {
  std::string const old = claude_user("u1", "do it") + claude_line("a1", "m1", tool_use("t1", "Read", "{}"), 10) +
                          claude_result("r1", "t1", "x");
  std::string const again = claude_user("u2", "do it") + claude_line("b1", "m1", tool_use("t1", "Read", "{}"), 10) +
                            claude_result("r1", "t1", "x");
  Trace const t = trace_of(old + again + claude_line("b2", "m2", tool_use("t2", "Read", "{}"), 5));
  EXPECT_EQ(t.calls.size(), 2U);
  EXPECT_EQ(count(t).total_tokens, 17);
  EXPECT_TRUE(t.problems.empty());
}

TEST(ClaudeCode, AnIdOfACallThatIsUsedAgainInAnotherMessageIsAnotherCall) {
  Trace const t =
      trace_of(claude_line("a1", "m1", tool_use("call_0", "Read", "{}"), 1) + claude_result("r1", "call_0", "x") +
               claude_line("a2", "m2", tool_use("call_0", "Read", "{}"), 1) + claude_result("r2", "call_0", "y"));
  ASSERT_EQ(t.calls.size(), 2U);
  EXPECT_EQ(t.calls[1].result, "y");
}

TEST(ClaudeCode, WhatNoPersonTypedIsAutomatic) {
  Trace const t =
      trace_of(claude_user("1", "real") + claude_user("2", "meta", R"(,"isMeta":true)") +
               claude_user("3", "sum", R"(,"isCompactSummary":true)") + claude_user("4", "<system-reminder>x") +
               claude_user("5", "note", R"(,"origin":{"kind":"task-notification"})") +
               claude_user("6", "typed", R"(,"origin":{"kind":"human"})"));
  std::string authors;
  for (UserMessage const& user : t.users) authors += user.author == Author::kPerson ? 'p' : 'a';
  EXPECT_EQ(authors, "paaaap");
}

TEST(ClaudeCode, UnknownTypesAreCountedAndKnownOnesStaySilent) {
  Trace const t = trace_of(R"({"type":"summary","leafUuid":"x","summary":"s"})"
                           "\n"
                           R"({"type":"new-thing","uuid":"1"})"
                           "\n"
                           R"({"type":"new-thing","uuid":"2"})"
                           "\n"
                           R"({"uuid":"3"})"
                           "\n" +
                           claude_user("u", "x") +
                           R"({"type":"system","subtype":"compact_boundary","uuid":"c"})"
                           "\n");
  EXPECT_EQ(t.unknown_lines, (std::map<std::string, std::int64_t>{{"(no type)", 1}, {"new-thing", 2}}));
  EXPECT_EQ(t.other_lines, (std::map<std::string, std::int64_t>{{"summary", 1}, {"system", 1}}));
  EXPECT_EQ(t.threads.at(0).steps.back().kind, Step::Kind::kCompaction);
}

TEST(ClaudeCode, BrokenLinesAreNamedAndTheRestIsRead) {
  Trace const t = trace_of(claude_user("u", "x") + "{\"type\":\"assistant\",\"mess\n" +
                           claude_line("a", "m", tool_use("t", "Read", "{}"), 3) +
                           "{\"type\":\"user\",\"uuid\":\"r\",\"message\":{\"content\":[{\"type\":\"tool_re");
  EXPECT_EQ(t.calls.size(), 1U);
  ASSERT_EQ(t.problems.size(), 1U);
  Problem const& problem = t.problems.begin()->second;
  EXPECT_EQ(problem.count, 2);
  ASSERT_EQ(problem.first.size(), 2U);
  EXPECT_EQ(problem.first[0], (Where{"f", 2, 0}));
  EXPECT_EQ(problem.first[1], (Where{"f", 4, 0}));
}

std::string side(std::string const& uuid, std::string const& parent, bool model, std::string const& body) {
  std::string const head = R"({"isSidechain":true,"uuid":")" + uuid + R"(","parentUuid":)" +
                           (parent.empty() ? "null" : "\"" + parent + "\"") + R"(,"sessionId":"s","type":")" +
                           (model ? "assistant" : "user") + R"(","message":)";
  return head + body + "}\n";
}

TEST(ClaudeCode, ParallelSubagentsInsideOneFileAreToldApartByTheirChains) {
  std::string session =
      claude_line("a1", "m1", tool_use("task1", "Task", R"({"prompt":"P one","subagent_type":"x"})"), 1);
  session += claude_line("a2", "m1", tool_use("task2", "Task", R"({"prompt":"P two","subagent_type":"y"})"), 1);
  auto const read = [](std::string const& message, std::string const& call) {
    return R"({"id":")" + message + R"(","role":"assistant","content":[)" + tool_use(call, "Read", R"({"f":1})") + "]}";
  };
  auto const result = [](std::string const& call) {
    return R"({"role":"user","content":[{"type":"tool_result","tool_use_id":")" + call + R"(","content":"c"}]})";
  };
  session += side("q1", "", false, R"({"role":"user","content":"P two"})");
  session += side("p1", "", false, R"({"role":"user","content":" P one"})");
  session += side("q2", "q1", true, read("mq", "tq"));
  session += side("p2", "p1", true, read("mp", "tp"));
  session += side("q3", "q2", false, result("tq"));
  session += side("p3", "p2", false, result("tp"));
  session += side("o1", "a1", false, R"({"role":"user","content":"nobody asked"})");
  session += side("o2", "o1", true, read("mo", "to"));
  session += claude_result("r1", "task1", "done") + claude_result("r2", "task2", "done");
  Trace const t = trace_of(session);
  ASSERT_EQ(t.threads.size(), 4U);
  EXPECT_EQ(t.threads[1].spawned_by, 1U);
  EXPECT_EQ(t.threads[1].agent, "y");
  EXPECT_EQ(t.threads[2].spawned_by, 0U);
  EXPECT_EQ(t.threads[3].spawned_by, kNoIndex);
  EXPECT_EQ(t.threads[3].depth, 1);
  EXPECT_EQ(t.problems.at("a subagent whose starting call is not recorded").count, 1);
  Counts const c = count(t);
  EXPECT_EQ(c.calls, 5);
  EXPECT_EQ(c.exact_repeats, 0) << "equal calls of two agents are no repeat";
  EXPECT_EQ(c.threads, 4);
  EXPECT_EQ(t.users.at(0).author, Author::kAutomatic);
}

/// Lines of a subagent's file.
std::string agent_file(std::string const& agent, std::string const& session, std::string const& message) {
  return R"({"isSidechain":true,"agentId":")" + agent + R"(","uuid":"u)" + message +
         R"(","parentUuid":null,"sessionId":")" + session +
         R"(","type":"user","message":{"role":"user","content":"go"}})" + "\n" + R"({"isSidechain":true,"agentId":")" +
         agent + R"(","uuid":"a)" + message + R"(","sessionId":")" + session +
         R"(","type":"assistant","message":{"id":")" + message + R"(","role":"assistant","content":[)" +
         tool_use("t" + message, "Bash", R"({"command":"ls"})") +
         R"(],"usage":{"input_tokens":100,"output_tokens":0}}})" + "\n";
}

std::string const kParent =
    claude_user("u", "x") +
    claude_line("a1", "m1", tool_use("task1", "Agent", R"({"prompt":"other","subagent_type":"kind"})"), 1) +
    R"({"type":"progress","uuid":"p","sessionId":"s","parentToolUseID":"task1","data":{"type":"agent_progress","agentId":"g1","message":{"type":"assistant","message":{"id":"mg1","usage":{"input_tokens":100}}}}})"
    "\n";

TEST(ClaudeCode, SubagentsFilesAreJoinedWhereverTheyLie) {
  testing::TempFolder const folder;
  std::string const session = folder.write("p/s.jsonl", kParent);
  folder.write("p/s/subagents/agent-g1.jsonl", agent_file("g1", "s", "mg1"));
  folder.write("p/s/subagents/agent-acompact-1.jsonl", agent_file("acompact-1", "s", "mc"));
  folder.write("p/agent-old.jsonl", agent_file("old", "s", "mo"));
  folder.write("p/agent-alien.jsonl", agent_file("alien", "other session", "ma"));
  for (std::string const& path : {session, folder.path().string()}) {
    std::vector<Trace> const traces = traces_under(path);
    ASSERT_EQ(traces.size(), path == session ? 1U : 2U) << path;
    Trace const& t = traces[0];
    EXPECT_EQ(t.merged.size(), 3U);
    Counts const c = count(t);
    EXPECT_EQ(c.calls, 3) << "a compaction makes no calls";
    EXPECT_EQ(c.threads, 3);
    EXPECT_EQ(c.max_depth, 1);
    EXPECT_EQ(c.total_tokens, 2 + 3 * 100) << "its tokens count, progress entries do not";
    if (traces.size() > 1) {
      EXPECT_EQ(count(traces[1]).max_depth, 1) << "an orphan is a trace of its own";
    }
  }
}

TEST(ClaudeCode, ASubagentsFileByItselfIsATraceOfItsOwn) {
  testing::TempFolder const folder;
  folder.write("p/s.jsonl", kParent);
  std::string const agent = folder.write("p/s/subagents/agent-g1.jsonl", agent_file("g1", "s", "mg1"));
  std::vector<Trace> const traces = traces_under(agent);
  ASSERT_EQ(traces.size(), 1U);
  Counts const c = count(traces[0]);
  EXPECT_EQ(c.calls, 1);
  EXPECT_EQ(c.threads, 1);
  EXPECT_EQ(c.max_depth, 1);
  EXPECT_TRUE(traces[0].problems.empty());
}

TEST(ClaudeCode, TheCallThatStartedASubagentIsFoundInManyWays) {
  auto const spawner = [](std::string const& parent, std::string const& meta) {
    testing::TempFolder const folder;
    std::string const session = folder.write("s.jsonl", parent);
    folder.write("s/subagents/agent-g1.jsonl", agent_file("g1", "s", "mg1"));
    if (!meta.empty()) folder.write("s/subagents/agent-g1.meta.json", meta);
    Trace const t = traces_under(session).at(0);
    return t.threads.at(1).spawned_by == kNoIndex ? std::string("none")
                                                  : t.calls.at(t.threads[1].spawned_by).id + " " + t.threads[1].name;
  };
  std::string const call =
      claude_line("a1", "m1", tool_use("t1", "Task", R"({"prompt":"no","subagent_type":"kind"})"), 1);
  EXPECT_EQ(spawner(kParent, ""), "task1 kind g1") << "by progress entries";
  EXPECT_EQ(spawner(call + claude_result("r", "t1", "x", R"(,"toolUseResult":{"agentId":"g1"})"), ""), "t1 kind g1")
      << "by the result";
  EXPECT_EQ(spawner(call + claude_result("r", "t1", "done. agentId: g1 (use it)"), ""), "t1 kind g1")
      << "by the result's text";
  std::string const read = claude_line("a2", "m2", tool_use("t2", "Read", "{}"), 1);
  EXPECT_EQ(spawner(read + claude_result("r", "t2", "the log says agentId: g1 here"), ""), "none")
      << "only what started an agent names the one it started";
  EXPECT_EQ(spawner(call, R"({"agentType":"other","toolUseId":"t1"})"), "t1 other g1") << "by the meta file";
  EXPECT_EQ(spawner(claude_line("a1", "m1", tool_use("t1", "Task", R"({"prompt":"go"})"), 1), ""), "t1 g1")
      << "by the prompt";
  EXPECT_EQ(spawner(call, ""), "none");
}

TEST(ClaudeCode, ProgressWithoutTheSubagentsFileIsSaid) {
  Trace const t = trace_of(kParent);
  EXPECT_EQ(t.problems.at("a progress entry of a subagent whose own file is missing").count, 1);
  EXPECT_EQ(count(t).total_tokens, 2);
}

TEST(ClaudeCode, TheStreamOfAPrintedRunIsReadWithItsSubagents) {
  Trace const t = trace_of(
      R"({"type":"system","subtype":"init","session_id":"s","uuid":"0"})"
      "\n"
      R"({"type":"assistant","session_id":"s","parent_tool_use_id":null,"message":{"id":"1","role":"assistant","content":[)" +
      tool_use("t1", "Task", R"({"prompt":"p"})") +
      R"(]}})"
      "\n"
      R"({"type":"assistant","session_id":"s","parent_tool_use_id":"t1","message":{"id":"2","role":"assistant","content":[)" +
      tool_use("t2", "Read", "{}") +
      R"(]}})"
      "\n"
      R"({"type":"user","session_id":"s","parent_tool_use_id":"t1","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t2","content":"x"}]}})"
      "\n"
      R"({"type":"result","subtype":"success","session_id":"s"})"
      "\n");
  EXPECT_EQ(t.format, Format::kClaudeCode);
  ASSERT_EQ(t.threads.size(), 2U);
  EXPECT_EQ(t.threads[1].spawned_by, 0U);
  EXPECT_TRUE(t.calls.at(1).has_result);
}

}  // namespace
}  // namespace backedge::inspect
