// Files that are no journal, newer ones, damaged ones, and places that cannot be written: one clear line each.
#include <csignal>
#include <fstream>

#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "journal/support.h"

namespace backedge::journal {
namespace {

void sql(std::filesystem::path const& file, char const* text) {
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open(file.c_str(), &db), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(db, text, nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(db);
}

TEST(BrokenFile, AFileOfAnotherKindIsRefusedAndStaysAsItIs) {
  TempFolder folder;
  std::string const text(5000, 'x');
  std::filesystem::path const file = folder.write("notes.txt", text);
  Result<Journal> const journal = Journal::open(file);
  EXPECT_EQ(error_of(journal), file.string() + ": this is no journal but another kind of file; name another one");
  EXPECT_EQ(journal.error().kind, ErrorKind::kInput);
  EXPECT_EQ(folder.read("notes.txt"), text);
}

TEST(BrokenFile, ADatabaseOfAnotherProgramIsRefused) {
  TempFolder folder;
  std::filesystem::path const file = folder.path() / "other.db";
  sql(file, "CREATE TABLE song(name TEXT)");
  EXPECT_EQ(error_of(Journal::open(file)),
            file.string() + ": this is a database of another program, not a journal; name another file");
}

TEST(BrokenFile, ANewerJournalIsRefused) {
  TempFolder folder;
  std::filesystem::path const file = folder.path() / "j.db";
  {
    Journal const journal = opened(file);
  }
  sql(file, "PRAGMA user_version=2");
  EXPECT_EQ(error_of(Journal::open(file)),
            file.string() +
                ": a newer version of backedge wrote this journal (format 2, this one reads up to 1); use that "
                "version or another journal");
}

TEST(BrokenFile, AJournalThatIsNotThereIsNotMadeForReading) {
  TempFolder folder;
  std::filesystem::path const file = folder.path() / "j.db";
  EXPECT_EQ(Journal::open(file, {.create = false}).error().kind, ErrorKind::kNotFound);
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST(BrokenFile, ADamagedJournalSaysSoWhereverTheDamageIs) {
  TempFolder folder;
  std::filesystem::path const file = folder.path() / "j.db";
  {
    Journal journal = opened(file);
    for (std::uint64_t seq = 1; seq <= 300; ++seq)
      must_append(journal, run_id('a'),
                  {naming(seq, "call.end", "result", std::string(300, 'y') + std::to_string(seq))});
  }
  std::string const whole = folder.read("j.db");
  ASSERT_GT(whole.size(), 20U * 4096U);
  int noticed = 0;
  for (std::size_t page = 0; page < whole.size() / 4096; page += 3) {
    std::string damaged = whole;
    for (std::size_t i = 0; i < 4096; ++i) damaged[page * 4096 + i] = static_cast<char>(0x5a ^ (i * 7));
    folder.write("j.db", damaged);
    Result<Journal> journal = Journal::open(file);
    Result<std::vector<talk::Event>> const events =
        journal ? journal->events(run_id('a')) : Result<std::vector<talk::Event>>(journal.error());
    if (events) continue;  // the page was not needed
    ++noticed;
    EXPECT_EQ(events.error().where.file, file.string());
    EXPECT_FALSE(events.error().detail.empty());
  }
  EXPECT_GT(noticed, 5);
}

TEST(BrokenFile, AShortenedJournalIsDamaged) {
  TempFolder folder;
  std::filesystem::path const file = folder.path() / "j.db";
  {
    Journal journal = opened(file);
    for (std::uint64_t seq = 1; seq <= 300; ++seq)
      must_append(journal, run_id('a'),
                  {naming(seq, "call.end", "result", std::string(300, 'y') + std::to_string(seq))});
  }
  std::filesystem::resize_file(file, std::filesystem::file_size(file) / 2);
  Result<Journal> journal = Journal::open(file);
  Result<void> const done =
      journal ? append(*journal, run_id('b'), {naming(1, "call.end", "result", "x")}) : Result<void>(journal.error());
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(done.error().kind, ErrorKind::kInput);
  EXPECT_NE(done.error().detail.find("the journal is damaged"), std::string::npos) << done.error().text();
}

TEST(BrokenFile, APlaceThatCannotBeWrittenIsNamed) {
  TempFolder folder;
  folder.write("file", "x");
  Result<Journal> const below_file = Journal::open(folder.path() / "file" / "j.db");
  EXPECT_EQ(below_file.error().kind, ErrorKind::kIo);
  EXPECT_NE(error_of(below_file).find("j.db: the journal cannot be made (Not a directory)"), std::string::npos)
      << error_of(below_file);
  EXPECT_EQ(Journal::open(folder.path()).error().kind, ErrorKind::kIo) << "a folder is no journal";
  if (geteuid() == 0) {
    EXPECT_EQ(Journal::open("/proc/j.db").error().kind, ErrorKind::kIo) << "a folder that not even root can write";
    return;
  }
  std::filesystem::permissions(folder.path(), std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  Result<Journal> const read_only = Journal::open(folder.path() / "j.db");
  std::filesystem::permissions(folder.path(), std::filesystem::perms::owner_all);
  EXPECT_NE(error_of(read_only).find("the journal cannot be made (Permission denied)"), std::string::npos);
}

// A disk that takes no more is played by a limit on the size of files, in a child process.
TEST(BrokenFile, AFullDiskIsAnErrorThatLeavesWhatWasKept) {
  TempFolder folder;
  std::filesystem::path const file = folder.path() / "j.db";
  pid_t const child = fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    Result<Journal> journal = Journal::open(file);
    if (!journal) _exit(1);
    rlimit const limit{256 * 1024, 256 * 1024};
    setrlimit(RLIMIT_FSIZE, &limit);
    std::uint64_t seq = 1;
    for (; seq < 10'000; ++seq) {
      Result<void> const done =
          append(*journal, run_id('a'), {naming(seq, "call.end", "result", std::string(3000, 'x'))});
      if (done) continue;
      bool const clear = done.error().kind == ErrorKind::kIo && done.error().where.file == file.string();
      bool const gap = append(*journal, run_id('a'), {event(seq + 1, "verdict", "{}")}).ok();
      _exit(clear && !gap ? 0 : 2);
    }
    _exit(3);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  Journal journal = opened(file);
  std::vector<talk::Event> const events = *journal.events(run_id('a'));
  ASSERT_GT(events.size(), 3U);
  for (std::size_t i = 0; i < events.size(); ++i) EXPECT_EQ(events[i].seq, i + 1);
  must_append(journal, run_id('a'), {event(events.size() + 1, "verdict", "{}")});
}

}  // namespace
}  // namespace backedge::journal
