#include "facts/resource_path.h"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace backedge::facts {
namespace {

std::string normal(std::string_view path) {
  std::string out = "file:";
  append_path(out, path);
  return out.substr(5);
}

TEST(ResourcePath, SpellingsOfOnePathBecomeOne) {
  std::vector<std::pair<std::string, std::string>> const cases{{"a", "a"},
                                                               {"./a", "a"},
                                                               {"a/", "a"},
                                                               {"a//b", "a/b"},
                                                               {"a/./b", "a/b"},
                                                               {"a/../b", "b"},
                                                               {"a/b/../../c", "c"},
                                                               {"/a/../b", "/b"},
                                                               {"/..", "/"},
                                                               {"/../a", "/a"},
                                                               {"..", ".."},
                                                               {"../a", "../a"},
                                                               {"../../a", "../../a"},
                                                               {"a/../..", ".."},
                                                               {"a/../../b", "../b"},
                                                               {"../a/../b", "../b"},
                                                               {"", "."},
                                                               {".", "."},
                                                               {"./", "."},
                                                               {"a/..", "."},
                                                               {"/", "/"},
                                                               {"//a", "/a"},
                                                               {"/a/.", "/a"},
                                                               {"...", "..."},
                                                               {"a/.b", "a/.b"},
                                                               {"a b/ü", "a b/ü"},
                                                               {"../..", "../.."},
                                                               {"x/../../..", "../.."}};
  for (auto const& [path, expected] : cases) EXPECT_EQ(normal(path), expected) << path;
}

TEST(ResourcePath, NormalFormsStayAsTheyAre) {
  // All paths of up to four parts from a small set.
  std::vector<std::string> const parts{"", ".", "..", "a", "b"};
  for (std::size_t k = 0; k < 5 * 5 * 5 * 5; ++k) {
    std::string path;
    for (std::size_t i = 0, rest = k; i < 4; ++i, rest /= 5) path += (i > 0 ? "/" : "") + parts[rest % 5];
    std::string const once = normal(path);
    EXPECT_EQ(normal(once), once) << path;
    EXPECT_EQ(once.find("//"), std::string::npos) << path;
    EXPECT_EQ(once.starts_with('/'), path.starts_with('/')) << path;
  }
}

}  // namespace
}  // namespace backedge::facts
