// What an open journal is made of: the connection, its statements, and the lock around both.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include "journal/database.h"
#include "journal/journal.h"
#include "journal/redact.h"

namespace backedge::journal {

/// The statements of append, prepared once.
struct AppendStatements {
  Statement begin, commit, rollback;
  Statement run_of_id, new_run, last_seq;
  Statement new_raw, raw_of_sha, new_shared, new_event;
  Statement opened, first_task, closed;
};

/// Names that texts had before their secrets were taken out, and the names they have here; per run, because nobody but
/// the one who writes a run ever says the old ones.
using Renamed = std::unordered_map<std::string, std::string>;

/// Which file a path stands for; a file that takes its place is another one.
struct FileIdentity {
  std::uint64_t device = 0;
  std::uint64_t number = 0;

  /// Empty when there is none.
  static std::optional<FileIdentity> of(std::filesystem::path const& path);

  friend bool operator==(FileIdentity const&, FileIdentity const&) = default;
};

struct Journal::State {
  std::filesystem::path path;
  std::optional<FileIdentity> file;  // that is open; empty: no file, but memory
  Options options;
  std::mutex mutex;  // around everything below
  std::unique_ptr<Database> database;
  std::unique_ptr<Redactor> redactor;  // constant: needs no lock
  AppendStatements statements;
  std::map<std::string, Renamed, std::less<>> renamed;
};

/// The name of a text as it stands in the file, and what it is found by.
struct TextKey {
  std::array<char, 32> sha{};
  std::int64_t hash = 0;  // the first 8 bytes, the first one highest

  /// `name`: 64 lower-case hexadecimal digits.
  explicit TextKey(std::string_view name) {
    auto const value = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
    for (std::size_t i = 0; i < sha.size(); ++i)
      sha[i] = static_cast<char>((value(name[2 * i]) << 4) | value(name[2 * i + 1]));
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < 8; ++i) bits = (bits << 8) | static_cast<unsigned char>(sha[i]);
    hash = static_cast<std::int64_t>(bits);
  }
  std::string_view bytes() const { return {sha.data(), sha.size()}; }
};

/// Opens, checks and where needed makes the file.
Result<std::unique_ptr<Database>> open_file(std::filesystem::path const& path, Options const& options);
/// The key of the marks.
Result<std::string> redact_key(Database& database);
Result<AppendStatements> prepare_append(Database& database);

/// Calls f(offset) for every name of a text in a body: a string of 64 lower-case hexadecimal digits; `offset` is that
/// of the first digit.
template <class F>
void each_name(std::string_view body, F&& f) {
  constexpr std::size_t kDigits = 64;
  std::size_t at = body.find('"');
  while (at != std::string_view::npos && at + kDigits + 1 < body.size()) {
    std::string_view const inside = body.substr(at + 1, kDigits);
    if (body[at + 1 + kDigits] == '"' && inside.find_first_not_of("0123456789abcdef") == std::string_view::npos) {
      f(at + 1);
      at += kDigits + 1;
    }
    at = body.find('"', at + 1);
  }
}

}  // namespace backedge::journal
