// Wrong policy files and all that is said of each, word by word.
#include <array>
#include <string>

#include <gtest/gtest.h>

#include "policy/table.h"

namespace backedge::policy {
namespace {

struct BadFile {
  std::string_view toml;
  std::string_view errors;  // one a line
};

std::string errors_of(std::string_view toml) {
  std::string out;
  for (Error const& error : read(toml, "f").errors) {
    EXPECT_EQ(error.kind, ErrorKind::kPolicy);
    out += error.text() + "\n";
  }
  return out;
}

template <std::size_t N>
void expect_all(std::array<BadFile, N> const& files) {
  for (BadFile const& file : files) {
    EXPECT_EQ(errors_of(file.toml), std::string(file.errors) + "\n") << file.toml;
    auto const table = parse(file.toml, "f");
    ASSERT_FALSE(table.ok());
    EXPECT_EQ(table.error(), read(file.toml, "f").errors.front());
  }
}

TEST(BadFile, UnknownKeysAndSectionsNameTheNearestOrWhereTheyBelong) {
  expect_all(std::to_array<BadFile>({
      {"[limits]\nmax_turn = 5", "f:2:1: unknown key 'max_turn' in [limits], did you mean 'max_turns'?"},
      {"[limits]\nMAX_TURNS = 5", "f:2:1: unknown key 'MAX_TURNS' in [limits], did you mean 'max_turns'?"},
      {"max_turns = 5", "f:1:1: unknown key 'max_turns' outside any section; it belongs in [limits]"},
      {"limit = 5", "f:1:1: unknown key 'limit' outside any section, did you mean [limits]?"},
      {"[limit]\nmax_turns = 5", "f:1:2: unknown section [limit], did you mean [limits]?"},
      {"[limits.sesion]\nmax_turns = 5", "f:1:9: unknown section [limits.sesion], did you mean [limits.session]?"},
      {"[gate]\nlevel = 1",
       "f:1:2: unknown section [gate]; known are limits, repeat, ladder, journal, prices, agent, tool, route, stage"},
      {"[[gate]]\nlevel = 1",
       "f:1:3: unknown section [gate]; known are limits, repeat, ladder, journal, prices, agent, tool, route, stage"},
      {"[limits.session]\nmax_depth = 5", "f:2:1: unknown key 'max_depth' in [limits.session]; it belongs in [limits]"},
      {"[limits]\ntimeout = 5", "f:2:1: unknown key 'timeout' in [limits]; it belongs in [tool.NAME]"},
      {"[ladder]\nzzz = 5", "f:2:1: unknown key 'zzz' in [ladder]; known are observe, refusals"},
      {"[ladder]\n\"a b\" = 5", "f:2:1: unknown key \"a b\" in [ladder]; known are observe, refusals"},
      {"[ladder]\n\"\" = 5", "f:2:1: unknown key \"\" in [ladder]; known are observe, refusals"},
      {"[tool.x]\nefect = 5", "f:2:1: unknown key 'efect' in [tool.x], did you mean 'effect'?"},
      {"[tool.x]\nvolatile = { arg = [] }", "f:2:14: unknown key 'arg' in volatile of [tool.x], did you mean 'args'?"},
      {"[tool.\"a b\"]\nmax_turns = 5", "f:2:1: unknown key 'max_turns' in [tool.\"a b\"]; it belongs in [limits]"},
      {"[[tool.x.when]]\npointer = \"/a\"\nequal = \"b\"",
       "f:3:1: unknown key 'equal' in [[tool.x.when]], did you mean 'equals'?"},
      {"[\"limits.session\"]\nmax_turns = 5",
       "f:1:2: unknown section [\"limits.session\"]; known are limits, repeat, ladder, journal, prices, agent, tool, "
       "route, "
       "stage"},
      {"[tool.x]\n\"range.end\" = \"/a\"",
       "f:2:1: unknown key \"range.end\" in [tool.x]; known are effect, reentry, decreases, target, identity, "
       "volatile, "
       "range, idempotent, conflicts, max_depth, returns_direct, timeout, max_output, min_interval, when"},
      {"[tool]\neffect = \"read\"", "f:2:1: unknown key 'effect' in [tool]; it belongs in [tool.NAME]"},
  }));
}

TEST(BadFile, ValuesOfTheWrongTypeSayWhatIsWantedAndWhatIsThere) {
  expect_all(std::to_array<BadFile>({
      {"[limits]\nmax_turns = \"5\"", "f:2:13: 'max_turns' in [limits] must be an integer, not a string"},
      {"[limits]\nmax_turns = 5.0", "f:2:13: 'max_turns' in [limits] must be an integer, not a decimal number"},
      {"[limits]\nmax_turns = [5]", "f:2:13: 'max_turns' in [limits] must be an integer, not a list"},
      {"[limits]\nmax_turns = {}", "f:2:13: 'max_turns' in [limits] must be an integer, not a table"},
      {"[limits]\nmax_time = 1.5", "f:2:12: 'max_time' in [limits] must be a duration, not a decimal number"},
      {"[limits]\nmax_time = 1979-05-27", "f:2:12: 'max_time' in [limits] must be a duration, not a date or time"},
      {"[limits]\nmax_cost = true", "f:2:12: 'max_cost' in [limits] must be an amount, not true or false"},
      {"[limits]\nallow_unpriced = 1", "f:2:18: 'allow_unpriced' in [limits] must be true or false, not an integer"},
      {"[repeat]\nexact = \"no\"", "f:2:9: 'exact' in [repeat] must be an integer or false, not a string"},
      {"[repeat]\nexact = true", "f:2:9: 'exact' in [repeat] must be an integer, or false to switch it off, not true"},
      {"[repeat]\ncycle_max_period = false",
       "f:2:20: 'cycle_max_period' in [repeat] must be an integer, not true or false"},
      {"[limits.per_tool]\nx = \"3\"", "f:2:5: 'x' in [limits.per_tool] must be an integer, not a string"},
      {"[tool.x]\neffect = true", "f:2:10: 'effect' in [tool.x] must be a word, not true or false"},
      {"[tool.x]\nidentity = \"/a\"", "f:2:12: 'identity' in [tool.x] must be a list of JSON pointers, not a string"},
      {"[tool.x]\nidentity = [\"/a\", 1]",
       "f:2:19: 'identity' in [tool.x] must be a list of JSON pointers, but holds an integer"},
      {"[tool.x]\nvolatile = [\"/a\"]", "f:2:12: 'volatile' in [tool.x] must be a table of args, result, not a list"},
      {"[tool.x]\nwhen = { pointer = \"/a\" }", "f:2:1: 'when' in [tool.x] must be sections [[tool.x.when]]"},
      {"[[tool.x.when]]\npointer = \"/a\"\nequals = 1.5",
       "f:3:10: 'equals' in [[tool.x.when]] must be a string, integer or boolean, not a decimal number"},
      {"limits = 3", "f:1:1: [limits] must be a section, not an integer"},
      {"[limits]\nsession = 3", "f:2:1: [limits.session] must be a section, not an integer"},
      {"[[limits]]\nmax_turns = 3", "f:1:3: [limits] must be a section, not a list"},
      {"[limits]\nper_tool = 3", "f:2:1: [limits.per_tool] must be a section, not an integer"},
      {"tool = 3", "f:1:1: [tool] must be a section, not an integer"},
      {"[tool]\nx = 3", "f:2:1: [tool.x] must be a section, not an integer"},
  }));
}

TEST(BadFile, ValuesOutOfRangeSayTheRange) {
  expect_all(std::to_array<BadFile>({
      {"[limits]\nmax_turns = -2", "f:2:13: 'max_turns' in [limits] is -2, must be 0 or more, or -1 for no limit"},
      {"[limits]\nmax_turns = 1000000000001",
       "f:2:13: 'max_turns' in [limits] is 1000000000001, must be at most 1000000000000"},
      {"[limits]\nmax_depth = 20000", "f:2:13: 'max_depth' in [limits] is 20000, must be at most 10000"},
      {"[limits]\nmax_cost = -0.5",
       "f:2:12: 'max_cost' in [limits] is -0.5, must be an amount in US dollars such as 1.50 or \"1.50\""},
      {"[limits]\nmax_cost = \"1,50\"",
       "f:2:12: 'max_cost' in [limits] is \"1,50\", must be an amount in US dollars such as 1.50 or \"1.50\""},
      {"[limits]\nmax_cost = nan",
       "f:2:12: 'max_cost' in [limits] is nan, must be an amount in US dollars such as 1.50 or \"1.50\""},
      {"[limits]\nmax_cost = 1e9\n[limits.frame]\nmax_cost = 1000000000.000000001",
       "f:4:12: 'max_cost' in [limits.frame] is 1000000000.000000001, must be at most 1000000000.00"},
      {"[limits]\nmax_cost = 9223372036854775807",
       "f:2:12: 'max_cost' in [limits] is 9223372036854775807, must be at most 1000000000.00"},
      {"[limits]\nmax_time = -5", "f:2:12: 'max_time' in [limits] is -5, must be 0s or more, or -1 for no limit"},
      {"[limits]\nmax_time = 9223372036854775807",
       "f:2:12: 'max_time' in [limits] is 9223372036854775807, must be at most 3650d"},
      {"[limits]\nmax_time = \"3651d\"", "f:2:12: 'max_time' in [limits] is 3651d, must be at most 3650d"},
      {"[limits]\nmax_time = \"90\"",
       "f:2:12: 'max_time' in [limits] is \"90\", must be a duration such as \"90s\", \"10m\" or \"1h30m\""},
      {"[limits]\nhook_blocks = 0", "f:2:15: 'hook_blocks' in [limits] is 0, must be 1 to 10000, or -1 for no limit"},
      {"[repeat]\nexact = 1", "f:2:9: 'exact' in [repeat] is 1, must be 2 to 10000, or false"},
      {"[repeat]\nexact = -1", "f:2:9: 'exact' in [repeat] is -1, must be 2 to 10000, or false"},
      {"[repeat]\nnovelty_percent = 101", "f:2:19: 'novelty_percent' in [repeat] is 101, must be at most 100"},
      {"[limits.per_tool]\nx = -2", "f:2:5: 'x' in [limits.per_tool] is -2, must be 0 or more, or -1 for no limit"},
      {"[limits.per_tool]\n\"\" = 2", "f:2:1: a tool in [limits.per_tool] has an empty name"},
      {"[tool.\"\"]\neffect = \"read\"", "f:1:7: a tool in [tool] has an empty name"},
      {"[tool.x]\nmax_depth = 0", "f:2:13: 'max_depth' in [tool.x] is 0, must be 1 to 10000"},
      {"[tool.x]\ntimeout = 0", "f:2:11: 'timeout' in [tool.x] is 0s, must be 1ms or more"},
      {"[tool.x]\ntimeout = -1", "f:2:11: 'timeout' in [tool.x] is -1, must be 1ms or more"},
      {"[tool.x]\ntimeout = \"31d\"", "f:2:11: 'timeout' in [tool.x] is 31d, must be at most 30d"},
      {"[tool.x]\nmax_output = 0", "f:2:14: 'max_output' in [tool.x] is 0, must be 1 to 100000000"},
  }));
}

TEST(BadFile, WordsPointersAndResourcesSayWhatTheyMustBe) {
  expect_all(std::to_array<BadFile>({
      {"[tool.x]\neffect = \"reed\"",
       "f:2:10: 'effect' in [tool.x] is \"reed\", must be one of unknown, read, write, poll, wait, delegate; did you "
       "mean \"read\"?"},
      {"[tool.x]\nreentry = \"never\"",
       "f:2:11: 'reentry' in [tool.x] is \"never\", must be one of forbid, distinct, bounded, allow"},
      {"[tool.x]\ntarget = \"agent\"",
       "f:2:10: 'target' in [tool.x] is \"agent\", which is not a JSON pointer such as \"/path\""},
      {"[tool.x]\ntarget = \"\"",
       "f:2:10: 'target' in [tool.x] is \"\", which is not a JSON pointer such as \"/path\""},
      {"[tool.x]\nidentity = [\"/a\", \"/b~2\"]",
       "f:2:19: 'identity' in [tool.x] holds \"/b~2\", which is not a JSON pointer such as \"/path\": after ~ comes 0 "
       "or 1"},
      {"[tool.x]\nvolatile.result = [\"re:\"]",
       "f:2:20: 'volatile.result' in [tool.x] holds \"re:\", which is a pattern without text"},
      {"[tool.x]\nvolatile.args = [\"re:x\"]",
       "f:2:18: 'volatile.args' in [tool.x] holds \"re:x\", which is not a JSON pointer such as \"/path\""},
      {"[tool.x]\nconflicts = [\"file:{/path\"]",
       "f:2:14: 'conflicts' in [tool.x] holds \"file:{/path\", which has a brace that is not closed"},
      {"[tool.x]\nconflicts = [\"file:{{/path}\"]",
       "f:2:14: 'conflicts' in [tool.x] holds \"file:{{/path}\", which has a brace that is not closed"},
      {"[tool.x]\nconflicts = [\"file}\"]",
       "f:2:14: 'conflicts' in [tool.x] holds \"file}\", which has a closing brace without an opening one"},
      {"[tool.x]\nconflicts = [\"file:{path}\"]",
       "f:2:14: 'conflicts' in [tool.x] holds \"file:{path}\", which holds in braces what is not a JSON pointer such "
       "as \"/path\""},
      {"[tool.x]\nconflicts = [\"\"]", "f:2:14: 'conflicts' in [tool.x] holds \"\", which must not be empty"},
      {"[[tool.x.when]]\npointer = \"/a\"\ncommands = []\neffect = \"read\"",
       "f:3:12: 'commands' in [[tool.x.when]] must not be an empty list"},
      {"[[tool.x.when]]\npointer = \"/a\"\ncommands = [\"\"]\neffect = \"read\"",
       "f:3:13: 'commands' in [[tool.x.when]] holds \"\", which must not be empty"},
  }));
}

TEST(BadFile, ContradictionsNameBothSides) {
  expect_all(std::to_array<BadFile>({
      {"[repeat]\nexact_warn = 3", "f:2:1: 'exact_warn' in [repeat] is 3, must be below 'exact', which is 3 (default)"},
      {"[repeat]\nstagnant = 5",
       "f:2:1: 'stagnant' in [repeat] is 5, must be above 'stagnant_warn', which is 6 (default)"},
      {"[repeat]\nerror_warn = 9\nerror = 8",
       "f:2:1: 'error_warn' in [repeat] is 9, must be below 'error', which is 8 (f:3)"},
      {"[tool.x]\nrange = { start = \"/a\", length = \"/b\", end = \"/c\" }",
       "f:2:1: range of [tool.x] needs 'length' or 'end', and has both"},
      {"[tool.x]\nrange = { start = \"/a\" }", "f:2:1: range of [tool.x] needs 'length' or 'end', and has none"},
      {"[tool.x]\nrange = { length = \"/a\" }", "f:2:1: range of [tool.x] needs 'start'"},
      {"[tool.x]\nrange = {}", "f:2:1: range of [tool.x] needs 'start'"},
      {"[[tool.x.when]]\npointer = \"/a\"\neffect = \"read\"",
       "f:1:1: [[tool.x.when]] needs exactly one of 'equals', 'glob' and 'commands', and has none"},
      {"[[tool.x.when]]\npointer = \"/a\"\nequals = \"b\"\nglob = \"b\"\neffect = \"read\"",
       "f:1:1: [[tool.x.when]] needs exactly one of 'equals', 'glob' and 'commands', and has more"},
      {"[[tool.x.when]]\nequals = \"b\"\neffect = \"read\"", "f:1:1: [[tool.x.when]] needs 'pointer'"},
      {"[[tool.x.when]]\npointer = \"/a\"\nequals = \"b\"",
       "f:1:1: [[tool.x.when]] says when, but nothing of the contract that then holds"},
  }));
}

TEST(BadFile, AllErrorsOfAFileAreFoundInItsOrder) {
  expect_all(std::to_array<BadFile>({
      {"[tool.x]\neffect = 1\n[repeat]\npoll_warn = 20\nexact = true\n[limits]\nmax_turn = 1\nmax_cost = -3\n",
       "f:2:10: 'effect' in [tool.x] must be a word, not an integer\n"
       "f:4:1: 'poll_warn' in [repeat] is 20, must be below 'poll', which is 15 (default)\n"
       "f:5:9: 'exact' in [repeat] must be an integer, or false to switch it off, not true\n"
       "f:7:1: unknown key 'max_turn' in [limits], did you mean 'max_turns'?\n"
       "f:8:12: 'max_cost' in [limits] is -3, must be 0.00 or more, or -1 for no limit"},
      {"[limits]\nmax_turns = 5\n[limits", "f:3:8: invalid TOML (table header): encountered end-of-file"},
  }));
}

TEST(BadFile, WhatOnlyTheBookOfContractsCanTellIsAnErrorOfTheFile) {
  std::string many = "[tool.x]\nidentity = [";
  for (int i = 0; i < 65; ++i) many += "\"/" + std::to_string(i) + "\", ";
  EXPECT_EQ(errors_of(many + "]\n").rfind("f:1:7: contract of \"x\": ", 0), 0U);
  EXPECT_EQ(errors_of("[tool.x]\nvolatile.result = [\"re:(\"]\n").rfind("f:1:7: contract of \"x\": ", 0), 0U);
}

}  // namespace
}  // namespace backedge::policy
