// See interrupt.h.

#include "cli/interrupt.h"

#include <array>
#include <csignal>
#include <cstdlib>

#include <fcntl.h>
#include <unistd.h>

#include "cli/commands.h"

namespace backedge::cli {
namespace {

// What a signal handler may reach: plain numbers, set before it is installed.
int write_end = -1;
int read_end = -1;
volatile std::sig_atomic_t came = 0;

constexpr char kSignal = 's';
constexpr char kEnd = 'e';

extern "C" void on_signal(int) {
  if (came != 0) _exit(kInterrupted);
  came = 1;
  [[maybe_unused]] auto const written = ::write(write_end, &kSignal, 1);
}

}  // namespace

Interrupt::Interrupt(std::function<void()> first) : first_(std::move(first)) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return;  // without it the signals keep their usual meaning
  read_end = ends[0];
  write_end = ends[1];
  came = 0;
  thread_ = std::thread([this] { watch(); });
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
  std::signal(SIGHUP, on_signal);  // the terminal was closed
}

Interrupt::~Interrupt() {
  if (!thread_.joinable()) return;
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
  std::signal(SIGHUP, SIG_DFL);
  [[maybe_unused]] auto const written = ::write(write_end, &kEnd, 1);
  thread_.join();
  ::close(read_end);
  ::close(write_end);
}

void Interrupt::watch() {
  char what = 0;
  while (::read(read_end, &what, 1) < 0) {
  }
  if (what == kSignal) first_();
}

}  // namespace backedge::cli
