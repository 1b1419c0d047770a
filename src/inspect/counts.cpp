// One pass over the calls for repeats, one over each thread for runs, ping-pongs and cycles.
//
// Tested in tests/inspect/counts_test.cpp.
#include "inspect/counts.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/hash.h"
#include "facts/book.h"
#include "facts/reader.h"
#include "inspect/json.h"
#include "inspect/text.h"
#include "inspect/writing.h"

namespace backedge::inspect {
namespace {

constexpr std::size_t kShortestCycle = 3;
constexpr std::size_t kLongestCycle = 8;
constexpr std::size_t kShortestPingPong = 4;

/// n / 4, halves to the even neighbour.
std::int64_t rounded_quarters(std::int64_t n) {
  std::int64_t const whole = n / 4;
  std::int64_t const rest = n % 4;
  return whole + (rest == 3 || (rest == 2 && whole % 2 == 1) ? 1 : 0);
}

/// Keys of calls; the parsers are made once.
class KeyMaker {
 public:
  KeyMaker() : book_(facts::ContractBook::blank()), reader_(book_) {}

  Digest key(Call const& call) { return in_thread(call, reader_.call(call.tool, call.arguments).key); }

  Digest near_key(Call const& call, std::string const& command) {
    Digest sum;
    PaddedText const copy{call.arguments};
    if (!json_.open(copy.view())) return key(call);
    JsonValue root = json_.root();
    if (json_.type(root) != JsonType::kObject) return key(call);
    json_.members(root, [&](std::string_view name, JsonValue value) {
      if (name == "description" || name == "timeout" || name == "limit" || name == "offset") return;
      bool const is_command = !command.empty() && (name == "command" || name == "cmd");
      Digest const digest = is_command ? digest_name(core_command(command)) : reader_.call({}, json_.raw(value)).key;
      sum = add_digest(sum, combine(digest_name(name), digest));
    });
    if (json_.failed()) return key(call);
    return in_thread(call, combine(digest_name(call.tool), finish(sum)));
  }

  Json& json() { return json_; }

 private:
  static Digest add_digest(Digest a, Digest b) { return backedge::add(a, b); }
  static Digest in_thread(Call const& call, Digest key) { return combine(Digest{call.thread, 1}, key); }

  facts::ContractBook book_;
  facts::Reader reader_;
  Json json_;
};

/// What is remembered of a key.
struct Seen {
  std::unordered_set<Digest> results;
  Digest last_result;            // none: the call had no result
  std::int64_t writes_then = 0;  // writing calls up to and including the last occurrence
};

class Counter {
 public:
  Counter(Trace const& trace, Extent extent)
      : trace_(trace), extent_(extent), recorded_(has_usage(trace)), quarters_(quarter_tokens(trace)) {}

  Counts run();

 private:
  bool skipped(ModelMessage const& message) const { return extent_ == Extent::kNew && message.copied; }
  void count_messages();
  void count_tasks(Thread const& thread);
  void count_call(std::uint32_t index);
  void count_repeat(Call const& call, Digest key, double tokens, bool skip);
  void count_sequences();
  void count_runs(std::vector<std::uint32_t> const& calls);
  void count_pingpongs(std::vector<std::uint32_t> const& calls);
  void count_cycles(std::vector<std::uint32_t> const& calls);
  bool same(std::uint32_t a, std::uint32_t b) const { return keys_[a] == keys_[b]; }
  bool is_cycle(std::vector<std::uint32_t> const& calls, std::size_t at, std::size_t period) const;

  Trace const& trace_;
  Extent extent_;
  bool recorded_;
  std::vector<std::int64_t> quarters_;
  KeyMaker maker_;
  Counts counts_;
  std::vector<Digest> keys_;
  std::unordered_map<Digest, Seen> seen_;
  std::unordered_set<Digest> near_;
  std::int64_t writes_ = 0;
  double repeat_tokens_ = 0;
  double same_tokens_ = 0;
  std::map<std::string, double> tool_tokens_;
};

void Counter::count_messages() {
  std::int64_t silent = 0;
  for (std::size_t i = 0; i < trace_.models.size(); ++i) {
    ModelMessage const& message = trace_.models[i];
    if (message.copied) ++counts_.copied_messages;
    if (skipped(message)) continue;
    ++counts_.model_messages;
    counts_.total_quarters += quarters_[i];
    if (message.calls.empty()) silent += quarters_[i];
    if (message.cost_nano >= 0) counts_.cost_nano = std::max<std::int64_t>(counts_.cost_nano, 0) + message.cost_nano;
    if (!message.usage) {
      ++counts_.messages_without_usage;
      continue;
    }
    counts_.usage.fresh_input += message.usage->fresh_input;
    counts_.usage.cache_write_5m += message.usage->cache_write_5m;
    counts_.usage.cache_write_1h += message.usage->cache_write_1h;
    counts_.usage.cache_read += message.usage->cache_read;
    counts_.usage.output += message.usage->output;
  }
  counts_.total_tokens = rounded_quarters(counts_.total_quarters);
  counts_.tokens_without_calls = rounded_quarters(silent);
  bool const any = counts_.model_messages > 0;
  counts_.token_basis = recorded_ ? TokenBasis::kRecorded : any ? TokenBasis::kEstimated : TokenBasis::kNone;
  for (Thread const& thread : trace_.threads) {
    if (thread.kind == ThreadKind::kMain) count_tasks(thread);
  }
}

void Counter::count_tasks(Thread const& thread) {
  std::int64_t turns = 0;
  for (Step const& step : thread.steps) {
    if (step.kind == Step::Kind::kUser && trace_.users[step.index].author == Author::kPerson) {
      ++counts_.person_messages;
      turns = 0;
    }
    if (step.kind == Step::Kind::kModel && !skipped(trace_.models[step.index])) {
      counts_.longest_task = std::max(counts_.longest_task, ++turns);
    }
  }
}

void Counter::count_repeat(Call const& call, Digest key, double tokens, bool skip) {
  Digest const result = call.has_result ? digest_bytes(call.result, DigestTag::kOutcome) : Digest{};
  auto const [place, fresh] = seen_.try_emplace(key);
  Seen& seen = place->second;
  if (!fresh && !skip) {
    bool const same_before = call.has_result && seen.results.contains(result);
    bool const same_as_last = call.has_result && seen.last_result == result;
    ++counts_.exact_repeats;
    ++counts_.tools[call.tool].repeats;
    repeat_tokens_ += tokens;
    if (same_before) {
      ++counts_.exact_repeats_same_result;
      same_tokens_ += tokens;
    }
    if (same_as_last && seen.writes_then == writes_) ++counts_.no_progress_repeats;
  }
  if (call.has_result) seen.results.insert(result);
  seen.last_result = result;
}

void Counter::count_call(std::uint32_t index) {
  Call const& call = trace_.calls[index];
  ModelMessage const& message = trace_.models[call.message];
  bool const skip = skipped(message);
  double const tokens = static_cast<double>(quarters_[call.message]) / 4 /
                        static_cast<double>(std::max<std::size_t>(message.calls.size(), 1));
  std::string const command = shell_command(maker_.json(), call.tool, call.arguments);
  Digest const key = maker_.key(call);
  keys_.push_back(key);
  count_repeat(call, key, tokens, skip);
  if (looks_writing(call.tool, command)) ++writes_;
  seen_[key].writes_then = writes_;
  bool const near = !near_.insert(maker_.near_key(call, command)).second;
  if (skip) return;
  ++counts_.calls;
  if (near) ++counts_.near_repeats;
  if (!call.ok) ++counts_.tool_errors;
  if (!call.has_result) ++counts_.calls_without_result;
  ToolCount& tool = counts_.tools[call.tool];
  ++tool.calls;
  tool.errors += call.ok ? 0 : 1;
  tool_tokens_[call.tool] += tokens;
}

void Counter::count_runs(std::vector<std::uint32_t> const& calls) {
  for (std::size_t i = 0; i < calls.size();) {
    std::size_t end = i + 1;
    while (end < calls.size() && same(calls[end], calls[i])) ++end;
    auto const length = static_cast<std::int64_t>(end - i);
    counts_.longest_identical_run = std::max(counts_.longest_identical_run, length);
    if (length > 1) counts_.identical_runs.push_back({trace_.calls[calls[i]].tool, calls[i], length});
    i = end;
  }
}

void Counter::count_pingpongs(std::vector<std::uint32_t> const& calls) {
  for (std::size_t i = 0; i + kShortestPingPong <= calls.size();) {
    if (same(calls[i], calls[i + 1])) {
      ++i;
      continue;
    }
    std::size_t end = i + 2;
    while (end < calls.size() && same(calls[end], calls[end - 2])) ++end;
    if (end - i >= kShortestPingPong) {
      counts_.pingpongs.push_back(
          {trace_.calls[calls[i]].tool, trace_.calls[calls[i + 1]].tool, calls[i], static_cast<std::int64_t>(end - i)});
    }
    i = end - 1;
  }
}

bool Counter::is_cycle(std::vector<std::uint32_t> const& calls, std::size_t at, std::size_t period) const {
  if (at + 2 * period > calls.size()) return false;
  for (std::size_t i = at; i < at + period; ++i) {
    if (!same(calls[i], calls[i + period])) return false;
  }
  for (std::size_t part = 1; part < period; ++part) {
    if (period % part != 0) continue;
    bool repeats = true;
    for (std::size_t i = at + part; repeats && i < at + period; ++i) repeats = same(calls[i], calls[i - part]);
    if (repeats) return false;
  }
  return true;
}

void Counter::count_cycles(std::vector<std::uint32_t> const& calls) {
  for (std::size_t i = 0; i < calls.size();) {
    std::size_t period = kShortestCycle;
    while (period <= kLongestCycle && !is_cycle(calls, i, period)) ++period;
    if (period > kLongestCycle) {
      ++i;
      continue;
    }
    std::size_t end = i + period;
    while (end < calls.size() && same(calls[end], calls[end - period])) ++end;
    std::size_t const whole = (end - i) / period * period;
    ++counts_.cycles_period_3_to_8;
    if (static_cast<std::int64_t>(whole) > counts_.cycle_longest) {
      counts_.cycle_longest = static_cast<std::int64_t>(whole);
      counts_.cycle_period = static_cast<std::int64_t>(period);
    }
    i += whole;
  }
}

void Counter::count_sequences() {
  std::vector<std::vector<std::uint32_t>> by_thread(trace_.threads.size());
  for (std::uint32_t i = 0; i < trace_.calls.size(); ++i) {
    if (!skipped(trace_.models[trace_.calls[i].message])) by_thread[trace_.calls[i].thread].push_back(i);
  }
  for (std::size_t t = 0; t < by_thread.size(); ++t) {
    if (by_thread[t].empty()) continue;
    ++counts_.threads;
    counts_.max_depth = std::max<std::int64_t>(counts_.max_depth, trace_.threads[t].depth);
    count_runs(by_thread[t]);
    count_pingpongs(by_thread[t]);
    count_cycles(by_thread[t]);
  }
  auto const by_start = [](auto const& a, auto const& b) { return a.start < b.start; };
  std::sort(counts_.identical_runs.begin(), counts_.identical_runs.end(), by_start);
  std::sort(counts_.pingpongs.begin(), counts_.pingpongs.end(), by_start);
}

Counts Counter::run() {
  count_messages();
  keys_.reserve(trace_.calls.size());
  for (std::uint32_t i = 0; i < trace_.calls.size(); ++i) count_call(i);
  count_sequences();
  counts_.distinct_calls = counts_.calls - counts_.exact_repeats;
  counts_.repeat_tokens = std::llround(repeat_tokens_);
  counts_.repeat_same_result_tokens = std::llround(same_tokens_);
  for (auto const& [tool, tokens] : tool_tokens_) counts_.tools[tool].tokens = std::llround(tokens);
  return std::move(counts_);
}

}  // namespace

std::string_view basis_text(TokenBasis basis) {
  switch (basis) {
    case TokenBasis::kNone: return "no tokens";
    case TokenBasis::kRecorded: return "as recorded, once per model message";
    case TokenBasis::kEstimated: return "estimated: characters / 4, each model message charged with all before it";
    case TokenBasis::kMixed: return "recorded where traces have it, else estimated";
  }
  return "";
}

bool has_usage(Trace const& trace) {
  return std::any_of(trace.models.begin(), trace.models.end(),
                     [](ModelMessage const& message) { return message.usage.has_value(); });
}

std::vector<std::int64_t> quarter_tokens(Trace const& trace) {
  std::vector<std::int64_t> out(trace.models.size(), 0);
  if (has_usage(trace)) {
    for (std::size_t i = 0; i < out.size(); ++i)
      out[i] = trace.models[i].usage ? trace.models[i].usage->total() * 4 : 0;
    return out;
  }
  for (Thread const& thread : trace.threads) {
    // Characters of everything that the model has seen in this thread.
    std::int64_t before = thread.kind == ThreadKind::kMain ? trace.tools_chars : 0;
    for (Step const& step : thread.steps) {
      switch (step.kind) {
        case Step::Kind::kUser: before += trace.users[step.index].chars; break;
        case Step::Kind::kResult: before += trace.calls[step.index].result_chars; break;
        case Step::Kind::kModel:
          before += trace.models[step.index].chars + trace.models[step.index].calls_chars;
          out[step.index] = before;
          break;
        case Step::Kind::kCompaction: break;
      }
    }
  }
  return out;
}

Counts count(Trace const& trace, Extent extent) { return Counter(trace, extent).run(); }

void add(Counts& sum, Counts const& more) {
  sum.calls += more.calls;
  sum.distinct_calls += more.distinct_calls;
  sum.exact_repeats += more.exact_repeats;
  sum.exact_repeats_same_result += more.exact_repeats_same_result;
  sum.no_progress_repeats += more.no_progress_repeats;
  sum.near_repeats += more.near_repeats;
  sum.longest_identical_run = std::max(sum.longest_identical_run, more.longest_identical_run);
  sum.cycles_period_3_to_8 += more.cycles_period_3_to_8;
  if (more.cycle_longest > sum.cycle_longest) {
    sum.cycle_longest = more.cycle_longest;
    sum.cycle_period = more.cycle_period;
  }
  sum.threads += more.threads;
  sum.max_depth = std::max(sum.max_depth, more.max_depth);
  sum.tool_errors += more.tool_errors;
  sum.calls_without_result += more.calls_without_result;
  sum.model_messages += more.model_messages;
  sum.messages_without_usage += more.messages_without_usage;
  sum.person_messages += more.person_messages;
  sum.longest_task = std::max(sum.longest_task, more.longest_task);
  sum.copied_messages += more.copied_messages;
  sum.total_quarters += more.total_quarters;
  sum.total_tokens = rounded_quarters(sum.total_quarters);
  sum.repeat_tokens += more.repeat_tokens;
  sum.repeat_same_result_tokens += more.repeat_same_result_tokens;
  sum.tokens_without_calls += more.tokens_without_calls;
  sum.usage.fresh_input += more.usage.fresh_input;
  sum.usage.cache_write_5m += more.usage.cache_write_5m;
  sum.usage.cache_write_1h += more.usage.cache_write_1h;
  sum.usage.cache_read += more.usage.cache_read;
  sum.usage.output += more.usage.output;
  if (more.cost_nano >= 0) sum.cost_nano = std::max<std::int64_t>(sum.cost_nano, 0) + more.cost_nano;
  if (sum.token_basis == TokenBasis::kNone) sum.token_basis = more.token_basis;
  if (more.token_basis != TokenBasis::kNone && more.token_basis != sum.token_basis)
    sum.token_basis = TokenBasis::kMixed;
  for (auto const& [name, tool] : more.tools) {
    ToolCount& own = sum.tools[name];
    own.calls += tool.calls;
    own.errors += tool.errors;
    own.repeats += tool.repeats;
    own.tokens += tool.tokens;
  }
}

}  // namespace backedge::inspect
