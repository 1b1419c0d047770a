// Any table, written as `policy show` writes it, reads back as the same table.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "policy/key.h"
#include "policy/table.h"

namespace backedge::policy {
namespace {

/// Any bytes, mostly those that mean something in TOML.
std::string any_bytes() {
  constexpr std::string_view kBytes = "ab/ .\"\\\n\t#[]{}='-1\xc3\xa9\x01";
  return *rc::gen::container<std::string>(rc::gen::elementOf(std::string(kBytes)));
}

std::string any_name() {
  auto const parts = *rc::gen::container<std::vector<std::string>>(rc::gen::elementOf(
      std::vector<std::string>{"a", "B", "7", "_", "-", ".", " ", "\"", "\\", "\n", "#", "[", "é", "\U0001f600"}));
  std::string out = "n";
  for (auto const& part : parts) out += part;
  return out;
}

std::string any_pointer() {
  auto const parts = *rc::gen::container<std::vector<std::string>>(
      rc::gen::elementOf(std::vector<std::string>{"a", "0", "/", "~0", "~1", " ", "é", "\""}));
  std::string out = "/";
  for (auto const& part : parts) out += part;
  return out;
}

std::int64_t any_number(Form const& form) {
  if (!form.minus_one.empty() && *rc::gen::inRange(0, 4) == 0) return -1;
  if (form.type == Type::kThreshold && *rc::gen::inRange(0, 4) == 0) return 0;
  std::int64_t const number = *rc::gen::inRange(form.low, form.high) + *rc::gen::inRange<std::int64_t>(0, 2);
  return form.type == Type::kDuration ? std::max(form.low, number / 1'000 * 1'000) : number;
}

Value any_value(Form const& form) {
  auto list_of = [](auto one) {
    std::vector<std::string> out;
    for (int i = *rc::gen::inRange(1, 4); i > 0; --i) out.push_back(one());
    return Value(std::move(out));
  };
  switch (form.type) {
    case Type::kBool: return *rc::gen::arbitrary<bool>();
    case Type::kWord:
      return std::string(*rc::gen::elementOf(std::vector<std::string_view>(form.words.begin(), form.words.end())));
    case Type::kScalar:
    case Type::kText: return any_name();
    case Type::kPointer: return any_pointer();
    case Type::kPointers: return list_of(any_pointer);
    case Type::kPatterns:
      return list_of([] { return *rc::gen::arbitrary<bool>() ? "re:" + any_pointer() : any_pointer(); });
    case Type::kTexts: return list_of(any_name);
    case Type::kResources: return list_of([] { return "file:{" + any_pointer() + "}"; });
    default: return any_number(form);
  }
}

Contract any_contract(bool with_when) {
  Contract out;
  for (ToolKey const& key : tool_keys()) {
    bool const in_range = key.name.substr(0, 6) == "range.";
    if (!in_range && *rc::gen::arbitrary<bool>()) key.set(out, any_value(key.form), "");
  }
  if (*rc::gen::arbitrary<bool>()) {
    out.range = RangePointers{any_pointer(), "", ""};
    (*rc::gen::arbitrary<bool>() ? out.range->length : out.range->end) = any_pointer();
  }
  for (int i = with_when ? *rc::gen::inRange(0, 3) : 0; i > 0; --i) {
    ConditionalContract when{{any_pointer(), {}, {}, {}}, any_contract(false)};
    when.contract.effect = Effect::kRead;
    ConditionKey const& test = condition_keys()[static_cast<std::size_t>(*rc::gen::inRange(1, 4))];
    test.set(when.condition, any_value(test.form), "");
    out.when.push_back(std::move(when));
  }
  return out;
}

Table any_table() {
  Table out;
  for (Section const& section : sections()) {
    for (SettingKey const& key : section.keys) {
      if (*rc::gen::arbitrary<bool>()) key.set(out.settings, any_value(key.form), "");
    }
    for (SettingKey const& key : section.keys) {
      if (!key.below.empty()) key.set(out.settings, Value(std::int64_t{0}), "");
    }
  }
  for (int i = *rc::gen::inRange(0, 4); i > 0; --i) {
    Contract contract = any_contract(true);
    contract.returns_direct = true;
    out.tools[any_name()] = std::move(contract);
  }
  return out;
}

std::string text_of(Table const& table) {
  std::string out;
  for (auto const& setting : show(table)) out += setting.key + " = " + setting.value + "\n";
  return out;
}

TEST(RoundTrip, WhatIsShownIsAPolicyFileOfTheSameTable) {
  bool const held = rc::check("tables", [] {
    std::string const text = text_of(any_table());
    Reading const reading = read(text, "f");
    for (auto const& error : reading.errors) RC_FAIL(error.text() + "\n" + text);
    RC_ASSERT(text_of(reading.table) == text);
    for (auto const& setting : show(reading.table)) RC_ASSERT(setting.source != kDefaultSource);
  });
  EXPECT_TRUE(held);
}

TEST(RoundTrip, ATableReadOverItselfIsItself) {
  bool const held = rc::check("layers", [] {
    std::string const text = text_of(any_table());
    Table const once = read(text, "f").table;
    Reading const twice = read(text, "f", once);
    RC_ASSERT(twice.errors.empty());
    RC_ASSERT(show(twice.table) == show(once));
  });
  EXPECT_TRUE(held);
}

TEST(RoundTrip, NoTextBreaksTheReader) {
  bool const held = rc::check("garbage", [] {
    Reading const reading = read(any_bytes() + "\n[limits]\n" + any_bytes(), "f");
    for (auto const& error : reading.errors) RC_ASSERT(error.text().find('\n') == std::string::npos);
  });
  EXPECT_TRUE(held);
}

}  // namespace
}  // namespace backedge::policy
