// The forward reader of JSON.
#include "inspect/json.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "inspect/text.h"

namespace backedge::inspect {
namespace {

/// "name=raw" of every member of an object.
std::vector<std::string> members_of(std::string const& text) {
  PaddedText const padded{text};
  Json json;
  std::vector<std::string> out;
  if (!json.open(padded.view())) return {"error: " + json.error()};
  json.members(json.root(), [&](std::string_view name, JsonValue value) {
    out.push_back(std::string(name) + "=" + std::string(json.raw(value)));
  });
  if (json.failed()) out.push_back("error: " + json.error());
  return out;
}

TEST(Json, ShowsMembersInOrderWithTheirOwnText) {
  EXPECT_EQ(
      members_of(R"( {"a" : [1, {"b":[]}] , "b":{}, "c":[ ], "d":"x\"y", "e":12345678901234567890123, "a":null} )"),
      (std::vector<std::string>{R"(a=[1, {"b":[]}])", "b={}", "c=[ ]", R"(d="x\"y")", "e=12345678901234567890123",
                                "a=null"}));
}

TEST(Json, ReadsNumbersOfAnySize) {
  PaddedText const text{R"([7,-3.9,1e30,-1e30,99999999999999999999999,1e999,"8",true])"};
  Json json;
  ASSERT_TRUE(json.open(text.view()));
  std::vector<std::int64_t> out;
  json.elements(json.root(), [&](JsonValue value) { out.push_back(json.integer(value)); });
  EXPECT_FALSE(json.failed());
  std::int64_t const most = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(out, (std::vector<std::int64_t>{7, -3, most, std::numeric_limits<std::int64_t>::min(), most, 0, 0, 0}));
}

TEST(Json, PassesOverValuesOfAnotherType) {
  PaddedText const text{R"({"a":1,"b":"x","c":true,"d":[1],"e":null})"};
  Json json;
  ASSERT_TRUE(json.open(text.view()));
  std::string texts;
  json.members(json.root(), [&](std::string_view, JsonValue value) { texts += json.text(value); });
  EXPECT_EQ(texts, "x");
  EXPECT_FALSE(json.failed());
}

TEST(Json, GivesTheTextOfWhatWasReadThrough) {
  PaddedText const text{R"([{"a":[]} , [ {} ],[],{"x":"]"}])"};
  Json json;
  ASSERT_TRUE(json.open(text.view()));
  std::vector<std::string> out;
  json.elements(json.root(), [&](JsonValue value) {
    char const* const start = Json::start(value);
    if (json.type(value) == JsonType::kObject) {
      json.members(value, [](std::string_view, JsonValue) {});
    } else {
      json.elements(value, [](JsonValue) {});
    }
    out.emplace_back(json.since(start));
  });
  EXPECT_EQ(out, (std::vector<std::string>{R"({"a":[]})", "[ {} ]", "[]", R"({"x":"]"})"}));
}

TEST(Json, SaysWhatIsWrong) {
  EXPECT_EQ(members_of("{\"a\":\"x").front(), "error: a text that is not closed");
  // simdjson says more of it from version 3.2 on.
  std::string const unclosed = members_of("{\"a\":1").back();
  EXPECT_TRUE(unclosed == "error: malformed JSON" || unclosed == "error: an object or a list that is not closed")
      << unclosed;
  EXPECT_EQ(members_of("17").front(), "error: neither an object nor a list");
  EXPECT_EQ(members_of("").front(), "error: nothing");
  EXPECT_EQ(members_of("{\"a\":\"\xFF\"}").front(), "error: bytes that are not UTF-8");
  EXPECT_EQ(members_of("{\"a\" 1}").back(), "error: malformed JSON");
}

TEST(Json, TellsWhatFollowsTheDocument) {
  PaddedText const text{R"({"a":1}{"b":2})"};
  Json json;
  ASSERT_TRUE(json.open(text.view()));
  json.members(json.root(), [](std::string_view, JsonValue) {});
  EXPECT_EQ(json.rest(), R"({"b":2})");
}

TEST(Json, CountsTheLinesItHasPassed) {
  PaddedText const text{"[\n{},\n\n{},{}\n]"};
  Json json;
  ASSERT_TRUE(json.open(text.view()));
  std::vector<std::int64_t> lines;
  json.elements(json.root(), [&](JsonValue) { lines.push_back(json.line()); });
  EXPECT_EQ(lines, (std::vector<std::int64_t>{1, 3, 3}));
}

TEST(Json, WithstandsDeepNesting) {
  std::string const deep = R"({"a":)" + std::string(200'000, '[') + std::string(200'000, ']') + R"(,"b":1})";
  EXPECT_EQ(members_of(deep).back(), "b=1");
}

}  // namespace
}  // namespace backedge::inspect
