// See session_locks.h.

#include "journal/session_locks.h"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/text.h"

namespace backedge::journal {
namespace {

// A process that was killed may leave a child between its fork and its exec, which holds the lock for that moment.
constexpr int kAttempts = 25;
constexpr std::chrono::milliseconds kPause{10};

// The byte of a session, to be locked or unlocked.
struct flock byte_of(std::string_view session, short type) {
  struct flock what{};
  what.l_type = type;
  what.l_whence = SEEK_SET;
  what.l_start = static_cast<off_t>(std::hash<Digest>{}(digest_name(session)) >> 2U);
  what.l_len = 1;
  return what;
}

}  // namespace

Result<SessionLocks> SessionLocks::open(std::filesystem::path const& journal) {
  std::string const name = journal.string() + "-lock";
  int const file = ::open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file >= 0) return SessionLocks(file);
  return Error{ErrorKind::kIo, fmt::format("{} cannot be opened: {}", name, std::strerror(errno)), {}};
}

Result<void> SessionLocks::take(std::string_view session) const {
  struct flock what = byte_of(session, F_WRLCK);
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    if (attempt > 0) std::this_thread::sleep_for(kPause);
    if (::fcntl(file_, F_OFD_SETLK, &what) == 0) return {};
    if (errno != EAGAIN && errno != EACCES) break;
  }
  if (errno != EAGAIN && errno != EACCES)
    return Error{ErrorKind::kIo, fmt::format("the session cannot be locked: {}", std::strerror(errno)), {}};
  return Error{ErrorKind::kState,
               fmt::format("the session {} is at work in another process; wait for it, or end it", in_quotes(session)),
               {}};
}

void SessionLocks::let_go(std::string_view session) const {
  struct flock what = byte_of(session, F_UNLCK);
  ::fcntl(file_, F_OFD_SETLK, &what);
}

SessionLocks::SessionLocks(SessionLocks&& other) noexcept : file_(std::exchange(other.file_, -1)) {}

SessionLocks& SessionLocks::operator=(SessionLocks&& other) noexcept {
  std::swap(file_, other.file_);
  return *this;
}

SessionLocks::~SessionLocks() {
  if (file_ >= 0) ::close(file_);
}

}  // namespace backedge::journal
