// Policy files in, tables out: every good form, layers with their sources, and the whole of what is set.
#include "policy/table.h"

#include <string>

#include <gtest/gtest.h>

#include "base/hash.h"

namespace backedge::policy {
namespace {

using kernel::Meter;
using kernel::Scope;

Table parsed(std::string_view toml, Table base = defaults(), std::string const& file = "backedge.toml") {
  Result<Table> table = parse(toml, file, std::move(base));
  EXPECT_TRUE(table.ok()) << table.error().text();
  return table.ok() ? std::move(table).value() : Table{};
}

/// The settings that a file set, one a line, with their sources.
std::string set_in(Table const& table) {
  std::string out;
  for (auto const& setting : show(table)) {
    if (setting.source != kDefaultSource) out += setting.key + " = " + setting.value + "  # " + setting.source + "\n";
  }
  return out;
}

TEST(Table, AnEmptyFileIsTheDefaults) {
  EXPECT_EQ(show(parsed("")), show(defaults()));
  EXPECT_EQ(show(parsed("# nothing\n[limits]\n[repeat]\n[tool.x]\n")), show(defaults()));
  EXPECT_EQ(parsed("").settings.limits.at(Scope::kRun, Meter::kTurns).value, 50);
}

TEST(Table, LimitsOfEveryScopeLandInTheirMeter) {
  Table const table = parsed(R"(
[limits]
max_turns = 20
max_calls = 200
max_depth = 4
max_descendants = 0
max_tokens = 2_000_000
max_cost = 1.50
max_time = "1h30m"
conservative_at = 0
hook_blocks = -1
allow_unpriced = true
[limits.session]
max_cost = "20.000000001"
max_time = 90
[limits.frame]
max_turns = -1
max_cost = 2
[limits.per_tool]
run_tests = 20
"a.b c" = -1
)");
  auto const& limits = table.settings.limits;
  EXPECT_EQ(limits.at(Scope::kRun, Meter::kTurns).value, 20);
  EXPECT_EQ(limits.at(Scope::kRun, Meter::kTurns).source, "backedge.toml:3");
  EXPECT_EQ(limits.at(Scope::kRun, Meter::kCalls).value, 200);
  EXPECT_EQ(limits.at(Scope::kRun, Meter::kDepth).value, 4);
  EXPECT_EQ(limits.at(Scope::kRun, Meter::kDescendants).value, 0);
  EXPECT_EQ(limits.at(Scope::kRun, Meter::kTokens).value, 2'000'000);
  EXPECT_EQ(limits.at(Scope::kRun, Meter::kCost).value, 1'500'000'000);
  EXPECT_EQ(limits.at(Scope::kRun, Meter::kTime).value, 5'400'000'000);
  EXPECT_EQ(limits.conservative_at, 0);
  EXPECT_EQ(limits.hook_blocks, -1);
  EXPECT_TRUE(limits.allow_unpriced);
  EXPECT_EQ(limits.at(Scope::kSession, Meter::kCost).value, 20'000'000'001);
  EXPECT_EQ(limits.at(Scope::kSession, Meter::kTime).value, 90'000'000);
  EXPECT_EQ(limits.at(Scope::kFrame, Meter::kTurns).value, -1);
  EXPECT_EQ(limits.at(Scope::kFrame, Meter::kTurns).source, "backedge.toml:17");
  EXPECT_EQ(limits.at(Scope::kFrame, Meter::kCost).value, 2'000'000'000);
  EXPECT_EQ(limits.at(Scope::kFrame, Meter::kCalls).source, "default");
  ASSERT_EQ(limits.per_tool.size(), 2U);
  EXPECT_EQ(limits.per_tool[0].tool, "a.b c");
  EXPECT_EQ(limits.per_tool[0].max_calls, -1);
  EXPECT_EQ(limits.per_tool[1].tool_id, digest_name("run_tests"));
  EXPECT_EQ(limits.per_tool[1].max_calls, 20);
  EXPECT_EQ(limits.per_tool[1].source, "backedge.toml:20");
}

TEST(Table, FalseAndZeroSwitchARuleOff) {
  Table const table = parsed(
      "[repeat]\nexact = false\neffect = 0\nstagnant = 9\npoll_warn = false\n[ladder]\nobserve = true\nrefusals = 5\n");
  EXPECT_EQ(table.settings.repeat.exact, 0);
  EXPECT_EQ(table.settings.repeat.effect, 0);
  EXPECT_EQ(table.settings.repeat.stagnant, 9);
  EXPECT_EQ(table.settings.repeat.poll_warn, 0);
  EXPECT_EQ(table.settings.repeat.poll, 15);
  EXPECT_TRUE(table.settings.ladder.observe);
  EXPECT_EQ(table.settings.ladder.refusals, 5);
}

TEST(Table, EveryFieldOfAContractCanBeDeclared) {
  Table const table = parsed(R"(
[tool.Task]
effect = "delegate"
reentry = "bounded"
target = "/agent"
identity = ["/task", "/repo"]
volatile = { args = ["/request_id"], result = ["/took_ms", "re:at [0-9:]+"] }
range = { start = "/offset", length = "/limit" }
idempotent = false
conflicts = ["file:{/path}", "queue"]
max_depth = 2
returns_direct = true
timeout = "2m"
max_output = 5000
min_interval = "1s500ms"
[[tool.Task.when]]
pointer = "/kind"
equals = "status"
effect = "read"
idempotent = true
[[tool.Task.when]]
pointer = "/n"
equals = 3
volatile.args = ["/n"]
[[tool.Task.when]]
pointer = "/kind"
glob = "get*"
range = { start = "/a", end = "/b" }
[[tool.Task.when]]
pointer = "/command"
commands = ["git status", "git diff"]
timeout = 1
)");
  Contract const& c = table.tools.at("Task");
  EXPECT_EQ(c.effect, Effect::kDelegate);
  EXPECT_EQ(c.reentry, Reentry::kBounded);
  EXPECT_EQ(c.target, "/agent");
  EXPECT_EQ(c.identity, (std::vector<std::string>{"/task", "/repo"}));
  EXPECT_EQ(c.volatile_args, (std::vector<std::string>{"/request_id"}));
  EXPECT_EQ(c.volatile_result, (std::vector<std::string>{"/took_ms", "re:at [0-9:]+"}));
  EXPECT_EQ(c.range, (RangePointers{"/offset", "/limit", ""}));
  EXPECT_EQ(c.idempotent, false);
  EXPECT_EQ(c.conflicts, (std::vector<std::string>{"file:{/path}", "queue"}));
  EXPECT_EQ(c.max_depth, 2);
  EXPECT_EQ(c.returns_direct, true);
  EXPECT_EQ(c.timeout_ms, 120'000);
  EXPECT_EQ(c.max_output, 5'000);
  EXPECT_EQ(c.min_interval_ms, 1'500);
  ASSERT_EQ(c.when.size(), 4U);
  EXPECT_EQ(c.when[0].condition, (Condition{"/kind", "status", {}, {}}));
  EXPECT_EQ(c.when[0].contract.effect, Effect::kRead);
  EXPECT_EQ(c.when[0].contract.idempotent, true);
  EXPECT_EQ(c.when[1].condition, (Condition{"/n", "3", {}, {}}));
  EXPECT_EQ(c.when[1].contract.volatile_args, (std::vector<std::string>{"/n"}));
  EXPECT_EQ(c.when[2].condition, (Condition{"/kind", {}, "get*", {}}));
  EXPECT_EQ(c.when[2].contract.range, (RangePointers{"/a", "", "/b"}));
  EXPECT_EQ(c.when[3].condition, (Condition{"/command", {}, {}, {"git status", "git diff"}}));
  EXPECT_EQ(c.when[3].contract.timeout_ms, 1'000);
}

TEST(Table, DottedKeysInlineTablesAndSectionsAreTheSame) {
  Table const sections = parsed("[limits.session]\nmax_turns = 3\n[tool.x.volatile]\nargs = [\"/a\"]\n");
  Table const dotted = parsed("limits.session.max_turns = 3\ntool.x.volatile.args = [\"/a\"]\n");
  Table const in_line =
      parsed("limits = { session = { max_turns = 3 } }\ntool = { x = { volatile = { args = [\"/a\"] } } }\n");
  for (Table const* other : {&dotted, &in_line}) {
    EXPECT_EQ(other->settings.limits.at(Scope::kSession, Meter::kTurns).value, 3);
    EXPECT_EQ(other->tools.at("x").volatile_args, sections.tools.at("x").volatile_args);
  }
}

TEST(Table, ALaterFileOverridesValueByValueAndEveryValueKnowsItsFile) {
  Table const user = parsed(R"([limits]
max_turns = 10
max_cost = 5
[repeat]
stagnant_warn = 3
[tool.Bash]
effect = "write"
reentry = "allow"
range = { start = "/a", length = "/b" }
[[tool.Bash.when]]
pointer = "/command"
glob = "ls*"
effect = "read"
[tool.Read]
idempotent = true
[limits.per_tool]
Bash = 5
)",
                            defaults(), "user.toml");
  Table const both = parsed(R"([limits]
max_turns = 20
[tool.Bash]
reentry = "forbid"
range = { start = "/c", end = "/d" }
[[tool.Bash.when]]
pointer = "/cmd"
commands = ["ls"]
effect = "read"
[repeat]
stagnant = 4
[limits.per_tool]
Edit = 7
Bash = 6
)",
                            user, "backedge.toml");
  EXPECT_EQ(set_in(both),
            "limits.max_turns = 20  # backedge.toml:2\n"
            "limits.max_cost = \"5.00\"  # user.toml:3\n"
            "limits.per_tool.Bash = 6  # backedge.toml:14\n"
            "limits.per_tool.Edit = 7  # backedge.toml:13\n"
            "repeat.stagnant_warn = 3  # user.toml:5\n"
            "repeat.stagnant = 4  # backedge.toml:11\n"
            "tool.Bash.effect = \"write\"  # user.toml:7\n"
            "tool.Bash.reentry = \"forbid\"  # backedge.toml:4\n"
            "tool.Bash.range.start = \"/c\"  # backedge.toml:5\n"
            "tool.Bash.range.end = \"/d\"  # backedge.toml:5\n"
            "tool.Bash.when = [{ pointer = \"/cmd\", commands = [\"ls\"], effect = \"read\" }]  # backedge.toml:6\n"
            "tool.Read.idempotent = true  # user.toml:15\n");
  EXPECT_EQ(both.settings.limits.at(Scope::kRun, Meter::kTurns).source, "backedge.toml:2");
  EXPECT_EQ(both.settings.limits.at(Scope::kRun, Meter::kCost).source, "user.toml:3");
  EXPECT_EQ(both.source_of("limits.max_calls"), "default");
}

TEST(Table, AnEmptyListOfWhenTakesTheEarlierOnesAway) {
  Table const user = parsed("[[tool.x.when]]\npointer = \"/a\"\nequals = \"b\"\neffect = \"read\"\n");
  Table const both = parsed("[tool.x]\nwhen = []\nmax_depth = 1\n", user);
  EXPECT_TRUE(both.tools.at("x").when.empty());
}

TEST(Table, AContradictionAcrossFilesNamesTheOtherFile) {
  Table const user = parsed("[repeat]\npoll = 12\n", defaults(), "user.toml");
  auto const table = parse("[repeat]\npoll_warn = 12\n", "backedge.toml", user);
  ASSERT_FALSE(table.ok());
  EXPECT_EQ(table.error().text(),
            "backedge.toml:2:1: 'poll_warn' in [repeat] is 12, must be below 'poll', which is 12 (user.toml:2)");
}

TEST(Table, ValuesAreShownWithUnitSourceAndMeaning) {
  Table const table = parsed(
      "[limits]\nmax_time = \"90s\"\n[[tool.x.when]]\npointer = \"/a\"\nequals = \"b\\n\"\nvolatile.args = [\"/c\"]\n");
  auto const shown = show(table);
  EXPECT_EQ(shown.front(), (ShownSetting{"limits.max_turns", "50", "50", "turns", "", "default",
                                         "requests to the model, the final one included; 1 keeps its tools"}));
  EXPECT_EQ(shown.back().key, "tool.x.when");
  EXPECT_EQ(shown.back().value, R"([{ pointer = "/a", equals = "b\n", volatile.args = ["/c"] }])");
  EXPECT_EQ(shown.back().json, R"([{"pointer": "/a", "equals": "b\n", "volatile.args": ["/c"]}])");
  EXPECT_EQ(shown.back().source, "backedge.toml:3");
}

TEST(Table, AReadingCountsWhatItsFileSets) {
  EXPECT_EQ(read("[limits]\nmax_turns = 50\n[tool.x]\neffect = \"read\"\nvolatile = { args = [], result = [] }\n", "f")
                .settings,
            4);
  EXPECT_EQ(read("", "f").settings, 0);
}

TEST(Table, DeclaresItsContractsAsThePolicyLayerOfABook) {
  Table const table = parsed("[tool.mine]\neffect = \"poll\"\nmin_interval = \"5s\"\n");
  auto book = facts::ContractBook::blank();
  ASSERT_TRUE(declare_into(table, book).ok());
  EXPECT_EQ(book.find("mine").terms.effect, Effect::kPoll);
  EXPECT_EQ(book.find("mine").terms.min_interval, Micros(5'000'000));
}

TEST(Table, TheJournalIsSetInWords) {
  Result<Table> const table =
      parse("[journal]\npath = \"/var/j.db\"\nsync = \"full\"\nstore = \"digests\"\nkeep = 30\n", "f");
  ASSERT_TRUE(table.ok()) << table.error().text();
  EXPECT_EQ(table->settings.journal, (JournalSettings{"/var/j.db", true, false, 30}));
  EXPECT_EQ(defaults().settings.journal, (JournalSettings{"", false, true, -1}));
  for (std::string const wrong : {"sync = \"fast\"", "store = true", "keep = 0", "path = 5", "paht = \"x\""})
    EXPECT_FALSE(parse("[journal]\n" + wrong + "\n", "f").ok()) << wrong;
}

TEST(Table, AgentFunctionsAreDeclaredByName) {
  std::string const text = "[agent.reader]\nabout = \"reads\"\nmax_turns = 5\n[agent.plain]\n";
  Result<Table> const table = parse(text, "f");
  ASSERT_TRUE(table.ok()) << table.error().text();
  ASSERT_EQ(table->agents.size(), 2U);
  EXPECT_EQ(table->agents.at("reader"), (AgentSettings{"reads", 5, ""}));
  EXPECT_EQ(table->agents.at("plain"), AgentSettings{});
  std::string shown_text;
  for (ShownSetting const& s : show(*table)) shown_text += s.key + " = " + s.value + "\n";
  EXPECT_EQ(parse(shown_text, "shown")->agents, table->agents) << shown_text;
  for (std::string const wrong :
       {"[agent.reader]\nabuot = \"x\"", "[agent.reader]\nmax_turns = 0", "[agent]\nabout = \"x\"",
        "[agent]\nreader = 1", "[agent.\"a b\"]\nabout = \"x\"", "[agent.\"\"]\nabout = \"x\""})
    EXPECT_FALSE(parse(wrong, "f").ok()) << wrong;
}

}  // namespace
}  // namespace backedge::policy
