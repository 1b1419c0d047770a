#include "facts/json_digest.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/hash.h"

namespace backedge::facts {
namespace {

JsonFault fault_of(std::string_view text) {
  JsonDigester digester;
  return digester.run(text, {});
}

std::string fault_text(std::string_view text) {
  JsonDigester digester;
  static_cast<void>(digester.run(text, {}));
  return digester.fault_text();
}

Digest digest_of(std::string_view text) {
  JsonDigester digester;
  EXPECT_EQ(digester.run(text, {}), JsonFault::kNone) << text << ": " << digester.fault_text();
  return digester.root().digest;
}

std::string nested(std::size_t depth, std::string_view open, std::string_view inside, std::string_view close) {
  std::string out;
  for (std::size_t i = 0; i < depth; ++i) out += open;
  out += inside;
  for (std::size_t i = 0; i < depth; ++i) out += close;
  return out;
}

TEST(JsonDigest, MalformedTextIsNeverTaken) {
  for (std::string_view const text : {
           "{",
           "}",
           "[",
           "]",
           "{]",
           "[}",
           "{}}",
           "[]]",
           "[[]",
           "{\"a\"}",
           "{\"a\":}",
           "{\"a\":1,}",
           "{,}",
           "[,]",
           "[1,]",
           "[1 2]",
           "{\"a\" 1}",
           "{\"a\":1 \"b\":2}",
           "{a:1}",
           "{1:2}",
           "{\"a\":1}x",
           "{} {}",
           "1 2",
           "\"a\" \"b\"",
           "\"a\"b",
           "a\"b\"",
           "tru",
           "truex",
           "true false",
           "True",
           "nul",
           "nullx",
           "NaN",
           "-",
           "01",
           "1.",
           "[1.]",
           "[-]",
           "[+1]",
           "[.5]",
           "'a'",
           "\"a",
           "\"\\\"",
           "\"\\x\"",
           "\"\\u12\"",
           "\"\\u12g4\"",
           "\"\\ud800\"",
           "\"\\udc00\"",
           "\"\\ud800\\ud800\"",
           "\"\\ud800x\"",
           "\"\\ud800\\n\"",
           "\"a\nb\"",
           "\"a\tb\"",
           "\"\x01\"",
           "\xff",
           "\"\xff\"",
           "\"\xc0\x80\"",
           "\"\xed\xa0\x80\"",
           "\"\xf4\x90\x80\x80\"",
           "\xef\xbb\xbf{}",
           "[\x01]",
           "[true\x01]",
           "[\v1]",
           "{\"a\":1;}",
           "/**/{}",
           ":",
           ",",
           "[:]",
           "{\"a\":1:2}",
           "{\"a\",\"b\"}",
           "[\"a\":1]",
           "{\"a\":\"b\":1}",
           "[1,,2]",
       }) {
    EXPECT_EQ(fault_of(text), JsonFault::kNotJson) << text;
  }
  EXPECT_EQ(fault_of(std::string_view("[\0]", 3)), JsonFault::kNotJson);
  EXPECT_EQ(fault_of(""), JsonFault::kEmpty);
  EXPECT_EQ(fault_of(" \n"), JsonFault::kEmpty);
}

TEST(JsonDigest, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(fault_text("{\"a\":1,}"), "the JSON has no member name here, at byte 8: \"}\"");
  EXPECT_EQ(fault_text("{\"a\" 1}"), "the JSON has no colon here, at byte 6: \"1}\"");
  EXPECT_EQ(fault_text("[1 2]"), "the JSON has no comma here, at byte 4: \"2]\"");
  EXPECT_EQ(fault_text("[tru]"), "the JSON has no value here, at byte 2: \"tru]\"");
  EXPECT_EQ(fault_text("[01]"), "the JSON has a malformed number, at byte 2: \"01]\"");
  EXPECT_EQ(fault_text("[\"\\x\"]"), "the JSON has a string with a bad escape, at byte 2: \"\\\"\\\\x\\\"]\"");
  EXPECT_EQ(fault_text("{\"a\":[1"), "the JSON ends too early");
  EXPECT_EQ(fault_text("{} x"), "the JSON has text after its end, at byte 4: \"x\"");
  EXPECT_EQ(fault_text("[1e999]"), "the number \"1e999\" is beyond the range of a double");
  EXPECT_EQ(fault_text("\"\xff\""), "invalid UTF-8");
  EXPECT_EQ(fault_text("\"a"), "a string is not closed");
  EXPECT_EQ(fault_text("\"\n\""), "a control character in a string");
  EXPECT_EQ(fault_text("{\"a\":{\"x\":1,\"y\":2,\"x\":3}}"), "two members are named \"x\"");
}

TEST(JsonDigest, DuplicateNamesAreFoundInAnySpellingAndAnySize) {
  EXPECT_EQ(fault_of(R"({"a":1,"a":1})"), JsonFault::kDuplicateKey);
  EXPECT_EQ(fault_of(R"({"a":1,"\u0061":1})"), JsonFault::kDuplicateKey);
  EXPECT_EQ(fault_of(R"([{"b":[{"":1,"":2}]}])"), JsonFault::kDuplicateKey);
  EXPECT_EQ(fault_of(R"({"a":{"b":1},"c":{"b":1,"a":2}})"), JsonFault::kNone);
  std::string text = "{";
  for (int i = 0; i < 10'000; ++i) text += "\"k" + std::to_string(i) + "\":" + std::to_string(i) + ",";
  EXPECT_EQ(fault_of(text + "\"last\":0}"), JsonFault::kNone);
  EXPECT_EQ(fault_of(text + "\"k5000\":0}"), JsonFault::kDuplicateKey);
}

TEST(JsonDigest, DepthHasALimitOnBothKindsOfNesting) {
  EXPECT_EQ(fault_of(nested(JsonDigester::kMaxDepth, "[", "", "]")), JsonFault::kNone);
  EXPECT_EQ(fault_of(nested(JsonDigester::kMaxDepth + 1, "[", "", "]")), JsonFault::kTooDeep);
  EXPECT_EQ(fault_of(nested(JsonDigester::kMaxDepth, "{\"a\":", "1", "}")), JsonFault::kNone);
  EXPECT_EQ(fault_of(nested(JsonDigester::kMaxDepth + 1, "{\"a\":", "1", "}")), JsonFault::kTooDeep);
  EXPECT_EQ(fault_of(std::string(1'000'000, '[')), JsonFault::kTooDeep);
}

TEST(JsonDigest, DepthIsPartOfTheValue) {
  EXPECT_NE(digest_of("[]"), digest_of("[[]]"));
  EXPECT_NE(digest_of("[[],[]]"), digest_of("[[[]]]"));
  EXPECT_NE(digest_of("[[]]"), digest_of("[{}]"));
}

TEST(JsonDigest, AStringIsDigestedByItsContent) {
  EXPECT_EQ(digest_of(R"("\u00e9\n\/\ud83d\ude00")"), digest_of("\"é\\n/😀\""));
  EXPECT_EQ(digest_of("\"abc\""), digest_name("abc"));
  EXPECT_NE(digest_of("\"1\""), digest_of("1"));
  EXPECT_NE(digest_of("\"null\""), digest_of("null"));
}

TEST(JsonDigest, ADigesterIsReusedAcrossTexts) {
  JsonDigester digester;
  Digest const first = digest_of(R"({"a":["b\n"]})");
  EXPECT_EQ(digester.run("[1,", {}), JsonFault::kNotJson);
  EXPECT_EQ(digester.run(std::string(100'000, ' ') + "[]", {}), JsonFault::kNone);
  EXPECT_EQ(digester.run(R"({"a":["b\n"]})", {}), JsonFault::kNone);
  EXPECT_EQ(digester.root().digest, first);
  EXPECT_EQ(digester.fault_text(), "");
}

struct Found {
  JsonKind kind;
  std::string text;
};

TEST(JsonDigest, FindsWhatPointersPointAt) {
  PointerTree tree;
  std::vector<std::string> const pointers{"/a/b", "/list/1", "/list/1/x", "/a~1b",  "/",  "/missing",
                                          "/n",   "",        "/list/9",   "/a/b/c", "/t", "/0"};
  for (std::string const& p : pointers) ASSERT_TRUE(tree.add(p).ok());
  std::string const text =
      R"({"a":{"b":"v\n"}, "list":[0,{"x":null}], "a/b":[1, 2], "":true, "n":-1.50, "t":"", "0":"zero"})";
  std::vector<Found> const expected{{JsonKind::kString, "v\n"},   {JsonKind::kObject, "{\"x\":null}"},
                                    {JsonKind::kNull, "null"},    {JsonKind::kArray, "[1, 2]"},
                                    {JsonKind::kBool, "true"},    {JsonKind::kAbsent, ""},
                                    {JsonKind::kNumber, "-1.50"}, {JsonKind::kObject, text},
                                    {JsonKind::kAbsent, ""},      {JsonKind::kAbsent, ""},
                                    {JsonKind::kString, ""},      {JsonKind::kString, "zero"}};
  JsonDigester digester;
  ASSERT_EQ(digester.run(text, JsonPlan{.pointers = &tree}), JsonFault::kNone);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    JsonItem const& item = digester.at(static_cast<std::uint8_t>(i));
    EXPECT_EQ(item.kind, expected[i].kind) << pointers[i];
    EXPECT_EQ(item.text, expected[i].text) << pointers[i];
    bool const is_text = item.kind == JsonKind::kString;
    if (item.kind != JsonKind::kAbsent) {
      EXPECT_EQ(item.digest, is_text ? digest_name(item.text) : digest_of(item.text)) << pointers[i];
    }
  }
}

Digest without(std::string_view text, std::vector<std::string> const& pointers) {
  PointerTree tree;
  for (std::string const& p : pointers) EXPECT_TRUE(tree.add(p).ok());
  JsonDigester digester;
  EXPECT_EQ(digester.run(text, JsonPlan{&tree, ~0ULL, false}), JsonFault::kNone) << text;
  return digester.root().digest;
}

TEST(JsonDigest, WhatIsVolatileIsAsIfItWereNotThere) {
  EXPECT_EQ(without(R"({"a":1,"id":7})", {"/id"}), digest_of(R"({"a":1})"));
  EXPECT_EQ(without(R"({"id":{"x":[1,2]},"a":1})", {"/id"}), digest_of(R"({"a":1})"));
  EXPECT_EQ(without(R"({"a":{"id":7,"b":2}})", {"/a/id"}), digest_of(R"({"a":{"b":2}})"));
  EXPECT_EQ(without(R"({"a":[7,8,9]})", {"/a/1"}), digest_of(R"({"a":[7,9]})"));
  EXPECT_EQ(without(R"([{"id":1},{"id":2}])", {"/0/id", "/1/id"}), digest_of("[{},{}]"));
  EXPECT_EQ(without(R"({"a":1})", {"/id"}), digest_of(R"({"a":1})"));
  EXPECT_EQ(without(R"({"id":1})", {"/id"}), digest_of("{}"));
}

TEST(JsonDigest, ListsStringsWithTheirSlots) {
  PointerTree tree;
  std::uint8_t const slot = *tree.add("/to");
  JsonDigester digester;
  ASSERT_EQ(digester.run(R"({"to":"x","deep":["y",{"z":"w\u0021"}],"n":1})", JsonPlan{&tree, 0, true}),
            JsonFault::kNone);
  ASSERT_EQ(digester.strings().size(), 3U);
  EXPECT_EQ(digester.strings()[0].text, "x");
  EXPECT_EQ(digester.strings()[0].slot, slot);
  EXPECT_EQ(digester.strings()[1].text, "y");
  EXPECT_EQ(digester.strings()[2].text, "w!");
  EXPECT_EQ(digester.strings()[2].slot, PointerTree::kNone);
}

TEST(JsonDigest, NamesAreTheShortTextsOfTheRootObject) {
  JsonDigester digester;
  std::string const text = R"({"a":"one","b":{"c":"deep"},"d":")" + std::string(129, 'x') +
                           R"(","e":"two","f":["three"],"g":3,"h":"\u0074wo"})";
  ASSERT_EQ(digester.run(text, {}), JsonFault::kNone);
  std::vector<std::pair<Digest, Digest>> names;
  for (kernel::NamedText const& n : digester.names()) names.emplace_back(n.name, n.value);
  auto const named = [](std::string_view name, std::string_view value) {
    return std::pair(digest_name(name), digest_name(value));
  };
  EXPECT_EQ(names, (std::vector{named("a", "one"), named("e", "two"), named("h", "two")}));
  ASSERT_EQ(digester.run(R"(["one","two"])", {}), JsonFault::kNone);
  EXPECT_TRUE(digester.names().empty());
}

TEST(JsonDigest, CountsMembersThatNoPointerLeadsTo) {
  PointerTree tree;
  ASSERT_TRUE(tree.add("/path").ok());
  ASSERT_TRUE(tree.add("/a/b").ok());
  JsonDigester digester;
  ASSERT_EQ(digester.run(R"({"path":"p","a":{"c":1},"x":1,"y":[{"z":1}]})", JsonPlan{.pointers = &tree}),
            JsonFault::kNone);
  EXPECT_EQ(digester.unpointed(), 2U);
}

}  // namespace
}  // namespace backedge::facts
