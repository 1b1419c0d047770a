// The rows by themselves: what every key must fulfil, whatever it is.
#include "policy/key.h"

#include <set>
#include <string>

#include <gtest/gtest.h>

#include "facts/merge.h"
#include "policy/toml_document.h"
#include "policy/value.h"

namespace backedge::policy {
namespace {

/// Reads a value as it would stand in a file.
Result<Value> value_in_file(Form const& form, std::string const& toml) {
  Result<Node> const root = parse_toml("x = " + toml, "f");
  if (!root) return root.error();
  return read_value(form, root->members[0].node);
}

template <class Owner>
void expect_documented(Key<Owner> const& key) {
  EXPECT_FALSE(key.about.empty()) << key.name;
  EXPECT_NE(key.about.back(), '.') << key.name;
  EXPECT_LE(key.form.low, key.form.high) << key.name;
}

TEST(Key, NoSectionHasAKeyTwice) {
  for (Section const& section : sections()) {
    std::set<std::string_view> names;
    for (SettingKey const& key : section.keys) EXPECT_TRUE(names.insert(key.name).second) << section.name << key.name;
  }
  std::set<std::string_view> names;
  for (ToolKey const& key : tool_keys()) EXPECT_TRUE(names.insert(key.name).second) << key.name;
  for (ConditionKey const& key : condition_keys()) EXPECT_TRUE(names.insert(key.name).second) << key.name;
}

TEST(Key, EveryKeySaysWhatItMeans) {
  for (Section const& section : sections()) {
    EXPECT_EQ(section.about.back(), '.') << section.name;
    for (SettingKey const& key : section.keys) expect_documented(key);
  }
  for (ToolKey const& key : tool_keys()) expect_documented(key);
  for (ConditionKey const& key : condition_keys()) expect_documented(key);
}

TEST(Key, EveryDefaultIsAValueThatTheKeyAccepts) {
  for (Section const& section : sections()) {
    for (SettingKey const& key : section.keys) {
      auto const value = key.get(Settings{});
      ASSERT_TRUE(value.has_value()) << key.name;
      auto const read = value_in_file(key.form, value_text(key.form, *value));
      ASSERT_TRUE(read.ok()) << key.name << ' ' << read.error().detail;
      EXPECT_EQ(*read, *value) << key.name;
    }
  }
}

/// A value that is not the default.
Value another(SettingKey const& key, Settings const& settings) {
  switch (key.form.type) {
    case Type::kBool: return Value(!std::get<bool>(*key.get(settings)));
    case Type::kText: return Value(std::string("another"));
    case Type::kWord: {
      bool const first = *key.get(settings) == Value(std::string(key.form.words[0]));
      return Value(std::string(key.form.words[first ? 1 : 0]));
    }
    default: return Value(key.form.low + 1);
  }
}

TEST(Key, ASettingThatIsSetIsTheOneThatIsRead) {
  for (Section const& section : sections()) {
    for (SettingKey const& key : section.keys) {
      Settings settings;
      Value const other = another(key, settings);
      key.set(settings, other, "f:1");
      EXPECT_EQ(key.get(settings), other) << key.name;
      for (Section const& s : sections()) {
        for (SettingKey const& k : s.keys) {
          if (&k == &key) continue;
          EXPECT_EQ(k.get(settings), k.get(Settings{})) << key.name << " sets " << k.name;
        }
      }
    }
  }
}

TEST(Key, EveryExampleIsAValueThatTheKeyAcceptsAndKeeps) {
  for (ToolKey const& key : tool_keys()) {
    if (key.form.example.empty()) continue;
    auto const value = value_in_file(key.form, std::string(key.form.example));
    ASSERT_TRUE(value.ok()) << key.name << ' ' << value.error().detail;
    Contract contract;
    EXPECT_FALSE(key.get(contract).has_value()) << key.name;
    key.set(contract, *value, "f:1");
    EXPECT_EQ(key.get(contract), *value) << key.name;
  }
}

TEST(Key, WordsAreThoseThatContractsAreExplainedIn) {
  auto const words = [](std::string_view name) {
    for (ToolKey const& key : tool_keys()) {
      if (key.name == name) return key.form.words;
    }
    return std::span<std::string_view const>();
  };
  for (Effect const effect :
       {Effect::kUnknown, Effect::kRead, Effect::kWrite, Effect::kPoll, Effect::kWait, Effect::kDelegate}) {
    EXPECT_EQ(words("effect")[static_cast<std::size_t>(effect)], facts::effect_name(effect));
  }
  for (Reentry const reentry : {Reentry::kForbid, Reentry::kDistinct, Reentry::kBounded, Reentry::kAllow}) {
    EXPECT_EQ(words("reentry")[static_cast<std::size_t>(reentry)], facts::reentry_name(reentry));
  }
}

TEST(Key, AThresholdToStayBelowIsAKeyOfTheSameSection) {
  for (Section const& section : sections()) {
    for (SettingKey const& key : section.keys) {
      if (key.below.empty()) continue;
      bool found = false;
      for (SettingKey const& other : section.keys) found = found || other.name == key.below;
      EXPECT_TRUE(found) << key.name;
    }
  }
}

}  // namespace
}  // namespace backedge::policy
