// The programs that a line of shell text may start.
#include "cases/programs.h"

#include <gtest/gtest.h>

namespace backedge::cases {
namespace {

using Names = std::vector<std::string>;

TEST(Programs, EveryWordWhereACommandCanStandCounts) {
  EXPECT_EQ(programs_in("git status"), (Names{"git"}));
  EXPECT_EQ(programs_in("cd /w && A=1 /usr/bin/env -i tool x; ls | wc -l"), (Names{"cd", "env", "tool", "ls", "wc"}));
  EXPECT_EQ(programs_in("nohup sudo agent start &"), (Names{"nohup", "sudo", "agent"}));
  EXPECT_EQ(programs_in("echo $(agent status)"), (Names{"echo", "agent"}));
}

TEST(Programs, AScriptBehindDashCIsReadToo) {
  EXPECT_EQ(programs_in("bash -c 'cd x; agent status'"), (Names{"bash", "cd", "agent"}));
}

TEST(Programs, WordsThatAreOnlyMentionedDoNotCount) {
  EXPECT_EQ(programs_in("grep agent README && echo 'run; agent'"), (Names{"grep", "echo"}));
  EXPECT_EQ(programs_in(""), Names{});
}

}  // namespace
}  // namespace backedge::cases
