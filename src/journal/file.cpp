// Opening the journal's file: making it, knowing it for ours, refusing what is newer; see journal.h.

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <openssl/rand.h>
#include <sys/stat.h>
#include <unistd.h>

#include "journal/state.h"

namespace backedge::journal {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kKeyBytes = 32;
// SQLite's own word.
constexpr char kInMemory[] = ":memory:";
constexpr mode_t kFolderMode = 0700;
constexpr mode_t kFileMode = 0600;

constexpr char kSchema[] = R"(
CREATE TABLE meta(name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE run(
  n INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  session TEXT NOT NULL DEFAULT '',
  number INTEGER NOT NULL DEFAULT 0,
  opened INTEGER NOT NULL,
  closed INTEGER,
  status TEXT NOT NULL DEFAULT 'open',
  code TEXT NOT NULL DEFAULT '',
  turns INTEGER NOT NULL DEFAULT 0,
  calls INTEGER NOT NULL DEFAULT 0,
  refused INTEGER NOT NULL DEFAULT 0,
  tokens INTEGER NOT NULL DEFAULT 0,
  cost INTEGER NOT NULL DEFAULT 0,
  near_limit INTEGER NOT NULL DEFAULT 0,
  task TEXT);
CREATE INDEX run_by_time ON run(opened);
CREATE INDEX run_near_limit ON run(opened) WHERE near_limit = 1;
CREATE INDEX run_of_session ON run(session, number);
CREATE TABLE event(
  run INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  at INTEGER NOT NULL,
  frame INTEGER NOT NULL,
  cause INTEGER NOT NULL,
  type TEXT NOT NULL,
  body TEXT NOT NULL,
  extra TEXT,
  PRIMARY KEY(run, seq)) WITHOUT ROWID;
CREATE TABLE raw(
  n INTEGER PRIMARY KEY, run INTEGER NOT NULL, hash INTEGER NOT NULL, sha BLOB NOT NULL, text BLOB NOT NULL);
CREATE INDEX raw_by_hash ON raw(hash);
CREATE TABLE shared(raw INTEGER NOT NULL, run INTEGER NOT NULL, PRIMARY KEY(raw, run)) WITHOUT ROWID;
)";

Error fault(ErrorKind kind, std::string detail, fs::path const& path) {
  return {kind, std::move(detail), {path.string(), 0, 0}};
}

std::string reason() { return std::strerror(errno); }

Result<void> make_folders(fs::path const& folder) {
  std::error_code ignored;
  fs::path at;
  for (fs::path const& part : folder) {
    at /= part;
    if (fs::is_directory(at, ignored)) continue;
    if (mkdir(at.c_str(), kFolderMode) != 0 && errno != EEXIST) {
      return fault(ErrorKind::kIo, "the folder cannot be made (" + reason() + "); allow it or name another journal",
                   at);
    }
  }
  return {};
}

// SQLite gives the files beside it (-wal, -shm) the mode of this one.
Result<void> make_file(fs::path const& path, Options const& options) {
  std::error_code ignored;
  if (path == kInMemory || fs::exists(path, ignored)) return {};
  if (!options.create) {
    return fault(ErrorKind::kNotFound, "there is no journal here; the first run begins one, --journal names another",
                 path);
  }
  if (Result<void> made = make_folders(path.parent_path()); !made) return made;
  int const file = ::open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, kFileMode);
  if (file < 0) {
    return fault(ErrorKind::kIo, "the journal cannot be made (" + reason() + "); allow it or name another one", path);
  }
  ::close(file);
  return {};
}

Result<void> fill(Database& database) {
  std::string key(kKeyBytes, '\0');
  if (RAND_bytes(reinterpret_cast<unsigned char*>(key.data()), static_cast<int>(key.size())) != 1) {
    return Error{ErrorKind::kIo, "the system has no random numbers for the journal", {}};
  }
  if (Result<void> made = database.run(kSchema); !made) return made;
  Result<Statement> insert = database.prepare("INSERT INTO meta VALUES('redact', ?)");
  if (!insert) return insert.error();
  if (Result<void> done = insert->bind_blob(1, key).run(); !done) return done;
  std::string const marks =
      "PRAGMA application_id=" + std::to_string(kApplicationId) + ";PRAGMA user_version=" + std::to_string(kFormat);
  return database.run(marks.c_str());
}

// Whether the file is empty, ours, or neither.
Result<bool> is_empty(Database& database, fs::path const& path) {
  Result<std::int64_t> const id = database.number("PRAGMA application_id");
  if (!id) return id.error();
  Result<std::int64_t> const version = database.number("PRAGMA user_version");
  if (!version) return version.error();
  Result<std::int64_t> const tables = database.number("SELECT count(*) FROM sqlite_schema");
  if (!tables) return tables.error();
  if (*id == 0 && *version == 0 && *tables == 0) return true;
  if (*id != kApplicationId) {
    return fault(ErrorKind::kInput, "this is a database of another program, not a journal; name another file", path);
  }
  if (*version > kFormat) {
    return fault(ErrorKind::kInput,
                 "a newer version of backedge wrote this journal (format " + std::to_string(*version) +
                     ", this one reads up to " + std::to_string(kFormat) + "); use that version or another journal",
                 path);
  }
  return false;
}

// is_empty() in one transaction: its three answers are of one state, also while another program fills the file.
Result<bool> looks_empty(Database& database, fs::path const& path) {
  if (Result<void> begun = database.run("BEGIN"); !begun) return begun.error();
  Result<bool> empty = is_empty(database, path);
  if (database.in_transaction()) static_cast<void>(database.run("ROLLBACK"));
  return empty;
}

// Several programs may come to an empty file at once: only one fills it, the others see it filled.
Result<void> fill_once(Database& database, fs::path const& path) {
  if (Result<void> wal = database.use_wal(); !wal) return wal;
  if (Result<void> begun = database.run("BEGIN IMMEDIATE"); !begun) return begun;
  Result<bool> const empty = is_empty(database, path);
  Result<void> done = empty ? Result<void>() : Result<void>(empty.error());
  if (empty && *empty) done = fill(database);
  if (done) done = database.run("COMMIT");
  if (!done && database.in_transaction()) static_cast<void>(database.run("ROLLBACK"));
  return done;
}

}  // namespace

Result<std::unique_ptr<Database>> open_file(fs::path const& path, Options const& options) {
  if (Result<void> made = make_file(path, options); !made) return made.error();
  Result<std::unique_ptr<Database>> opened = Database::open(path, false);
  if (!opened) return opened;
  Database& database = **opened;
  Result<bool> const empty = looks_empty(database, path);
  if (!empty) return empty.error();
  if (*empty) {
    if (Result<void> filled = fill_once(database, path); !filled) return filled.error();
  }
  // secure_delete: a run that was removed cannot be read from the file any more. The log is moved into the file every
  // 16 MB: pages that many appends touch are then written once for all of them.
  Result<void> set = database.run(
      "PRAGMA secure_delete=ON;PRAGMA temp_store=MEMORY;PRAGMA cache_size=-8000;PRAGMA wal_autocheckpoint=4000;"
      "PRAGMA journal_size_limit=33554432");
  if (set) set = database.run(options.sync_full ? "PRAGMA synchronous=FULL" : "PRAGMA synchronous=NORMAL");
  if (!set) return set.error();
  return opened;
}

Result<std::string> redact_key(Database& database) {
  Result<Statement> select = database.prepare("SELECT value FROM meta WHERE name='redact'");
  if (!select) return select.error();
  Result<bool> const row = select->step();
  if (!row) return row.error();
  if (!*row) return Error{ErrorKind::kInput, "the journal has lost its key; move it away, a new one is begun", {}};
  return std::string(select->blob(0));
}

Result<fs::path> default_path(fs::path const& state_home, fs::path const& home) {
  // An XDG folder that is not absolute does not count, says the specification of the XDG folders.
  if (state_home.is_absolute()) return state_home / "backedge" / "journal.db";
  if (!home.empty()) return home / ".local" / "state" / "backedge" / "journal.db";
  return Error{ErrorKind::kUsage, "nobody knows where the journal is: set HOME, or name it with --journal", {}};
}

}  // namespace backedge::journal
