// What a decision costs: raw arguments to verdict, at 200 B, 2 KB and 20 KB, at path depth 100, after 100 and 100,000
// calls.
//
// Method: every decision is timed by itself with the steady clock (its own cost, the median of empty timings, is taken
// off), arguments differ from call to call, a result follows each call outside of the timing. "kernel" is facts plus
// kernel; "run" is the public API with its lock, record and answer. Memory is what the allocator handed out and did not
// get back, per recorded call, without anything that a door stores.
// Prints one line a figure: name, p50, p99 in nanoseconds, or bytes. Compare figures of one run only.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include <malloc.h>
#include <simdjson.h>

#include "backedge/run.h"
#include "base/hash.h"
#include "facts/reader.h"
#include "kernel/kernel.h"

namespace {

using namespace backedge;
using Clock = std::chrono::steady_clock;

// The shape of a search call, padded with rows to about `bytes`; `n` makes each call different.
std::string arguments(std::size_t bytes, int n) {
  std::string out =
      R"({"query":"find the file that handles retries )" + std::to_string(n) +
      R"(","page":3,"opts":{"deep":true,"tags":["a","b"],"limit":25},"path":"src/net/retry.cpp","rows":[)";
  for (int i = 0; out.size() + 40 < bytes; ++i) {
    if (i > 0) out += ',';
    out += R"({"id":)" + std::to_string(i * 7919 % 100000) + R"(,"name":"item )" + std::to_string(i) + R"(","v":)" +
           std::to_string(i * 31 % 1000) + ".5}";
  }
  return out + "]}";
}

struct Times {
  std::vector<double> ns;

  double percentile(double p) {
    std::sort(ns.begin(), ns.end());
    return ns[static_cast<std::size_t>(p * static_cast<double>(ns.size() - 1))];
  }
};

double clock_cost() {
  Times empty;
  for (int i = 0; i < 20001; ++i) {
    auto const t0 = Clock::now();
    auto const t1 = Clock::now();
    empty.ns.push_back(std::chrono::duration<double, std::nano>(t1 - t0).count());
  }
  return empty.percentile(0.5);
}

void print(char const* what, std::size_t bytes, Times& t) {
  std::printf("%-44s %6zu B   p50 %8.0f ns   p99 %8.0f ns\n", what, bytes, t.percentile(0.5), t.percentile(0.99));
}

kernel::Settings unlimited() {
  kernel::Settings s;
  s.limits.at(kernel::Scope::kRun, kernel::Meter::kTurns).value = kernel::kUnlimited;
  s.limits.at(kernel::Scope::kRun, kernel::Meter::kDepth).value = kernel::kUnlimited;
  return s;
}

// A kernel with `depth` agents on the stack, each started by a tool of its own name.
struct Stack {
  Stack(kernel::Kernel& k, facts::Reader& reader, int depth) {
    frame = k.root();
    for (int i = 0; i < depth; ++i) {
      std::string const tool = "level_" + std::to_string(i);
      kernel::CallFacts const facts = reader.call(tool, "{}");
      verdicts.clear();
      k.enter(frame, std::span(&facts, 1), Micros{0}, verdicts);
      frame = k.open_frame({.by = verdicts[0].call, .agent = digest_name("agent " + std::to_string(i))}, Micros{0});
    }
  }
  FrameId frame;
  std::vector<kernel::CallVerdict> verdicts;
};

Times kernel_times(std::size_t bytes, int before, int count, int depth, double clock) {
  facts::ContractBook const book;
  facts::Reader reader(book);
  kernel::KernelOptions options;
  options.settings = unlimited();
  kernel::Kernel k(std::move(options));
  Stack stack(k, reader, depth);
  std::vector<std::string> texts;
  for (int i = 0; i < 512; ++i) texts.push_back(arguments(bytes, i));
  std::vector<kernel::CallVerdict> verdicts;
  Times times;
  for (int i = 0; i < before + count; ++i) {
    std::string const& text = texts[static_cast<std::size_t>(i) % texts.size()];
    std::string const tool = "search_" + std::to_string(i % 7);
    verdicts.clear();
    auto const t0 = Clock::now();
    kernel::CallFacts const& facts = reader.call(tool, text);
    k.enter(stack.frame, std::span(&facts, 1), Micros{i}, verdicts);
    auto const t1 = Clock::now();
    if (i >= before)
      times.ns.push_back(std::max(0.0, std::chrono::duration<double, std::nano>(t1 - t0).count() - clock));
    if (verdicts[0].runs()) {
      std::uint32_t const contract = facts.contract;
      k.leave(verdicts[0].call, reader.result(contract, kernel::ResultStatus::kOk, "answer " + std::to_string(i)),
              Micros{i});
    }
  }
  return times;
}

Times run_times(std::size_t bytes, int count, double clock) {
  Result<Policy> policy = Policy::parse("[limits]\nmax_turns = -1\nmax_depth = -1\n", "bench");
  Result<Run> run = Run::open(*policy, {});
  FrameId frame = run->root();
  for (int i = 0; i < 100; ++i) {
    std::string const tool = "level_" + std::to_string(i);
    Result<Entered> e = run->enter(frame, Call{tool, "{}"}, Micros{0});
    frame = *run->open_frame(e->call, "agent " + std::to_string(i), std::nullopt, Micros{0});
  }
  Times times;
  for (int i = 0; i < count; ++i) {
    std::string const text = arguments(bytes, i % 512);
    std::string const tool = "search_" + std::to_string(i % 7);
    auto const t0 = Clock::now();
    Result<Entered> const e = run->enter(frame, Call{tool, text}, Micros{i});
    auto const t1 = Clock::now();
    times.ns.push_back(std::max(0.0, std::chrono::duration<double, std::nano>(t1 - t0).count() - clock));
    if (e->runs) (void)run->leave(e->call, {CallStatus::kOk, "answer " + std::to_string(i)}, Micros{i});
  }
  return times;
}

Times parse_times(std::size_t bytes, int count, double clock) {
  simdjson::dom::parser parser;
  Times times;
  for (int i = 0; i < count; ++i) {
    simdjson::padded_string const text(arguments(bytes, i % 512));
    auto const t0 = Clock::now();
    bool const good = parser.parse(text).error() == simdjson::SUCCESS;
    auto const t1 = Clock::now();
    if (!good) std::abort();
    times.ns.push_back(std::max(0.0, std::chrono::duration<double, std::nano>(t1 - t0).count() - clock));
  }
  return times;
}

double bytes_per_call(int calls, bool distinct) {
  facts::ContractBook const book;
  facts::Reader reader(book);
  kernel::KernelOptions options;
  options.settings = unlimited();
  kernel::Kernel k(std::move(options));
  std::vector<kernel::CallVerdict> verdicts;
  std::size_t const before = mallinfo2().uordblks;
  for (int i = 0; i < calls; ++i) {
    std::string const text = arguments(200, distinct ? i : i % 64);
    verdicts.clear();
    kernel::CallFacts const& facts = reader.call("search", text);
    k.enter(k.root(), std::span(&facts, 1), Micros{i}, verdicts);
    if (verdicts[0].runs()) {
      std::uint32_t const contract = facts.contract;
      k.leave(verdicts[0].call, reader.result(contract, kernel::ResultStatus::kOk, "answer " + std::to_string(i)),
              Micros{i});
    }
  }
  return static_cast<double>(mallinfo2().uordblks - before) / calls;
}

}  // namespace

int main() {
  double const clock = clock_cost();
  std::printf("# one decision, each timed by itself; clock cost %.0f ns taken off\n", clock);
  Times a = kernel_times(200, 1000, 40000, 0, clock);
  print("kernel: facts + decision, path depth 0", 200, a);
  Times b = kernel_times(200, 100, 20000, 100, clock);
  print("kernel: path depth 100, after 100 calls", 200, b);
  Times c = kernel_times(200, 100000, 20000, 100, clock);
  print("kernel: path depth 100, after 100,000 calls", 200, c);
  std::printf("%-44s            p50 %8.3f       p99 %8.3f\n", "ratio after 100,000 / after 100",
              c.percentile(0.5) / b.percentile(0.5), c.percentile(0.99) / b.percentile(0.99));
  Times d = run_times(200, 40000, clock);
  print("run: public API, path depth 100", 200, d);
  for (std::size_t bytes : {200U, 2000U, 20000U}) {
    Times ours = kernel_times(bytes, 1000, 20000, 100, clock);
    Times parse = parse_times(bytes, 20000, clock);
    print("kernel: path depth 100", bytes, ours);
    print("simdjson plain parse (dom)", bytes, parse);
    std::printf("%-44s %6zu B   p50 %8.2f\n", "ratio to plain parse", bytes,
                ours.percentile(0.5) / parse.percentile(0.5));
  }
  std::printf("# memory that stays, per recorded call\n");
  for (int calls : {1000, 10000, 30000, 65000, 100000}) {
    std::printf("%-44s %6d     %8.1f B\n", "kernel, all calls distinct", calls, bytes_per_call(calls, true));
  }
  std::printf("%-44s %6d     %8.1f B\n", "kernel, 64 distinct calls", 100000, bytes_per_call(100000, false));
  return 0;
}
