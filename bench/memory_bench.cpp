// What a run costs in memory: bytes of heap for one that is idle, and after 20 and 1,000 small calls.
//
// Method: many runs under one policy are opened and held; the figure is what the allocator handed out and did not get
// back, divided by the runs. Each call is a read with other arguments and another answer, one after the other, so that
// nothing is refused and nothing is kept only once. What the policy holds for all its runs is printed beside it.
// Prints one line a figure: name, calls, bytes. Compare figures of one run only.

#include <cstdio>
#include <string>
#include <vector>

#include <malloc.h>

#include "backedge/run.h"

namespace {

using namespace backedge;

struct Load {
  int calls = 0;
  bool pages = false;    // reads of some lines of a file, of which each is remembered
  int answer_words = 2;  // from 12 on a result is looked at word by word
  bool graph = true;
};

void make_calls(Run& run, Load const& load) {
  for (int i = 0; i < load.calls; ++i) {
    std::string const n = std::to_string(i);
    std::string const arguments =
        load.pages ? R"({"path":"src/file_)" + n + R"(.cpp","limit":25})" : R"({"pattern":"word )" + n + "\"}";
    Result<Entered> const e = run.enter(run.root(), Call{load.pages ? "read_file" : "grep", arguments}, Micros{i});
    if (!e || !e->runs) std::abort();
    std::string answer = "answer";
    for (int w = 0; w < load.answer_words; ++w) answer += " " + std::to_string(i * 1000 + w);
    if (!run.leave(e->call, {CallStatus::kOk, answer}, Micros{i})) std::abort();
  }
}

double bytes_per_run(int runs, Load const& load) {
  Policy const policy = Policy::defaults();
  {  // what the policy's runs share has grown before anything is counted
    Result<Run> first = Run::open(policy, {});
    make_calls(*first, load);
  }
  std::vector<Run> held;
  held.reserve(static_cast<std::size_t>(runs));
  std::size_t const before = mallinfo2().uordblks;
  for (int i = 0; i < runs; ++i) {
    Result<Run> run = Run::open(policy, {.graph = load.graph});
    make_calls(*run, load);
    held.push_back(std::move(*run));
  }
  return static_cast<double>(mallinfo2().uordblks - before) / runs;
}

double bytes_of_policy(bool used) {
  std::size_t const before = mallinfo2().uordblks;
  Policy const policy = Policy::defaults();
  if (used) {
    Result<Run> run = Run::open(policy, {});
    make_calls(*run, {.calls = 20});
  }
  return static_cast<double>(mallinfo2().uordblks - before);
}

void print(char const* what, int calls, double bytes) { std::printf("%-44s %6d   %10.0f B\n", what, calls, bytes); }

}  // namespace

int main() {
  std::printf("# heap of one run, without what the policy holds for all\n");
  print("run, idle", 0, bytes_per_run(1000, {}));
  print("run, searches", 20, bytes_per_run(1000, {.calls = 20}));
  print("run, searches, answers of 40 words", 20, bytes_per_run(1000, {.calls = 20, .answer_words = 40}));
  print("run, pages of files", 20, bytes_per_run(1000, {.calls = 20, .pages = true}));
  print("run, searches", 1000, bytes_per_run(100, {.calls = 1000}));
  print("run, searches, without a graph", 1000, bytes_per_run(100, {.calls = 1000, .graph = false}));
  print("run, pages of files", 1000, bytes_per_run(100, {.calls = 1000, .pages = true}));
  std::printf("# heap of a policy\n");
  print("policy", 0, bytes_of_policy(false));
  print("policy, after one run", 20, bytes_of_policy(true));
  return 0;
}
