// What is said of traces.
#include "inspect/report.h"

#include <boost/json.hpp>
#include <gtest/gtest.h>

#include "inspect/support.h"

namespace backedge::inspect {
namespace {

namespace json = boost::json;

Report report_of(std::string const& path) {
  std::vector<std::string> const paths{path};
  static prices::Table const prices = prices::Table::builtin();
  return *inspect_paths(paths, Policy::defaults(), prices);
}

std::string looping(int times) {
  std::string out = R"([{"role":"user","content":"go"})";
  for (int i = 0; i < times; ++i)
    out += "," + testing::openai_call("c" + std::to_string(i), "lookup", R"({"q":1})", "same");
  return out + "]";
}

TEST(Report, OfALoopNamesItsCallsItsPriceAndItsEnd) {
  testing::TempFolder const folder;
  std::string const path = folder.write("a.json", looping(6));
  EXPECT_EQ(report_of(path).text(false), path + R"(
  OpenAI messages: 6 calls in 6 model messages, 1 message from a person
  tokens: 501 (estimated: characters / 4, each model message charged with all before it)
  repeats: 5 calls had been made before with the same arguments (95 % of the tokens);
           5 got an answer that was known, 5 of them with no change in between
           at most 6 equal calls in a row
  what a guard would have said:
    repeat.exact: the same call with the same answer again, and nothing has changed in between
      would have stopped 4 calls (86 % of the tokens), first call 3 (lookup) at line 1
  avoidable: 430 tokens, those of the stopped calls, in 1 of 1 task
             1 task would have been ended as a loop
  where the tokens went, each message's shared among its calls:
           100 % lookup                   6 calls
)");
}

TEST(Report, OfAGoodSessionSaysSoAndShowsWhereTheTokensWent) {
  std::string const text =
      report_of((testing::traces_folder() / "claude-code/codemie/session-196820da.jsonl").string()).text(false);
  EXPECT_NE(text.find("repeats: none, no call was made twice"), std::string::npos) << text;
  EXPECT_NE(text.find("loops: none, no call would have been stopped; nothing was avoidable"), std::string::npos)
      << text;
  EXPECT_NE(text.find("Bash                     39 calls"), std::string::npos) << text;
  EXPECT_NE(text.find("tokens: 4,106,362 (as recorded, once per model message)"), std::string::npos) << text;
}

TEST(Report, OfManyTracesIsShortWhereThereIsNothingToSay) {
  std::string const text = report_of((testing::traces_folder() / "tau-bench").string()).text(false);
  EXPECT_NE(text.find("(50 conversations): 302 calls, 1,884,683 tokens"), std::string::npos) << text;
  EXPECT_NE(text.find("In all: 50 traces in 1 file, 302 calls"), std::string::npos) << text;
  std::string const full = report_of((testing::traces_folder() / "tau-bench").string()).text(true);
  EXPECT_NE(full.find("task23.trial3\n"), std::string::npos);
}

TEST(Report, NamesWhatIsMissingAndWhatIsBroken) {
  testing::TempFolder const folder;
  std::string const path =
      folder.write("a.jsonl", testing::claude_user("u", "x") + "{\"a\" 1}\n" +
                                  testing::claude_line("1", "m", testing::tool_use("t", "Read", "{}"), 5) +
                                  "{\"type\":\"novel\",\"uuid\":\"n\"}\n");
  std::string const text = report_of(path).text(false);
  EXPECT_NE(text.find("missing: the results of 1 call\n"), std::string::npos) << text;
  EXPECT_NE(text.find("problem: a line that is no JSON: malformed JSON (1 time): line 2\n"), std::string::npos) << text;
  EXPECT_NE(text.find("not understood: 1 line of type \"novel\"\n"), std::string::npos) << text;
}

TEST(Report, OfNothingIsALine) {
  testing::TempFolder const folder;
  EXPECT_EQ(report_of(folder.path().string()).text(false), "In all: 0 traces in 0 files, 0 calls\n");
}

TEST(Report, AsJsonHoldsTheSameNumbers) {
  testing::TempFolder const folder;
  std::string const path = folder.write("a.json", looping(6));
  json::object const out = json::parse(report_of(folder.path().string()).json()).as_object();
  json::object const& trace = out.at("traces").as_array().at(0).as_object();
  EXPECT_EQ(trace.at("path").as_string(), path);
  EXPECT_EQ(trace.at("calls").as_int64(), 6);
  EXPECT_EQ(trace.at("exact_repeats").as_int64(), 5);
  EXPECT_EQ(trace.at("refusals").as_int64(), 4);
  EXPECT_EQ(trace.at("rules").at("repeat.exact").at("first_refusal").at("call").as_int64(), 3);
  EXPECT_EQ(trace.at("findings").as_array().size(), 4U);
  EXPECT_EQ(trace.at("cost_usd_recorded"), json::value());
  EXPECT_EQ(out.at("sum").at("calls").as_int64(), 6);
  EXPECT_EQ(out.at("sum").at("traces").as_int64(), 1);
  EXPECT_EQ(out.at("sum").at("traces_with_calls").as_int64(), 1);
  EXPECT_EQ(out.at("sum").at("traces_with_exact_repeat").as_int64(), 1);
  EXPECT_EQ(out.at("sum").at("traces_with_pingpong").as_int64(), 0);
  EXPECT_EQ(out.at("sum").at("traces_with_refusal").as_int64(), 1);
  EXPECT_TRUE(out.at("errors").as_array().empty());
}

TEST(Report, SumsCountWhatForkedSessionsShareOnce) {
  testing::TempFolder const folder;
  std::string const common =
      testing::claude_user("u", "x") + testing::claude_line("a1", "m1", testing::tool_use("t1", "Read", "{}"), 10);
  folder.write("1.jsonl", common);
  folder.write("2.jsonl", common + testing::claude_line("a2", "m2", testing::tool_use("t2", "Grep", "{}"), 10));
  Report const report = report_of(folder.path().string());
  EXPECT_EQ(report.sum().calls, 2);
  EXPECT_EQ(report.traces()[1].counts.calls, 2);
  EXPECT_NE(report.text(false).find("1 of its model messages stand in a trace above"), std::string::npos)
      << report.text(false);
}

TEST(Report, EveryRuleHasWords) {
  for (char const* code :
       {"repeat.exact", "repeat.effect", "repeat.cycle", "repeat.stagnant", "repeat.error", "repeat.range",
        "repeat.poll", "repeat.novelty", "repeat.text", "livelock", "reentry.cycle", "reentry.depth", "reentry.growing",
        "reentry.conflict", "delegate.passthrough", "conflict.race", "args.invalid", "budget.depth"}) {
    EXPECT_NE(rule_words(code), code);
  }
  EXPECT_EQ(rule_words("something.new"), "something.new");
}

}  // namespace
}  // namespace backedge::inspect
