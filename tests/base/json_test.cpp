#include "base/json.h"

#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace backedge {
namespace {

namespace json = boost::json;

Error error_of(std::string_view text) {
  Result<json::value> const result = parse_json(text, "f.json");
  return result ? Error{ErrorKind::kUsage, "no error", {}} : result.error();
}

TEST(ParseJson, ReadsEveryKindOfValue) {
  json::value const value = *parse_json(R"( {"a": [1, -2.5e3, "x\u00e9", true, false, null], "b": {}} )");
  EXPECT_EQ(json::serialize(value), R"({"a":[1,-2.5E3,"xé",true,false,null],"b":{}})");
  EXPECT_EQ(parse_json("7")->as_int64(), 7);
  EXPECT_EQ(parse_json("18446744073709551615")->as_uint64(), 18446744073709551615ULL);
}

struct BadText {
  std::string text;
  std::string detail;
  int line;
  int column;
};

TEST(ParseJson, SaysWhatIsWrongAndWhere) {
  std::vector<BadText> const cases{
      {"", "the JSON ends too early", 1, 1},
      {"{\"a\": 1", "the JSON ends too early", 1, 8},
      {"{\"a\": 1,\n \"b\": x}", "not JSON: unexpected \"x\"", 2, 7},
      {"[1, 2,]", "not JSON: unexpected \"]\"", 1, 7},
      {"[1]\n[2]", "text after the end of the JSON: \"[2]\"", 2, 1},
      {"[NaN]", "not JSON: unexpected \"N\"", 1, 2},
      {"{\"a\":1,\n\"b\":{\"x\":1,\"x\":2}}", "two members are named \"x\"", 2, 12},
      {"{\"q\\\"\\\\\":1,\"q\\u0022\\\\\":2}", "two members are named \"q\\\"\\\\\"", 1, 12},
      {"{\"a\":1,\"\\u0061\":2}", "two members are named \"a\"", 1, 8},
      {"[1e400]", "a number is beyond the range of a double", 1, 7},
      {"[-1e400]", "a number is beyond the range of a double", 1, 8},
      {"[\"\\ud800\"]", "a \\u escape is half of a surrogate pair", 1, 9},
      {"[\"a\nb\"]", "not JSON: unexpected \"\\n\"", 1, 4},
      {"[\"\xff\"]", "unexpected bytes or invalid UTF-8: \"\\xff\"", 1, 3},
  };
  for (BadText const& c : cases) {
    Error const error = error_of(c.text);
    EXPECT_EQ(error.kind, ErrorKind::kInput) << c.text;
    EXPECT_EQ(error.text(), fmt::format("f.json:{}:{}: {}", c.line, c.column, c.detail)) << c.text;
  }
}

TEST(ParseJson, TakesDepthUpToItsLimit) {
  auto const nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  EXPECT_TRUE(parse_json(nested(kMaxJsonDepth)).ok());
  EXPECT_EQ(error_of(nested(kMaxJsonDepth + 1)).detail, "the JSON is nested deeper than 256 levels");
  EXPECT_EQ(error_of(std::string(1'000'000, '[')).detail, "the JSON is nested deeper than 256 levels");
}

TEST(ParseJson, DoublesAreTheNearestOnes) {
  // The library's own reading of the first is one unit in the last place off.
  EXPECT_EQ(parse_json("7.7371252455336265e+25")->as_double(), 7.7371252455336265e+25);
  EXPECT_EQ(parse_json("0.1")->as_double(), 0.1);
  EXPECT_EQ(parse_json("1e-400")->as_double(), 0.0);
  EXPECT_EQ(parse_json("4.9e-324")->as_double(), 4.9e-324);
  EXPECT_EQ(parse_json("1.7976931348623157e308")->as_double(), 1.7976931348623157e308);
  EXPECT_EQ(parse_json("123456789012345678901234567890")->as_double(), 123456789012345678901234567890.0);
}

TEST(ParseJson, AnIntegerBeyondEveryDoubleIsAnError) {
  EXPECT_EQ(error_of("1" + std::string(400, '0')).detail, "a number is beyond the range of a double");
}

TEST(Locate, CountsLinesAndBytesFromOne) {
  EXPECT_EQ(locate("ab\ncd", 0), (Where{"", 1, 1}));
  EXPECT_EQ(locate("ab\ncd", 4), (Where{"", 2, 2}));
  EXPECT_EQ(locate("ab\ncd", 99), (Where{"", 2, 3}));
}

}  // namespace
}  // namespace backedge
