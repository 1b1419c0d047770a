// [[route]] and [stage.NAME]: what is read, and every way to get them wrong.
#include <string>

#include <gtest/gtest.h>

#include "policy/table.h"

namespace backedge::policy {
namespace {

std::string first_error(std::string const& toml) {
  Reading const reading = read(toml, "f");
  return reading.errors.empty() ? "" : reading.errors.front().text();
}

std::string shown(Table const& table) {
  std::string out;
  for (auto const& s : show(table))
    if (s.key.starts_with("route") || s.key.starts_with("stage")) out += s.key + " = " + s.value + "\n";
  return out;
}

constexpr char kBoth[] = R"([[route]]
name = "confirmed"
then = "reject"
tool = ["send_*", "post"]
where = [{ pointer = "/to", glob = "*@x.org" }, { pointer = "/n", equals = 3 }]
unless_seen = "confirm"
seen_where = [{ pointer = "/a", same = "/to" }]
[[route]]
then = "truncate"
over_size = 3000
result = [{ pointer = "/a~1b/0", regex = "^x+$" }]
[stage.one]
turns = 2
tools = []
next = "two"
[stage.two]
turns = 1
)";

TEST(Route, RulesAndStagesAreShownAsTheyAreReadAgain) {
  Reading const reading = read(kBoth, "f");
  ASSERT_TRUE(reading.errors.empty()) << reading.errors.front().text();
  ASSERT_EQ(reading.table.routes.size(), 2U);
  EXPECT_EQ(reading.table.routes[1].name, "2");
  EXPECT_EQ(reading.table.routes[0].source, "f:1");
  EXPECT_EQ(reading.table.stages.size(), 2U);
  std::string const text = shown(reading.table);
  Reading const again = read(text, "g");
  ASSERT_TRUE(again.errors.empty()) << again.errors.front().text() << text;
  EXPECT_EQ(shown(again.table), text);
  Reading const over = read(text, "g", reading.table);
  EXPECT_EQ(shown(over.table), text) << "the same names replace, they do not add";
}

TEST(Route, RulesOfAnEarlierFileStandFirstAndANameReplaces) {
  Table const user =
      read("[[route]]\nname = \"a\"\nthen = \"reject\"\ntool = \"x\"\n[[route]]\nthen = \"allow\"\n", "u").table;
  Reading const project = read(
      "[[route]]\nthen = \"ask\"\ntool = \"y\"\n[[route]]\nname = \"a\"\nthen = \"reject\"\ntool = \"z\"\n", "p", user);
  ASSERT_TRUE(project.errors.empty());
  ASSERT_EQ(project.table.routes.size(), 3U);
  EXPECT_EQ(project.table.routes[0].name, "a");
  EXPECT_EQ(project.table.routes[0].source, "p:4");
  EXPECT_EQ(project.table.routes[1].then, "allow");
  EXPECT_EQ(project.table.routes[2].then, "ask");
}

TEST(Route, EveryMistakeIsNamedWithItsPlace) {
  struct Row {
    std::string toml;
    std::string error;
  };
  std::string const rule = "[[route]]\nthen = \"reject\"\n";
  Row const rows[] = {
      {rule + "tol = \"x\"\n", "f:3:1: unknown key 'tol' in [[route]], did you mean 'tool'?"},
      {rule + "tool = 3\n", "f:3:8: 'tool' in [[route]] must be a name or glob, or list of them, not an integer"},
      {rule + "person_since = 3\n", "f:3:16: 'person_since' in [[route]] must be true or false, not an integer"},
      {"[[route]]\ntool = \"x\"\n", "f:1:1: [[route]] needs 'then'"},
      {"[[route]]\nthen = \"rejet\"\n", "did you mean \"reject\"?"},
      {rule + "error = true\n", "is asked before the call, where there is no 'error' yet"},
      {rule + "where = [{ pointer = \"to\", equals = 1 }]\n", "is \"to\", which is not a JSON pointer"},
      {rule + "where = [{ pointer = \"/to\" }]\n", "needs exactly one of equals, glob, regex, and has none"},
      {rule + "where = [{ pointer = \"/to\", equals = 1, glob = \"x\" }]\n", "and has more"},
      {rule + "where = [{ pointer = \"/to\", regex = \"(\" }]\n", "is no regular expression of RE2"},
      {rule + "where = [{ pointer = \"/to\", same = \"/x\" }]\n", "'same' is for tests in seen_where"},
      {rule + "where = [{ pointr = \"/to\" }]\n",
       "unknown key 'pointr' in where of [[route]], did you mean 'pointer'?"},
      {rule + "where = 3\n", "'where' in [[route]] must be a list of tests such as"},
      {rule + "seen_where = [{ pointer = \"/a\", equals = 1 }]\n", "goes with 'if_seen' or 'unless_seen'"},
      {rule + "person_since = true\n", "'person_since' in [[route]] goes with"},
      {rule + "in_stage = \"one\"\n", "'in_stage' in [[route]] is \"one\", which is no stage; there are none"},
      {rule + "in_row = 1\n", "'in_row' in [[route]] is 1, must be 2 to 64"},
      {"[[route]]\nthen = \"note\"\ntext = \"[\"\nhint = \"x\"\n", "is no regular expression of RE2"},
      {"[[route]]\nthen = \"note\"\n", "with a note needs 'hint'"},
      {"[[route]]\nthen = \"raise\"\n", "that raises needs 'max_turns'"},
      {"[[route]]\nthen = \"stage\"\n", "to a stage needs 'to_stage'"},
      {"[[route]]\nthen = \"final\"\nsize = 3\n", "'size' in [[route]] goes with then = \"truncate\", not \"final\""},
      {"[[route]]\nthen = \"final\"\nrounds = 3\n", "'rounds' in [[route]] goes with 'times'"},
      {"[[route]]\nname = \"a b\"\nthen = \"final\"\n", "a rule cannot be named \"a b\""},
      {"[[route]]\nname = \"a\"\nthen = \"final\"\n[[route]]\nname = \"a\"\nthen = \"stop\"\n",
       "f:4:1: there are two rules named \"a\"; the first is in line 1"},
      {"[route]\nthen = \"final\"\n", "rules must be sections [[route]], not a table"},
      {"[stage.a]\n", "f:1:8: [stage.a] needs 'turns', its budget"},
      {"[stage.a]\nturns = 0\n", "'turns' in [stage.a] is 0, must be"},
      {"[stage]\nturns = 1\n", "it belongs in [stage.NAME]"},
      {"[stage.a]\nturns = 1\nnxt = \"b\"\n", "unknown key 'nxt' in [stage.a], did you mean 'next'?"},
      {"[stage.a]\nturns = 1\nnext = \"reed\"\n[stage.read]\nturns = 1\n",
       "'next' in [stage.a] is \"reed\", which is no stage; did you mean \"read\"?"},
      {"[stage.a]\nturns = 1\n[stage.b]\nturns = 1\n", "no way leads to [stage.b]"},
      {"[stage.a]\nturns = 1\nnext = \"b\"\n[stage.b]\nturns = 1\nnext = \"a\"\n", "'next' leads back to itself"},
      {"[limits]\nexpected = -2\n", "'expected' in [limits] is -2, must be"},
  };
  for (Row const& row : rows) {
    std::string const error = first_error(row.toml);
    EXPECT_NE(error.find(row.error), std::string::npos) << row.toml << "\n" << error;
    EXPECT_EQ(error.find('\n'), std::string::npos) << error;
  }
}

TEST(Route, AStageThatOnlyARuleLeadsToIsReached) {
  EXPECT_EQ(first_error("[[route]]\nthen = \"stage\"\nto_stage = \"b\"\n[stage.a]\nturns = 1\n[stage.b]\nturns = 1\n"),
            "");
}

}  // namespace
}  // namespace backedge::policy
