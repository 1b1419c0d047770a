// SQLite behind Result; see database.h.

#include "journal/database.h"

#include <sqlite3.h>

namespace backedge::journal {
namespace {

// Two programs that write at once take turns of far less than a millisecond.
constexpr int kBusyMillis = 10'000;
constexpr int kBusyPause = 5;

char const* bytes(std::string_view s) { return s.data() == nullptr ? "" : s.data(); }

}  // namespace

void Statement::Finalize::operator()(sqlite3_stmt* s) const { sqlite3_finalize(s); }

Statement& Statement::bind(int index, std::int64_t value) {
  sqlite3_bind_int64(statement_.get(), index, value);
  return *this;
}

Statement& Statement::bind_text(int index, std::string_view value) {
  sqlite3_bind_text64(statement_.get(), index, bytes(value), value.size(), SQLITE_STATIC, SQLITE_UTF8);
  return *this;
}

Statement& Statement::bind_blob(int index, std::string_view value) {
  sqlite3_bind_blob64(statement_.get(), index, bytes(value), value.size(), SQLITE_STATIC);
  return *this;
}

Statement& Statement::bind_null(int index) {
  sqlite3_bind_null(statement_.get(), index);
  return *this;
}

Result<bool> Statement::step() {
  int const code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) {
    sqlite3_reset(statement_.get());
    return false;
  }
  Error error = database_->error(code);
  sqlite3_reset(statement_.get());
  return error;
}

Result<void> Statement::run() {
  Result<bool> const row = step();
  if (!row) return row.error();
  reset();
  return {};
}

void Statement::reset() { sqlite3_reset(statement_.get()); }

std::int64_t Statement::integer(int column) const { return sqlite3_column_int64(statement_.get(), column); }

std::string_view Statement::text(int column) const { return blob(column); }

std::string_view Statement::blob(int column) const {
  auto const* data = static_cast<char const*>(sqlite3_column_blob(statement_.get(), column));
  if (data == nullptr) return {};
  return {data, static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column))};
}

bool Statement::null(int column) const { return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL; }

void Database::Close::operator()(sqlite3* d) const { sqlite3_close_v2(d); }

Result<std::unique_ptr<Database>> Database::open(std::filesystem::path const& path, bool create) {
  std::unique_ptr<Database> out(new Database(path));
  sqlite3* handle = nullptr;
  int const flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | (create ? SQLITE_OPEN_CREATE : 0);
  int const code = sqlite3_open_v2(path.c_str(), &handle, flags, nullptr);
  out->handle_.reset(handle);
  if (handle == nullptr) return Error{ErrorKind::kIo, "there is no memory for the journal", {path.string(), 0, 0}};
  if (code != SQLITE_OK) return out->error(code);
  sqlite3_extended_result_codes(handle, 1);
  sqlite3_busy_timeout(handle, kBusyMillis);
  // The file may come from anywhere: nothing in it may run code or write beyond its tables.
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  return out;
}

Result<void> Database::run(char const* sql) {
  int const code = sqlite3_exec(handle_.get(), sql, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return error(code);
  return {};
}

Result<Statement> Database::prepare(std::string_view sql) {
  sqlite3_stmt* made = nullptr;
  int const code = sqlite3_prepare_v3(handle_.get(), sql.data(), static_cast<int>(sql.size()),
                                      SQLITE_PREPARE_PERSISTENT, &made, nullptr);
  if (code != SQLITE_OK) return error(code);
  Statement out;
  out.statement_.reset(made);
  out.database_ = this;
  return out;
}

Result<std::int64_t> Database::number(std::string_view sql) {
  Result<Statement> statement = prepare(sql);
  if (!statement) return statement.error();
  Result<bool> const row = statement->step();
  if (!row) return row.error();
  return *row ? statement->integer(0) : 0;
}

Result<void> Database::use_wal() {
  // The busy handler is not asked here, because a process that waits may hold what the other one waits for.
  for (int waited = 0;; waited += kBusyPause) {
    int const code = sqlite3_exec(handle_.get(), "PRAGMA journal_mode=WAL", nullptr, nullptr, nullptr);
    if (code == SQLITE_OK) return {};
    if ((code & 0xff) != SQLITE_BUSY || waited >= kBusyMillis) return error(code);
    sqlite3_sleep(kBusyPause);
  }
}

std::int64_t Database::last_row() const { return sqlite3_last_insert_rowid(handle_.get()); }
int Database::changes() const { return sqlite3_changes(handle_.get()); }
bool Database::in_transaction() const { return sqlite3_get_autocommit(handle_.get()) == 0; }

Error Database::error(int code) const {
  std::string const said = sqlite3_errmsg(handle_.get());
  Error out{ErrorKind::kIo, {}, {path_.string(), 0, 0}};
  switch (code & 0xff) {
    case SQLITE_NOTADB:
      out.kind = ErrorKind::kInput;
      out.detail = "this is no journal but another kind of file; name another one";
      break;
    case SQLITE_CORRUPT:
      out.kind = ErrorKind::kInput;
      out.detail = "the journal is damaged (" + said + "); move it away, a new one is begun in its place";
      break;
    case SQLITE_FULL: out.detail = "the journal cannot grow, the disk is full; make room"; break;
    case SQLITE_READONLY:
      out.detail = "the journal cannot be written (" + said + "); allow it or name another one";
      break;
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
    case SQLITE_AUTH: out.detail = "the journal cannot be opened (" + said + "); allow it or name another one"; break;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      out.detail = "another program has held the journal for more than " + std::to_string(kBusyMillis / 1000) +
                   " s; end it or name another journal";
      break;
    default: out.detail = "the journal cannot be used: " + said; break;
  }
  return out;
}

}  // namespace backedge::journal
