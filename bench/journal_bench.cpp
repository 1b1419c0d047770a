// What an append to the journal costs: a batch of 7 events with 3 texts of 200 bytes, one transaction.
//
// Beside it the same bytes in bare SQLite: one table of rows, prepared statement, WAL, synchronous NORMAL, one
// transaction a batch, no index, no hash, no look for secrets. Both are CPU time of the whole process (user and
// system), over a file that grows from empty; the texts differ from batch to batch, as in life. Prints µs a batch and
// their ratio.
//
//   journal_bench [BATCHES] [FOLDER]    default 20000 batches, in the system's folder for temporary files

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/resource.h>

#include "base/sha256.h"
#include "journal/journal.h"

namespace {

using namespace backedge;

constexpr std::size_t kTextBytes = 200;

double cpu_micros() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  auto const micros = [](timeval t) { return static_cast<double>(t.tv_sec) * 1e6 + static_cast<double>(t.tv_usec); };
  return micros(usage.ru_utime) + micros(usage.ru_stime);
}

/// One round of an agent: reply, round, verdict, start, end, end of turn, next turn.
struct Round {
  std::vector<talk::Event> events;

  explicit Round(std::uint64_t n) {
    std::string const reply = text(n, "I shall read the file that handles retries and then its test, because the ");
    std::string const arguments = text(n, R"({"path":"src/net/retry.cpp","offset":120,"limit":80,"why":")");
    std::string const result = text(n, "int attempts = 0; while (attempts < limit) { send(request); wait(pause); } ");
    std::string const a = sha256_hex(reply);
    std::string const b = sha256_hex(arguments);
    std::string const c = sha256_hex(result);
    add(n, "model.reply",
        fmt::format(R"({{"turn":{},"stop_reason":"tool_use","usage":{{"input":9120,"output":145,)"
                    R"("cache_read":8800,"cache_write":0,"reasoning":0}},"cost_nano_usd":4710000,)"
                    R"("blocks":[{{"text":"{}"}},{{"call":"c{}","tool":"read_file","arguments":"{}"}}]}})",
                    n, a, n, b),
        {{a, reply}, {b, arguments}});
    add(n, "turn.end",
        fmt::format(R"({{"turn":{},"verdict":"go","usage":{{"input":9120,"output":145,"cache_read":8800,)"
                    R"("cache_write":0,"reasoning":0}},"cost_nano_usd":4710000,"text":"{}"}})",
                    n, a),
        {});
    add(n, "round.propose", fmt::format(R"({{"calls":[{{"call":{},"tool":"read_file","arguments":"{}"}}]}})", n, b),
        {});
    add(n, "verdict", fmt::format(R"({{"call":{},"tool":"read_file","verdict":"run"}})", n), {});
    add(n, "call.start", fmt::format(R"({{"call":{},"tool":"read_file","attempt":1}})", n), {});
    add(n, "call.end", fmt::format(R"({{"call":{},"status":"ok","bytes":200,"result":"{}"}})", n, c), {{c, result}});
    add(n, "turn.propose",
        fmt::format(R"({{"turn":{},"verdict":"go","estimate":9400,"max_out":4096,"priced":true,)"
                    R"("cost_nano_usd":31000000}})",
                    n + 1),
        {});
  }

  void add(std::uint64_t n, std::string type, std::string body, std::vector<RawText> raws) {
    std::uint64_t const seq = 7 * n + events.size() + 1;
    events.push_back({seq, Micros(1'700'000'000'000'000 + static_cast<std::int64_t>(seq) * 1000), FrameId{1}, seq - 1,
                      std::move(type), std::move(body), std::move(raws)});
  }

  static std::string text(std::uint64_t n, std::string begin) {
    begin += fmt::format("{:08x} ", n * 2654435761U % 4294967296U);
    while (begin.size() < kTextBytes) begin += "and so on ";
    begin.resize(kTextBytes);
    return begin;
  }
};

void must(bool done, char const* what) {
  if (done) return;
  std::fprintf(stderr, "journal_bench: %s\n", what);
  std::exit(1);
}

double journal_micros(std::filesystem::path const& file, std::vector<Round> const& rounds, bool sync_full) {
  Result<journal::Journal> opened = journal::Journal::open(file, {.sync_full = sync_full});
  must(opened.ok(), opened.ok() ? "" : opened.error().text().c_str());
  std::string const run = "0123456789abcdef0123456789abcdef";
  double const start = cpu_micros();
  for (Round const& round : rounds) {
    std::vector<EventView> views;
    for (talk::Event const& e : round.events) views.push_back(e.view());
    Result<void> const done = opened->append(run, views);
    must(done.ok(), done.ok() ? "" : done.error().text().c_str());
  }
  return (cpu_micros() - start) / static_cast<double>(rounds.size());
}

double bare_micros(std::filesystem::path const& file, std::vector<Round> const& rounds) {
  sqlite3* db = nullptr;
  must(sqlite3_open(file.c_str(), &db) == SQLITE_OK, "bare SQLite does not open");
  sqlite3_exec(db, "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; CREATE TABLE row(a INTEGER, b TEXT, c BLOB)",
               nullptr, nullptr, nullptr);
  sqlite3_stmt* insert = nullptr;
  sqlite3_stmt* begin = nullptr;
  sqlite3_stmt* commit = nullptr;
  sqlite3_prepare_v2(db, "INSERT INTO row VALUES(?, ?, ?)", -1, &insert, nullptr);
  sqlite3_prepare_v2(db, "BEGIN", -1, &begin, nullptr);
  sqlite3_prepare_v2(db, "COMMIT", -1, &commit, nullptr);
  auto const put = [&](std::uint64_t n, std::string const& type, std::string const& bytes) {
    sqlite3_bind_int64(insert, 1, static_cast<sqlite3_int64>(n));
    sqlite3_bind_text(insert, 2, type.data(), static_cast<int>(type.size()), SQLITE_STATIC);
    sqlite3_bind_blob(insert, 3, bytes.data(), static_cast<int>(bytes.size()), SQLITE_STATIC);
    must(sqlite3_step(insert) == SQLITE_DONE, "bare SQLite does not insert");
    sqlite3_reset(insert);
  };
  double const start = cpu_micros();
  for (Round const& round : rounds) {
    sqlite3_step(begin);
    sqlite3_reset(begin);
    for (talk::Event const& e : round.events) {
      put(e.seq, e.type, e.body);
      for (RawText const& raw : e.raws) put(e.seq, raw.sha256, raw.text);
    }
    must(sqlite3_step(commit) == SQLITE_DONE, "bare SQLite does not commit");
    sqlite3_reset(commit);
  }
  double const out = (cpu_micros() - start) / static_cast<double>(rounds.size());
  sqlite3_finalize(insert);
  sqlite3_finalize(begin);
  sqlite3_finalize(commit);
  sqlite3_close(db);
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t const batches = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 20000;
  std::filesystem::path const parent = argc > 2 ? argv[2] : std::filesystem::temp_directory_path();
  std::string name = (parent / "backedge-bench-XXXXXX").string();
  must(mkdtemp(name.data()) != nullptr, "no folder for temporary files");
  std::filesystem::path const folder = name;
  std::vector<Round> rounds;
  for (std::uint64_t n = 0; n < batches; ++n) rounds.emplace_back(n);
  double const bare = bare_micros(folder / "bare.db", rounds);
  double const normal = journal_micros(folder / "normal.db", rounds, false);
  double const full = journal_micros(folder / "full.db", rounds, true);
  fmt::print("batch of 7 events with 3 texts of {} bytes, {} batches, CPU time\n", kTextBytes, batches);
  fmt::print("  bare SQLite, the same bytes  {:7.1f} us\n", bare);
  fmt::print("  journal, sync normal         {:7.1f} us   {:.2f} times bare\n", normal, normal / bare);
  fmt::print("  journal, sync full           {:7.1f} us   {:.2f} times bare\n", full, full / bare);
  fmt::print("  file: {} bytes an event\n", std::filesystem::file_size(folder / "normal.db") / (7 * batches));
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
  return 0;
}
