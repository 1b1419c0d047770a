// Processes that are killed while they write, and processes that write at once.
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <random>

#include <sys/wait.h>
#include <unistd.h>

#include "journal/support.h"

namespace backedge::journal {
namespace {

constexpr int kKills = 60;
constexpr std::uint64_t kMostBatches = 1'000'000;

/// What a writer writes: batches of 1 to 4 events with texts that repeat and texts that do not.
std::vector<talk::Event> batch(std::uint64_t first, std::uint64_t size) {
  std::vector<talk::Event> out;
  for (std::uint64_t seq = first; seq < first + size; ++seq) {
    if (seq == 1) {
      out.push_back(event(1, "run.open", R"({"session":"s","number":1})"));
    } else {
      out.push_back(naming(seq, "call.end", "result", seq % 3 == 0 ? "the same" : "text " + std::to_string(seq)));
    }
  }
  return out;
}

/// Writes runs of its own until it is killed; says after every append, by one byte, that it has returned.
[[noreturn]] void write_for_ever(std::filesystem::path const& file, std::string const& run, int tell) {
  Result<Journal> journal = Journal::open(file);
  if (!journal) _exit(1);
  std::uint64_t seq = 1;
  for (std::uint64_t n = 0; n < kMostBatches; ++n) {
    std::uint64_t const size = 1 + n % 4;
    if (!append(*journal, run, batch(seq, size))) _exit(2);
    seq += size;
    if (write(tell, "x", 1) != 1) _exit(3);
  }
  _exit(0);
}

std::uint64_t events_in(std::uint64_t batches) {
  std::uint64_t out = 0;
  for (std::uint64_t n = 0; n < batches; ++n) out += 1 + n % 4;
  return out;
}

std::string numbered_run(int n) {
  std::string out = std::to_string(n);
  return std::string(32 - out.size(), '0') + out;
}

// The moment is random in the work, not in time: after so many appends that returned, wherever the next one is.
TEST(Crash, AKilledWriterLeavesAPrefixInOrderThatHoldsEveryAppendThatReturned) {
  TempFolder folder;
  std::filesystem::path const file = folder.path() / "j.db";
  std::mt19937 random(20240607);
  for (int kill_number = 0; kill_number < kKills; ++kill_number) {
    std::string const run = numbered_run(kill_number);
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    pid_t const child = fork();
    ASSERT_NE(child, -1);
    if (child == 0) {
      close(ends[0]);
      write_for_ever(file, run, ends[1]);
    }
    close(ends[1]);
    std::uint64_t returned = 0;
    std::uint64_t const wanted = 1 + random() % 40;
    char byte = 0;
    while (returned < wanted && read(ends[0], &byte, 1) == 1) ++returned;
    std::uint64_t work = random() % 100'000;  // a moment of work, so that it lies anywhere within the next append
    while (work > 0) work -= std::min<std::uint64_t>(work, sha256_hex(std::to_string(work)).size() * 8);
    kill(child, SIGKILL);
    while (read(ends[0], &byte, 1) == 1) ++returned;
    close(ends[0]);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status)) << "the writer ended by itself with " << WEXITSTATUS(status);

    Journal journal = opened(file);
    std::vector<talk::Event> const events = *journal.events(run);
    EXPECT_EQ(events, batch(1, events.size())) << "a prefix, in order, with its texts";
    EXPECT_GE(events.size(), events_in(returned));
    EXPECT_EQ(journal.find(run)->status, "open");
    must_append(journal, run, batch(events.size() + 1, 2));
  }
}

TEST(Crash, TwoProcessesWriteTheSameFileAtOnce) {
  TempFolder folder;
  std::filesystem::path const file = folder.path() / "j.db";
  constexpr std::uint64_t kEach = 300;
  std::vector<pid_t> children;
  for (int n = 0; n < 2; ++n) {
    pid_t const child = fork();
    if (child == 0) {
      Result<Journal> journal = Journal::open(file);  // both find no file, or an empty one
      if (!journal) {
        std::fprintf(stderr, "%s\n", journal.error().text().c_str());
        _exit(1);
      }
      for (std::uint64_t seq = 1; seq <= kEach; ++seq) {
        if (!append(*journal, numbered_run(n), batch(seq, 1))) _exit(2);
      }
      _exit(0);
    }
    children.push_back(child);
  }
  for (pid_t const child : children) {
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(WEXITSTATUS(status), 0);
  }
  Journal journal = opened(file);
  for (int n = 0; n < 2; ++n) EXPECT_EQ(*journal.events(numbered_run(n)), batch(1, kEach));
}

}  // namespace
}  // namespace backedge::journal
