// Removing runs and the texts that nothing else names; see journal.h.
//
// The runs to go and the texts they brought are put into tables of the connection first. A text that another run names
// becomes that run's own; the others go.

#include "journal/state.h"

namespace backedge::journal {
namespace {

constexpr std::size_t kNameDigits = 64;

constexpr char kLists[] =
    "CREATE TEMP TABLE IF NOT EXISTS doomed(n INTEGER PRIMARY KEY);"
    "CREATE TEMP TABLE IF NOT EXISTS loose(n INTEGER PRIMARY KEY);"
    "DELETE FROM temp.doomed; DELETE FROM temp.loose";

constexpr char kSweep[] =
    "DELETE FROM shared WHERE run IN temp.doomed;"
    "UPDATE raw SET run = (SELECT min(s.run) FROM shared s WHERE s.raw = raw.n)"
    "  WHERE n IN temp.loose AND EXISTS(SELECT 1 FROM shared s WHERE s.raw = raw.n);"
    "DELETE FROM shared WHERE raw IN temp.loose AND run = (SELECT r.run FROM raw r WHERE r.n = shared.raw);"
    "DELETE FROM raw WHERE n IN temp.loose AND run IN temp.doomed;"
    "DELETE FROM event WHERE run IN temp.doomed;"
    "DELETE FROM run WHERE n IN temp.doomed";

// The texts that the doomed brought: those are named by their own bodies.
Result<void> list_texts(Database& database) {
  Result<Statement> bodies = database.prepare("SELECT body FROM event WHERE run IN temp.doomed");
  if (!bodies) return bodies.error();
  Result<Statement> insert = database.prepare(
      "INSERT OR IGNORE INTO temp.loose SELECT n FROM raw WHERE hash=? AND sha=? AND run IN temp.doomed");
  if (!insert) return insert.error();
  for (;;) {
    Result<bool> const row = bodies->step();
    if (!row) return row.error();
    if (!*row) return {};
    std::string_view const body = bodies->text(0);
    Result<void> done;
    each_name(body, [&](std::size_t at) {
      if (!done) return;
      TextKey const key(body.substr(at, kNameDigits));
      done = insert->bind(1, key.hash).bind_blob(2, key.bytes()).run();
    });
    if (!done) return done;
  }
}

// Fills the list of the doomed inside a transaction, and sweeps.
Result<std::int64_t> sweep(Journal::State& state, std::function<Result<void>(Database&)> const& choose) {
  Database& database = *state.database;
  if (Result<void> made = database.run(kLists); !made) return made.error();
  Result<void> done = database.run("BEGIN IMMEDIATE");
  if (!done) return done.error();
  done = choose(database);
  std::int64_t count = 0;
  if (done) {
    Result<std::int64_t> const chosen = database.number("SELECT count(*) FROM temp.doomed");
    if (chosen) count = *chosen;
    done = chosen ? Result<void>() : Result<void>(chosen.error());
  }
  if (done && count > 0) done = list_texts(database);
  if (done && count > 0) done = database.run(kSweep);
  if (done) done = database.run("COMMIT");
  if (!done) {
    if (database.in_transaction()) static_cast<void>(database.run("ROLLBACK"));
    return done.error();
  }
  return count;
}

}  // namespace

Result<void> Journal::remove(std::span<std::string const> runs) {
  std::lock_guard const lock(state_->mutex);
  Result<std::int64_t> const done = sweep(*state_, [&](Database& database) -> Result<void> {
    Result<Statement> insert = database.prepare("INSERT OR IGNORE INTO temp.doomed SELECT n FROM main.run WHERE id=?");
    if (!insert) return insert.error();
    Result<Statement> known = database.prepare("SELECT 1 FROM run WHERE id=?");
    if (!known) return known.error();
    for (std::string const& run : runs) {
      Result<bool> const found = known->bind_text(1, run).step();
      if (!found) return found.error();
      known->reset();
      if (!*found) {
        return Error{ErrorKind::kNotFound, "run " + run + " is not in this journal", {state_->path.string(), 0, 0}};
      }
      if (Result<void> chosen = insert->bind_text(1, run).run(); !chosen) return chosen;
    }
    return {};
  });
  if (!done) return done.error();
  return {};
}

Result<std::int64_t> Journal::remove_older(Micros than) {
  std::lock_guard const lock(state_->mutex);
  return sweep(*state_, [&](Database& database) -> Result<void> {
    // A run that goes on for long is as old as its last event.
    Result<Statement> insert = database.prepare(
        "INSERT INTO temp.doomed SELECT n FROM main.run WHERE opened < ?1 AND "
        "(SELECT at FROM event WHERE event.run = main.run.n ORDER BY seq DESC LIMIT 1) < ?1");
    if (!insert) return insert.error();
    return insert->bind(1, than.count()).run();
  });
}

}  // namespace backedge::journal
