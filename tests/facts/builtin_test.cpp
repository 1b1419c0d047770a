#include "facts/builtin.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "facts/book.h"
#include "facts/reader.h"

namespace backedge::facts {
namespace {

TEST(Builtin, EveryNameStandsOnceAndCompiles) {
  std::set<std::string> names;
  ContractBook book = ContractBook::blank();
  for (BuiltinContract const& row : builtin_contracts()) {
    EXPECT_TRUE(names.insert(row.tool).second) << row.tool;
    EXPECT_FALSE(row.tool.empty());
    EXPECT_TRUE(book.declare(Layer::kCode, row.tool, row.contract).ok()) << row.tool;
  }
  EXPECT_GT(names.size(), 100U);
}

TEST(Builtin, OnlyDelegatesHaveTargetsAndOnlyReadsHaveRanges) {
  ContractBook const book;
  for (BuiltinContract const& row : builtin_contracts()) {
    CompiledContract const& c = book.find(row.tool);
    EXPECT_EQ(c.terms.effect == Effect::kDelegate, !c.targets.empty()) << row.tool;
    if (c.has_range) {
      EXPECT_EQ(c.terms.effect, Effect::kRead) << row.tool;
      EXPECT_FALSE(c.identity.empty()) << row.tool;
    }
    // A table cannot know that nothing may ever be repeated, nor that a tool's result is the answer.
    EXPECT_NE(c.terms.idempotent, kernel::Idempotent::kNo) << row.tool;
    EXPECT_FALSE(c.terms.returns_direct) << row.tool;
  }
}

TEST(Builtin, CallsOfKnownToolsHaveTheirEffect) {
  struct Case {
    std::string tool;
    std::string arguments;
    Effect effect;
  };
  std::vector<Case> const cases{
      {"Read", R"({"file_path":"/a"})", Effect::kRead},
      {"Edit", R"({"file_path":"/a","old_string":"x","new_string":"y"})", Effect::kWrite},
      {"Bash", R"({"command":"make test"})", Effect::kUnknown},
      {"Bash", R"({"command":"git status"})", Effect::kRead},
      {"Bash", R"({"command":"cd a && rg foo | head -3","timeout":1})", Effect::kRead},
      {"Bash", R"({"command":"sleep 5"})", Effect::kWait},
      {"Bash", R"({"command":"sleep 5; tail -3 log"})", Effect::kPoll},
      {"Bash", R"({"command":"find . -delete"})", Effect::kUnknown},
      {"Bash", R"({"command":"tail -f log"})", Effect::kUnknown},
      {"Bash", R"({"command":"git branch new"})", Effect::kUnknown},
      {"Bash", R"({"command":"git branch -a -D x"})", Effect::kUnknown},
      {"Bash", R"({"command":"git branch"})", Effect::kRead},
      {"Bash", R"({"command":"git diff --output=x"})", Effect::kUnknown},
      {"Bash", R"({"command":"ls > x"})", Effect::kUnknown},
      {"Bash", R"({"command":7})", Effect::kUnknown},
      {"bash", R"({"cmd":"ls"})", Effect::kRead},
      {"bash", R"({"command":"ls"})", Effect::kRead},
      {"shell", R"({"command":["bash","-lc","git log | cat"]})", Effect::kRead},
      {"shell", R"({"command":["rm","-r","x"]})", Effect::kUnknown},
      {"shell", R"({"command":["ls","-l"]})", Effect::kRead},
      {"exec_command", R"({"cmd":"sleep 1"})", Effect::kWait},
      {"run_shell_command", R"({"command":"ls && pwd"})", Effect::kRead},
      {"write_stdin", R"({"session_id":1,"chars":"","yield_time_ms":1000})", Effect::kPoll},
      {"write_stdin", R"({"session_id":1,"chars":"y\n"})", Effect::kUnknown},
      {"wait_agent", R"({"targets":["a"]})", Effect::kWait},
      {"TaskOutput", R"({"task_id":"1"})", Effect::kPoll},
      {"BashOutput", R"({"bash_id":"1"})", Effect::kPoll},
      {"AskUserQuestion", "{}", Effect::kUnknown},
      {"Task", R"({"subagent_type":"x","prompt":"p"})", Effect::kDelegate},
      {"transfer_to_agent", R"({"agent_name":"x"})", Effect::kDelegate},
      {"read_text_file", R"({"path":"a"})", Effect::kRead},
      {"mcp__filesystem__write_file", R"({"path":"a","content":""})", Effect::kWrite},
      {"mcp__other__write_file", "{}", Effect::kUnknown},
      {"git_commit", "{}", Effect::kWrite},
      {"think", "{}", Effect::kUnknown},
      {"sequentialthinking", "{}", Effect::kUnknown},
  };
  ContractBook const book;
  Reader reader(book);
  for (Case const& c : cases) {
    EXPECT_EQ(effect_name(reader.call(c.tool, c.arguments).terms.effect), effect_name(c.effect))
        << c.tool << " " << c.arguments;
  }
}

TEST(Builtin, DelegatesNameTheirAgentInWhicheverFieldTheyHave) {
  ContractBook const book;
  Reader reader(book);
  std::vector<std::pair<std::string, std::string>> const calls{
      {"task", R"({"agent":"writer","prompt":"x"})"},
      {"delegate", R"({"to":"writer","task":"x"})"},
      {"ask_agent", R"({"agent":"writer","q":"x"})"},
      {"transfer_to_agent", R"({"agent_name":"writer"})"},
      {"Task", R"({"description":"d","subagent_type":"writer"})"},
      {"handoff", R"({"target":"writer"})"},
      {"delegate_work", R"({"task":"t","context":"c","coworker":"writer"})"},
      {"spawn_agent", R"({"agent_type":"writer","message":"m"})"},
      {"sessions_spawn", R"({"agentId":"writer","task":"t"})"},
      {"task", R"({"subagent_type":"writer","prompt":"p"})"},
      {"agent", R"({"recipient":"writer","name":"not this"})"}};
  for (auto const& [tool, arguments] : calls) {
    EXPECT_EQ(reader.call(tool, arguments).target_name, "writer") << tool << " " << arguments;
    EXPECT_EQ(reader.call(tool, arguments).terms.reentry, Reentry::kDistinct) << tool;
    EXPECT_FALSE(reader.call(tool, arguments).terms.reentry_declared) << tool;
  }
  EXPECT_EQ(reader.call("task", R"({"prompt":"x"})").target_name, "");
}

TEST(Builtin, ReadsHaveTheRangeOfTheirMaker) {
  ContractBook const book;
  Reader reader(book);
  EXPECT_EQ(reader.call("Read", R"({"file_path":"/a","offset":100,"limit":50})").range, (kernel::LineRange{100, 150}));
  EXPECT_EQ(reader.call("read_file", R"({"absolute_path":"/a","offset":10})").range, (kernel::LineRange{10, 2010}));
  EXPECT_EQ(reader.call("read", R"({"filePath":"/a","limit":3})").range, (kernel::LineRange{0, 3}));
  EXPECT_EQ(reader.call("read_file", R"({"file_path":"/a","start_line":5,"end_line":5})").range,
            (kernel::LineRange{5, 6}));
  EXPECT_EQ(reader.call("read_file", R"({"file_path":"/a","start_line":5})").range, (kernel::LineRange{5, 2005}));
  std::string const view = R"({"command":"view","path":"/a","view_range":[10,20]})";
  EXPECT_EQ(reader.call("str_replace_editor", view).range, (kernel::LineRange{10, 21}));
  EXPECT_EQ(reader.call("str_replace_editor", view).terms.effect, Effect::kRead);
  EXPECT_FALSE(reader.call("str_replace_editor", R"({"command":"view","path":"/a","view_range":[10,-1]})").has_range);
  EXPECT_EQ(reader.call("str_replace_editor", R"({"command":"create","path":"/a"})").terms.effect, Effect::kWrite);
  // Other arguments may choose another part of the file: then nothing is said about lines.
  EXPECT_FALSE(reader.call("Read", R"({"file_path":"/a.pdf","pages":"1-5"})").has_range);
  EXPECT_FALSE(reader.call("read_file", R"({"path":"/a","page":2})").has_range);
  EXPECT_FALSE(reader.call("read", R"({"id":7})").identity_declared);
}

TEST(Builtin, CommandsThatMayDoMoreAreHeldToTheirWords) {
  EXPECT_EQ(builtin_never("find"), "-delete -exec -execdir -ok -okdir -fprint* -fls");
  EXPECT_EQ(builtin_never("ls"), "");
  EXPECT_EQ(builtin_never("no such command"), "");
}

TEST(Builtin, AnyLayerMayCorrectARow) {
  ContractBook book;
  Contract c;
  c.effect = Effect::kWrite;
  ASSERT_TRUE(book.declare(Layer::kCode, "bash", c).ok());
  Reader reader(book);
  EXPECT_EQ(reader.call("bash", R"({"command":"git status"})").terms.effect, Effect::kWrite);
}

}  // namespace
}  // namespace backedge::facts
