// Ctrl-C: the first asks the run to end, the second ends the program.
//
// One at a time in a process. The handler only writes to a pipe; a thread of its own reads it and does what is to be
// done. Tested in tests/cli/run_test.cpp.
#pragma once

#include <functional>
#include <thread>

namespace backedge::cli {

class Interrupt {
 public:
  /// `first` is called on the thread of this object when SIGINT or SIGTERM comes.
  explicit Interrupt(std::function<void()> first);
  ~Interrupt();
  Interrupt(Interrupt const&) = delete;
  Interrupt& operator=(Interrupt const&) = delete;

 private:
  void watch();

  std::function<void()> first_;
  std::thread thread_;
};

}  // namespace backedge::cli
