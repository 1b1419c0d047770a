// How long it takes to make facts: a call at three sizes, beside what simdjson needs to parse the same text, and a
// result.
//
// The arguments have the shape of a tool call with rows: {"query", "page", "opts", "path", "rows": [{"id", "name",
// "v"}…]}. simdjson's plain parse (DOM, from a padded buffer) is the yardstick: facts should stay within twice its time
// at 20 KB.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <simdjson.h>

#include "facts/book.h"
#include "facts/reader.h"

namespace {

using namespace backedge;

std::string arguments_of(std::size_t bytes) {
  std::string const head = R"({"query":"find the file that handles retries","page":3,)"
                           R"("opts":{"deep":true,"tags":["a","b"],"limit":25},"path":"src/net/retry.cpp","rows":[)";
  std::string rows;
  for (std::size_t i = 0; head.size() + rows.size() + 2 + 60 < bytes; ++i) {
    double const v = static_cast<double>((i * 31) % 1000) + 0.5;
    rows += fmt::format(R"({}{{"id":{},"name":"item {}","v":{}}})", i == 0 ? "" : ",", (i * 7919) % 100000, i, v);
  }
  return head + rows + "]}";
}

void make_call_facts(benchmark::State& state) {
  facts::ContractBook book;
  Contract contract;
  contract.effect = Effect::kRead;
  if (!book.declare(facts::Layer::kCode, "search", contract)) state.SkipWithError("the contract does not compile");
  facts::Reader reader(book);
  std::string const text = arguments_of(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(reader.call("search", text).key);
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}

void make_call_facts_with_pointers(benchmark::State& state) {
  facts::ContractBook book;
  Contract contract;
  contract.effect = Effect::kRead;
  contract.identity = {"/path", "/query"};
  contract.volatile_args = {"/request_id", "/opts/limit"};
  contract.range = RangePointers{"/page", "/opts/limit", ""};
  contract.conflicts = {"file:{/path}"};
  if (!book.declare(facts::Layer::kCode, "search", contract)) state.SkipWithError("the contract does not compile");
  facts::Reader reader(book);
  std::string const text = arguments_of(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(reader.call("search", text).key);
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}

void read_shell_call(benchmark::State& state) {
  facts::ContractBook book;
  facts::Reader reader(book);
  for (auto _ : state)
    benchmark::DoNotOptimize(
        reader.call("Bash", R"({"command":"cd src && git log -3 | head -20","timeout":5000})").key);
}

void parse_plainly(benchmark::State& state) {
  simdjson::dom::parser parser;
  simdjson::padded_string const text(arguments_of(static_cast<std::size_t>(state.range(0))));
  for (auto _ : state) {
    simdjson::dom::element root;
    if (parser.parse(text).get(root) != simdjson::SUCCESS) state.SkipWithError("not JSON");
    benchmark::DoNotOptimize(root);
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}

std::string result_of(std::size_t bytes) {
  std::string out;
  for (std::size_t i = 0; out.size() < bytes; ++i)
    out += fmt::format("src/net/file{}.cpp:{}: retry after {} ms\n", i % 97, i, (i * 37) % 5000);
  return out;
}

void make_result_facts(benchmark::State& state) {
  facts::ContractBook const book;
  facts::Reader reader(book);
  std::string const text = result_of(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(reader.result(0, kernel::ResultStatus::kOk, text).outcome);
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}

void make_text_facts(benchmark::State& state) {
  facts::ContractBook const book;
  facts::Reader reader(book);
  std::string const text = result_of(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(reader.text(text).message);
}

void build_a_book(benchmark::State& state) {
  for (auto _ : state) {
    facts::ContractBook const book;
    benchmark::DoNotOptimize(&book);
  }
}

BENCHMARK(make_call_facts)->Arg(200)->Arg(2000)->Arg(20000);
BENCHMARK(make_call_facts_with_pointers)->Arg(200)->Arg(2000)->Arg(20000);
BENCHMARK(parse_plainly)->Arg(200)->Arg(2000)->Arg(20000);
BENCHMARK(read_shell_call);
BENCHMARK(make_result_facts)->Arg(200)->Arg(2000)->Arg(20000);
BENCHMARK(make_text_facts)->Arg(2000);
BENCHMARK(build_a_book);

}  // namespace

BENCHMARK_MAIN();
