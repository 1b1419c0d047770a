// Each command by itself: what it prints where, and how it ends.
#include "cli/commands.h"

#include <algorithm>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "base/json.h"
#include "policy/reference.h"
#include "policy/table.h"
#include "support/temp_folder.h"

namespace backedge::cli {
namespace {

using support::TempFolder;

struct Output {
  int status = 0;
  std::string out;
  std::string err;

  friend bool operator==(Output const&, Output const&) = default;
  friend std::ostream& operator<<(std::ostream& os, Output const& o) {
    return os << "status " << o.status << "\nout: " << o.out << "\nerr: " << o.err;
  }
};

template <class Options>
Output run(int (*command)(Options const&, std::ostream&, std::ostream&), Options const& options) {
  std::ostringstream out;
  std::ostringstream err;
  int const status = command(options, out, err);
  return {status, out.str(), err.str()};
}

CommonOptions in(TempFolder const& folder) { return {{folder.path(), "", ""}, ""}; }

boost::json::value json(std::string const& text) {
  auto value = parse_json(text);
  EXPECT_TRUE(value.ok()) << value.error().text() << text;
  return value.ok() ? *value : boost::json::value();
}

TEST(PolicyCheck, SaysHowManySettingsAGoodFileHas) {
  TempFolder folder;
  EXPECT_EQ(run(run_policy_check, {in(folder), ""}),
            (Output{kOk, "no policy file here; the defaults hold (backedge init writes one)\n", ""}));
  folder.write("backedge.toml", "[limits]\nmax_turns = 5\n[tool.x]\neffect = \"read\"\n");
  EXPECT_EQ(run(run_policy_check, {in(folder), ""}), (Output{kOk, "backedge.toml: ok, 2 settings\n", ""}));
  folder.write("one.toml", "[limits]\nmax_turns = 5\n");
  EXPECT_EQ(run(run_policy_check, {in(folder), "one.toml"}), (Output{kOk, "one.toml: ok, 1 setting\n", ""}));
}

TEST(PolicyCheck, WarnsOfAToolsNameThatIsNearlyAKnownOneAndOfNoOther) {
  TempFolder folder;
  folder.write(
      "backedge.toml",
      "[agent.planner]\nabout = \"plans\"\n[tool.read_fil]\neffect = \"read\"\n[tool.plannr]\neffect = \"read\"\n"
      "[tool.mcp__weather__forecast]\neffect = \"read\"\n[tool.read_file]\neffect = \"read\"\n"
      "[tool.planner]\nreentry = \"forbid\"\n[limits.per_tool]\nlist_flies = 3\nlist_files = 3\n");
  EXPECT_EQ(
      run(run_policy_check, {in(folder), ""}),
      (Output{
          kOk, "backedge.toml: ok, 8 settings\n",
          "backedge.toml:14: warning: no tool is known by the name \"list_flies\"; did you mean list_files? If it is "
          "a tool of your own, all is well\n"
          "backedge.toml:6: warning: no tool is known by the name \"plannr\"; did you mean planner? If it is a tool "
          "of your own, all is well\n"
          "backedge.toml:4: warning: no tool is known by the name \"read_fil\"; did you mean read_file? If it is a "
          "tool of your own, all is well\n"}));
}

TEST(PolicyCheck, PrintsEveryErrorOneALine) {
  TempFolder folder;
  folder.write("backedge.toml", "[limits]\nmax_turn = 5\n[repeat]\nexact = true\n");
  EXPECT_EQ(
      run(run_policy_check, {in(folder), ""}),
      (Output{kUsage, "",
              "backedge.toml:2:1: unknown key 'max_turn' in [limits], did you mean 'max_turns'?\n"
              "backedge.toml:4:9: 'exact' in [repeat] must be an integer, or false to switch it off, not true\n"}));
}

TEST(PolicyCheck, ChecksEveryFileThatCounts) {
  TempFolder folder;
  folder.write("home/.config/backedge/backedge.toml", "[limits\n");
  folder.write("backedge.toml", "[limits]\nmax_turns = 5\n");
  PolicyCheckOptions const options{{{folder.path(), folder.path() / "home", ""}, ""}, ""};
  EXPECT_EQ(run(run_policy_check, options),
            (Output{kUsage, "backedge.toml: ok, 1 setting\n",
                    "~/.config/backedge/backedge.toml:1:8: invalid TOML (table header): expected ']', saw '\\n'\n"}));
}

TEST(PolicyCheck, AFileThatIsNotThereIsAUsageError) {
  TempFolder folder;
  EXPECT_EQ(run(run_policy_check, {in(folder), "none.toml"}),
            (Output{kUsage, "", "backedge: none.toml: no such file\n"}));
}

TEST(PolicyShow, WhatItPrintsIsThePolicyThatHolds) {
  TempFolder folder;
  folder.write("backedge.toml",
               "[limits]\nmax_cost = 1.5\n[[tool.x.when]]\npointer = \"/a\"\nglob = \"b*\"\neffect = \"read\"\n");
  Output const shown = run(run_policy_show, {in(folder), false});
  EXPECT_EQ(shown.status, kOk);
  EXPECT_EQ(shown.err, "");
  EXPECT_NE(shown.out.find("limits.max_cost                = \"1.50\"    # USD, backedge.toml:2\n"), std::string::npos)
      << shown.out;
  EXPECT_NE(shown.out.find("limits.max_calls               = -1        # no limit, default\n"), std::string::npos)
      << shown.out;
  auto const again = policy::read(shown.out, "shown");
  ASSERT_TRUE(again.errors.empty()) << again.errors.front().text();
  auto const first = policy::show(*policy::parse(folder.read("backedge.toml"), "f"));
  auto const second = policy::show(again.table);
  ASSERT_EQ(first.size(), second.size());
  for (std::size_t i = 0; i < first.size(); ++i) {
    EXPECT_EQ(first[i].key, second[i].key);
    EXPECT_EQ(first[i].value, second[i].value);
  }
}

TEST(PolicyShow, JsonHoldsValueUnitSourceAndMeaningOfEverySetting) {
  TempFolder folder;
  folder.write("backedge.toml", "[limits]\nmax_time = \"90s\"\n[tool.\"a \\\"b\"]\nidentity = [\"/x\"]\n");
  Output const shown = run(run_policy_show, {in(folder), true});
  EXPECT_EQ(shown.status, kOk);
  auto const value = json(shown.out);
  auto const& settings = value.at("settings").as_array();
  EXPECT_EQ(settings.size(), policy::show(policy::defaults()).size() + 1);
  EXPECT_EQ(settings[0].at("key"), "limits.max_turns");
  EXPECT_EQ(settings[0].at("value"), 50);
  EXPECT_EQ(settings[0].at("unit"), "turns");
  EXPECT_EQ(settings[0].at("source"), "default");
  EXPECT_FALSE(settings[0].at("about").as_string().empty());
  auto const time = std::find_if(settings.begin(), settings.end(),
                                 [](auto const& setting) { return setting.at("key") == "limits.max_time"; });
  ASSERT_NE(time, settings.end());
  EXPECT_EQ(time->at("value"), "1m30s");
  EXPECT_EQ(time->at("source"), "backedge.toml:2");
  EXPECT_EQ(settings[settings.size() - 1].at("key"), "tool.\"a \\\"b\".identity");
  EXPECT_EQ(settings[settings.size() - 1].at("value").at(0), "/x");
}

TEST(PolicyShow, AWrongPolicyIsNotShown) {
  TempFolder folder;
  folder.write("backedge.toml", "x = 1\n");
  Output const shown = run(run_policy_show, {in(folder), false});
  EXPECT_EQ(shown.status, kUsage);
  EXPECT_EQ(shown.out, "");
  EXPECT_EQ(shown.err,
            "backedge.toml:1:1: unknown key 'x' outside any section; known are limits, repeat, ladder, journal, "
            "prices, agent, tool, route, stage\n");
}

TEST(PolicyReference, IsThePageInDocs) {
  std::ostringstream out;
  EXPECT_EQ(run_policy_reference(out), kOk);
  EXPECT_EQ(out.str(), policy::reference_markdown());
}

TEST(Tools, NamesTheLineOfThePolicyFileThatDeclaredAField) {
  TempFolder folder;
  folder.write("backedge.toml",
               "[tool.mine]\neffect = \"poll\"\nmin_interval = \"1s500ms\"\nvolatile.args = [\"/id\"]\n"
               "range = { start = \"/a\", end = \"/b\" }\n"
               "[[tool.mine.when]]\npointer = \"/k\"\nequals = \"v\"\ntimeout = 3\n");
  EXPECT_EQ(run(run_tools, {in(folder), {"mine"}, false}), (Output{kOk, R"(mine
  effect           poll              backedge.toml:2
  reentry          forbid            default
  decreases        none              default
  target           none              default
  identity         whole arguments   default
  volatile.args    /id               backedge.toml:4
  volatile.result  none              default
  range            start /a, end /b  backedge.toml:5
  idempotent       unknown           default
  conflicts        none              default
  max_depth        5                 default
  returns_direct   no                default
  timeout          2m                default
  max_output       30000             default
  min_interval     1s500ms           backedge.toml:3
  when[0]          /k is "v"         backedge.toml:6
  when[0].timeout  3s                backedge.toml:6
)",
                                                                   ""}));
}

TEST(Tools, AllKnownToolsAreListedWithWhatIsDeclared) {
  TempFolder folder;
  folder.write("backedge.toml", "[tool.mine]\neffect = \"poll\"\n");
  Output const tools = run(run_tools, {in(folder), {}, false});
  EXPECT_EQ(tools.status, kOk);
  EXPECT_NE(tools.out.find("\nmine\n"), std::string::npos);
  EXPECT_NE(tools.out.find("\nRead\n"), std::string::npos);
  EXPECT_EQ(tools.out.find("  default\n"), std::string::npos);
}

TEST(Tools, AToolThatNobodyKnowsHasTheDefaultsAndIsComplainedOf) {
  TempFolder folder;
  Output const near = run(run_tools, {in(folder), {"Read", "Raed"}, true});
  EXPECT_EQ(near.status, kUsage);
  EXPECT_EQ(near.err, "backedge: no contract is declared for \"Raed\"; did you mean Read?\n");
  Output const tools = run(run_tools, {in(folder), {"nobody_knows"}, false});
  EXPECT_EQ(tools.status, kUsage);
  EXPECT_EQ(tools.err,
            "backedge: no contract is declared for \"nobody_knows\"; [tool.NAME] in backedge.toml declares one\n");
  EXPECT_EQ(tools.out.rfind("nobody_knows  (not known: the defaults hold)\n", 0), 0U);
}

TEST(Tools, JsonHoldsEveryFieldOfEveryTool) {
  TempFolder folder;
  auto const value = json(run(run_tools, {in(folder), {"Read", "nobody_knows"}, true}).out);
  auto const& tools = value.at("tools").as_array();
  ASSERT_EQ(tools.size(), 2U);
  EXPECT_EQ(tools[0].at("tool"), "Read");
  EXPECT_EQ(tools[0].at("known"), true);
  EXPECT_EQ(tools[0].at("fields").at(0).at("key"), "effect");
  EXPECT_EQ(tools[0].at("fields").at(0).at("value"), "read");
  EXPECT_EQ(tools[0].at("fields").at(0).at("source"), "built-in");
  EXPECT_EQ(tools[1].at("known"), false);
  EXPECT_GT(json(run(run_tools, {in(folder), {}, true}).out).at("tools").as_array().size(), 50U);
}

TEST(Tools, AWrongPolicyStopsIt) {
  TempFolder folder;
  folder.write("backedge.toml", "x = 1\n");
  Output const tools = run(run_tools, {in(folder), {}, false});
  EXPECT_EQ(tools.status, kUsage);
  EXPECT_EQ(tools.out, "");
}

TEST(Init, WritesTheCommentedFileAndNeverOverItUnlessForced) {
  TempFolder folder;
  EXPECT_EQ(run(run_init, {folder.path(), false}),
            (Output{kOk, "wrote backedge.toml: every setting, commented out at its default\n", ""}));
  EXPECT_EQ(folder.read("backedge.toml"), policy::template_file());
  EXPECT_EQ(run(run_policy_check, {in(folder), ""}), (Output{kOk, "backedge.toml: ok, 0 settings\n", ""}));

  folder.write("backedge.toml", "mine");
  EXPECT_EQ(run(run_init, {folder.path(), false}),
            (Output{kFailed, "", "backedge: backedge.toml exists already; --force overwrites it\n"}));
  EXPECT_EQ(folder.read("backedge.toml"), "mine");
  EXPECT_EQ(run(run_init, {folder.path(), true}).status, kOk);
  EXPECT_EQ(folder.read("backedge.toml"), policy::template_file());
}

TEST(Init, SaysWhyItCannotWrite) {
  TempFolder folder;
  EXPECT_EQ(run(run_init, {folder.path() / "none", false}),
            (Output{kFailed, "", "backedge: backedge.toml cannot be written: No such file or directory\n"}));
}

}  // namespace
}  // namespace backedge::cli
