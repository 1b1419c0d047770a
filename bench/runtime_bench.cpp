// What a turn costs: the whole loop around a model and a tool that answer at once.
//
// One turn = one question, one reply with one call of about 200 bytes of arguments, one tool of 200 bytes, recorded and
// decided. Prints CPU time per turn of the whole process (getrusage), and wall time where it matters. Each figure is
// the best of several runs of a fresh runtime, so that noise of the machine is not in it.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include "backedge/backedge.h"

namespace {

using namespace backedge;

double cpu_seconds() {
  rusage u{};
  getrusage(RUSAGE_SELF, &u);
  auto const seconds = [](timeval const& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
  };
  return seconds(u.ru_utime) + seconds(u.ru_stime);
}

double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::string arguments_of(std::int64_t turn) {
  return R"({"path":"src/some/folder/file)" + std::to_string(turn) + R"(.cpp","offset":1,"limit":200,"note":")" +
         std::string(120, 'n') + "\"}";
}

// Asks for one call a turn, then is done.
class Busy : public Model {
 public:
  Busy(std::int64_t turns, bool at_once) : turns_(turns), inline_(at_once) {}
  Result<Reply> ask(Request const& q, DeltaSink&, std::stop_token) override {
    if (q.turn > turns_) return Reply{{Role::kAssistant, {TextBlock{"done"}}}, "end_turn", {100, 20, 0}};
    return Reply{{Role::kAssistant, {CallBlock{"call" + std::to_string(q.turn), "work", arguments_of(q.turn)}}},
                 "tool_use",
                 {100, 20, 0}};
  }
  bool inline_ok() const override { return inline_; }

 private:
  std::int64_t turns_;
  bool inline_;
};

struct Plan {
  std::int64_t turns = 100;
  int sessions = 1;
  bool at_once = true;
  bool events = false;
  std::string journal;
  bool full = false;
};

Runtime make(Plan const& plan) {
  RuntimeOptions options;
  options.model = std::make_shared<Busy>(plan.turns, plan.at_once);
  options.threads = 2;
  options.journal = plan.journal;
  options.sync_full = plan.full;
  options.record_events = plan.events;
  Result<Policy> policy = Policy::parse("[limits]\nmax_turns = -1\nmax_calls = -1\n", "bench");
  Result<Runtime> runtime = Runtime::create(policy ? *policy : Policy::defaults(), std::move(options));
  if (!runtime) std::printf("%s\n", runtime.error().text().c_str()), std::exit(1);
  (void)runtime->add({.name = "work", .inline_ok = plan.at_once},
                     [](ToolContext& c) { return ToolResult{CallStatus::kOk, std::string(c.arguments())}; });
  return *std::move(runtime);
}

struct Cost {
  double cpu = 0;
  double wall = 0;
};

Cost once(Plan const& plan) {
  Runtime runtime = make(plan);
  double const cpu = cpu_seconds();
  double const wall = wall_seconds();
  std::vector<RunHandle> handles;
  for (int i = 0; i < plan.sessions; ++i) handles.push_back(*runtime.start("", "go"));
  for (RunHandle& handle : handles) {
    RunResult const r = handle.wait();
    if (r.calls != plan.turns)
      std::printf("ran %lld calls, not %lld: %s\n", static_cast<long long>(r.calls), static_cast<long long>(plan.turns),
                  r.reason.c_str()),
          std::exit(1);
  }
  return {cpu_seconds() - cpu, wall_seconds() - wall};
}

Cost best(Plan const& plan, int tries) {
  Cost out{1e9, 1e9};
  for (int i = 0; i < tries; ++i) {
    Cost const c = once(plan);
    out.cpu = std::min(out.cpu, c.cpu);
    out.wall = std::min(out.wall, c.wall);
  }
  return out;
}

void print(char const* what, Plan const& plan, int tries) {
  Cost const c = best(plan, tries);
  double const turns = static_cast<double>(plan.turns) * plan.sessions;
  std::printf("%-52s %6lld turns  CPU %8.2f us/turn  wall %8.2f us/turn\n", what, static_cast<long long>(plan.turns),
              c.cpu / turns * 1e6, c.wall / turns * 1e6);
}

long resident_kb() {
  std::ifstream in("/proc/self/statm");
  long pages = 0;
  in >> pages >> pages;
  return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

void sessions() {
  long const before = resident_kb();
  Plan const plan{.turns = 20, .sessions = 1000};
  Cost const c = once(plan);
  rusage u{};
  getrusage(RUSAGE_SELF, &u);
  std::printf("%-52s %6d x 20       CPU %8.3f s        resident %ld KB more, peak of the process %ld KB\n",
              "1,000 sessions in one process, inline", plan.sessions, c.cpu, resident_kb() - before, u.ru_maxrss);
}

void idle() {
  Plan plan{.turns = 3};
  Runtime runtime = make(plan);
  (void)runtime.start("warm", "go")->wait();
  std::size_t const before = mallinfo2().uordblks;
  constexpr int kSessions = 1000;
  for (int i = 0; i < kSessions; ++i) (void)runtime.start("s" + std::to_string(i), "go")->wait();
  std::size_t const after = mallinfo2().uordblks;
  std::printf("%-52s %6d            heap %zu bytes each\n", "idle sessions that have made 3 turns", kSessions,
              (after - before) / kSessions);
}

void first_event() {
  double smallest = 1e9;
  for (int i = 0; i < 5; ++i) {
    double const start = wall_seconds();
    Runtime runtime = make({.turns = 1, .events = true});
    double first = 0;
    (void)runtime
        .start("", "go",
               {.on_event =
                    [&](EventView const&) {
                      if (first == 0) first = wall_seconds();
                    },
                .on_text = {}})
        ->wait();
    smallest = std::min(smallest, first - start);
  }
  std::printf("%-52s %8.2f ms\n", "creating a runtime, to its first event", smallest * 1e3);
}

}  // namespace

int main() {
  std::filesystem::path const folder =
      std::filesystem::temp_directory_path() / ("backedge-bench-" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  auto const file = [&] {
    static int n = 0;
    return (folder / (std::to_string(++n) + ".db")).string();
  };
  std::printf("# one turn of the whole loop; model and tool answer at once; best of several runs\n");
  sessions();  // first: the peak is then its own
  print("inline", {.turns = 20}, 50);
  print("inline", {.turns = 100}, 50);
  print("inline", {.turns = 1000}, 20);
  print("inline", {.turns = 10000}, 5);
  print("on the pool", {.turns = 100, .at_once = false}, 20);
  print("on the pool", {.turns = 1000, .at_once = false}, 10);
  print("inline, events heard", {.turns = 1000, .events = true}, 10);
  print("inline, SQLite, sync normal", {.turns = 20, .journal = file()}, 1);
  for (int i = 0; i < 2; ++i) print("inline, SQLite, sync normal", {.turns = 1000, .journal = file()}, 1);
  print("inline, SQLite, sync normal", {.turns = 10000, .journal = file()}, 1);
  print("inline, SQLite, sync full", {.turns = 200, .journal = file(), .full = true}, 1);
  idle();
  first_event();
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
  return 0;
}
