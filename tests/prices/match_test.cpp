// Rules about names.
#include "prices/match.h"

#include <gtest/gtest.h>

#include "base/json.h"

namespace backedge::prices {
namespace {

bool matches(char const* rule, char const* name) {
  Result<NameRule> const read = NameRule::read(*parse_json(rule));
  EXPECT_TRUE(read) << (read ? "" : read.error().text());
  return read && read->matches(name);
}

TEST(NameRule, EachWordMeansWhatItSays) {
  EXPECT_TRUE(matches(R"({"equals":"GPT-4o"})", "gpt-4o"));
  EXPECT_FALSE(matches(R"({"equals":"gpt-4o"})", "gpt-4o-mini"));
  EXPECT_TRUE(matches(R"({"starts_with":"gpt-4"})", "gpt-4o"));
  EXPECT_TRUE(matches(R"({"ends_with":"4o"})", "gpt-4o"));
  EXPECT_TRUE(matches(R"({"contains":"t-4"})", "gpt-4o"));
  EXPECT_TRUE(matches(R"({"regex":"^gpt-\\d"})", "gpt-4o"));
  EXPECT_FALSE(matches(R"({"and":[{"contains":"gpt"},{"ends_with":"mini"}]})", "gpt-4o"));
  EXPECT_TRUE(matches(R"({"or":[{"contains":"gpt"},{"ends_with":"mini"}]})", "gpt-4o"));
}

TEST(NameRule, ANegativeLookAheadAtTheBeginningIsUnderstood) {
  char const* const rule = R"json({"regex":"^(?![^/]+/)(?:labs-)?(?:mistral|mixtral)"})json";
  EXPECT_TRUE(matches(rule, "mistral-large"));
  EXPECT_FALSE(matches(rule, "org/mistral-large"));
  char const* const no_speech = R"json({"regex":"^(?!.*-tts(?:$|-))"})json";
  EXPECT_TRUE(matches(no_speech, "gemini-2.5-pro"));
  EXPECT_FALSE(matches(no_speech, "gemini-2.5-pro-tts"));
}

TEST(NameRule, RulesThatNestTooDeepAndPatternsThatAreNoneAreErrors) {
  std::string deep = R"({"equals":"x"})";
  for (int i = 0; i < 20; ++i) deep = R"({"or":[)" + deep + "]}";
  EXPECT_FALSE(NameRule::read(*parse_json(deep)));
  EXPECT_FALSE(NameRule::read(*parse_json(R"({"regex":"("})")));
  EXPECT_FALSE(NameRule::read(*parse_json(R"({"regex":"^(?!("})")));
  EXPECT_FALSE(NameRule::read(*parse_json(R"({"or":[]})")));
}

}  // namespace
}  // namespace backedge::prices
