#include "tools/process.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/descriptor.h"
#include "tools/process_family.h"

namespace backedge::tools {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// One read, and what is read before the clock is looked at again.
constexpr std::size_t kPiece = 64U << 10U;
constexpr std::size_t kBatch = 16;
// How often the family is looked for during the grace.
constexpr milliseconds kLookEvery{10};
// After SIGKILL: looks until nothing new appears, and the longest that is waited for the kernel to take them away.
constexpr milliseconds kKillLimit{40};

// The first bytes and the last, and how many lay between.
class Capture {
 public:
  explicit Capture(std::size_t limit) : half_(std::max<std::size_t>(limit / 2, 1)) {}

  void add(std::string_view bytes) {
    std::size_t const first = std::min(half_ - std::min(half_, head_.size()), bytes.size());
    head_ += bytes.substr(0, first);
    bytes.remove_prefix(first);
    tail_ += bytes;
    // Twice as much is held, so that each byte moves at most once.
    if (tail_.size() > 2 * half_) drop(tail_.size() - half_);
  }

  void finish(Ended& out) {
    if (tail_.size() > half_) drop(tail_.size() - half_);
    if (left_out_ == 0) head_ += std::exchange(tail_, {});
    out.head = std::move(head_);
    out.tail = std::move(tail_);
    out.left_out = left_out_;
  }

 private:
  void drop(std::size_t count) {
    tail_.erase(0, count);
    left_out_ += count;
  }

  std::size_t half_;
  std::string head_;
  std::string tail_;
  std::uint64_t left_out_ = 0;
};

// A name of its own, so that the mark of a command inside of a command does not replace the outer one.
std::string random_mark() {
  std::array<std::uint64_t, 2> bits{};
  // Cannot fail for so few bytes once the system has booted; a zero mark would still end the group.
  if (::getrandom(bits.data(), sizeof(bits), 0) < 0) bits = {};
  return fmt::format("BACKEDGE_COMMAND_{:016x}{:016x}=1", bits[0], bits[1]);
}

Error cannot_start(int error) {
  return {ErrorKind::kIo, fmt::format("the command cannot be started: {}", std::strerror(error)), {}};
}

// Attributes and actions of posix_spawn, freed together.
struct SpawnSettings {
  posix_spawnattr_t attributes{};
  posix_spawn_file_actions_t actions{};

  SpawnSettings() {
    ::posix_spawnattr_init(&attributes);
    ::posix_spawn_file_actions_init(&actions);
  }
  ~SpawnSettings() {
    ::posix_spawnattr_destroy(&attributes);
    ::posix_spawn_file_actions_destroy(&actions);
  }
  SpawnSettings(SpawnSettings const&) = delete;
  SpawnSettings& operator=(SpawnSettings const&) = delete;
};

// Starts the child in a group of its own with nothing of ours: signals as the system sets them, no descriptor but the
// first three. The C library does this without running code of the parent between fork and exec.
Result<pid_t> spawn(Command const& command, std::string const& mark, int output) {
  std::vector<char*> words;
  words.reserve(command.words.size() + 1);
  for (std::string const& word : command.words) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  std::vector<char*> environment;
  environment.reserve(command.environment.size() + 2);
  for (std::string const& one : command.environment) environment.push_back(const_cast<char*>(one.c_str()));
  environment.push_back(const_cast<char*>(mark.c_str()));
  environment.push_back(nullptr);

  SpawnSettings settings;
  sigset_t all;
  sigset_t none;
  sigfillset(&all);
  sigemptyset(&none);
  ::posix_spawnattr_setflags(&settings.attributes,
                             POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  ::posix_spawnattr_setpgroup(&settings.attributes, 0);
  ::posix_spawnattr_setsigdefault(&settings.attributes, &all);
  ::posix_spawnattr_setsigmask(&settings.attributes, &none);
  int error = ::posix_spawn_file_actions_addopen(&settings.actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  if (error == 0) error = ::posix_spawn_file_actions_adddup2(&settings.actions, output, STDOUT_FILENO);
  if (error == 0) error = ::posix_spawn_file_actions_adddup2(&settings.actions, output, STDERR_FILENO);
  if (error == 0 && command.folder >= 0)
    error = ::posix_spawn_file_actions_addfchdir_np(&settings.actions, command.folder);
  if (error == 0) error = ::posix_spawn_file_actions_addclosefrom_np(&settings.actions, STDERR_FILENO + 1);
  pid_t pid = 0;
  if (error == 0) {
    error =
        ::posix_spawn(&pid, words.front(), &settings.actions, &settings.attributes, words.data(), environment.data());
  }
  if (error != 0) return cannot_start(error);
  return pid;
}

// One command from its start to its end.
class Running {
 public:
  Running(pid_t pid, std::string mark, Descriptor output, int cancelled, std::size_t max_output)
      : pid_(pid),
        family_(pid, std::move(mark)),
        handle_(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))),
        output_(std::move(output)),
        cancelled_(cancelled),
        capture_(max_output) {}

  Ended finish(Clock::time_point deadline) {
    Ended out;
    wait_for_leader(deadline, out);
    end_family(out);
    // Last words that are in the pipe already; whoever still holds the other end is not waited for.
    drain(kBatch * 4);
    int status = 0;
    // Only who hangs in the kernel is not reaped by now.
    while (::waitpid(pid_, &status, WNOHANG) < 0 && errno == EINTR) {
    }
    if (std::holds_alternative<Exited>(out.how)) {
      if (WIFSIGNALED(status)) {
        out.how = Signalled{WTERMSIG(status)};
      } else {
        out.how = Exited{WEXITSTATUS(status)};
      }
    }
    capture_.finish(out);
    return out;
  }

 private:
  // Until the leader has ended, by itself or by its deadline or the token.
  void wait_for_leader(Clock::time_point deadline, Ended& out) {
    while (!leader_ended()) {
      Clock::time_point const now = Clock::now();
      if (now >= deadline) {
        out.how = TimedOut{};
        return;
      }
      if (pause(std::min<Clock::duration>(deadline - now, std::chrono::hours(1)))) {
        out.how = Cancelled{};
        return;
      }
      drain(kBatch);
    }
  }

  void end_family(Ended& out) {
    bool const leader_lives = !leader_ended();
    Clock::time_point const term_until = Clock::now() + kGrace;
    out.stragglers = family_.look();
    if (out.stragglers == 0 && !leader_lives) return;
    family_.signal(SIGTERM);
    while (Clock::now() < term_until) {
      pause(std::min<Clock::duration>(kLookEvery, term_until - Clock::now()), false);
      drain(kBatch);
      if (leader_ended() && family_.look() == 0) return;
    }
    // A group dies at once, also while it forks; others are looked for until none is left.
    Clock::time_point const kill_until = Clock::now() + kKillLimit;
    do {
      family_.signal(SIGKILL);
      drain(kBatch);
      pause(milliseconds(1), false);
    } while ((!leader_ended() || family_.look() > 0) && Clock::now() < kill_until);
  }

  // Without reaping: as long as the leader is a zombie, its number names its group and nothing else.
  bool leader_ended() const {
    siginfo_t info{};
    int const done = ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT);
    return done != 0 || info.si_pid == pid_;
  }

  // Waits for output, the end of the leader or, if asked for, the token; true when that was triggered.
  bool pause(Clock::duration longest, bool heed_token = true) {
    // Without a pidfd the end is looked for in short steps.
    if (!handle_) longest = std::min<Clock::duration>(longest, milliseconds(5));
    bool const ended = leader_ended();
    std::array<pollfd, 3> wait{{{output_.get(), POLLIN, 0},
                                {ended ? -1 : handle_.get(), POLLIN, 0},
                                {heed_token ? cancelled_ : -1, POLLIN, 0}}};
    auto const ms = std::chrono::ceil<milliseconds>(longest).count();
    ::poll(wait.data(), wait.size(), static_cast<int>(ms));
    return heed_token && wait[2].revents != 0;
  }

  void drain(std::size_t pieces) {
    if (buffer_.empty()) buffer_.resize(kPiece);
    for (std::size_t i = 0; i < pieces && output_; ++i) {
      ssize_t const n = ::read(output_.get(), buffer_.data(), buffer_.size());
      if (n > 0) {
        capture_.add({buffer_.data(), static_cast<std::size_t>(n)});
      } else if (n == 0) {
        output_.reset();
      } else if (errno != EINTR) {
        return;
      }
    }
  }

  pid_t pid_;
  ProcessFamily family_;
  Descriptor handle_;
  Descriptor output_;
  int cancelled_;
  Capture capture_;
  std::string buffer_;
};

}  // namespace

Result<Ended> run_process(Command const& command, std::stop_token const& stop) {
  auto const holds_zero = [](std::string const& text) { return text.find('\0') != std::string::npos; };
  if (std::ranges::any_of(command.words, holds_zero) || std::ranges::any_of(command.environment, holds_zero))
    return Error{ErrorKind::kUsage, "the command holds a zero byte; leave it out", {}};
  if (stop.stop_requested()) return Ended{.how = Cancelled{}, .head = {}, .tail = {}};

  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return cannot_start(errno);
  Descriptor reading(ends[0]);
  Descriptor writing(ends[1]);
  // Only our end: a child may not expect its own to be non-blocking.
  ::fcntl(reading.get(), F_SETFL, O_NONBLOCK);
  Descriptor const cancelled(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!cancelled) return cannot_start(errno);

  std::string const mark = random_mark();
  Clock::time_point const start = Clock::now();
  Result<pid_t> const pid = spawn(command, mark, writing.get());
  if (!pid) return pid.error();
  writing.reset();
  Running running(*pid, mark, std::move(reading), cancelled.get(), command.max_output);
  std::stop_callback const on_stop(stop, [&cancelled] {
    std::uint64_t const one = 1;
    if (::write(cancelled.get(), &one, sizeof(one)) < 0) return;  // full means triggered
  });
  return running.finish(start + std::min(command.time_limit, milliseconds(std::chrono::hours(24))));
}

std::vector<std::string> current_environment() {
  std::vector<std::string> out;
  for (char** one = environ; one != nullptr && *one != nullptr; ++one) out.emplace_back(*one);
  return out;
}

}  // namespace backedge::tools
