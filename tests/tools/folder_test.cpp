#include "tools/folder.h"

#include <atomic>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "tools/fake_context.h"

namespace backedge::tools {
namespace {

namespace fs = std::filesystem;

// A working folder beside a secret one.
struct Setting {
  TempFolder temp;
  fs::path work = temp.path() / "work";
  fs::path secret = temp.path() / "secret";

  Setting() {
    temp.write("work/inside.txt", "inside");
    temp.write("work/sub/deep.txt", "deep");
    temp.write("secret/key.txt", "secret");
    temp.write("workshop/near.txt", "secret");
  }
  Folder open(bool walk_only) const {
    Folder out = *Folder::open(work);
    if (walk_only) out.walk_only();
    return out;
  }
};

std::string content(Result<OpenFile> const& file) {
  if (!file) return "";
  std::string out(64, '\0');
  ssize_t const n = ::read(file->descriptor.get(), out.data(), out.size());
  out.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
  return out;
}

class EveryWay : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Folder, EveryWay, testing::Values(false, true),
                         [](auto const& one) { return one.param ? "PartByPart" : "ByTheKernel"; });

TEST_P(EveryWay, ReadsWhatLiesBelowHoweverItIsSpelled) {
  Setting const s;
  Folder const folder = s.open(GetParam());
  for (std::string const path :
       {"inside.txt", "./inside.txt", "sub/../inside.txt", "//inside.txt/.", "sub//..//inside.txt"}) {
    if (path.starts_with("//")) continue;  // absolute
    EXPECT_EQ(content(folder.open_file(path)), "inside") << path;
  }
  EXPECT_EQ(content(folder.open_file((s.work / "inside.txt").string())), "inside");
  EXPECT_EQ(content(folder.open_file("sub/deep.txt")), "deep");
}

TEST_P(EveryWay, OpensNothingOutside) {
  Setting const s;
  fs::create_symlink("../secret/key.txt", s.work / "link");
  fs::create_symlink(s.secret / "key.txt", s.work / "absolute_link");
  fs::create_symlink("../secret", s.work / "folder_link");
  fs::create_symlink("..", s.work / "sub/up");
  fs::create_symlink("/proc/self/root", s.work / "magic");
  Folder const folder = s.open(GetParam());
  std::vector<std::string> const paths{"../secret/key.txt",
                                       "sub/../../secret/key.txt",
                                       (s.secret / "key.txt").string(),
                                       "/etc/passwd",
                                       (s.work / "../secret/key.txt").string(),
                                       (s.temp.path() / "workshop/near.txt").string(),
                                       "link",
                                       "absolute_link",
                                       "folder_link/key.txt",
                                       "sub/up/../secret/key.txt",
                                       "sub/up/up/up/secret/key.txt",
                                       "magic/etc/passwd",
                                       "..",
                                       "../",
                                       "/",
                                       "sub/../..",
                                       "../work/../secret/key.txt"};
  for (std::string const& path : paths) {
    EXPECT_EQ(content(folder.open_file(path)), "") << path;
    EXPECT_FALSE(folder.open_file(path).ok()) << path;
    // By its text this one is "sub/secret/key.txt", which may be made.
    if (path == "sub/up/../secret/key.txt") continue;
    Result<bool> const written = folder.write(path, "evil");
    EXPECT_FALSE(written.ok()) << path;
  }
  EXPECT_EQ(s.temp.read("secret/key.txt"), "secret");
  bool more = false;
  EXPECT_FALSE(folder.list("folder_link", 10, more).ok());
  EXPECT_FALSE(folder.list("..", 10, more).ok());
}

TEST_P(EveryWay, RefusesPathsThatAreNone) {
  Setting const s;
  Folder const folder = s.open(GetParam());
  EXPECT_EQ(folder.open_file(std::string("inside.txt\0.png", 15)).error().kind, ErrorKind::kInput);
  EXPECT_EQ(folder.open_file(std::string(5'000, 'a')).error().kind, ErrorKind::kInput);
  EXPECT_EQ(folder.open_file(std::string(300, 'a')).error().kind, ErrorKind::kInput);
  EXPECT_EQ(folder.open_file("inside.txt/more").error().kind, ErrorKind::kNotFound);
  EXPECT_FALSE(folder.write("inside.txt/more", "x").ok());
  EXPECT_FALSE(folder.write("", "x").ok());
  EXPECT_FALSE(folder.write("sub", "x").ok());
  EXPECT_FALSE(folder.write("new/", "x").ok());
  EXPECT_FALSE(folder.open_file("sub").ok());
  EXPECT_FALSE(folder.open_folder("inside.txt").ok());
}

TEST_P(EveryWay, EndsLoopsOfLinks) {
  Setting const s;
  fs::create_symlink("b", s.work / "a");
  fs::create_symlink("a", s.work / "b");
  fs::create_symlink("self", s.work / "self");
  Folder const folder = s.open(GetParam());
  for (char const* const path : {"a", "self", "self/x"}) EXPECT_FALSE(folder.open_file(path).ok()) << path;
}

TEST_P(EveryWay, RefusesSpecialFilesWithoutWaiting) {
  Setting const s;
  ASSERT_EQ(::mkfifo((s.work / "pipe").c_str(), 0600), 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  (s.work / "socket").string().copy(address.sun_path, sizeof(address.sun_path) - 1);
  Descriptor const socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  ASSERT_EQ(::bind(socket.get(), reinterpret_cast<sockaddr const*>(&address), sizeof(address)), 0);
  Folder const folder = s.open(GetParam());
  EXPECT_EQ(folder.open_file("pipe").error().detail, "\"pipe\" is a pipe, not a file");
  EXPECT_EQ(folder.open_file("socket").error().detail, "\"socket\" is a socket, not a file");
  EXPECT_FALSE(folder.write("pipe", "x").ok());
}

TEST(Folder, FollowsLinksThatStayBelow) {
  Setting const s;
  fs::create_symlink("sub/deep.txt", s.work / "good");
  fs::create_symlink("../inside.txt", s.work / "sub/back");
  Folder const folder = s.open(false);
  EXPECT_EQ(content(folder.open_file("good")), "deep");
  EXPECT_EQ(content(folder.open_file("sub/back")), "inside");
}

TEST(Folder, NamesWhatIsNearAMissingFile) {
  Setting const s;
  Folder const folder = s.open(false);
  EXPECT_EQ(folder.open_file("insid.txt").error().detail, R"(there is no "insid.txt"; near names: "inside.txt")");
  EXPECT_EQ(folder.open_file("sub/dep.txt").error().detail, R"(there is no "sub/dep.txt"; near names: "sub/deep.txt")");
  EXPECT_EQ(folder.open_file("sup/deep.txt").error().detail,
            R"(there is no "sup/deep.txt": "sup" does not exist; near names: "sub")");
  EXPECT_EQ(folder.open_file("sub/zebra").error().kind, ErrorKind::kNotFound);
}

TEST_P(EveryWay, WritesByRenameAndKeepsTheMode) {
  Setting const s;
  fs::permissions(s.work / "inside.txt", fs::perms(0750));
  Folder const folder = s.open(GetParam());
  Result<bool> const replaced = folder.write("inside.txt", "new");
  ASSERT_TRUE(replaced.ok());
  EXPECT_FALSE(*replaced);
  EXPECT_EQ(s.temp.read("work/inside.txt"), "new");
  EXPECT_EQ(fs::status(s.work / "inside.txt").permissions(), fs::perms(0750));
  Result<bool> const made = folder.write("x/y/z.txt", "made");
  ASSERT_TRUE(made.ok()) << made.error().detail;
  EXPECT_TRUE(*made);
  EXPECT_EQ(s.temp.read("work/x/y/z.txt"), "made");
  // Nothing is left beside the files.
  for (auto const& entry : fs::recursive_directory_iterator(s.work))
    EXPECT_FALSE(entry.path().filename().string().starts_with(".backedge")) << entry.path();
}

TEST(Folder, LeavesAHardLinkedTwinAlone) {
  Setting const s;
  fs::create_hard_link(s.secret / "key.txt", s.work / "twin.txt");
  Folder const folder = s.open(false);
  ASSERT_TRUE(folder.write("twin.txt", "new").ok());
  EXPECT_EQ(s.temp.read("secret/key.txt"), "secret");
}

// A thread swaps a file for a link that leads out, and a folder for a link to the secret one, as fast as it can.
TEST_P(EveryWay, OpensNothingOutsideWhenLinksAreSwappedInBetween) {
  Setting const s;
  s.temp.write("work/d/key.txt", "fine");
  fs::create_symlink("../secret", s.work / "evil");
  Folder const folder = s.open(GetParam());
  std::atomic<bool> done = false;
  std::jthread const swapper([&] {
    std::string const a = (s.work / "d").string();
    std::string const b = (s.work / "evil").string();
    while (!done) ::renameat2(AT_FDCWD, a.c_str(), AT_FDCWD, b.c_str(), RENAME_EXCHANGE);
  });
  int read = 0;
  int refused = 0;
  for (int i = 0; i < 3'000; ++i) {
    Result<OpenFile> const file = folder.open_file("d/key.txt");
    if (file) {
      ASSERT_EQ(content(file), "fine");
      ++read;
    } else {
      ++refused;
    }
    if (i % 10 == 0 && folder.write("d/new.txt", "x")) {
      ASSERT_FALSE(fs::exists(s.secret / "new.txt"));
    }
  }
  done = true;
  EXPECT_EQ(s.temp.read("secret/key.txt"), "secret");
  EXPECT_FALSE(fs::exists(s.secret / "new.txt"));
  EXPECT_EQ(read + refused, 3'000);
}

TEST(Folder, StaysTheSameFolderWhenItIsRenamed) {
  Setting const s;
  Folder const folder = s.open(false);
  fs::rename(s.work, s.temp.path() / "moved");
  EXPECT_EQ(content(folder.open_file("inside.txt")), "inside");
}

TEST(Folder, SaysThatAFolderIsMissing) {
  EXPECT_EQ(Folder::open("/nowhere/at/all").error().kind, ErrorKind::kNotFound);
}

}  // namespace
}  // namespace backedge::tools
