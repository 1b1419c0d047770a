// The demonstration as a whole: what is claimed of it holds of its runs.
#include "demo/demo.h"

#include <gtest/gtest.h>

#include "support/temp_folder.h"

namespace backedge::demo {
namespace {

Demo played(std::filesystem::path const& folder, std::vector<int> only = {}) {
  Result<Demo> demo = play_demo({.folder = folder, .only = std::move(only)});
  if (!demo) ADD_FAILURE() << demo.error().text();
  return demo ? *std::move(demo) : Demo{};
}

TEST(Demo, AGuardedLoopTakesAtMostAThirdOfTheCallsAndReachesAnAnswer) {
  support::TempFolder const folder;
  Demo const demo = played(folder.path());
  ASSERT_EQ(demo.played.size(), incidents().size());
  int looping = 0;
  for (Played const& p : demo.played) {
    if (p.incident.healthy) continue;
    ++looping;
    EXPECT_LE(p.guarded.calls * 3, p.unguarded.calls) << p.incident.title;
    EXPECT_LT(p.guarded.nano_usd, p.unguarded.nano_usd) << p.incident.title;
    EXPECT_TRUE(p.guarded.end == RunEnd::kFinished || p.guarded.end == RunEnd::kIncomplete) << p.incident.title;
    EXPECT_FALSE(p.guarded.answer.empty()) << p.incident.title;
    EXPECT_TRUE(p.guarded.first_refusal.has_value()) << p.incident.title;
  }
  EXPECT_EQ(looping, 5);
}

TEST(Demo, NothingIsHeldUpInTheHealthyConversation) {
  support::TempFolder const folder;
  Demo const demo = played(folder.path(), {6});
  ASSERT_EQ(demo.played.size(), 1U);
  Outcome const& u = demo.played[0].unguarded;
  Outcome const& g = demo.played[0].guarded;
  EXPECT_EQ(g.refused, 0);
  EXPECT_EQ(g.calls, 13) << "as recorded";
  EXPECT_EQ(g.calls, u.calls);
  EXPECT_EQ(g.turns, u.turns);
  EXPECT_EQ(g.nano_usd, u.nano_usd);
  EXPECT_EQ(g.end, RunEnd::kFinished);
  EXPECT_FALSE(g.first_refusal.has_value()) << g.first_refusal->text;
}

TEST(Demo, EveryRunHasItsPageAndASecondDemonstrationBeginsAnew) {
  support::TempFolder const folder;
  Demo const first = played(folder.path(), {3, 6});
  Demo const second = played(folder.path(), {3, 6});
  ASSERT_EQ(first.played.size(), 2U);
  ASSERT_EQ(second.played.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(first.played[i].guarded.turns, second.played[i].guarded.turns);
    EXPECT_TRUE(std::filesystem::exists(folder.path() / second.played[i].guarded.page));
    EXPECT_TRUE(std::filesystem::exists(folder.path() / second.played[i].unguarded.page));
  }
}

TEST(Demo, TheTextHasTheFiguresOfTheRunsAndNoLongLine) {
  support::TempFolder const folder;
  Demo const demo = played(folder.path(), {1, 3});
  std::string const text = demo_text(demo, "there");
  for (Played const& p : demo.played) {
    EXPECT_NE(text.find(std::to_string(p.unguarded.calls)), std::string::npos);
    EXPECT_NE(text.find(p.guarded.first_refusal->code), std::string::npos);
  }
  EXPECT_NE(text.find("The 2 that go wrong, together"), std::string::npos) << text;
  std::size_t start = 0;
  for (std::size_t end = text.find('\n'); end != std::string::npos; start = end + 1, end = text.find('\n', start))
    EXPECT_LE(end - start, 80U) << text.substr(start, end - start);
  EXPECT_NE(demo_json(demo).find(R"("number":3)"), std::string::npos);
}

TEST(Demo, ANumberThatNoIncidentHasIsRefused) {
  support::TempFolder const folder;
  Result<Demo> const demo = play_demo({.folder = folder.path(), .only = {7}});
  ASSERT_FALSE(demo.ok());
  EXPECT_EQ(demo.error().text(), "there is no incident 7; they are 1 to 6");
}

TEST(Demo, AFolderWithOtherFilesIsLeftAlone) {
  support::TempFolder const folder;
  folder.write("1-reader-guarded.html", "mine");
  Result<Demo> const demo = play_demo({.folder = folder.path(), .only = {1}});
  ASSERT_FALSE(demo.ok());
  EXPECT_EQ(demo.error().kind, ErrorKind::kUsage);
  EXPECT_NE(demo.error().text().find("holds other files"), std::string::npos) << demo.error().text();
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

TEST(Demo, AFolderThatCannotBeWrittenIsNamed) {
  support::TempFolder const folder;
  folder.write("taken", "a file");
  Result<Demo> const demo = play_demo({.folder = folder.path() / "taken", .only = {1}});
  ASSERT_FALSE(demo.ok());
  EXPECT_EQ(demo.error().kind, ErrorKind::kUsage);
  EXPECT_NE(demo.error().text().find("taken"), std::string::npos) << demo.error().text();
}

}  // namespace
}  // namespace backedge::demo
