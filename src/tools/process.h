// A command as a child process: run to its end, or ended with everything that it started.
//
// The child leads a process group of its own, reads from /dev/null, and writes both of its streams into one pipe. The
// pipe is drained to the end whatever the child writes; what is kept is bounded: the first half of the limit and the
// last. When the child ends, when its time is up or when the token is triggered, the group gets SIGTERM and, 50 ms
// later, SIGKILL. Processes that made a group or session of their own are found by a mark in their environment, by
// their parent, or by their session, and end in the same way; whoever keeps the pipe open is not waited for. So
// run_process returns within 100 ms after the token is triggered and leaves no descriptor, and no zombie unless the
// child hangs in the kernel.
//
// Not caught: a process that has left the session, lost its parent and cleared its environment, all before it is looked
// for; one that runs as another user; one that a service started on the child's behalf. What must hold against those
// needs a PID namespace or a control group, which belong to the sandbox. Tested in tests/tools/process_test.cpp.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

#include "backedge/result.h"

namespace backedge::tools {

/// SIGTERM, then so long until SIGKILL.
inline constexpr std::chrono::milliseconds kGrace{50};

struct Command {
  std::vector<std::string> words;        // the program by its path, and its arguments
  int folder = -1;                       // descriptor of the working folder
  std::vector<std::string> environment;  // "NAME=value"
  std::chrono::milliseconds time_limit{120'000};
  std::size_t max_output = 8U << 20U;  // bytes kept; at least 2
};

struct Exited {
  int status = 0;
};
struct Signalled {
  int signal = 0;
};
struct TimedOut {};
struct Cancelled {};

struct Ended {
  std::variant<Exited, Signalled, TimedOut, Cancelled> how;
  std::string head;            // what was written, as bytes; all of it unless something was left out
  std::uint64_t left_out = 0;  // bytes between head and tail
  std::string tail;
  std::size_t stragglers = 0;  // processes that were still there when the command had ended, and were ended
};

/// Runs the command to its end. Errors: kIo when it cannot be started, kUsage for words that hold a zero byte. Blocks
/// the calling thread; any thread, several at once. Cost: the start of the program, and a look at all
/// processes of the system when it ends (1 ms of CPU for 170).
Result<Ended> run_process(Command const& command, std::stop_token const& stop);

/// The environment of this process, as it is now.
std::vector<std::string> current_environment();

}  // namespace backedge::tools
