// backedge graph and inspect --html: what is written where, for runs and recorded sessions, and how they end.
#include <chrono>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "base/json.h"
#include "cli/commands.h"
#include "cli/svg.h"
#include "support/temp_folder.h"

namespace backedge::cli {
namespace {

using support::TempFolder;

struct Output {
  int status = 0;
  std::string out;
  std::string err;
};

template <class Options>
Output run(int (*command)(Options const&, std::ostream&, std::ostream&), Options const& options) {
  std::ostringstream out;
  std::ostringstream err;
  int const status = command(options, out, err);
  return {status, out.str(), err.str()};
}

std::filesystem::path const kTraces = std::filesystem::path(BACKEDGE_SOURCE_DIR) / "cases" / "traces";
std::string const kTau = (kTraces / "tau-bench" / "gpt-4o-airline.trial3.json").string();
std::string const kSub = (kTraces / "claude-code" / "codemie-sub" / "turn-2.jsonl").string();

/// A folder in which two agents were told to ask each other.
class GraphCommand : public testing::Test {
 protected:
  GraphCommand() {
    here_ = {folder_.path(), folder_.path(), folder_.path() / "config", folder_.path() / "state"};
    folder_.write("backedge.toml", "[agent.order]\nabout = \"orders\"\n[agent.shipment]\nabout = \"shipments\"\n");
    folder_.write("s.jsonl",
                  R"({"calls":[{"tool":"order","args":{"task":"where is parcel 4711?"}}],"usage":{"in":10,"out":2}})"
                  "\n"
                  R"({"agent":"order","calls":[{"tool":"shipment","args":{"task":"find it"}}]})"
                  "\n"
                  R"({"agent":"shipment","calls":[{"tool":"order","args":{"task":"which order is it?"}}]})"
                  "\n"
                  R"({"agent":"shipment","text":"unknown"})"
                  "\n"
                  R"({"agent":"order","text":"unknown"})"
                  "\n"
                  R"({"text":"It is lost."})"
                  "\n");
    RunCommandOptions options;
    options.agent.journal.common.here = here_;
    options.agent.model = "scripted:" + (folder_.path() / "s.jsonl").string();
    options.agent.quiet = true;
    options.task = "Where is the parcel?";
    Output const ran = cli::run(run_run, options);
    EXPECT_EQ(ran.status, kOk) << ran.err;
  }

  Output graph(std::string const& what, std::string const& format = "html", std::string const& file = "") const {
    GraphOptions options;
    options.journal.common.here = here_;
    options.what = what;
    options.format = format;
    options.out = file;
    return cli::run(run_graph, options);
  }

  Output inspect(std::vector<std::string> paths, std::string const& html) const {
    InspectOptions options;
    options.common.here = here_;
    options.paths = std::move(paths);
    options.html = html;
    return cli::run(run_inspect, options);
  }

  TempFolder folder_;
  Surroundings here_;
};

TEST_F(GraphCommand, TwoAgentsThatAskEachOtherAreTwoNodesAndARedEdge) {
  Output const dot = graph("last", "dot");
  ASSERT_EQ(dot.status, kOk) << dot.err;
  EXPECT_NE(dot.out.find("n0 -> n1"), std::string::npos) << dot.out;
  EXPECT_NE(dot.out.find("n1 -> n2"), std::string::npos) << dot.out;
  EXPECT_NE(dot.out.find("n2 -> n1 [color=\"#d11a3f\""), std::string::npos) << dot.out;
  EXPECT_EQ(dot.out.find("n3"), std::string::npos) << dot.out;
}

TEST_F(GraphCommand, JsonIsOneObjectOnStandardOutput) {
  Output const json = graph("last", "json");
  ASSERT_EQ(json.status, kOk) << json.err;
  Result<boost::json::value> const value = parse_json(json.out);
  ASSERT_TRUE(value.ok());
  EXPECT_EQ(value->at("back_edges").at(0).at("code"), "reentry.cycle");
  EXPECT_EQ(value->at("run").at("title"), "Where is the parcel?");
}

TEST_F(GraphCommand, APageGoesIntoAFileNamedAfterTheRun) {
  Output const page = graph("last");
  EXPECT_EQ(page.status, kOk);
  EXPECT_EQ(page.out, "");
  std::string const before = "backedge: the call graph is in backedge-";
  ASSERT_TRUE(page.err.starts_with(before)) << page.err;
  std::string const file = "backedge-" + page.err.substr(before.size(), 8) + ".html";
  EXPECT_TRUE(folder_.read(file).starts_with("<!doctype html>"));
  EXPECT_NE(folder_.read(file).find("reentry.cycle"), std::string::npos);
}

TEST_F(GraphCommand, OutNamesTheFileAndADashIsStandardOutput) {
  EXPECT_EQ(graph("last", "dot", "g.dot").err, "backedge: the call graph is in g.dot\n");
  EXPECT_TRUE(folder_.read("g.dot").starts_with("digraph"));
  EXPECT_TRUE(graph("last", "html", "-").out.starts_with("<!doctype html>"));
  Output const bad = graph("last", "dot", "no/such/folder/g.dot");
  EXPECT_EQ(bad.status, kFailed);
  EXPECT_NE(bad.err.find("cannot be written"), std::string::npos);
}

TEST_F(GraphCommand, GraphvizDrawsTheSvg) {
  Output const svg = graph("last", "svg");
  ASSERT_EQ(svg.status, kOk) << svg.err;
  EXPECT_NE(svg.out.find("<svg"), std::string::npos);
  EXPECT_NE(svg.out.find("reentry.cycle"), std::string::npos);
  EXPECT_NE(svg.out.find("shipment"), std::string::npos);
}

TEST(DrawSvg, SaysWhatIsMissingWhatIsWrongAndWhatTakesTooLong) {
  Result<std::string> const none = draw_svg("digraph {}", "no-such-program-of-graphviz");
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().kind, ErrorKind::kNotFound);
  EXPECT_NE(none.error().detail.find("install Graphviz"), std::string::npos);
  Result<std::string> const wrong = draw_svg("this is no graph");
  ASSERT_FALSE(wrong.ok());
  EXPECT_EQ(wrong.error().kind, ErrorKind::kIo);
  TempFolder const folder;
  std::filesystem::path const slow = folder.write("slow", "#!/bin/sh\nsleep 600\n");
  std::filesystem::permissions(slow, std::filesystem::perms::owner_all);
  Result<std::string> const late = draw_svg("digraph {}", slow.string(), std::chrono::milliseconds(50));
  ASSERT_FALSE(late.ok());
  EXPECT_NE(late.error().detail.find("has not drawn the graph within"), std::string::npos);
}

TEST_F(GraphCommand, ARecordedSessionIsDrawnWithItsSubagent) {
  Output const json = graph(kSub, "json");
  ASSERT_EQ(json.status, kOk) << json.err;
  Result<boost::json::value> const value = parse_json(json.out);
  ASSERT_TRUE(value.ok());
  EXPECT_EQ(value->at("frames").as_array().size(), 2U);
  EXPECT_EQ(value->at("frames").at(1).at("depth"), 1);
}

TEST_F(GraphCommand, OfAFileWithSeveralSessionsOneIsNamed) {
  Output const several = graph(kTau, "dot");
  EXPECT_EQ(several.status, kUsage);
  EXPECT_NE(several.err.find("holds 50 sessions: name one, as in"), std::string::npos) << several.err;
  EXPECT_EQ(graph(kTau + "#3", "dot").status, kOk);
  Output const beyond = graph(kTau + "#51", "dot");
  EXPECT_EQ(beyond.status, kUsage);
  EXPECT_NE(beyond.err.find("not 51"), std::string::npos);
}

TEST_F(GraphCommand, WhatIsNeitherARunNorAFileIsSaidToBe) {
  Output const path = graph("no/such.jsonl", "dot");
  EXPECT_EQ(path.status, kUsage);
  EXPECT_NE(path.err.find("neither a file nor a run"), std::string::npos) << path.err;
  EXPECT_EQ(graph("ffffffff", "dot").status, kUsage);
  folder_.write("empty.txt", "nothing");
  EXPECT_EQ(graph("empty.txt", "dot").status, kUsage);
  Output const format = graph("last", "png");
  EXPECT_EQ(format.status, kUsage);
  EXPECT_NE(format.err.find("html, svg, dot and json"), std::string::npos);
}

TEST_F(GraphCommand, InspectWritesAPageForEachSessionAndAnIndex) {
  Output const many = inspect({kTau}, "pages");
  ASSERT_EQ(many.status, kOk) << many.err;
  EXPECT_NE(many.err.find("index.html"), std::string::npos);
  std::string const index = folder_.read("pages/index.html");
  EXPECT_NE(index.find("50 recorded sessions"), std::string::npos);
  std::size_t pages = 0;
  for (auto const& entry : std::filesystem::directory_iterator(folder_.path() / "pages")) {
    if (entry.path().filename() == "index.html") continue;
    ++pages;
    EXPECT_NE(index.find("href=\"" + entry.path().filename().string() + "\""), std::string::npos);
  }
  EXPECT_EQ(pages, 50U);
}

TEST_F(GraphCommand, InspectWritesOnePageWhereOneIsNamed) {
  Output const one = inspect({kSub}, "one.html");
  EXPECT_EQ(one.status, kOk) << one.err;
  EXPECT_TRUE(folder_.read("one.html").starts_with("<!doctype html>"));
  Output const several = inspect({kTau}, "two.html");
  EXPECT_EQ(several.status, kUsage);
  EXPECT_NE(several.err.find("name a folder"), std::string::npos) << several.err;
}

}  // namespace
}  // namespace backedge::cli
