#include <string>

#include <gtest/gtest.h>

#include "facts/book.h"
#include "facts/reader.h"
#include "facts/schema.h"
#include "tools/builtin.h"
#include "tools/fake_context.h"

namespace backedge::tools {
namespace {

using facts::ContractBook;
using facts::Layer;

TEST(BuiltinContracts, AreTakenByTheBookAndKeepWhatTheTableKnows) {
  Bench const bench;
  ContractBook const table;
  ContractBook book;
  for (auto const& [spec, run] : bench.tools()) {
    ASSERT_TRUE(book.declare(Layer::kCode, spec.name, spec.contract).ok()) << spec.name;
    EXPECT_EQ(spec.source, "builtin");
    EXPECT_FALSE(spec.about.empty());
    EXPECT_EQ(spec.sets.size(), 1u);
  }
  auto const same = [&](char const* tool, char const* arguments) {
    facts::Reader ours(book);
    facts::Reader theirs(table);
    return book.at(ours.call(tool, arguments).contract).terms.effect ==
           table.at(theirs.call(tool, arguments).contract).terms.effect;
  };
  EXPECT_TRUE(same("read_file", R"({"path":"a","offset":1})"));
  EXPECT_TRUE(same("list_files", R"({"path":"a"})"));
  EXPECT_TRUE(same("write_file", R"({"path":"a","content":""})"));
  EXPECT_TRUE(same("run_command", R"({"command":"git status"})"));
  EXPECT_TRUE(same("run_command", R"({"command":"rm -r x"})"));
  EXPECT_TRUE(same("run_command", R"({"command":"sleep 5"})"));
}

TEST(BuiltinContracts, SchemasAreCheckedBeforeTheToolRuns) {
  Bench const bench;
  for (auto const& [spec, run] : bench.tools()) {
    Result<facts::Schema> const schema = facts::Schema::compile(spec.schema_json);
    ASSERT_TRUE(schema.ok()) << spec.name << ": " << schema.error().detail;
    EXPECT_TRUE(schema->check(R"({"no_such_argument":1})").has_value()) << spec.name;
  }
}

}  // namespace
}  // namespace backedge::tools
