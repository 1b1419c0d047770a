// The containers around message arrays.
#include "inspect/messages.h"

#include <gtest/gtest.h>

#include "inspect/support.h"

namespace backedge::inspect {
namespace {

using testing::openai_call;
using testing::traces_of;

std::string const kCall = openai_call("a", "f", "{}", "1");

std::vector<std::string> titles(std::string const& text) {
  std::vector<std::string> out;
  for (Trace const& trace : traces_of(text)) out.push_back(trace.title + ":" + std::to_string(trace.calls.size()));
  return out;
}

using Titles = std::vector<std::string>;

TEST(Messages, StandInManyKindsOfContainers) {
  EXPECT_EQ(titles("[" + kCall + "]"), Titles{":1"});
  EXPECT_EQ(titles(R"({"messages":[)" + kCall + "]}"), Titles{":1"});
  EXPECT_EQ(titles("{\n\"tools\": [],\n\"messages\": [" + kCall + "]\n}"), Titles{":1"});
  EXPECT_EQ(titles("[[" + kCall + "],[" + kCall + "]]"), (Titles{"#1:1", "#2:1"}));
  EXPECT_EQ(titles("[" + kCall + "]\n[" + kCall + "]"), (Titles{"#1:1", "#2:1"}));
  EXPECT_EQ(titles(R"({"messages":[)" + kCall + "]}\n" + R"({"messages":[)" + kCall + "]}"), (Titles{"#1:1", "#2:1"}));
  EXPECT_EQ(titles(R"({"conversations":[{"id":"x","messages":[)" + kCall +
                   R"(]},{"messages":[]},{"id":7,"messages":[)" + kCall + "]}]}"),
            (Titles{"x:1", "7:1"}));
}

TEST(Messages, TheToolsOfARequestStandInAListOrInTheTextOfOne) {
  auto const tools = [](std::string const& member) {
    std::vector<Trace> const all = traces_of("{" + member + R"(,"messages":[)" + kCall + "]}");
    return all.size() == 1 ? all[0].tools_offered : -2;
  };
  EXPECT_EQ(tools(R"("tools":[{"name":"f"},{"name":"g"},{"name":"h"}])"), 3);
  EXPECT_EQ(tools(R"("functions":[{"name":"f"}])"), 1);
  EXPECT_EQ(tools(R"("tools":"[{\"name\":\"f\"},{\"name\":\"g\"}]")"), 2);
  EXPECT_EQ(tools(R"("tools":[])"), 0);
  // What is no list of tools tells nothing, and takes nothing away.
  EXPECT_EQ(tools(R"("tools":"bash and grep")"), -1);
  EXPECT_EQ(tools(R"("tools":"[{broken")"), -1);
  EXPECT_EQ(tools(R"("tools":{"f":{}})"), -1);
  EXPECT_EQ(tools(R"("tools":null)"), -1);
}

TEST(Messages, AreFollowedThreeListsDeepAndNoDeeper) {
  std::string lists = "[" + kCall + "]";
  std::string members = R"({"messages":)" + lists + "}";
  for (int deep = 1; deep <= 5; ++deep) {
    EXPECT_EQ(traces_of(lists).size(), deep <= 3 ? 1U : 0U) << lists;
    EXPECT_EQ(traces_of(members).size(), deep <= 3 ? 1U : 0U) << members;
    lists = "[" + lists + "]";
    members = R"({"data":[)" + members + "]}";
  }
  EXPECT_TRUE(traces_of(std::string(100'000, '[')).empty());
}

TEST(Messages, OnePerLineAreOneConversation) {
  std::string lines = kCall;
  std::size_t const comma = lines.find("},{\"role\":\"tool\"");
  lines.replace(comma + 1, 1, "\n");
  EXPECT_EQ(titles(lines), Titles{":1"});
  EXPECT_EQ(traces_of(lines).at(0).calls.at(0).result, "1");
  EXPECT_EQ(traces_of(lines).at(0).calls.at(0).result_line, 2);
}

TEST(Messages, OfTauBenchAreOneTraceARecord) {
  std::vector<Trace> const traces =
      traces_of(R"([{"task_id":3,"reward":0.0,"info":{"task":{"actions":[{"name":"x"}]}},"traj":[)" + kCall +
                R"(],"trial":2},{"task_id":4,"traj":[{"role":"user","content":"x"}],"trial":0}])");
  ASSERT_EQ(traces.size(), 2U);
  EXPECT_EQ(traces[0].title, "task3.trial2");
  EXPECT_EQ(traces[0].format, Format::kTauBench);
  EXPECT_EQ(traces[1].title, "task4.trial0");
}

TEST(Messages, OfAFileThatIsCutOffAreReadUpToTheCut) {
  std::string const whole =
      "[{\"task_id\":1,\"traj\":[" + kCall + "],\"trial\":1},{\"task_id\":2,\"traj\":[" + kCall + "," + kCall + "]}]";
  std::vector<Trace> const traces = traces_of(whole.substr(0, whole.size() - 30));
  ASSERT_EQ(traces.size(), 2U);
  EXPECT_EQ(traces[0].title, "task1.trial1");
  EXPECT_EQ(traces[1].calls.size(), 2U);
  EXPECT_FALSE(traces[1].calls[1].has_result);
  EXPECT_TRUE(traces[0].problems.empty());
  ASSERT_EQ(traces[1].problems.size(), 1U) << "what is wrong with the file is said once";
  EXPECT_TRUE(traces[1].problems.begin()->first.starts_with("a file that is cut off or broken"))
      << traces[1].problems.begin()->first;
  EXPECT_EQ(titles("{\"messages\":[" + kCall + "," + kCall), Titles{":2"});
}

TEST(Messages, WithBrokenTextsAreRepairedOnce) {
  std::string text = "[" + openai_call("a", "f", "{}", "\\ud83d") + "," + openai_call("b", "g", "{}", "x\xFFy") + "]";
  std::vector<Trace> const traces = traces_of(text);
  ASSERT_EQ(traces.size(), 1U);
  ASSERT_EQ(traces[0].calls.size(), 2U);
  EXPECT_EQ(traces[0].calls[0].result, "\xEF\xBF\xBD");
  EXPECT_EQ(traces[0].calls[1].result, "x\xEF\xBF\xBDy");
}

TEST(Messages, AreNotFoundWhereThereAreNone) {
  EXPECT_TRUE(traces_of(R"({"data":[1,2,3],"results":[{"a":1}]})").empty());
  EXPECT_TRUE(traces_of(R"([{"role":"admin","name":"x"}])").empty());
  EXPECT_TRUE(traces_of(R"([{"role":"user","name":"x"}])").empty());
  EXPECT_TRUE(traces_of("[]").empty());
}

TEST(Messages, MayHoldListsThatAreNobodysMessages) {
  std::vector<Trace> const traces = traces_of(R"([{"role":"user","content":"x","data":[1,2,3]},)" + kCall + "]");
  ASSERT_EQ(traces.size(), 1U);
  EXPECT_EQ(traces[0].calls.size(), 1U);
  EXPECT_TRUE(traces[0].problems.empty());
}

TEST(Messages, MayStandAmongOtherThings) {
  std::vector<Trace> const traces = traces_of("[" + kCall + R"(,17,{"x":1},)" + openai_call("b", "f", "{}", "2") + "]");
  ASSERT_EQ(traces.size(), 1U);
  EXPECT_EQ(traces[0].calls.size(), 2U);
  EXPECT_EQ(traces[0].problems.at("an element that is neither a message nor a conversation").count, 2);
}

}  // namespace
}  // namespace backedge::inspect
