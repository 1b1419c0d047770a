// How the layers of a contract become one.

#include "backedge/contract.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "facts/book.h"

namespace backedge::facts {
namespace {

using kernel::Idempotent;
using kernel::Terms;

Contract with(Effect effect) {
  Contract c;
  c.effect = effect;
  return c;
}

Contract with(Reentry reentry) {
  Contract c;
  c.reentry = reentry;
  return c;
}

class ContractLayers : public ::testing::Test {
 protected:
  void declare(Layer layer, Contract const& contract, Trust trust = Trust::kTrusted) {
    Result<void> const done = book_.declare(layer, "tool", contract, trust);
    ASSERT_TRUE(done.ok()) << done.error().text();
  }
  Terms const& terms() const { return book_.find("tool").terms; }
  /// "value (source)" of a field.
  std::string explained(std::string_view field) const {
    for (FieldSource const& f : book_.explain("tool")) {
      if (f.field == field) return f.value + " (" + f.source + ")";
    }
    return "";
  }

  ContractBook book_ = ContractBook::blank();
};

TEST_F(ContractLayers, WhatNobodyDeclaresHasTheDefaults) {
  EXPECT_EQ(terms(), Terms{});
  EXPECT_EQ(terms().effect, Effect::kUnknown);
  EXPECT_EQ(terms().reentry, Reentry::kForbid);
  EXPECT_EQ(terms().idempotent, Idempotent::kUnknown);
  EXPECT_EQ(terms().max_depth, 5);
  EXPECT_EQ(book_.find("tool").timeout_ms, 120'000);
  EXPECT_EQ(book_.find("tool").max_output, 30'000);
}

TEST_F(ContractLayers, ALaterLayerWinsFieldByField) {
  Contract policy = with(Reentry::kAllow);
  Contract code = with(Effect::kWrite);
  code.reentry = Reentry::kBounded;
  code.max_depth = 9;
  Contract mcp = with(Effect::kRead);
  mcp.timeout_ms = 7;
  declare(Layer::kPolicy, policy);
  declare(Layer::kMcp, mcp);
  declare(Layer::kCode, code);
  EXPECT_EQ(terms().effect, Effect::kWrite);
  EXPECT_EQ(terms().reentry, Reentry::kAllow);
  EXPECT_EQ(terms().max_depth, 9);
  EXPECT_EQ(book_.find("tool").timeout_ms, 7);
  EXPECT_EQ(explained("effect"), "write (code)");
  EXPECT_EQ(explained("reentry"), "allow (policy file)");
  EXPECT_EQ(explained("max_depth"), "9 (code)");
  EXPECT_EQ(explained("timeout_ms"), "7 (mcp)");
  EXPECT_EQ(explained("max_output"), "30000 (default)");
}

TEST_F(ContractLayers, DeclaringALayerAgainReplacesIt) {
  Contract first = with(Effect::kWrite);
  first.max_depth = 2;
  declare(Layer::kCode, first);
  declare(Layer::kCode, with(Effect::kRead));
  EXPECT_EQ(terms().effect, Effect::kRead);
  EXPECT_EQ(terms().max_depth, 5);
}

TEST_F(ContractLayers, ADeclaredReadIsIdempotentUnlessSaidOtherwise) {
  declare(Layer::kCode, with(Effect::kRead));
  EXPECT_EQ(terms().idempotent, Idempotent::kYes);
  EXPECT_EQ(explained("idempotent"), "yes (default)");
  Contract policy;
  policy.idempotent = false;
  declare(Layer::kPolicy, policy);
  EXPECT_EQ(terms().idempotent, Idempotent::kNo);
  EXPECT_EQ(explained("idempotent"), "no (policy file)");
}

TEST_F(ContractLayers, DeclaredReentryAndDepthAreMarkedUnlessBuiltIn) {
  EXPECT_FALSE(terms().reentry_declared);
  declare(Layer::kBuiltin, with(Reentry::kDistinct));
  EXPECT_EQ(terms().reentry, Reentry::kDistinct);
  EXPECT_FALSE(terms().reentry_declared);
  Contract mcp = with(Reentry::kForbid);
  mcp.max_depth = 3;
  declare(Layer::kMcp, mcp);
  EXPECT_TRUE(terms().reentry_declared);
  EXPECT_TRUE(terms().max_depth_declared);
}

TEST_F(ContractLayers, AnUntrustedServerOnlyTightensTheEffect) {
  struct Case {
    std::optional<Effect> below;
    Effect said;
    Effect expected;
  };
  std::vector<Case> const cases{
      {std::nullopt, Effect::kRead, Effect::kUnknown},       {std::nullopt, Effect::kPoll, Effect::kUnknown},
      {std::nullopt, Effect::kDelegate, Effect::kUnknown},   {std::nullopt, Effect::kWrite, Effect::kWrite},
      {Effect::kRead, Effect::kWrite, Effect::kWrite},       {Effect::kRead, Effect::kPoll, Effect::kPoll},
      {Effect::kRead, Effect::kDelegate, Effect::kDelegate}, {Effect::kRead, Effect::kUnknown, Effect::kUnknown},
      {Effect::kPoll, Effect::kRead, Effect::kPoll},         {Effect::kPoll, Effect::kWait, Effect::kPoll},
      {Effect::kDelegate, Effect::kRead, Effect::kDelegate}, {Effect::kWrite, Effect::kRead, Effect::kWrite},
      {Effect::kWrite, Effect::kDelegate, Effect::kWrite},
  };
  for (Case const& c : cases) {
    book_ = ContractBook::blank();
    if (c.below) declare(Layer::kBuiltin, with(*c.below));
    declare(Layer::kMcp, with(c.said), Trust::kTightenOnly);
    EXPECT_EQ(terms().effect, c.expected) << effect_name(c.said);
    declare(Layer::kMcp, with(c.said), Trust::kTrusted);
    EXPECT_EQ(terms().effect, c.said);
  }
}

TEST_F(ContractLayers, AnUntrustedServerOnlyTightensReentry) {
  std::vector<Reentry> const from_strict{Reentry::kForbid, Reentry::kDistinct, Reentry::kBounded, Reentry::kAllow};
  for (std::size_t below = 0; below < 4; ++below) {
    for (std::size_t said = 0; said < 4; ++said) {
      book_ = ContractBook::blank();
      declare(Layer::kBuiltin, with(from_strict[below]));
      declare(Layer::kMcp, with(from_strict[said]), Trust::kTightenOnly);
      EXPECT_EQ(terms().reentry, from_strict[std::min(below, said)]);
    }
  }
  book_ = ContractBook::blank();
  declare(Layer::kMcp, with(Reentry::kAllow), Trust::kTightenOnly);
  EXPECT_EQ(terms().reentry, Reentry::kForbid);
}

TEST_F(ContractLayers, AnUntrustedServerOnlyLowersNumbersAndAddsFields) {
  Contract below = with(Effect::kRead);
  below.volatile_args = {"/id"};
  below.identity = {"/path"};
  below.conflicts = {"a"};
  declare(Layer::kBuiltin, below);
  Contract mcp;
  mcp.max_depth = 50;
  mcp.timeout_ms = 500'000;
  mcp.max_output = 10;
  mcp.min_interval_ms = 20;
  mcp.volatile_args = {"/time", "/id"};
  mcp.identity = {"/other"};
  mcp.conflicts = {"b"};
  mcp.idempotent = true;
  mcp.returns_direct = true;
  mcp.target = "/agent";
  mcp.range = RangePointers{"/offset", "", ""};
  ConditionalContract variant;
  variant.condition.pointer = "/x";
  variant.condition.equals = "1";
  variant.contract = with(Effect::kRead);
  mcp.when = {variant};
  declare(Layer::kMcp, mcp, Trust::kTightenOnly);
  CompiledContract const& c = book_.find("tool");
  EXPECT_EQ(c.terms.max_depth, 5);
  EXPECT_EQ(c.timeout_ms, 120'000);
  EXPECT_EQ(c.max_output, 10);
  EXPECT_EQ(c.terms.min_interval, Micros(20'000));
  EXPECT_EQ(explained("volatile_args"), "/id, /time (mcp)");
  EXPECT_EQ(explained("identity"), "/path (built-in)");
  EXPECT_EQ(explained("conflicts"), "a, b (mcp)");
  EXPECT_EQ(c.terms.idempotent, Idempotent::kYes);  // because it is a declared read
  EXPECT_EQ(explained("idempotent"), "yes (default)");
  EXPECT_FALSE(c.terms.returns_direct);
  EXPECT_TRUE(c.targets.empty());
  EXPECT_FALSE(c.has_range);
  EXPECT_TRUE(c.conditions.empty());
}

TEST_F(ContractLayers, AVariantBelongsToTheLayerThatDeclaredIt) {
  Contract builtin = with(Effect::kUnknown);
  ConditionalContract variant;
  variant.condition.pointer = "/mode";
  variant.condition.equals = "show";
  variant.contract = with(Effect::kRead);
  builtin.when = {variant};
  declare(Layer::kBuiltin, builtin);
  ASSERT_EQ(book_.find("tool").variants.size(), 1U);
  EXPECT_EQ(book_.at(book_.find("tool").variants[0]).terms.effect, Effect::kRead);
  // What a person writes wins over a built-in variant as well.
  declare(Layer::kPolicy, with(Effect::kWrite));
  EXPECT_EQ(book_.at(book_.find("tool").variants[0]).terms.effect, Effect::kWrite);
  // A `when` of a later layer takes the place of the earlier one.
  Contract policy = with(Effect::kWrite);
  variant.condition.equals = "list";
  variant.contract = with(Effect::kPoll);
  policy.when = {variant};
  declare(Layer::kPolicy, policy);
  EXPECT_EQ(book_.at(book_.find("tool").variants[0]).terms.effect, Effect::kPoll);
  EXPECT_EQ(explained("when[0]"), "/mode is \"list\" (policy file)");
  EXPECT_EQ(explained("when[0].effect"), "poll (policy file)");
}

}  // namespace
}  // namespace backedge::facts
