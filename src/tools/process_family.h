// The processes that a command started, as far as they can be found, and how they are ended.
//
// Found is who is younger than the command and is in its group or session, carries its mark in the environment, or has
// a parent that was found; who was found once stays so. Looking and signalling are apart, so a process is signalled
// through a descriptor (pidfd) that was checked to name the same process still. Linux only; where /proc is missing, the
// group alone is known. Tested in tests/tools/process_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

namespace backedge::tools {

class ProcessFamily {
 public:
  /// `mark` is a whole "NAME=value" that no other process carries. The leader must not have been reaped while this
  /// lives, so that its number stays its own.
  ProcessFamily(pid_t leader, std::string mark);

  /// Who is alive now, the leader not counted. Cost: about 7 µs of CPU a process of the system.
  std::size_t look();
  /// Signals the group, and who was found outside of it by the last look().
  void signal(int number) const;

 private:
  struct Seen {
    pid_t pid = 0;
    pid_t parent = 0;
    pid_t group = 0;
    pid_t session = 0;
    std::uint64_t start = 0;  // clock ticks after boot
    char state = '?';
  };

  static std::optional<Seen> read(pid_t pid);
  bool carries_mark(pid_t pid) const;

  pid_t leader_;
  std::string mark_;
  std::uint64_t start_ = 0;
  std::vector<Seen> found_;
};

}  // namespace backedge::tools
