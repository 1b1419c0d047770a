#include "facts/book.h"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/hash.h"

namespace backedge::facts {
namespace {

Contract with(Effect effect) {
  Contract c;
  c.effect = effect;
  return c;
}

std::string error_of(Contract const& contract) {
  ContractBook book = ContractBook::blank();
  Result<void> const done = book.declare(Layer::kCode, "tool", contract);
  if (done) return "no error";
  EXPECT_EQ(done.error().kind, ErrorKind::kUsage);
  EXPECT_FALSE(book.knows("tool"));
  return done.error().detail;
}

TEST(Book, AnUndeclaredToolHasTheDefaultContract) {
  ContractBook const book = ContractBook::blank();
  CompiledContract const& c = book.find("anything");
  EXPECT_EQ(c.id, ContractBook::kUndeclared);
  EXPECT_EQ(c.tool, "");
  EXPECT_FALSE(book.knows("anything"));
  EXPECT_EQ(&book.at(12'345), &c);
}

TEST(Book, ADeclaredToolIsFoundByNameAndById) {
  ContractBook book = ContractBook::blank();
  ASSERT_TRUE(book.declare(Layer::kCode, "search", with(Effect::kRead)).ok());
  CompiledContract const& c = book.find("search");
  EXPECT_EQ(c.tool, "search");
  EXPECT_EQ(c.tool_id, digest_name("search"));
  EXPECT_EQ(&book.at(c.id), &c);
  EXPECT_EQ(book.find("Search").id, ContractBook::kUndeclared);
}

TEST(Book, AContractThatWasHandedOutStaysAsItIs) {
  ContractBook book = ContractBook::blank();
  ASSERT_TRUE(book.declare(Layer::kCode, "tool", with(Effect::kRead)).ok());
  CompiledContract const& before = book.find("tool");
  for (int i = 0; i < 1000; ++i)
    ASSERT_TRUE(book.declare(Layer::kCode, "tool" + std::to_string(i), with(Effect::kWrite)).ok());
  ASSERT_TRUE(book.declare(Layer::kCode, "tool", with(Effect::kWrite)).ok());
  EXPECT_EQ(before.terms.effect, Effect::kRead);
  EXPECT_EQ(book.at(before.id).terms.effect, Effect::kRead);
  EXPECT_EQ(book.find("tool").terms.effect, Effect::kWrite);
}

TEST(Book, ABadContractIsRefusedWithItsField) {
  Contract c;
  c.identity = {"/a~2"};
  EXPECT_EQ(error_of(c), "contract of \"tool\": identity: \"/a~2\" is no JSON pointer: a ~ stands only before 0 or 1");
  c = {};
  c.volatile_args = {"/x/~"};
  EXPECT_EQ(error_of(c),
            "contract of \"tool\": volatile_args: \"/x/~\" is no JSON pointer: a ~ stands only before 0 or 1");
  c = {};
  c.volatile_result = {"re:(unclosed"};
  EXPECT_EQ(error_of(c), "contract of \"tool\": volatile_result: pattern \"re:(unclosed\": missing ): (unclosed");
  c = {};
  c.max_depth = 0;
  EXPECT_EQ(error_of(c), "contract of \"tool\": max_depth: 0 is not in the range 1 to 65535");
  c = {};
  c.timeout_ms = 0;
  EXPECT_EQ(error_of(c), "contract of \"tool\": timeout_ms: 0 is not in the range 1 to 9223372036854775");
  c = {};
  c.max_output = -1;
  EXPECT_EQ(error_of(c), "contract of \"tool\": max_output: -1 is not in the range 1 to 9223372036854775");
  c = {};
  c.min_interval_ms = -1;
  EXPECT_EQ(error_of(c), "contract of \"tool\": min_interval_ms: -1 is not in the range 0 to 9223372036854775");
  c = {};
  c.range = RangePointers{"", "/n", ""};
  EXPECT_EQ(error_of(c), "contract of \"tool\": range: start is missing");
  c.range = RangePointers{"/a", "/n", "/e"};
  EXPECT_EQ(error_of(c), "contract of \"tool\": range: has length and end; one of them must go");
  c = {};
  c.conflicts = {"file:{/path"};
  EXPECT_EQ(error_of(c), "contract of \"tool\": conflicts: a { without its }");
  c.conflicts = {"file:/path}"};
  EXPECT_EQ(error_of(c), "contract of \"tool\": conflicts: a } without its {");
  c.conflicts = {""};
  EXPECT_EQ(error_of(c), "contract of \"tool\": conflicts: an empty key");
  c = {};
  for (int i = 0; i < 70; ++i) {
    if (!c.identity) c.identity.emplace();
    c.identity->push_back("/" + std::to_string(i));
  }
  EXPECT_EQ(error_of(c), "contract of \"tool\": identity: \"/64\" is no JSON pointer: a tool has at most 64 pointers");
}

TEST(Book, ABadConditionIsRefused) {
  auto const error_with = [](Condition const& condition) {
    Contract c;
    c.when.push_back({condition, {}});
    return error_of(c);
  };
  std::string const one_of = "contract of \"tool\": when: a condition needs exactly one of equals, glob and commands";
  EXPECT_EQ(error_with({.pointer = "/a"}), one_of);
  EXPECT_EQ(error_with({.pointer = "/a", .equals = "1", .glob = "*"}), one_of);
  EXPECT_EQ(error_with({.pointer = "/a", .equals = "1", .commands = {"ls"}}), one_of);
  EXPECT_EQ(error_with({.pointer = "/a", .commands = {" "}}), "contract of \"tool\": when: an empty command");
  EXPECT_EQ(error_with({.pointer = "/~", .equals = "1"}),
            "contract of \"tool\": when: \"/~\" is no JSON pointer: a ~ stands only before 0 or 1");
}

TEST(Book, ABadDeclarationLeavesTheOldOneInPlace) {
  ContractBook book = ContractBook::blank();
  ASSERT_TRUE(book.declare(Layer::kCode, "tool", with(Effect::kRead)).ok());
  Contract bad = with(Effect::kWrite);
  bad.max_depth = 0;
  EXPECT_FALSE(book.declare(Layer::kCode, "tool", bad).ok());
  EXPECT_EQ(book.find("tool").terms.effect, Effect::kRead);
}

TEST(Book, ExplainsEveryFieldInAFixedOrder) {
  ContractBook book = ContractBook::blank();
  Contract c = with(Effect::kWrite);
  c.identity = {"/a", "/b"};
  c.range = RangePointers{"/offset", "/limit", ""};
  c.volatile_args = {std::vector<std::string>{}};
  ASSERT_TRUE(book.declare(Layer::kCode, "tool", c).ok());
  EXPECT_EQ(book.explain("tool"), (std::vector<FieldSource>{{"effect", "write", "code"},
                                                            {"reentry", "forbid", "default"},
                                                            {"decreases", "none", "default"},
                                                            {"target", "none", "default"},
                                                            {"identity", "/a, /b", "code"},
                                                            {"volatile_args", "none", "code"},
                                                            {"volatile_result", "none", "default"},
                                                            {"range", "start /offset, length /limit", "code"},
                                                            {"idempotent", "unknown", "default"},
                                                            {"conflicts", "the tool itself", "default"},
                                                            {"max_depth", "5", "default"},
                                                            {"returns_direct", "no", "default"},
                                                            {"timeout_ms", "120000", "default"},
                                                            {"max_output", "30000", "default"},
                                                            {"min_interval_ms", "0", "default"}}));
  EXPECT_EQ(book.explain("unheard_of").size(), 15U);
  EXPECT_EQ(book.explain("unheard_of")[0], (FieldSource{"effect", "unknown", "default"}));
}

TEST(Book, ListsWhatWasDeclaredAboveTheTable) {
  ContractBook book;
  EXPECT_TRUE(book.declared().empty());
  ASSERT_TRUE(book.declare(Layer::kPolicy, "zeta", with(Effect::kRead)).ok());
  ASSERT_TRUE(book.declare(Layer::kCode, "Read", with(Effect::kRead)).ok());
  EXPECT_EQ(book.declared(), (std::vector<std::string>{"Read", "zeta"}));
  EXPECT_TRUE(book.knows("Bash"));
}

}  // namespace
}  // namespace backedge::facts
