// One holder a session, in and across processes; a holder that dies holds nothing.

#include "journal/session_locks.h"

#include <csignal>
#include <filesystem>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/temp_folder.h"

namespace backedge::journal {
namespace {

namespace fs = std::filesystem;

TEST(SessionLocks, KeepsOthersOutUntilItIsLetGo) {
  support::TempFolder const folder;
  fs::path const file = folder.path() / "j.db";
  SessionLocks const first = *SessionLocks::open(file);
  SessionLocks const second = *SessionLocks::open(file);
  ASSERT_TRUE(first.take("talk").ok());
  Result<void> const refused = second.take("talk");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind, ErrorKind::kState);
  EXPECT_TRUE(second.take("other").ok());
  first.let_go("talk");
  EXPECT_TRUE(second.take("talk").ok());
}

TEST(SessionLocks, DiesWithItsProcess) {
  support::TempFolder const folder;
  fs::path const file = folder.path() / "j.db";
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  pid_t const child = ::fork();
  ASSERT_NE(child, -1);
  if (child == 0) {
    SessionLocks const held = *SessionLocks::open(file);
    char const said = held.take("talk").ok() ? 'y' : 'n';
    [[maybe_unused]] auto const written = ::write(ready[1], &said, 1);
    ::pause();
    ::_exit(0);
  }
  char said = 0;
  ASSERT_EQ(::read(ready[0], &said, 1), 1);
  EXPECT_EQ(said, 'y');
  SessionLocks const locks = *SessionLocks::open(file);
  EXPECT_FALSE(locks.take("talk").ok());
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_TRUE(locks.take("talk").ok());
  ::close(ready[0]);
  ::close(ready[1]);
}

}  // namespace
}  // namespace backedge::journal
