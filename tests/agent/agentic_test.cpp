// Agent functions: requirements A1 to A6 (the nine behaviours of a recursion guard), through the real loop.

#include <gtest/gtest.h>

#include "support/puppet.h"

namespace backedge {
namespace {

using test::calls;
using test::Puppet;
using test::results_of;
using test::says;
using test::Seen;

std::string first_text(Message const& message) { return std::get<TextBlock>(message.blocks.front()).text; }

// The root hands one task to `planner`; there the model just answers.
Puppet planner(std::string about) {
  Puppet out;
  out.setup().system = "You are careful.";
  out.function({.name = "planner", .about = std::move(about)});
  out.plain_tool("look", [](std::string_view) { return ToolResult{CallStatus::kOk, "seen"}; });
  return out;
}

Result<Reply> hand_over(Request const& request) {
  if (request.agent == "planner") return says("a plan");
  if (request.turn == 1) return calls({{"planner", R"({"task":"plan the trip"})"}});
  return says("done");
}

TEST(Agentic, A1TheNoteWarnsFirstAndNamesTheFunctionsJobLast) {
  Puppet p = planner("makes plans");
  EXPECT_EQ(p.run("go", hand_over).answer, "done");
  ASSERT_EQ(p.seen.size(), 3U);
  std::string const note = first_text(p.seen[1].messages.front());
  std::size_t const warning = note.find("recurses without end");
  std::size_t const instead = note.find("lower-level tools");
  std::size_t const job = note.find("makes plans");
  ASSERT_NE(warning, std::string::npos) << note;
  ASSERT_NE(job, std::string::npos) << note;
  EXPECT_LT(warning, job);
  EXPECT_LT(instead, job);
  EXPECT_NE(note.find("main > planner"), std::string::npos) << note;
}

TEST(Agentic, A1WithoutADescriptionThereIsNoLineAboutTheJob) {
  Puppet p = planner("");
  (void)p.run("go", hand_over);
  EXPECT_EQ(first_text(p.seen[1].messages.front()).find("is for:"), std::string::npos);
}

TEST(Agentic, A2TheNoteIsTheFirstBlockOfTheUserTurnAndNeverInTheSystemPrompt) {
  Puppet p = planner("makes plans");
  (void)p.run("go", hand_over);
  Message const& user = p.seen[1].messages.front();
  EXPECT_EQ(user.role, Role::kUser);
  ASSERT_EQ(user.blocks.size(), 2U);
  EXPECT_EQ(std::get<TextBlock>(user.blocks[1]).text, "plan the trip");
  for (Seen const& one : p.seen) EXPECT_EQ(one.system, "You are careful.");
  EXPECT_EQ(first_text(p.seen[0].messages.front()), "go") << "outside of a function there is no note";
}

TEST(Agentic, A3SystemPromptAndToolListAreTheSameBytesInEveryRequest) {
  Puppet p = planner("makes plans");
  (void)p.run("go", hand_over);
  for (Seen const& one : p.seen) {
    EXPECT_EQ(one.system, p.seen.front().system);
    EXPECT_EQ(one.tools, p.seen.front().tools);
  }
}

TEST(Agentic, A4AFunctionStaysInTheToolListWhileItsBodyRuns) {
  Puppet p = planner("makes plans");
  (void)p.run("go", hand_over);
  EXPECT_EQ(p.seen[1].agent, "planner");
  EXPECT_EQ(p.seen[1].tools.front().name, "planner");
}

TEST(Agentic, A4AToolPolicyLeavesWhatItNames) {
  agent::Toolbox box;
  ASSERT_TRUE(box.add(ToolSpec{.name = "read", .source = "builtin", .sets = {"files"}}).ok());
  ASSERT_TRUE(box.add(ToolSpec{.name = "write", .source = "builtin", .sets = {"files"}}).ok());
  ASSERT_TRUE(box.add(ToolSpec{.name = "ask", .asks_person = true}).ok());
  ASSERT_TRUE(box.add(AgentSpec{.name = "planner"}).ok());
  auto const names = [&](ToolPolicy const& policy, bool attended) {
    std::string out;
    agent::Selection const selection(box, policy, attended);
    for (ToolOffer const& o : selection.offers()) out += o.name + " ";
    return out;
  };
  EXPECT_EQ(names({}, true), "read write ask planner ");
  EXPECT_EQ(names({}, false), "read write planner ") << "nobody is there to be asked";
  EXPECT_EQ(names({.allow = {"set:files"}, .deny = {}}, true), "read write ");
  EXPECT_EQ(names({.allow = {"source:host"}, .deny = {}}, true), "ask planner ");
  EXPECT_EQ(names({.allow = {}, .deny = {"write", "planner"}}, true), "read ask ");
  EXPECT_EQ(names({.allow = {"read", "write"}, .deny = {"*"}}, true), "");
}

// A function that always calls itself with another task.
Result<Reply> dig(Request const& request) {
  if (request.turn > 1) return says("back");
  return calls({{"digger", R"({"task":"level )" + std::to_string(request.frame.value) + " xx" +
                               std::string(request.frame.value, 'y') + R"("})"}});
}

TEST(Agentic, A5TheBodyRunsExactlyFiveTimesAndTheErrorNamesFunctionAndLimit) {
  Puppet p;
  p.function({.name = "digger"});
  EXPECT_EQ(p.run("dig", dig).end, RunEnd::kFinished);
  int bodies = 0;
  for (Seen const& one : p.seen) bodies += one.agent == "digger" && one.turn == 1 ? 1 : 0;
  EXPECT_EQ(bodies, 5);
  std::string refused;
  for (Seen const& one : p.seen)
    for (Message const& m : one.messages)
      if (std::string const r = results_of(m); r.starts_with("! ")) refused = r;
  EXPECT_NE(refused.find("digger"), std::string::npos) << refused;
  EXPECT_NE(refused.find('5'), std::string::npos) << refused;
}

TEST(Agentic, A5TheLimitIsTheContracts) {
  Puppet p;
  p.function({.name = "digger", .contract = {.max_depth = 2}});
  (void)p.run("dig", dig);
  int bodies = 0;
  for (Seen const& one : p.seen) bodies += one.agent == "digger" && one.turn == 1 ? 1 : 0;
  EXPECT_EQ(bodies, 2);
}

TEST(Agentic, A5TheCountIsRestoredAfterEveryEnd) {
  Puppet p;
  p.function({.name = "digger", .contract = {.max_depth = 1}});
  int round = 0;
  RunResult const r = p.run("dig", [&](Request const& request) -> Result<Reply> {
    if (request.agent == "digger") {
      if (round == 2) return Error{ErrorKind::kModel, "the provider is down", {}};
      return says("dug " + std::to_string(round));
    }
    if (++round > 4) return says("done");
    return calls({{"digger", R"({"task":"hole number )" + std::to_string(round) + R"("})"}});
  });
  EXPECT_EQ(r.answer, "done");
  int bodies = 0;
  for (Seen const& one : p.seen) bodies += one.agent == "digger" ? 1 : 0;
  EXPECT_EQ(bodies, 4) << "after a return and after a failure the function may be entered again";
}

TEST(Agentic, A5NamesAreCountedIndependently) {
  Puppet p;
  p.function({.name = "first", .contract = {.max_depth = 1}});
  p.function({.name = "second", .contract = {.max_depth = 1}});
  (void)p.run("go", [&](Request const& request) -> Result<Reply> {
    if (request.turn > 1 || request.agent == "second") return says("ok");
    return calls(
        {{request.agent == "first" ? "second" : "first", R"({"task":"x )" + std::string(request.agent) + "\"}"}});
  });
  ASSERT_EQ(p.seen.size(), 5U);
  EXPECT_EQ(p.seen[2].agent, "second");
}

TEST(Agentic, A6ARefusedEntryLeavesNoFrameAndIsNobodysParent) {
  Puppet p;
  p.function({.name = "digger", .contract = {.max_depth = 1}});
  p.function({.name = "other"});
  (void)p.run("dig", [&](Request const& request) -> Result<Reply> {
    if (request.agent == "other") return says("fine");
    if (request.agent.empty()) {
      if (request.turn == 1) return calls({{"digger", R"({"task":"the deep hole"})"}});
      return says("done");
    }
    if (request.turn == 1) return calls({{"digger", R"({"task":"another deeper hole"})"}});
    if (request.turn == 2) return calls({{"other", R"({"task":"something else entirely"})"}});
    return says("back");
  });
  int opened = 0;
  for (talk::Event const& e : p.events) {
    if (e.type != "frame.open") continue;
    ++opened;
    EXPECT_NE(e.body.find(opened == 1 ? "digger" : "other"), std::string::npos) << e.body;
  }
  EXPECT_EQ(opened, 2);
  Seen const& other = *std::find_if(p.seen.begin(), p.seen.end(), [](Seen const& s) { return s.agent == "other"; });
  EXPECT_NE(first_text(other.messages.front()).find("main > digger > other"), std::string::npos);
}

TEST(Agentic, A6ARingOfTwoIsFoundAtTheFirstBackEdge) {
  Puppet p;
  p.function({.name = "ann"});
  p.function({.name = "bob"});
  (void)p.run("go", [&](Request const& request) -> Result<Reply> {
    if (request.turn > 1) return says("ok");
    std::string const next = request.agent == "ann" ? "bob" : "ann";
    return calls({{next, R"({"task":"work of )" + std::string(request.agent) + R"( to be done by )" + next + "\"}"}});
  });
  int bodies = 0;
  for (Seen const& one : p.seen) bodies += !one.agent.empty() && one.turn == 1 ? 1 : 0;
  EXPECT_EQ(bodies, 2) << "ann and bob once each: bob may not call ann again";
}

}  // namespace
}  // namespace backedge
