// Policies as values: layered texts, contracts by code, observing copies.
#include "backedge/policy.h"

#include <gtest/gtest.h>

#include "backedge/run.h"

namespace backedge {
namespace {

TEST(Policy, AMisspeltKeyIsAnErrorWithItsPlaceAndTheNearestKey) {
  Result<Policy> const policy = Policy::parse("[limits]\nmax_turn = 3\n", "p.toml");
  ASSERT_FALSE(policy.ok());
  EXPECT_EQ(policy.error().kind, ErrorKind::kPolicy);
  EXPECT_EQ(policy.error().text(), "p.toml:2:1: unknown key 'max_turn' in [limits], did you mean 'max_turns'?");
}

TEST(Policy, TheFileWinsOverCodeAndALaterFileOverAnEarlierOne) {
  Contract read;
  read.effect = Effect::kRead;
  Policy const policy = *Policy::defaults().with("lookup", read)->with("[tool.lookup]\nidempotent = false\n", "p.toml");
  backedge::Run run = *backedge::Run::open(policy);
  Micros const now{0};
  for (int i = 0; i < 2; ++i)
    (void)run.leave(run.enter(run.root(), Call{"lookup", "{}"}, now)->call, {CallStatus::kOk, "x"}, now);
  EXPECT_EQ(run.enter(run.root(), Call{"lookup", "{}"}, now)->word, CallWord::kBlock)
      << "not idempotent: nothing is given back";

  Policy const later = *policy.with("[repeat]\nexact = 2\n", "q.toml");
  backedge::Run strict = *backedge::Run::open(later);
  (void)strict.leave(strict.enter(strict.root(), Call{"x", "{}"}, now)->call, {CallStatus::kOk, "x"}, now);
  EXPECT_FALSE(strict.enter(strict.root(), Call{"x", "{}"}, now)->runs);
}

TEST(Policy, AContractThatDoesNotCompileIsAnError) {
  Contract wrong;
  wrong.volatile_result = {"re:["};
  EXPECT_FALSE(Policy::defaults().with("lookup", wrong).ok());
}

}  // namespace
}  // namespace backedge
