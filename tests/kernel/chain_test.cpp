// Hooks, triggers, starts and processes, judged by the chain they stand on.
#include "kernel/chain.h"

#include <vector>

#include <gtest/gtest.h>

#include "support/facts_by_hand.h"
#include "support/verdict_text.h"

namespace backedge::kernel {
namespace {

using support::named;
using support::text;

std::vector<Digest> chain(std::initializer_list<std::string_view> links) {
  std::vector<Digest> out;
  for (std::string_view link : links) out.push_back(named(link));
  return out;
}

TEST(Chain, AHookOnItsOwnChainIsSuppressed) {
  EXPECT_EQ(text(check_hook(chain({"agent:a", "hook:h:end"}), named("hook:h:end"))),
            "suppress chain.reentrant_hook 2/1");
  EXPECT_EQ(text(check_hook(chain({"agent:a", "hook:h:start"}), named("hook:h:end"))), "run")
      << "another phase is another hook";
  EXPECT_EQ(text(check_hook({}, named("hook:h:end"))), "run");
}

TEST(Chain, AMessageOfTheAgentItselfStartsNothing) {
  EXPECT_EQ(text(check_trigger(named("bot"), named("bot"))), "suppress chain.own_event");
  EXPECT_EQ(text(check_trigger(named("bob"), named("bot"))), "run");
  EXPECT_EQ(text(check_trigger(Digest{}, Digest{})), "run") << "nobody is not the same as nobody";
}

TEST(Chain, AServerOrAgentThatWouldStartItselfIsRefused) {
  EXPECT_EQ(text(check_start(chain({"agent:a", "mcp:files"}), named("mcp:files"))), "refuse chain.cycle 2/1");
  EXPECT_EQ(text(check_start(chain({"agent:a", "mcp:files", "agent:a"}), named("agent:a"))), "refuse chain.cycle 3/1");
  EXPECT_EQ(text(check_start(chain({"agent:a"}), named("mcp:files"))), "run");
}

struct ProcessRow {
  bool on_chain;
  bool allowed;
  Attendance attendance;
  char const* said;
};

TEST(Chain, AProcessThatIsTheAgentItselfIsAskedForOrRefusedWhenNobodyIsThere) {
  ProcessRow const rows[] = {
      {true, false, Attendance::kAttended, "ask chain.self_invocation 2/1"},
      {true, false, Attendance::kUnattended, "refuse chain.self_invocation 2/1"},
      {true, true, Attendance::kAttended, "run"},
      {true, true, Attendance::kUnattended, "run"},
      {false, false, Attendance::kAttended, "run"},
      {false, false, Attendance::kUnattended, "run"},
  };
  for (ProcessRow const& row : rows) {
    std::vector<Digest> const links = row.on_chain ? chain({"program"}) : chain({"shell"});
    EXPECT_EQ(text(check_process(links, named("program"), row.allowed, row.attendance)), row.said);
  }
}

}  // namespace
}  // namespace backedge::kernel
