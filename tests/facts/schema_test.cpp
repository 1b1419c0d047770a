#include "facts/schema.h"

#include <chrono>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace backedge::facts {
namespace {

using Kind = SchemaFault::Kind;

Schema compiled(std::string_view schema) {
  Result<Schema> out = Schema::compile(schema);
  EXPECT_TRUE(out.ok()) << (out.ok() ? "" : out.error().text());
  return out.ok() ? *out : *Schema::compile(R"({"type":"object"})");
}

std::string fault_of(std::string_view schema, std::string_view arguments) {
  std::optional<SchemaFault> const fault = compiled(schema).check(arguments);
  if (!fault) return "";
  return (fault->kind == Kind::kMissing ? "missing: " : "mistyped: ") + fault->text;
}

constexpr std::string_view kRead = R"({"type":"object","properties":{"path":{"type":"string"},
    "limit":{"type":"integer","minimum":1},"mode":{"type":"string","enum":["text","hex"]}},
    "required":["path"],"additionalProperties":false})";

struct Case {
  std::string_view arguments;
  std::string_view fault;
};

TEST(Schema, NamesTheFieldWhatWasExpectedWhatWasThereAndWhatToDo) {
  std::vector<Case> const cases{
      {R"({"path":"a"})", ""},
      {R"({"path":"a","limit":3,"mode":"hex"})", ""},
      {"{}", "missing: /path is missing: expected a string; add it and call again"},
      {"", "missing: /path is missing: expected a string; add it and call again"},
      {" null ", "missing: /path is missing: expected a string; add it and call again"},
      {R"({"pth":"a"})",
       R"(missing: /path is missing: expected a string, but there is "pth"; rename it and call again)"},
      {R"({"path":7})", "mistyped: /path: expected a string, got the number 7; change it and call again"},
      {R"({"path":"a","limit":"ten"})",
       R"(mistyped: /limit: expected an integer, got the string "ten"; change it and call again)"},
      {R"({"path":"a","limit":0})",
       "mistyped: /limit: expected at least 1, got the number 0; change it and call again"},
      {R"({"path":"a","limit":1.5})",
       "mistyped: /limit: expected an integer, got the number 1.5E0; change it and call again"},
      {R"({"path":"a","mode":"bin"})",
       R"(mistyped: /mode: expected one of "text" or "hex", got the string "bin"; change it and call again)"},
      {R"({"path":"a","limt":3})",
       R"(mistyped: /limt is not a known name: expected "path", "limit" or "mode"; did you mean "limit")"},
      {R"({"path":"a","zebra":3})",
       R"(mistyped: /zebra is not a known name: expected "path", "limit" or "mode"; leave it out and call again)"},
      {R"(["a"])", "mistyped: the arguments: expected an object, got an array of 1; change it and call again"},
      {R"("{\"path\":\"a\"}")", ""},
  };
  for (Case const& c : cases) EXPECT_EQ(fault_of(kRead, c.arguments), c.fault) << c.arguments;
}

TEST(Schema, SaysOfTextThatIsNoJsonWhatItIs) {
  EXPECT_NE(fault_of(kRead, "{\"path\":").find("the arguments: expected a JSON object, got text that is no JSON"),
            std::string::npos);
  EXPECT_EQ(fault_of(R"({"type":"object"})", "[]"),
            "mistyped: the arguments: expected an object, got an array of 0; change it and call again");
}

TEST(Schema, FindsTheFieldInNestedValues) {
  constexpr std::string_view kNested = R"({"type":"object","properties":{"edits":{"type":"array","minItems":1,"items":
      {"type":"object","properties":{"line":{"type":"integer"},"text":{"anyOf":[{"type":"string"},{"type":"null"}]}},
       "required":["line"]}}}})";
  EXPECT_EQ(fault_of(kNested, R"({"edits":[{"line":1,"text":null}]})"), "");
  EXPECT_EQ(fault_of(kNested, R"({"edits":[{"line":1},{"text":"x"}]})"),
            "missing: /edits/1/line is missing: expected an integer; add it and call again");
  EXPECT_EQ(fault_of(kNested, R"({"edits":[{"line":1,"text":5}]})"),
            "mistyped: /edits/0/text: expected a string or null, got the number 5; change it and call again");
  EXPECT_EQ(fault_of(kNested, R"({"edits":[]})").find("mistyped: /edits: "), 0u);
}

TEST(Schema, ReadsTheWordsOfEveryDraft) {
  EXPECT_EQ(fault_of(R"({"properties":{"a":{"minimum":1,"exclusiveMinimum":true}}})", R"({"a":1})"),
            "mistyped: /a: expected more than 1, got the number 1; change it and call again");
  EXPECT_EQ(fault_of(R"({"properties":{"a":{"prefixItems":[{"type":"string"},{"type":"integer"}],"items":false}}})",
                     R"({"a":["x",1]})"),
            "");
  EXPECT_NE(
      fault_of(R"({"properties":{"a":{"prefixItems":[{"type":"string"},{"type":"integer"}]}}})", R"({"a":["x","y"]})"),
      "");
  constexpr std::string_view kPydantic =
      R"({"$defs":{"Colour":{"enum":["red","blue"],"title":"Colour","type":"string"}},
      "properties":{"colour":{"$ref":"#/$defs/Colour","description":"which"}},"required":["colour"],"title":"T","type":"object"})";
  EXPECT_EQ(fault_of(kPydantic, R"({"colour":"red"})"), "");
  EXPECT_EQ(fault_of(kPydantic, R"({"colour":"green"})"),
            R"(mistyped: /colour: expected one of "red" or "blue", got the string "green"; change it and call again)");
  EXPECT_EQ(fault_of(R"({"properties":{"a":{"multipleOf":1}}})", R"({"a":0.5})"),
            "mistyped: /a: expected a multiple of 1E0, got the number 5E-1; change it and call again");
}

TEST(Schema, LetsPassWhatItDoesNotCheck) {
  EXPECT_EQ(fault_of(R"({"properties":{"when":{"type":"string","format":"date-time"}}})", R"({"when":"soon"})"), "");
  EXPECT_EQ(fault_of(R"({"properties":{"a":{"uniqueItems":true}}})", R"({"a":[1,1]})"), "");
  EXPECT_EQ(
      fault_of(R"({"patternProperties":{"^(a+)+$":{"type":"string"}},"additionalProperties":false})", R"({"aaaa":1})"),
      "");
}

TEST(Schema, RunsPatternsInLinearTimeOnLongText) {
  std::string const text(200'000, 'a');
  constexpr std::string_view kHostile = R"({"type":"object","properties":{"s":{"type":"string","pattern":"^(a+)+$"}}})";
  EXPECT_EQ(fault_of(kHostile, fmt::format(R"({{"s":"{}"}})", text)), "");
  EXPECT_EQ(
      fault_of(kHostile, fmt::format(R"({{"s":"{}!"}})", text)).find("mistyped: /s: expected a string that matches"),
      0u);
}

struct Refusal {
  std::string_view schema;
  std::string_view says;
};

TEST(Schema, RefusesABadSchemaWithThePointer) {
  std::vector<Refusal> const cases{
      {"", "no JSON"},
      {"[]", "is an object"},
      {"true", "is an object"},
      {R"({"type":"strng"})", R"("/type": "strng" is no type)"},
      {R"({"properties":{"a":{"type":[]}}})", R"("/properties/a/type")"},
      {R"({"properties":{"a":7}})", R"("/properties/a": a schema is an object)"},
      {R"({"properties":[]})", R"("/properties")"},
      {R"({"properties":{"a":{"required":true}}})", R"("/properties/a/required": needs a list of names)"},
      {R"-({"properties":{"a/b":{"pattern":"("}}})-", R"("/properties/a~1b/pattern": RE2 does not take)"},
      {R"-({"properties":{"a":{"pattern":"(?=x)"}}})-", "RE2 does not take"},
      {R"({"properties":{"a":{"minLength":-1}}})", "whole number"},
      {R"({"properties":{"a":{"multipleOf":0}}})", "above 0"},
      {R"({"properties":{"a":{"enum":[]}}})", "at least one"},
      {R"({"properties":{"a":{"$ref":"http://example.com/s.json"}}})", "nothing is fetched"},
      {R"({"properties":{"a":{"$ref":"file:///etc/passwd"}}})", "nothing is fetched"},
      {R"({"properties":{"a":{"$ref":"other.json#/x"}}})", "nothing is fetched"},
      {R"({"properties":{"a":{"$ref":"#/$defs/b"}}})", "names no schema"},
      {R"({"properties":{"a":{"$ref":7}}})", "a reference is a string"},
      {R"({"$ref":"#"})", "without end"},
      {R"({"allOf":[{"$ref":"#"}]})", "without end"},
      {R"({"$defs":{"a":{"$ref":"#/$defs/b"},"b":{"anyOf":[{"$ref":"#/$defs/a"}]}},"properties":{"x":{"$ref":"#/$defs/a"}}})",
       "without end"},
  };
  for (Refusal const& c : cases) {
    Result<Schema> const out = Schema::compile(c.schema);
    ASSERT_FALSE(out.ok()) << c.schema;
    EXPECT_EQ(out.error().kind, ErrorKind::kUsage);
    EXPECT_NE(out.error().detail.find(c.says), std::string::npos) << out.error().detail;
  }
}

TEST(Schema, BoundsWhatASchemaMayCost) {
  // Doubling: s0 applies s1 twice, s1 applies s2 twice, …
  std::string doubling = R"({"$defs":{)";
  for (int i = 0; i < 30; ++i)
    doubling += fmt::format(R"("s{0}":{{"allOf":[{{"$ref":"#/$defs/s{1}"}},{{"$ref":"#/$defs/s{1}"}}]}},)", i, i + 1);
  doubling += R"("s30":{}},"properties":{"a":{"$ref":"#/$defs/s0"}}})";
  EXPECT_FALSE(Schema::compile(doubling).ok());

  std::string deep;
  for (int i = 0; i < 100; ++i) deep += R"({"not":)";
  deep += "{}" + std::string(100, '}');
  EXPECT_FALSE(Schema::compile(deep).ok());

  std::string chain = R"({"$defs":{)";
  for (int i = 0; i < 5'000; ++i) chain += fmt::format(R"("s{}":{{"items":{{"$ref":"#/$defs/s{}"}}}},)", i, i + 1);
  chain += R"("s5000":{}},"properties":{"a":{"$ref":"#/$defs/s0"}}})";
  EXPECT_FALSE(Schema::compile(chain).ok());
}

std::string nested(std::string_view open, std::string_view inner, std::string_view close, int levels) {
  std::string out;
  for (int i = 0; i < levels; ++i) out += open;
  out += inner;
  for (int i = 0; i < levels; ++i) out += close;
  return out;
}

TEST(Schema, JudgesARecursiveSchemaInBoundedTime) {
  constexpr std::string_view kTree = R"({"type":"object","properties":{"kids":{"type":"array","items":{"$ref":"#"}},
      "n":{"type":"integer"}},"required":["n"]})";
  EXPECT_EQ(fault_of(kTree, R"({"n":1,"kids":[{"n":2},{"n":"x"}]})"),
            R"(mistyped: /kids/1/n: expected an integer, got the string "x"; change it and call again)");
  EXPECT_EQ(fault_of(kTree, nested(R"({"n":1,"kids":[)", "", "]}", 60)), "");

  constexpr std::string_view kForked =
      R"({"anyOf":[{"properties":{"a":{"$ref":"#"}}},{"properties":{"a":{"$ref":"#"}}}],
      "not":{"type":"integer"}})";
  EXPECT_NE(fault_of(kForked, R"({"a":{"a":7}})"), "");
  auto const start = std::chrono::steady_clock::now();
  EXPECT_EQ(fault_of(kForked, nested(R"({"a":)", "7", "}", 100)), "");  // deeper than it judges
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
}

// The worst that the bounds let through, in a thread's ordinary stack.
TEST(Schema, HasStackEnoughForTheDeepestThatItTakes) {
  std::string const deep = nested("[", "1", "]", 127);
  EXPECT_NE(
      fault_of(R"({"properties":{"a":{"$ref":"#/$defs/l"}},"$defs":{"l":{"anyOf":[{"type":"string"},{"type":"array",
      "items":{"$ref":"#/$defs/l"}}]}}})",
               R"({"a":)" + nested("[", "1", "]", 15) + "}"),
      "");
  EXPECT_NE(fault_of(R"({"properties":{"a":{"$ref":"#/$defs/l"}},"$defs":{"l":{"not":{"type":"integer"},
      "items":{"$ref":"#/$defs/l"}}}})",
                     R"({"a":)" + deep + "}"),
            "");
  // As many levels within one value as are taken, on as many levels of the value.
  std::string chain =
      R"({"$defs":{"l":)" + nested(R"({"allOf":[)", R"({"type":"array","items":{"$ref":"#/$defs/l"}})", "]}", 28);
  chain += R"(},"properties":{"a":{"$ref":"#/$defs/l"}}})";
  EXPECT_NE(fault_of(chain, R"({"a":)" + nested("[", "1", "]", 33) + "}"), "");
  // And of references while it is compiled.
  std::string long_way = R"({"$defs":{)";
  for (int i = 0; i < 8; ++i) {
    std::string const next = i == 7 ? "{}" : R"({"$ref":"#/$defs/s)" + std::to_string(i + 1) + R"("})";
    long_way += fmt::format(R"("s{}":{},)", i, nested(R"({"items":)", next, "}", 29));
  }
  long_way += R"("z":{}},"properties":{"a":{"$ref":"#/$defs/s0"}}})";
  EXPECT_TRUE(Schema::compile(long_way).ok());
}

TEST(Schema, DescribesValuesOnOneCleanLine) {
  std::string const fault = fault_of(kRead, "{\"path\":\"a\",\"\\u0007\\n\":1}");
  EXPECT_EQ(fault.find('\n'), std::string::npos);
  EXPECT_EQ(fault.find('\a'), std::string::npos);
  std::string const longer =
      fault_of(R"({"properties":{"a":{"type":"integer"}}})", fmt::format(R"({{"a":"{}"}})", std::string(100'000, 'x')));
  EXPECT_LT(longer.size(), 300u);
}

// The quick way and the validator agree: an allOf around the same schema is never flat.
TEST(Schema, TheQuickYesAgreesWithTheValidator) {
  EXPECT_TRUE(rc::check("flat == not flat", [] {
    auto const value =
        rc::gen::elementOf(std::vector<std::string>{"1", "-1", "0", "2.5", "\"a\"", "\"b\"", "true", "null", "[]",
                                                    "[1]", "[\"a\",1]", "{}", "18446744073709551615"});
    auto const schema = rc::gen::elementOf(std::vector<std::string>{
        R"({"type":"string"})", R"({"type":"integer"})", R"({"type":"number","minimum":0,"maximum":2})", R"({})",
        R"({"type":["string","null"]})", R"({"enum":["a"]})", R"({"type":"array","items":{"type":"integer"}})",
        R"({"type":"boolean"})", R"({"type":"integer","minimum":1})"});
    std::string const required = *rc::gen::element<std::string>("", "\"a\"", "\"a\",\"b\"");
    std::string const open = *rc::gen::element<std::string>("true", "false");
    std::string const one =
        fmt::format(R"({{"type":"object","properties":{{"a":{},"b":{}}},"required":[{}],"additionalProperties":{}}})",
                    *schema, *schema, required, open);
    std::string arguments = "{";
    for (char const* const name : {"a", "b", "c"}) {
      if (*rc::gen::inRange(0, 3) == 0) continue;
      arguments += fmt::format("{}\"{}\":{}", arguments.size() > 1 ? "," : "", name, *value);
    }
    arguments += "}";
    bool const quick = compiled(one).check(arguments).has_value();
    bool const whole = compiled(fmt::format(R"({{"allOf":[{}]}})", one)).check(arguments).has_value();
    if (quick != whole) RC_FAIL(one + " " + arguments);
  }));
}

}  // namespace
}  // namespace backedge::facts
