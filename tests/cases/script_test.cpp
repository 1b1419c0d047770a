// What the steps of a case tell in advance.
#include "cases/script.h"

#include <gtest/gtest.h>

namespace backedge::cases {
namespace {

Case read(std::string const& steps) {
  return parse_cases(R"({"id": "x", "steps": [)" + steps + "]}", "c.jsonl")->at(0);
}

std::string call(std::string const& id, std::string const& frame, std::string const& args = "{}") {
  return R"({"model": [{"id": ")" + id + R"(", "tool": "t", "args": )" + args + R"(}], "frame": ")" + frame + "\"}";
}

std::string result(std::string const& id) { return R"({"tool_result": {"id": ")" + id + R"(", "output": "o"}})"; }

using Names = std::vector<std::string>;

TEST(Script, FramesOfNobodyThatWorkAtTheSameTimeStandSideBySide) {
  EXPECT_EQ(Script(read(call("1", "a") + "," + call("2", "b"))).side_by_side(), (Names{"a", "b"}));
}

TEST(Script, AConversationThatIsHandedOverIsOne) {
  Case const c = read(call("1", "a") + "," + result("1") + "," + call("2", "b") + "," + result("2"));
  EXPECT_EQ(Script(c).side_by_side(), Names{});
}

TEST(Script, ACallWithATaskMayHaveStartedTheFrame) {
  Case const c = read(call("1", "root", R"({"task": "x"})") + "," + call("2", "b"));
  EXPECT_EQ(Script(c).side_by_side(), Names{});
}

TEST(Script, AFrameGoesOnUntilAPersonSpeaksOrItIsClosed) {
  Case const c = read(call("1", "root") + "," + call("2", "root") + R"(,{"user": "u"},)" + call("3", "root"));
  Script const script(c);
  EXPECT_TRUE(script.goes_on("root", 1));
  EXPECT_FALSE(script.goes_on("root", 2));
  EXPECT_TRUE(script.goes_on("root", 3));
}

TEST(Script, WhatTheNextRequestOfAFrameCosts) {
  Case const c = read(R"({"event": {"type": "spend", "frame": "root", "usd": 0.5}},)" + call("1", "root"));
  Script const script(c);
  EXPECT_EQ(script.next_cost("root", 0), 500'000'000);
  EXPECT_EQ(script.next_cost("root", 1), 0);
}

}  // namespace
}  // namespace backedge::cases
