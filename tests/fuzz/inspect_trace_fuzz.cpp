// Any bytes as a recording: never a crash, counts that fit each other, and a replay that loses nothing.
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "inspect/report.h"

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  using namespace backedge;
  using namespace backedge::inspect;
  static Policy const policy = *watching(Policy::defaults());
  static prices::Table const prices = prices::Table::builtin();
  Report report(prices.name());
  Result<void> const done = read_bytes({reinterpret_cast<char const*>(data), size}, "f", [&](Trace&& trace) {
    Counts const counts = count(trace);
    bool const fits = counts.calls == static_cast<std::int64_t>(trace.calls.size()) &&
                      counts.exact_repeats_same_result <= counts.exact_repeats &&
                      counts.exact_repeats + counts.distinct_calls == counts.calls &&
                      counts.longest_identical_run <= counts.calls && counts.total_tokens >= 0;
    if (!fits) std::abort();
    if (replay(trace, policy).not_replayed != 0) std::abort();
    report.add(examine(trace, policy, prices));
  });
  if (!done) return 0;
  if (report.json().empty()) std::abort();
  static_cast<void>(report.text(true));
  return 0;
}
