#include "tools/tree.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tools/fake_context.h"

namespace backedge::tools {
namespace {

struct Case {
  std::string glob;
  std::string path;
  bool matches;
};

TEST(Glob, MatchesAsItIsWritten) {
  std::vector<Case> const cases{
      {"*.cpp", "a.cpp", true},
      {"*.cpp", "src/a.cpp", true},
      {"*.cpp", "a.cpp.txt", false},
      {"src/*.cpp", "src/a.cpp", true},
      {"src/*.cpp", "a.cpp", false},
      {"src/*.cpp", "src/x/a.cpp", false},
      {"src/**/*.h", "src/a.h", true},
      {"src/**/*.h", "src/x/y/a.h", true},
      {"src/**", "src/x/y", true},
      {"**/t.txt", "t.txt", true},
      {"a?c", "abc", true},
      {"a?c", "ac", false},
      {"a.c", "abc", false},
      {"[x]", "x", false},
      {"[x]", "[x]", true},
      {"./src/*", "src/a", true},
      {"", "a", false},
      {"a(b)+$", "a(b)+$", true},
      {"\xff*", "\xff\xfe", true},
  };
  for (Case const& c : cases) EXPECT_EQ(Glob(c.glob).matches(c.path), c.matches) << c.glob << " " << c.path;
}

TEST(Walk, VisitsInOrderAndSkipsGitAndLinks) {
  TempFolder const temp;
  for (char const* const path : {"b/2.txt", "b/1.txt", "a.txt", ".git/config", "b/c/d/e.txt"}) temp.write(path, "x");
  std::filesystem::create_symlink("b", temp.path() / "link");
  std::vector<std::string> seen;
  Result<WalkEnd> const end = walk(*Folder::open(temp.path()), "", 64,
                                   [&](std::string const& path, EntryKind) {
                                     seen.push_back(path);
                                     return true;
                                   },
                                   {});
  ASSERT_TRUE(end.ok());
  EXPECT_TRUE(end->skipped_git);
  EXPECT_EQ(seen,
            (std::vector<std::string>{"a.txt", "b", "b/1.txt", "b/2.txt", "b/c", "b/c/d", "b/c/d/e.txt", "link"}));
}

TEST(Walk, HeedsDepthAndToken) {
  TempFolder const temp;
  temp.write("a/b/c/d.txt", "x");
  std::vector<std::string> seen;
  auto const note = [&](std::string const& path, EntryKind) {
    seen.push_back(path);
    return true;
  };
  Folder const folder = *Folder::open(temp.path());
  ASSERT_TRUE(walk(folder, "a", 2, note, {}).ok());
  EXPECT_EQ(seen, (std::vector<std::string>{"a/b", "a/b/c"}));
  seen.clear();
  std::stop_source stop;
  stop.request_stop();
  ASSERT_TRUE(walk(folder, "", 9, note, stop.get_token()).ok());
  EXPECT_TRUE(seen.empty());
}

}  // namespace
}  // namespace backedge::tools
