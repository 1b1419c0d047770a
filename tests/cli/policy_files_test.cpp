// Which files count, from where, and by what name.
#include "cli/policy_files.h"

#include <sstream>

#include <gtest/gtest.h>

#include "support/temp_folder.h"

namespace backedge::cli {
namespace {

using support::TempFolder;

/// "NAME: TEXT", one file a line.
std::string found(CommonOptions const& options) {
  auto const texts = read_policy_files(options);
  if (!texts) return texts.error().text();
  std::string out;
  for (PolicyText const& file : *texts) out += file.name + ": " + file.text + "\n";
  return out;
}

TEST(PolicyFiles, NoFileIsNoError) {
  TempFolder folder;
  EXPECT_EQ(found({{folder.path(), "", ""}, ""}), "");
  EXPECT_EQ(found({{folder.path(), folder.path() / "none", ""}, ""}), "");
}

TEST(PolicyFiles, TheNearestFileUpwardsIsTheProjects) {
  TempFolder folder;
  folder.write("backedge.toml", "top");
  folder.write("a/b/c/x", "");
  EXPECT_EQ(found({{folder.path(), "", ""}, ""}), "backedge.toml: top\n");
  EXPECT_EQ(found({{folder.path() / "a/b", "", ""}, ""}), "../../backedge.toml: top\n");
  folder.write("a/backedge.toml", "near");
  EXPECT_EQ(found({{folder.path() / "a/b/c", "", ""}, ""}), "../../backedge.toml: near\n");
}

TEST(PolicyFiles, AFolderOfThatNameIsNotAFile) {
  TempFolder folder;
  folder.write("backedge.toml", "top");
  folder.write("a/backedge.toml/x", "");
  EXPECT_EQ(found({{folder.path() / "a", "", ""}, ""}), "../backedge.toml: top\n");
}

TEST(PolicyFiles, TheUsersFileComesFirstAndXdgConfigHomeMovesIt) {
  TempFolder folder;
  folder.write("work/backedge.toml", "project");
  folder.write("home/.config/backedge/backedge.toml", "home");
  auto const xdg = folder.write("xdg/backedge/backedge.toml", "xdg");
  auto const work = folder.path() / "work";
  EXPECT_EQ(found({{work, folder.path() / "home", ""}, ""}),
            "~/.config/backedge/backedge.toml: home\nbackedge.toml: project\n");
  EXPECT_EQ(found({{work, folder.path() / "home", folder.path() / "xdg"}, ""}),
            xdg.string() + ": xdg\nbackedge.toml: project\n");
}

TEST(PolicyFiles, AFileThatIsBothCountsOnce) {
  TempFolder folder;
  folder.write(".config/backedge/backedge.toml", "both");
  EXPECT_EQ(found({{folder.path() / ".config/backedge", folder.path(), ""}, ""}), "backedge.toml: both\n");
}

TEST(PolicyFiles, ANamedFileIsTheOnlyOne) {
  TempFolder folder;
  folder.write("backedge.toml", "project");
  folder.write("other.toml", "named");
  EXPECT_EQ(found({{folder.path(), folder.path(), ""}, "other.toml"}), "other.toml: named\n");
  EXPECT_EQ(found({{folder.path(), folder.path(), ""}, (folder.path() / "other.toml").string()}),
            (folder.path() / "other.toml").string() + ": named\n");
}

TEST(PolicyFiles, ANamedFileThatCannotBeReadIsAnError) {
  TempFolder folder;
  folder.write("folder/x", "");
  EXPECT_EQ(found({{folder.path(), "", ""}, "none.toml"}), "none.toml: no such file");
  EXPECT_EQ(found({{folder.path(), "", ""}, "folder"}), "folder: is a folder, not a file");
  EXPECT_EQ(exit_status(read_policy_files({{folder.path(), "", ""}, "none.toml"}).error()), kUsage);
}

TEST(PolicyFiles, AllComplaintsOfAllFilesArePrinted) {
  TempFolder folder;
  folder.write("home/.config/backedge/backedge.toml", "[limits]\nmax_turn = 1\n");
  folder.write("backedge.toml", "[repeat]\nexact = 1\npoll = 2\n");
  std::ostringstream err;
  auto const table = load_policy({{folder.path(), folder.path() / "home", ""}, ""}, err);
  ASSERT_FALSE(table.ok());
  EXPECT_EQ(exit_status(table.error()), kUsage);
  EXPECT_EQ(err.str(),
            "~/.config/backedge/backedge.toml:2:1: unknown key 'max_turn' in [limits], did you mean 'max_turns'?\n"
            "backedge.toml:2:9: 'exact' in [repeat] is 1, must be 2 to 10000, or false\n"
            "backedge.toml:3:1: 'poll' in [repeat] is 2, must be above 'poll_warn', which is 10 (default)\n");
}

TEST(PolicyFiles, TheProjectsFileIsReadOverTheUsers) {
  TempFolder folder;
  folder.write("home/.config/backedge/backedge.toml", "[limits]\nmax_turns = 10\nmax_calls = 20\n");
  folder.write("backedge.toml", "[limits]\nmax_turns = 30\n");
  std::ostringstream err;
  auto const table = load_policy({{folder.path(), folder.path() / "home", ""}, ""}, err);
  ASSERT_TRUE(table.ok()) << err.str();
  EXPECT_EQ(table->source_of("limits.max_turns"), "backedge.toml:2");
  EXPECT_EQ(table->source_of("limits.max_calls"), "~/.config/backedge/backedge.toml:3");
}

}  // namespace
}  // namespace backedge::cli
