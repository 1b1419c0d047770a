// What is looked for, and how it is written.
#include "suggest/candidate.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "backedge/policy.h"

namespace backedge::suggest {
namespace {

struct Made {
  char const* tool;
  std::string arguments;
  std::string result;
};

Subject subject(std::vector<Made> const& calls, bool finished = false) {
  Subject out;
  out.finished = finished;
  out.tree.frames.emplace_back();
  for (Made const& made : calls) {
    graph::Call call;
    call.frame = 0;
    call.tool = made.tool;
    call.arguments = {made.arguments, 1, true};
    call.result = {made.result, 1, true};
    call.status = "ok";
    call.verdict.word = "run";
    out.tree.calls.push_back(call);
  }
  return out;
}

bool proposes(std::vector<Candidate> const& all, std::vector<Setting> const& settings) {
  return std::any_of(all.begin(), all.end(), [&](Candidate const& one) { return one.settings == settings; });
}

TEST(Candidates, AnArgumentThatVariesWhileTheAnswerStaysIsVolatile) {
  std::vector<Subject> given{subject({{"lookup", R"({"q":"x","id":1})", "A"},
                                      {"lookup", R"({"q":"x","id":2})", "A"},
                                      {"lookup", R"({"q":"x","id":3})", "A"}})};
  EXPECT_TRUE(proposes(candidates(given, {}), {{"tool.lookup", "volatile.args", R"(["/id"])"}}));
  std::vector<Subject> const other{
      subject({{"lookup", R"({"q":"x"})", "A"}, {"lookup", R"({"q":"y"})", "A"}, {"lookup", R"({"q":"z"})", "A"}})};
  std::vector<Candidate> const all = candidates(other, {});
  EXPECT_TRUE(std::none_of(all.begin(), all.end(),
                           [](Candidate const& c) { return c.settings.front().key == "volatile.args"; }));
}

TEST(Candidates, PartsOfAResultThatVaryWhileTheCallIsTheSameAreVolatile) {
  std::vector<Subject> objects, texts;
  objects.push_back(subject({{"f", "{}", R"({"a":1,"took_ms":1})"},
                             {"f", "{}", R"({"a":1,"took_ms":2})"},
                             {"f", "{}", R"({"a":1,"took_ms":3})"}}));
  texts.push_back(subject(
      {{"f", "{}", "at 10:00:01 nothing"}, {"f", "{}", "at 10:00:02 nothing"}, {"f", "{}", "at 10:00:03 nothing"}}));
  EXPECT_TRUE(proposes(candidates(objects, {}), {{"tool.f", "volatile.result", R"(["/took_ms"])"}}));
  std::vector<Candidate> const all = candidates(texts, {});
  auto const found = std::find_if(all.begin(), all.end(),
                                  [](Candidate const& c) { return c.settings.front().key == "volatile.result"; });
  ASSERT_NE(found, all.end());
  EXPECT_TRUE(Policy::parse(toml_of(found->settings), "x")) << toml_of(found->settings);
}

TEST(Candidates, ADeedThatWasDoneTwiceIsOneThatMayBeDoneOnce) {
  std::vector<Subject> given{
      subject({{"send_email", R"({"to":"a"})", "sent"}, {"send_email", R"({"to":"a"})", "sent"}})};
  EXPECT_TRUE(proposes(candidates(given, {}), {{"tool.send_email", "idempotent", "false"}}));
}

TEST(Candidates, WhatFinishedRunsNeededAndAFifthMoreIsALimit) {
  std::vector<Subject> given{subject(std::vector<Made>(30, {"look", "{}", "A"}))};
  std::vector<Subject> others{subject(std::vector<Made>(5, {"look", "{}", "A"}), true),
                              subject(std::vector<Made>(9, {"look", "{}", "A"}), false)};
  EXPECT_TRUE(proposes(candidates(given, others), {{"limits.per_tool", "look", "6"}}));
}

TEST(Candidates, EveryOneIsAPolicyThatCanBeReadWhateverToolsAreCalled) {
  for (char const* const tool : {"list files", "mcp__a__b", "a.b", "quote\"d", "tab\there", "getÜ"}) {
    std::vector<Subject> given{subject(std::vector<Made>(8, {tool, R"({"x/y~z":1,"b":2})", "A"}))};
    given.push_back(subject({{tool, R"({"x/y~z":1,"b":2})", "A"},
                             {tool, R"({"x/y~z":2,"b":2})", "A"},
                             {tool, R"({"x/y~z":3,"b":2})", "A"}}));
    std::vector<Subject> const others{subject({{tool, "{}", "A"}}, true)};
    for (Candidate const& one : candidates(given, others)) {
      Result<Policy> const read = Policy::parse(toml_of(one.settings), "x");
      EXPECT_TRUE(read) << toml_of(one.settings) << (read ? "" : read.error().text());
    }
  }
}

}  // namespace
}  // namespace backedge::suggest
