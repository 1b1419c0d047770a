// The one door to SQLite: a connection and prepared statements as values, with errors a person can act on.
//
// A connection and its statements belong to one thread at a time; who shares them brings a lock. Bound texts must
// outlive the step; a string that would be gone by then does not compile. Tested through
// tests/journal/journal_test.cpp and tests/journal/broken_file_test.cpp.
#pragma once

#include <concepts>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "backedge/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace backedge::journal {

class Database;

/// What Text&& is deduced to for a string that ends with the expression.
template <class Text>
concept TemporaryString = std::same_as<std::remove_cv_t<Text>, std::string>;

class Statement {
 public:
  Statement() = default;

  Statement& bind(int index, std::int64_t value);
  Statement& bind_text(int index, std::string_view value);
  Statement& bind_blob(int index, std::string_view value);
  template <TemporaryString Text>
  Statement& bind_text(int index, Text&& value) = delete;
  template <TemporaryString Text>
  Statement& bind_blob(int index, Text&& value) = delete;
  Statement& bind_null(int index);

  /// True: a row is there. At the end, and on errors, the statement is reset and can be bound again.
  Result<bool> step();
  /// For statements without rows, or of whose rows only the effect counts.
  Result<void> run();
  /// Ends reading before the last row.
  void reset();

  /// Of the current row, columns from 0; views hold until the next step.
  std::int64_t integer(int column) const;
  std::string_view text(int column) const;
  std::string_view blob(int column) const;
  bool null(int column) const;

 private:
  friend class Database;
  struct Finalize {
    void operator()(sqlite3_stmt* s) const;
  };
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  Database const* database_ = nullptr;
};

class Database {
 public:
  /// `create`: make the file when it is not there. Errors: kIo, kInput (no SQLite file).
  static Result<std::unique_ptr<Database>> open(std::filesystem::path const& path, bool create);
  Database(Database const&) = delete;
  Database& operator=(Database const&) = delete;

  /// One or more statements of fixed text, without rows that matter.
  Result<void> run(char const* sql);
  Result<Statement> prepare(std::string_view sql);
  /// One integer of a statement of fixed text.
  Result<std::int64_t> number(std::string_view sql);

  /// Waits while another process changes the way the file is kept.
  Result<void> use_wal();
  std::int64_t last_row() const;
  int changes() const;
  bool in_transaction() const;

  /// What SQLite said last, in words, with the file.
  Error error(int code) const;

 private:
  struct Close {
    void operator()(sqlite3* d) const;
  };
  explicit Database(std::filesystem::path path) : path_(std::move(path)) {}

  std::filesystem::path path_;
  std::unique_ptr<sqlite3, Close> handle_;
};

}  // namespace backedge::journal
