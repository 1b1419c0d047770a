// Texts that a value is written as: the same in TOML and JSON, and read back as they were.
#include "policy/value.h"

#include <string>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "base/json.h"

namespace backedge::policy {
namespace {

TEST(Value, AStringIsWrittenAsTomlAndJsonBothReadIt) {
  EXPECT_EQ(toml_string("a\"b\\c\n\t\x01\x7f é"), "\"a\\\"b\\\\c\\n\\t\\u0001\\u007f é\"");
  bool const held = rc::check("string round trip", [] {
    auto const bytes = *rc::gen::container<std::string>(rc::gen::inRange<char>(0, 0x7f));
    std::string const text = bytes + "é\U0001f600";
    auto const root = parse_toml("x = " + toml_string(text), "f");
    RC_ASSERT(root.ok());
    RC_ASSERT(root->members[0].node.text == text);
    auto const json = parse_json(toml_string(text));
    RC_ASSERT(json.ok());
    RC_ASSERT(std::string(json->as_string()) == text);
  });
  EXPECT_TRUE(held);
}

TEST(Value, AKeyIsBareWhenItCanBe) {
  EXPECT_EQ(toml_key("run_tests-2"), "run_tests-2");
  EXPECT_EQ(toml_key(""), "\"\"");
  EXPECT_EQ(toml_key("a.b"), "\"a.b\"");
  EXPECT_EQ(toml_key("é"), "\"é\"");
}

TEST(Value, ListsAndNumbersAreWrittenInTheirUnits) {
  EXPECT_EQ(value_text({Type::kPointers, {}, 0, 0, {}, {}, {}}, Value(std::vector<std::string>{"/a", "/b"})),
            "[\"/a\", \"/b\"]");
  EXPECT_EQ(value_text({Type::kDuration, {}, 0, 1, {}, {}, {}}, Value(std::int64_t{90'000'000})), "\"1m30s\"");
  EXPECT_EQ(value_text({Type::kDuration, {}, 0, 1, "no limit", {}, {}}, Value(std::int64_t{-1})), "-1");
  EXPECT_EQ(value_text({Type::kMoney, {}, 0, 1, {}, {}, {}}, Value(std::int64_t{1'500'000'000})), "\"1.50\"");
  EXPECT_EQ(value_text({Type::kBool, {}, 0, 0, {}, {}, {}}, Value(true)), "true");
}

TEST(Value, APointerBeginsWithASlashAndEscapesItsTildes) {
  for (std::string_view const good : {"/", "/a", "/a/b/0", "/a~0b~1c", "//", "/é"})
    EXPECT_EQ(pointer_fault(good), "") << good;
  for (std::string_view const bad : {"", "a", "#/a", "/a~", "/a~2", "~0"}) EXPECT_NE(pointer_fault(bad), "") << bad;
}

}  // namespace
}  // namespace backedge::policy
