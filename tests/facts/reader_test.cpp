#include "facts/reader.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/hash.h"

namespace backedge::facts {
namespace {

using kernel::ArgumentFault;
using kernel::CallFacts;
using kernel::LineRange;
using kernel::ResultFacts;
using kernel::ResultStatus;

class ReaderTest : public ::testing::Test {
 protected:
  void declare(Contract const& contract) {
    Result<void> const done = book_.declare(Layer::kCode, "tool", contract);
    ASSERT_TRUE(done.ok()) << done.error().text();
  }
  CallFacts const& call(std::string_view arguments) { return reader_.call("tool", arguments); }
  Digest identity(std::string_view arguments) { return call(arguments).identity; }
  Digest key(std::string_view arguments) { return call(arguments).key; }
  Digest key_of(std::string_view tool, std::string_view arguments) { return reader_.call(tool, arguments).key; }
  Digest outcome(std::string_view text) {
    return reader_.result(book_.find("tool").id, ResultStatus::kOk, text).outcome;
  }

  ContractBook book_ = ContractBook::blank();
  Reader reader_{book_};
};

struct FaultCase {
  std::string arguments;
  ArgumentFault fault;
  std::string text;
};

TEST_F(ReaderTest, EveryFaultIsNamedAndDescribed) {
  std::vector<FaultCase> const cases{
      {R"({"a":1})", ArgumentFault::kNone, ""},
      {"", ArgumentFault::kNone, ""},
      {"{\"a\":", ArgumentFault::kNotJson, "the JSON ends too early"},
      {"ls -la", ArgumentFault::kNotJson, "the JSON has no value here, at byte 1: \"ls -la\""},
      {"{\"a\":\"\xff\"}", ArgumentFault::kNotJson, "invalid UTF-8"},
      {"[1]", ArgumentFault::kNotObject, "the arguments are no JSON object"},
      {"7", ArgumentFault::kNotObject, "the arguments are no JSON object"},
      {"true", ArgumentFault::kNotObject, "the arguments are no JSON object"},
      {"\"hello\"", ArgumentFault::kNotObject, "the arguments are a text that holds no JSON"},
      {"\"[1]\"", ArgumentFault::kNotObject, "the arguments are no JSON object"},
      {R"("\"{}\"")", ArgumentFault::kNotObject, "the arguments are no JSON object"},
      {R"({"a":1,"a":2})", ArgumentFault::kDuplicateKey, "two members are named \"a\""},
      {R"("{\"a\":1,\"a\":2}")", ArgumentFault::kDuplicateKey, "two members are named \"a\""},
      {R"({"a":1e999})", ArgumentFault::kNumberRange, "the number \"1e999\" is beyond the range of a double"},
      {std::string(129, '[') + std::string(129, ']'), ArgumentFault::kTooDeep, "nested deeper than 128 levels"},
  };
  for (FaultCase const& c : cases) {
    CallFacts const& facts = call(c.arguments);
    EXPECT_EQ(facts.fault, c.fault) << c.arguments;
    EXPECT_EQ(facts.fault_text, c.text) << c.arguments;
    EXPECT_FALSE(facts.key.none());
  }
}

TEST_F(ReaderTest, TheSameBrokenCallTwiceIsTheSameCall) {
  EXPECT_EQ(key("{\"a\":"), key(" {\"a\":\n"));
  EXPECT_NE(key("{\"a\":"), key("{\"b\":"));
  EXPECT_NE(key("{\"a\":"), key_of("other", "{\"a\":"));
  EXPECT_EQ(key("[1, 2]"), key("[1,2.0]"));
  EXPECT_NE(key("[1,2]"), key("[2,1]"));
  EXPECT_EQ(key("\"hello\""), key(" \"\\u0068ello\" "));
}

TEST_F(ReaderTest, AKeyIsOfToolAndArguments) {
  EXPECT_EQ(key(R"({"a":1,"b":2})"), key(R"({ "b": 2.0, "a": 1 })"));
  EXPECT_NE(key(R"({"a":1})"), key(R"({"a":2})"));
  EXPECT_NE(key(R"({"a":1})"), key_of("tool2", R"({"a":1})"));
  EXPECT_EQ(call("{}").tool, "tool");
  EXPECT_EQ(call("{}").tool_id, digest_name("tool"));
  EXPECT_EQ(reader_.call("unheard_of", "{}").tool, "unheard_of");
  EXPECT_EQ(reader_.call("unheard_of", "{}").tool_id, digest_name("unheard_of"));
}

TEST_F(ReaderTest, ADeclaredToolHasTheKeyItHadUndeclared) {
  Digest const before = key(R"({"a":1})");
  Contract c;
  c.effect = Effect::kRead;
  declare(c);
  EXPECT_EQ(key(R"({"a":1})"), before);
}

TEST_F(ReaderTest, VolatileArgumentsAreNotPartOfKeyAndIdentity) {
  Contract c;
  c.volatile_args = {"/request_id", "/meta/time", "query"};
  declare(c);
  EXPECT_EQ(key(R"({"a":1,"request_id":"x","meta":{"time":5,"k":1},"query":"q"})"),
            key(R"({"meta":{"k":1,"time":6},"a":1,"request_id":"y"})"));
  EXPECT_NE(key(R"({"a":1,"request_id":"x"})"), key(R"({"a":2,"request_id":"x"})"));
  EXPECT_EQ(identity(R"({"a":1,"request_id":"x"})"), identity(R"({"a":1})"));
}

TEST_F(ReaderTest, AnUndeclaredIdentityIsTheWholeArgumentsWithoutTheTool) {
  EXPECT_EQ(identity(R"({"a":1})"), reader_.call("other", R"({"a":1})").identity);
  EXPECT_FALSE(call(R"({"a":1})").identity_declared);
}

TEST_F(ReaderTest, ADeclaredIdentityIsWhatItsPointersPointAt) {
  Contract c;
  c.identity = {"/order", "/item/0/id"};
  declare(c);
  Digest const whole = identity(R"({"order":"A","item":[{"id":7}],"note":"x"})");
  EXPECT_EQ(whole, identity(R"({"note":"y","item":[{"id":7.0,"n":2},{"id":8}],"order":"A"})"));
  EXPECT_NE(whole, identity(R"({"order":"B","item":[{"id":7}]})"));
  EXPECT_NE(whole, identity(R"({"order":"A","item":[{"id":8}]})"));
  EXPECT_NE(whole, identity(R"({"order":"A"})"));
  // What is missing is like null, and the order of the pointers counts.
  EXPECT_EQ(identity(R"({"order":"A"})"), identity(R"({"order":"A","item":[{"id":null}]})"));
  EXPECT_NE(identity(R"({"order":1})"), identity(R"({"item":[{"id":1}]})"));
  EXPECT_TRUE(call(R"({"order":"A"})").identity_declared);
}

TEST_F(ReaderTest, AnIdentityIsTextWhenAllThatIsThereIsText) {
  Contract c;
  c.identity = {"/a", "/b"};
  declare(c);
  EXPECT_TRUE(call(R"({"a":"x","b":"y"})").identity_is_text);
  EXPECT_TRUE(call(R"({"a":"x"})").identity_is_text);
  EXPECT_FALSE(call(R"({"a":"x","b":7})").identity_is_text);
  EXPECT_FALSE(call(R"({"c":1})").identity_is_text);
}

TEST_F(ReaderTest, WithoutAnyOfItsFieldsTheIdentityIsTheWholeArguments) {
  Contract c;
  c.identity = {"/a", "/b"};
  declare(c);
  EXPECT_FALSE(call(R"({"c":1})").identity_declared);
  EXPECT_NE(identity(R"({"c":1})"), identity(R"({"c":2})"));
}

TEST_F(ReaderTest, TheEmptyPointerIsTheWholeArguments) {
  Contract c;
  c.identity = {""};
  declare(c);
  EXPECT_TRUE(call(R"({"c":1})").identity_declared);
  EXPECT_EQ(identity(R"({"c":1,"d":2})"), identity(R"({"d":2,"c":1})"));
}

struct RangeCase {
  std::string arguments;
  std::optional<LineRange> range;
};

constexpr std::int64_t kWhole = std::numeric_limits<std::int64_t>::max() / 2;

TEST_F(ReaderTest, ARangeIsStartAndLength) {
  Contract c;
  c.range = RangePointers{"/offset", "/limit", ""};
  declare(c);
  std::vector<RangeCase> const cases{
      {R"({"offset":10,"limit":5})", LineRange{10, 15}},
      {R"({"offset":"10","limit":"5"})", LineRange{10, 15}},
      {R"({"offset":10.0,"limit":5e0})", LineRange{10, 15}},
      {R"({"offset":10})", LineRange{10, 2010}},
      {R"({"offset":10,"limit":null})", LineRange{10, 2010}},
      {R"({"limit":5})", LineRange{0, 5}},
      {R"({})", LineRange{0, kWhole}},
      {R"({"offset":0,"limit":9223372036854775807})", LineRange{0, kWhole}},
      {R"({"offset":4611686018427387000,"limit":9223372036854775807})", LineRange{4611686018427387000, kWhole}},
      {R"({"offset":4611686018427387900})", LineRange{4611686018427387900, kWhole}},
      {R"({"offset":9223372036854775807})", std::nullopt},
      {R"({"offset":99999999999999999999})", std::nullopt},
      {R"({"offset":-5})", std::nullopt},
      {R"({"offset":1.5})", std::nullopt},
      {R"({"offset":"x"})", std::nullopt},
      {R"({"offset":"10 "})", std::nullopt},
      {R"({"offset":true})", std::nullopt},
      {R"({"offset":[1]})", std::nullopt},
      {R"({"offset":1,"limit":0})", std::nullopt},
      {R"({"offset":1,"limit":-1})", std::nullopt},
  };
  for (RangeCase const& r : cases) {
    CallFacts const& facts = call(r.arguments);
    EXPECT_EQ(facts.has_range, r.range.has_value()) << r.arguments;
    EXPECT_EQ(facts.range, r.range.value_or(LineRange{})) << r.arguments;
  }
}

TEST_F(ReaderTest, ARangeIsStartAndEnd) {
  Contract c;
  c.range = RangePointers{"/lines/0", "", "/lines/1"};
  declare(c);
  std::vector<RangeCase> const cases{{R"({"lines":[3,8]})", LineRange{3, 8}},
                                     {R"({"lines":[3]})", LineRange{3, 2003}},
                                     {R"({"lines":[null,8]})", LineRange{0, 8}},
                                     {R"({"lines":[8,3]})", std::nullopt},
                                     {R"({"lines":[3,3]})", std::nullopt},
                                     {R"({"lines":[3,-1]})", std::nullopt},
                                     {R"({"lines":[3,9223372036854775807]})", LineRange{3, kWhole - 1}}};
  for (RangeCase const& r : cases) {
    CallFacts const& facts = call(r.arguments);
    EXPECT_EQ(facts.has_range, r.range.has_value()) << r.arguments;
    EXPECT_EQ(facts.range, r.range.value_or(LineRange{})) << r.arguments;
  }
}

TEST_F(ReaderTest, AToolWithoutARangeHasNone) { EXPECT_FALSE(call(R"({"offset":1,"limit":2})").has_range); }

TEST_F(ReaderTest, TheTargetIsTheTextAtItsPointer) {
  Contract c;
  c.effect = Effect::kDelegate;
  c.target = "/to";
  declare(c);
  CallFacts const& facts = call(R"({"to":"wri\u0074er","task":"x"})");
  EXPECT_EQ(facts.target_name, "writer");
  EXPECT_EQ(facts.target, digest_name("writer"));
  EXPECT_TRUE(call(R"({"task":"x"})").target.none());
  EXPECT_EQ(call(R"({"task":"x"})").target_name, "");
  EXPECT_TRUE(call(R"({"to":7})").target.none());
  EXPECT_TRUE(call(R"({"to":""})").target.none());
}

TEST_F(ReaderTest, ShortTextsOfTheTopLevelMayBeNames) {
  CallFacts const& facts = call(R"({"a":"x","b":{"c":"y"},"d":"z"})");
  ASSERT_EQ(facts.names.size(), 2U);
  EXPECT_EQ(facts.names[0].value, digest_name("x"));
  EXPECT_EQ(facts.names[1].value, digest_name("z"));
  EXPECT_EQ(facts.names[1].name, digest_name("d"));
  std::string many = "{";
  for (int i = 0; i < 20; ++i) many += (i > 0 ? ",\"" : "\"") + std::to_string(i) + R"(":"v")";
  EXPECT_EQ(call(many + "}").names.size(), 8U);
}

std::vector<Digest> list(kernel::ResourceList const& resources) { return {resources.begin(), resources.end()}; }

Digest resource(std::string_view name) { return digest_bytes(name, DigestTag::kResource); }

TEST_F(ReaderTest, ResourcesAreMadeFromArguments) {
  Contract c;
  c.effect = Effect::kWrite;
  c.conflicts = {"file:{/path}", "table", "row:{/table}/{/row}", "file:{/other}"};
  declare(c);
  EXPECT_EQ(list(call(R"({"path":"./src//a.cpp","table":"t","row":7})").resources),
            (std::vector{resource("file:src/a.cpp"), resource("table"), resource("row:t/7")}));
  // Where an argument is missing its key is left out.
  EXPECT_EQ(list(call(R"({"row":7,"path":["x"]})").resources), (std::vector{resource("table")}));
  EXPECT_TRUE(call("{}").resources_declared);
}

TEST_F(ReaderTest, ADeclaredWriteWithoutConflictsIsItsOwnResource) {
  Contract c;
  c.effect = Effect::kWrite;
  declare(c);
  EXPECT_EQ(list(call("{}").resources), (std::vector{resource("tool:tool")}));
  EXPECT_FALSE(call("{}").resources_declared);
  c.conflicts = {"file:{/path}"};
  declare(c);
  EXPECT_EQ(list(call("{}").resources), (std::vector{resource("tool:tool")}));
  c.effect = Effect::kRead;
  declare(c);
  EXPECT_TRUE(call("{}").resources.empty());
  EXPECT_TRUE(reader_.call("unheard_of", "{}").resources.empty());
}

TEST_F(ReaderTest, OnlyDelegatesHaveWords) {
  Contract c;
  c.effect = Effect::kDelegate;
  c.target = "/agent";
  declare(c);
  kernel::WordSet const words =
      call(R"({"agent":"writer","task":"Write the report","deep":[{"t":"the END"}],"n":5})").words;
  EXPECT_EQ(words.size(), 4U);
  EXPECT_TRUE(std::ranges::is_sorted(words));
  kernel::WordSet const other = call(R"({"agent":"other","task":"end: REPORT; write, the"})").words;
  EXPECT_EQ(std::vector<std::uint32_t>(words.begin(), words.end()),
            std::vector<std::uint32_t>(other.begin(), other.end()));
  c.effect = Effect::kRead;
  declare(c);
  EXPECT_TRUE(call(R"({"task":"Write the report"})").words.empty());
}

TEST_F(ReaderTest, OfTooManyWordsTwoTextsKeepTheSame) {
  Contract c;
  c.effect = Effect::kDelegate;
  declare(c);
  std::string text;
  for (int i = 0; i < 200; ++i) text += "w" + std::to_string(i) + " ";
  kernel::WordSet const first = call(R"({"a":")" + text + R"("})").words;
  kernel::WordSet const second = call(R"({"b":")" + text + R"("})").words;
  EXPECT_EQ(first.size(), 64U);
  EXPECT_TRUE(std::ranges::equal(first, second));
}

ConditionalContract variant(Condition condition, Effect effect) {
  ConditionalContract out;
  out.condition = std::move(condition);
  out.contract.effect = effect;
  return out;
}

TEST_F(ReaderTest, TheFirstConditionThatHoldsPicksTheContract) {
  Contract c;
  c.effect = Effect::kWrite;
  c.when = {variant({.pointer = "/mode", .equals = "show"}, Effect::kRead),
            variant({.pointer = "/mode", .glob = "s*"}, Effect::kPoll),
            variant({.pointer = "/n", .equals = "5"}, Effect::kWait),
            variant({.pointer = "/flag", .equals = "true"}, Effect::kRead),
            variant({.pointer = "/cmd", .commands = {"git status"}}, Effect::kRead)};
  declare(c);
  auto const effect = [&](std::string_view arguments) { return call(arguments).terms.effect; };
  EXPECT_EQ(effect(R"({"mode":"show"})"), Effect::kRead);
  EXPECT_EQ(effect(R"({"mode":"s\u0068ow"})"), Effect::kRead);
  EXPECT_EQ(effect(R"({"mode":"start"})"), Effect::kPoll);
  EXPECT_EQ(effect(R"({"n":5})"), Effect::kWait);
  EXPECT_EQ(effect(R"({"n":"5"})"), Effect::kWait);
  EXPECT_EQ(effect(R"({"flag":true})"), Effect::kRead);
  EXPECT_EQ(effect(R"({"cmd":"git status"})"), Effect::kRead);
  EXPECT_EQ(effect(R"({"cmd":"git push"})"), Effect::kWrite);
  EXPECT_EQ(effect(R"({"cmd":["git","status"]})"), Effect::kRead);
  EXPECT_EQ(effect(R"({"cmd":["git",1]})"), Effect::kWrite);
  EXPECT_EQ(effect(R"({"mode":{"show":1}})"), Effect::kWrite);
  EXPECT_EQ(effect(R"({"mode":["show"]})"), Effect::kWrite);
  EXPECT_EQ(effect("{}"), Effect::kWrite);
  EXPECT_EQ(effect("[broken"), Effect::kWrite);
}

TEST_F(ReaderTest, FactsSayWhichContractApplied) {
  Contract c;
  c.when = {variant({.pointer = "/mode", .equals = "show"}, Effect::kRead)};
  c.when[0].contract.volatile_result = {"/time"};
  declare(c);
  std::uint32_t const shown = call(R"({"mode":"show"})").contract;
  std::uint32_t const other = call("{}").contract;
  EXPECT_NE(shown, other);
  EXPECT_EQ(reader_.call("unheard_of", "{}").contract, ContractBook::kUndeclared);
  auto const outcome_under = [&](std::uint32_t contract, std::string_view text) {
    return reader_.result(contract, ResultStatus::kOk, text).outcome;
  };
  EXPECT_EQ(outcome_under(shown, R"({"time":1,"a":2})"), outcome_under(shown, R"({"time":3,"a":2})"));
  EXPECT_NE(outcome_under(other, R"({"time":1,"a":2})"), outcome_under(other, R"({"time":3,"a":2})"));
}

TEST_F(ReaderTest, AVariantMayHaveItsOwnVolatileArguments) {
  Contract c;
  c.volatile_args = {"/id"};
  c.when = {variant({.pointer = "/mode", .equals = "x"}, Effect::kRead)};
  c.when[0].contract.volatile_args = {"/seq"};
  declare(c);
  EXPECT_EQ(key(R"({"mode":"x","seq":1})"), key(R"({"mode":"x","seq":2})"));
  EXPECT_NE(key(R"({"mode":"x","id":1})"), key(R"({"mode":"x","id":2})"));
  EXPECT_EQ(key(R"({"mode":"y","id":1})"), key(R"({"mode":"y","id":2})"));
  EXPECT_NE(key(R"({"mode":"y","seq":1})"), key(R"({"mode":"y","seq":2})"));
}

TEST_F(ReaderTest, ADeepContractWorksThroughArgumentsThatCameAsText) {
  Contract c;
  c.identity = {"/a"};
  c.volatile_args = {"/t"};
  declare(c);
  EXPECT_EQ(identity(R"("{\"a\":\"x\\n\",\"t\":1}")"), identity(R"({"a":"x\n"})"));
  EXPECT_EQ(key(R"("{\"a\":\"x\\n\",\"t\":1}")"), key(R"({"t":2,"a":"x\n"})"));
}

TEST_F(ReaderTest, AnOutcomeIsStatusAndText) {
  EXPECT_EQ(outcome("a"), outcome("a"));
  EXPECT_NE(outcome("a"), outcome("b"));
  EXPECT_NE(outcome("a "), outcome("a"));
  auto const with = [&](ResultStatus status) { return Digest(reader_.result(0, status, "a").outcome); };
  EXPECT_NE(with(ResultStatus::kOk), with(ResultStatus::kError));
  EXPECT_NE(with(ResultStatus::kTimeout), with(ResultStatus::kError));
  EXPECT_EQ(with(ResultStatus::kOk), outcome("a"));
  EXPECT_EQ(reader_.result(0, ResultStatus::kOk, "a").bytes, 1);
}

TEST_F(ReaderTest, VolatileResultFieldsAreLeftOut) {
  Contract c;
  c.volatile_result = {"/pid", "/items/0/at", "re:took \\d+ ms", "re:\\x1b\\[[0-9;]*m"};
  declare(c);
  EXPECT_EQ(outcome(R"({"pid":1,"out":"x"})"), outcome(R"({ "out": "x", "pid": 2 })"));
  EXPECT_NE(outcome(R"({"pid":1,"out":"x"})"), outcome(R"({"pid":1,"out":"y"})"));
  EXPECT_EQ(outcome(R"({"items":[{"at":1,"v":2}]})"), outcome(R"({"items":[{"at":9,"v":2}]})"));
  EXPECT_EQ(outcome("ok, took 12 ms"), outcome("ok, took 7 ms"));
  EXPECT_EQ(outcome("\x1b[31mred\x1b[0m"), outcome("red"));
  EXPECT_EQ(outcome(R"({"out":"took 5 ms","pid":3})"), outcome(R"({"out":"took 6 ms","pid":4})"));
  EXPECT_NE(outcome("pid 1"), outcome("pid 2"));
  // A text that only looks like JSON is compared as it is.
  EXPECT_NE(outcome(R"({"pid":1,)"), outcome(R"({"pid":2,)"));
}

TEST_F(ReaderTest, ASuccessThatSaysNothingIsEmptyAndAFailureStaysOne) {
  auto const status = [&](ResultStatus given, std::string_view text) { return reader_.result(0, given, text).status; };
  EXPECT_EQ(status(ResultStatus::kOk, ""), ResultStatus::kEmpty);
  EXPECT_EQ(status(ResultStatus::kOk, "No files found"), ResultStatus::kEmpty);
  EXPECT_EQ(status(ResultStatus::kOk, "error: it is only a word"), ResultStatus::kOk);
  EXPECT_EQ(status(ResultStatus::kError, ""), ResultStatus::kError);
  EXPECT_EQ(status(ResultStatus::kError, "not found"), ResultStatus::kError);
  EXPECT_EQ(status(ResultStatus::kTimeout, ""), ResultStatus::kTimeout);
  EXPECT_EQ(status(ResultStatus::kDenied, "[]"), ResultStatus::kDenied);
}

TEST_F(ReaderTest, FailuresOfOneKindAreMaskedAlike) {
  auto const masked = [&](ResultStatus status, std::string_view text) {
    return reader_.result(0, status, text).masked;
  };
  EXPECT_EQ(masked(ResultStatus::kError, "no such file: '/a/b' (12ms)"),
            masked(ResultStatus::kError, "No such file: '/c' (7ms)"));
  EXPECT_NE(masked(ResultStatus::kError, "no such file"), masked(ResultStatus::kError, "permission denied"));
  EXPECT_NE(masked(ResultStatus::kError, "late"), masked(ResultStatus::kTimeout, "late"));
  EXPECT_TRUE(masked(ResultStatus::kOk, "no such file").none());
}

TEST_F(ReaderTest, FactsOfOneTextAreTheSameFromAnyReader) {
  Reader other(book_);
  static_cast<void>(other.call("x", R"({"deep":[[[["\n"]]]]})"));
  static_cast<void>(other.call("x", "{broken"));
  EXPECT_EQ(other.call("tool", R"({"a":"b\n"})").key, key(R"({"a":"b\n"})"));
  Reader moved(std::move(other));
  EXPECT_EQ(moved.call("tool", R"({"a":"b\n"})").key, key(R"({"a":"b\n"})"));
  EXPECT_EQ(moved.text("no no").tail_repeats, 2);
}

}  // namespace
}  // namespace backedge::facts
