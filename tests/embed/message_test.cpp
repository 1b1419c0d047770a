// Every verdict has words: one line, the path, the limit with its source, and what to do instead.
#include "embed/message.h"

#include <set>
#include <string>

#include <gtest/gtest.h>

namespace backedge::embed {
namespace {

using kernel::CallVerdict;
using kernel::Code;

Scene scene() {
  return {.tool = "read_file",
          .path = {"main", "task", "researcher", "read_file"},
          .earlier = "call 4 (read_file)",
          .left = "3 turns",
          .limit_source = "backedge.toml:3",
          .fault = "the arguments are no JSON"};
}

CallVerdict verdict(CallWord word, Code code) {
  CallVerdict v{.call = CallId{5}, .word = word, .code = code};
  v.evidence = {.count = 3, .limit = 3, .period = 2, .earlier = CallId{4}};
  return v;
}

TEST(Message, EveryCodeHasATextOfOneLineWithThePathAndWithoutTryAgain) {
  std::set<std::string> codes;
  for (std::size_t c = 1; c < kernel::kCodes; ++c) {
    auto const code = static_cast<Code>(c);
    EXPECT_TRUE(codes.insert(std::string(kernel::code_text(code))).second) << "two codes of one name";
    std::string const text = call_text(verdict(CallWord::kBlock, code), scene());
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
    EXPECT_NE(text.find("main > task > researcher > read_file"), std::string::npos) << text;
    EXPECT_NE(text.find("left 3 turns"), std::string::npos) << text;
    EXPECT_EQ(text.find("try again"), std::string::npos) << text;
    EXPECT_EQ(text.find("): ;"), std::string::npos) << "nothing is said: " << text;
  }
}

TEST(Message, ABudgetSaysHowMuchForWhomAndWhoSetIt) {
  std::string const text = call_text(verdict(CallWord::kBlock, Code::kBudgetCalls), scene());
  EXPECT_NE(text.find("the limit of 3 calls for this run (set by backedge.toml:3) leaves no room"), std::string::npos)
      << text;
}

TEST(Message, MoneyIsShownInDollars) {
  EXPECT_EQ(money_text(1'250'000'000), "$1.2500");
  EXPECT_EQ(money_text(0), "$0.0000");
}

TEST(Message, WhatIsReusedPointsToTheEarlierResult) {
  std::string const text = call_text(verdict(CallWord::kReuse, Code::kExact), scene());
  EXPECT_NE(text.find("the answer of call 4 (read_file) still holds"), std::string::npos) << text;
}

}  // namespace
}  // namespace backedge::embed
