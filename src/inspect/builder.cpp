// Pairing of results with calls, and the depths of threads. No step looks at more than one message's calls.
//
// Tested in tests/inspect/builder_test.cpp.
#include "inspect/builder.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "inspect/text.h"

namespace backedge::inspect {

std::uint32_t TraceBuilder::add_thread(ThreadKind kind, std::string name) {
  Thread thread;
  thread.kind = kind;
  thread.name = std::move(name);
  thread.depth = kind == ThreadKind::kMain ? 0 : 1;
  trace_.threads.push_back(std::move(thread));
  return static_cast<std::uint32_t>(trace_.threads.size() - 1);
}

std::uint32_t TraceBuilder::main_thread() {
  if (main_ == kNoIndex) main_ = add_thread(ThreadKind::kMain, "main");
  return main_;
}

std::uint32_t TraceBuilder::add_model(ModelMessage message) {
  auto const index = static_cast<std::uint32_t>(trace_.models.size());
  trace_.threads[message.thread].steps.push_back({Step::Kind::kModel, index});
  trace_.models.push_back(std::move(message));
  return index;
}

std::string TraceBuilder::key(std::uint32_t thread, std::string_view id) const {
  return std::to_string(thread) + "/" + std::string(id);
}

std::uint32_t TraceBuilder::add_call(std::uint32_t model, Call call) {
  auto const index = static_cast<std::uint32_t>(trace_.calls.size());
  call.message = model;
  call.thread = trace_.models[model].thread;
  std::string const by = key(call.thread, call.id);
  trace_.models[model].calls.push_back(index);
  trace_.calls.push_back(std::move(call));
  waiting_[by].push_back(index);
  if (auto const found = early_.find(by); found != early_.end()) {
    FoundResult result = std::move(found->second.front());
    found->second.erase(found->second.begin());
    if (found->second.empty()) early_.erase(found);
    add_result(trace_.calls[index].thread, std::move(result));
  }
  return index;
}

void TraceBuilder::attach(std::uint32_t index, FoundResult result) {
  Call& call = trace_.calls[index];
  call.result = std::move(result.text);
  call.result_chars = result.chars;
  call.has_result = true;
  call.ok = result.ok;
  call.result_line = result.line;
  call.result_at_ms = result.at_ms;
  trace_.threads[call.thread].steps.push_back({Step::Kind::kResult, index});
}

void TraceBuilder::add_result(std::uint32_t thread, FoundResult result) {
  std::string const by = key(thread, result.id);
  auto const found = waiting_.find(by);
  if (found == waiting_.end()) {
    if (answered_.contains(by)) {
      problem("a second result for the same call", result.line);
    } else {
      early_[by].push_back(std::move(result));
    }
    return;
  }
  std::vector<std::uint32_t>& calls = found->second;
  std::uint32_t const message = trace_.calls[calls.back()].message;
  auto const first = std::find_if(calls.begin(), calls.end(),
                                  [&](std::uint32_t call) { return trace_.calls[call].message == message; });
  std::uint32_t const call = *first;
  calls.erase(first);
  if (calls.empty()) waiting_.erase(found);
  answered_.insert(by);
  attach(call, std::move(result));
}

void TraceBuilder::add_user(UserMessage message) {
  if (message.text.empty()) return;
  trace_.threads[message.thread].steps.push_back({Step::Kind::kUser, static_cast<std::uint32_t>(trace_.users.size())});
  trace_.users.push_back(std::move(message));
}

void TraceBuilder::add_compaction(std::uint32_t thread) {
  trace_.threads[thread].steps.push_back({Step::Kind::kCompaction, 0});
}

void TraceBuilder::problem(std::string const& what, std::int64_t line) {
  problem_in(what, Where{trace_.path, static_cast<int>(std::min<std::int64_t>(line, 0x7fff'ffff)), 0});
}

void TraceBuilder::problem_in(std::string const& what, Where where) {
  Problem& problem = trace_.problems[what];
  ++problem.count;
  if (problem.first.size() < kNamedProblems) problem.first.push_back(std::move(where));
}

void TraceBuilder::set_depths() {
  std::vector<Thread>& threads = trace_.threads;
  std::vector<std::vector<std::uint32_t>> children(threads.size());
  std::vector<std::uint32_t> reached;  // grows while it is walked
  for (std::uint32_t i = 0; i < threads.size(); ++i) {
    if (threads[i].spawned_by == kNoIndex) {
      reached.push_back(i);
    } else {
      children[trace_.calls[threads[i].spawned_by].thread].push_back(i);
      threads[i].depth = 0;
    }
  }
  for (std::size_t i = 0; i < reached.size(); ++i) {
    for (std::uint32_t const child : children[reached[i]]) {
      threads[child].depth = threads[reached[i]].depth + 1;
      reached.push_back(child);
    }
  }
  for (Thread& thread : threads) {
    if (thread.depth > 0 || thread.spawned_by == kNoIndex) continue;
    thread.spawned_by = kNoIndex;
    thread.depth = 1;
    problem("subagents that start each other in a circle", 0);
  }
}

void TraceBuilder::measure_calls() {
  std::vector<ModelMessage>& models = trace_.models;
  bool const recorded =
      std::any_of(models.begin(), models.end(), [](ModelMessage const& m) { return m.usage.has_value(); });
  if (recorded) return;  // nothing will be estimated
  for (ModelMessage& model : models) {
    if (model.calls_chars > 0) continue;  // the reader knew better
    for (std::uint32_t const call : model.calls) {
      model.calls_chars += code_points(trace_.calls[call].tool) + spaced_length(trace_.calls[call].arguments);
    }
  }
}

Trace TraceBuilder::finish() {
  measure_calls();
  for (auto const& [by, results] : early_) {
    for (FoundResult const& result : results) problem("a result without a call", result.line);
  }
  for (auto& [what, problem] : trace_.problems) {
    std::sort(problem.first.begin(), problem.first.end(),
              [](Where const& a, Where const& b) { return std::tie(a.file, a.line) < std::tie(b.file, b.line); });
  }
  set_depths();
  return std::move(trace_);
}

}  // namespace backedge::inspect
