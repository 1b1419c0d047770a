// What a person sees of a run while it is under way, on standard error: the current call, what came of it, refusals.
//
// On a terminal one line is rewritten (spinner, turn, current call) and only what matters stays; elsewhere every call
// is a line. Nothing of it is on standard output. Secrets are taken out before anything is cut, as in the journal, so
// that a log of standard error keeps none. Any thread. Tested in tests/cli/run_test.cpp.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <iosfwd>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "backedge/event.h"
#include "journal/redact.h"

namespace backedge::cli {

struct ProgressStyle {
  bool terminal = false;
  bool colour = false;
};

class Progress {
 public:
  Progress(std::ostream& err, ProgressStyle style);
  ~Progress();
  Progress(Progress const&) = delete;
  Progress& operator=(Progress const&) = delete;

  void hear(EventView const& event);
  /// Takes the line that is rewritten away; nothing is shown afterwards.
  void end();

 private:
  struct Shown {
    std::string text;  // read_file {"path":"a"}
    int depth = 0;
  };

  void line(std::string_view text);
  void wipe();
  void draw();
  void spin();

  std::ostream& err_;
  ProgressStyle style_;
  journal::Redactor redactor_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool ended_ = false;
  std::map<std::uint32_t, Shown> calls_;           // under way
  std::map<std::uint32_t, std::string> proposed_;  // arguments, until the verdict
  std::map<std::uint32_t, int> depth_;             // of frames
  std::int64_t turns_ = 0;
  std::size_t tick_ = 0;
  bool drawn_ = false;
  std::thread spinner_;
};

}  // namespace backedge::cli
