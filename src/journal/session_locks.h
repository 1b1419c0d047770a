// Who is at work on which session: locks that end with the process that holds them, however that ends.
//
// One byte of the file JOURNAL-lock a session, at an offset made of its name, locked for one open file (fcntl,
// F_OFD_SETLK): one descriptor for all sessions of a process, and other processes are kept out. Two names with the same
// offset (1 in 2^62) keep each other out, which is harmless. Any thread. Tested in
// tests/journal/session_locks_test.cpp.
#pragma once

#include <filesystem>
#include <string_view>

#include "backedge/result.h"

namespace backedge::journal {

class SessionLocks {
 public:
  /// Errors: kIo.
  static Result<SessionLocks> open(std::filesystem::path const& journal);
  SessionLocks(SessionLocks&& other) noexcept;
  SessionLocks& operator=(SessionLocks&& other) noexcept;
  ~SessionLocks();

  /// Errors: kState when another process, or another SessionLocks, holds it; kIo.
  Result<void> take(std::string_view session) const;
  void let_go(std::string_view session) const;

 private:
  explicit SessionLocks(int file) : file_(file) {}

  int file_ = -1;
};

}  // namespace backedge::journal
