// From paths to traces.
#include "inspect/read.h"

#include <gtest/gtest.h>

#include "inspect/support.h"

namespace backedge::inspect {
namespace {

using testing::claude_line;
using testing::claude_user;
using testing::openai_call;
using testing::tool_use;

struct Read {
  ReadSummary summary;
  std::vector<std::string> traces;  // path and title
};

Read read(std::vector<std::string> const& paths) {
  Read out;
  out.summary = read_paths(paths, [&](Trace&& trace) { out.traces.push_back(trace.path + trace.title); });
  return out;
}

TEST(Read, FoldersAreSearchedInTheOrderOfPaths) {
  testing::TempFolder const folder;
  std::string const call = "[" + openai_call("a", "f", "{}", "1") + "]";
  std::string const b = folder.write("b.json", call);
  std::string const a = folder.write("a/z.txt", call);
  folder.write("a/.git/x.json", call);
  folder.write("node_modules/x.json", call);
  folder.write("c.json", "{}");
  Read const found = read({folder.path().string()});
  EXPECT_EQ(found.traces, (std::vector<std::string>{a, b}));
  EXPECT_EQ(found.summary.passed_over, 1);
  EXPECT_TRUE(found.summary.errors.empty());
}

TEST(Read, NoFileIsReadTwice) {
  testing::TempFolder const folder;
  std::string const file = folder.write("a.json", "[" + openai_call("a", "f", "{}", "1") + "]");
  EXPECT_EQ(read({file, folder.path().string(), folder.path().string() + "/./a.json"}).traces.size(), 1U);
}

TEST(Read, ANamedFileInNoKnownFormatIsOneClearLine) {
  testing::TempFolder const folder;
  std::string const file = folder.write("a.json", R"({"type":"session_meta","payload":{}})");
  Read const found = read({file, folder.path().string() + "/missing"});
  ASSERT_EQ(found.summary.errors.size(), 2U);
  EXPECT_EQ(
      found.summary.errors[0].text(),
      file +
          R"(: is in no format that can be read: found a JSON object with the members "type", "payload"; readable are )"
          "OpenAI and Anthropic message arrays (tau-bench's form included), Claude Code sessions, pi sessions");
  EXPECT_EQ(found.summary.errors[1].kind, ErrorKind::kNotFound);
}

TEST(Read, WhatAForkedSessionRepeatsIsMarkedAsCopied) {
  testing::TempFolder const folder;
  std::string const common = claude_user("u", "x") + claude_line("a1", "m1", tool_use("t1", "Read", "{}"), 10);
  folder.write("1.jsonl", common + claude_line("a2", "m2", tool_use("t2", "Read", "{}"), 20));
  folder.write("2.jsonl", common + claude_line("a3", "m3", tool_use("t3", "Read", "{}"), 40));
  Counts sum;
  std::int64_t copied = 0;
  std::vector<std::string> const paths{folder.path().string()};
  read_paths(paths, [&](Trace&& trace) {
    add(sum, count(trace, Extent::kNew));
    copied += count(trace).copied_messages;
  });
  EXPECT_EQ(copied, 1);
  EXPECT_EQ(sum.calls, 3);
  EXPECT_EQ(sum.total_tokens, 10 + 20 + 40 + 3);
  EXPECT_EQ(sum.exact_repeats, 2) << "the copied call is remembered as seen";
}

TEST(Read, AnEmptyFileIsAnError) {
  testing::TempFolder const folder;
  Read const found = read({folder.write("a", "")});
  ASSERT_EQ(found.summary.errors.size(), 1U);
  EXPECT_NE(found.summary.errors[0].detail.find("found nothing"), std::string::npos);
}

TEST(Read, ALineOfTwentyMegabytesIsALine) {
  std::string const big(20'000'000, 'x');
  Trace const t = testing::trace_of(claude_line("a", "m", tool_use("t", "Write", R"({"content":")" + big + "\"}"), 1) +
                                    testing::claude_result("r", "t", big));
  ASSERT_EQ(t.calls.size(), 1U);
  EXPECT_GT(t.calls[0].arguments.size(), big.size()) << "arguments are kept whole";
  EXPECT_LT(t.calls[0].result.size(), kKeptText + 200) << "long results are not";
  EXPECT_EQ(t.calls[0].result_chars, 20'000'000);
}

TEST(Read, WindowsLineEndsAndAByteOrderMarkChangeNothing) {
  std::string const text = claude_user("u", "x") + claude_line("a", "m", tool_use("t", "Read", "{}"), 1);
  std::string windows = "\xEF\xBB\xBF";
  for (char const c : text) windows += c == '\n' ? std::string("\r\n") : std::string(1, c);
  EXPECT_EQ(testing::trace_of(windows).calls.size(), 1U);
  EXPECT_TRUE(testing::trace_of(windows).problems.empty());
}

TEST(Read, EveryFormatHasAName) {
  for (Format f : {Format::kUnknown, Format::kMessages, Format::kOpenAi, Format::kAnthropic, Format::kTauBench,
                   Format::kClaudeCode, Format::kPi}) {
    EXPECT_FALSE(format_name(f).empty());
  }
}

}  // namespace
}  // namespace backedge::inspect
