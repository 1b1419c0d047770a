// The situational note by itself; in the loop it is tested in tests/agent/agentic_test.cpp.

#include "talk/note.h"

#include <gtest/gtest.h>

namespace backedge::talk {
namespace {

TEST(Note, SaysOnlyWhatIsKnown) {
  std::string const bare = situational_note("planner", "", "");
  EXPECT_EQ(bare.find('\n'), std::string::npos);
  EXPECT_NE(bare.find("inside the function planner"), std::string::npos);
  std::string const whole = situational_note("planner", "main > planner", "makes plans");
  EXPECT_EQ(whole.find(bare), 0U) << "the warning comes first";
  EXPECT_TRUE(whole.ends_with("What planner is for: makes plans")) << "the job comes last";
}

}  // namespace
}  // namespace backedge::talk
