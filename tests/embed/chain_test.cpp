// What may start what, by the chain across processes.
#include "backedge/chain.h"

#include <gtest/gtest.h>

namespace backedge {
namespace {

TEST(Chain, AHookOnTheChainInTheSamePhaseIsSuppressedAndTheChainIsNamed) {
  Chain const chain{{"s0", "hook:summarise:end"}};
  EXPECT_EQ(chain.hook("summarise", "start"), Judged{});
  Judged const again = chain.hook("summarise", "end");
  EXPECT_EQ(again.word, EventWord::kSuppress);
  EXPECT_EQ(again.code, "chain.reentrant_hook");
  EXPECT_NE(again.text.find("s0 > hook:summarise:end"), std::string::npos) << again.text;
}

TEST(Chain, AServerThatIsAlreadyOnTheChainIsNotStartedAgain) {
  EXPECT_EQ(Chain{{"agent"}}.start("mcp:S"), Judged{});
  EXPECT_EQ((Chain{{"agent", "mcp:S", "agent"}}.start("mcp:S").word), EventWord::kRefuse);
}

TEST(Chain, TheAgentsOwnProgramIsAskedAboutOrRefusedUnlessAContractAllowsIt) {
  Chain const chain{{"agentcli"}};
  EXPECT_EQ(chain.process("agentcli", false, true).word, EventWord::kAsk);
  EXPECT_EQ(chain.process("agentcli", false, false).word, EventWord::kRefuse);
  EXPECT_EQ(chain.process("agentcli", true, false).word, EventWord::kRun);
  EXPECT_EQ(chain.process("git", false, false).word, EventWord::kRun);
}

TEST(Chain, AMessageOfTheAgentItselfStartsNothing) {
  EXPECT_EQ(judge_trigger("agent", "agent").code, "chain.own_event");
  EXPECT_EQ(judge_trigger("person", "agent").word, EventWord::kRun);
}

}  // namespace
}  // namespace backedge
