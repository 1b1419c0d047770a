// backedge cases: what it prints and writes, and what it says of words and files that are wrong.
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "base/json.h"
#include "cli/commands.h"
#include "support/temp_folder.h"

namespace backedge::cli {
namespace {

using support::TempFolder;

/// A case of the corpus' form: one file is read so many times, with one answer.
std::string reads(std::string const& id, int times, bool stuck) {
  std::string steps;
  for (int i = 1; i <= times; ++i) {
    std::string const call = "c" + std::to_string(i);
    steps += (i > 1 ? "," : "") + std::string(R"({"model":[{"id":")") + call +
             R"(","tool":"read_file","args":{"path":"a.txt"}}]},{"tool_result":{"id":")" + call +
             R"(","ok":true,"output":"AAA"}})";
  }
  return R"({"id":")" + id +
         R"(","category":"loop","title":"reads","config":{"tools":{"read_file":{"effect":"read"}}},)" + R"("steps":[)" +
         steps + R"(],"expected":{"stuck":)" + (stuck ? "true" : "false") + "}}\n";
}

struct Ground {
  Ground() {
    options.common.here.folder = folder.path();
    options.files = {folder.write("cases.jsonl", reads("often", 6, true) + reads("once", 1, false)).string()};
  }
  int run() {
    std::ostringstream to, complaints;
    int const status = run_cases(options, to, complaints);
    out = to.str();
    err = complaints.str();
    return status;
  }

  TempFolder folder;
  CasesOptions options;
  std::string out, err;
};

TEST(CasesCommand, PlaysAllCasesAndWritesOneLineOfDecisionsEach) {
  Ground g;
  g.options.decisions = (g.folder.path() / "decisions.jsonl").string();
  ASSERT_EQ(g.run(), kOk) << g.err;
  EXPECT_EQ(g.err, "");
  EXPECT_FALSE(g.out.empty());
  std::istringstream lines(g.folder.read("decisions.jsonl"));
  std::vector<std::string> ids;
  for (std::string line; std::getline(lines, line);) {
    Result<boost::json::value> const one = parse_json(line);
    ASSERT_TRUE(one) << line;
    ids.emplace_back(one->at("id").as_string());
  }
  EXPECT_EQ(ids, (std::vector<std::string>{"often", "once"}));
}

TEST(CasesCommand, ExplainsEveryRefusalAndDrawsThePathOfTheCasesThatAreNamed) {
  Ground g;
  g.options.only = {"often"};
  g.options.explain = true;
  ASSERT_EQ(g.run(), kOk) << g.err;
  EXPECT_NE(g.out.find("repeat.exact"), std::string::npos) << g.out;
  EXPECT_NE(g.out.find("often"), std::string::npos) << g.out;
  EXPECT_EQ(g.out.find("once"), std::string::npos) << g.out;
  g.options.explain = false;
  g.options.tree = true;
  ASSERT_EQ(g.run(), kOk) << g.err;
  EXPECT_NE(g.out.find("read_file"), std::string::npos) << g.out;
}

TEST(CasesCommand, TheKernelAloneDecidesTheSame) {
  Ground g;
  g.options.decisions = (g.folder.path() / "loop").string();
  ASSERT_EQ(g.run(), kOk) << g.err;
  g.options.decisions = (g.folder.path() / "kernel").string();
  g.options.kernel = true;
  ASSERT_EQ(g.run(), kOk) << g.err;
  auto const decisions = [&](std::string const& file) {
    std::vector<boost::json::value> out;
    std::istringstream lines(g.folder.read(file));
    for (std::string line; std::getline(lines, line);) out.push_back(parse_json(line)->at("decisions"));
    return out;
  };
  EXPECT_EQ(decisions("loop"), decisions("kernel"));
  EXPECT_EQ(decisions("loop").size(), 2U);
}

TEST(CasesCommand, APolicyThatIsNamedIsTheOneThatCounts) {
  Ground g;
  g.options.only = {"often"};
  g.options.explain = true;
  g.folder.write("mild.toml", "[repeat]\nexact = false\n");
  g.options.common.policy_file = "mild.toml";
  ASSERT_EQ(g.run(), kOk) << g.err;
  EXPECT_EQ(g.out.find("repeat.exact"), std::string::npos) << g.out;
}

TEST(CasesCommand, WhatIsWrongIsSaidInOneLine) {
  auto const said = [](auto const& spoil) {
    Ground g;
    spoil(g);
    EXPECT_EQ(g.run(), kUsage);
    EXPECT_EQ(g.out, "");
    EXPECT_EQ(std::count(g.err.begin(), g.err.end(), '\n'), 1) << g.err;
    return g.err;
  };
  EXPECT_EQ(said([](Ground& g) { g.options.only = {"oftn"}; }),
            "backedge: no case is called \"oftn\"; did you mean often?\n");
  EXPECT_EQ(said([](Ground& g) { g.options.only = {"something else"}; }),
            "backedge: no case is called \"something else\"\n");
  EXPECT_NE(said([](Ground& g) { g.options.files.push_back(g.options.files[0]); }).find("stands in a file before"),
            std::string::npos);
  EXPECT_NE(said([](Ground& g) { g.options.decisions = g.options.files[0]; }).find("would overwrite the cases"),
            std::string::npos);
  EXPECT_NE(
      said([](Ground& g) { g.options.files = {g.folder.write("bad.jsonl", "{\n").string()}; }).find("bad.jsonl:1"),
      std::string::npos);
}

}  // namespace
}  // namespace backedge::cli
