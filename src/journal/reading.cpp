// Reading the journal: the list of runs, the events of a run, one text; see journal.h.

#include <algorithm>

#include "base/text.h"
#include "journal/state.h"

namespace backedge::journal {
namespace {

constexpr std::size_t kNameDigits = 64;
constexpr std::size_t kRunDigits = 32;

constexpr std::string_view kTextOfSha = "SELECT text FROM raw WHERE hash=? AND sha=?";

#define BACKEDGE_RUN_COLUMNS \
  "id, session, number, opened, closed, status, code, turns, calls, refused, tokens, cost, near_limit, task"

RunInfo info_of(Statement const& s) {
  RunInfo out;
  out.id = s.text(0);
  out.session = s.text(1);
  out.number = s.integer(2);
  out.opened = Micros(s.integer(3));
  if (!s.null(4)) out.closed = Micros(s.integer(4));
  out.status = s.text(5);
  out.code = s.text(6);
  out.turns = s.integer(7);
  out.calls = s.integer(8);
  out.refused = s.integer(9);
  out.tokens = s.integer(10);
  out.cost_nano_usd = s.integer(11);
  out.near_limit = s.integer(12) != 0;
  out.task = s.text(13);
  return out;
}

Result<std::vector<RunInfo>> rows_of(Result<Statement> statement, std::string_view bound = {}) {
  if (!statement) return statement.error();
  if (!bound.empty()) statement->bind_text(1, bound);
  std::vector<RunInfo> out;
  for (;;) {
    Result<bool> const row = statement->step();
    if (!row) return row.error();
    if (!*row) return out;
    out.push_back(info_of(*statement));
  }
}

bool is_name(std::string_view s) {
  return s.size() == kNameDigits && s.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

// The texts that a body names, each once, in its order.
Result<std::vector<RawText>> texts_of(std::string_view body, Statement& text) {
  std::vector<RawText> out;
  Result<void> done;
  each_name(body, [&](std::size_t at) {
    std::string_view const name = body.substr(at, kNameDigits);
    auto const same = [&](RawText const& raw) { return raw.sha256 == name; };
    if (!done || std::any_of(out.begin(), out.end(), same)) return;
    TextKey const key(name);
    Result<bool> const row = text.bind(1, key.hash).bind_blob(2, key.bytes()).step();
    if (!row) {
      done = row.error();
    } else if (*row) {
      out.push_back({std::string(name), std::string(text.blob(0))});
      text.reset();
    }
  });
  if (!done) return done.error();
  return out;
}

Result<void> walk(Database& database, std::int64_t n, std::function<Result<void>(KeptEvent const&)> const& each) {
  Result<Statement> rows =
      database.prepare("SELECT seq, at, frame, cause, type, body, extra FROM event WHERE run=? ORDER BY seq");
  if (!rows) return rows.error();
  Result<Statement> text = database.prepare(kTextOfSha);
  if (!text) return text.error();
  rows->bind(1, n);
  for (;;) {
    Result<bool> const row = rows->step();
    if (!row) return row.error();
    if (!*row) return {};
    KeptEvent out;
    out.event.seq = static_cast<std::uint64_t>(rows->integer(0));
    out.event.at = Micros(rows->integer(1));
    out.event.frame = FrameId{static_cast<std::uint32_t>(rows->integer(2))};
    out.event.cause = static_cast<std::uint64_t>(rows->integer(3));
    out.event.type = rows->text(4);
    out.event.body = rows->text(5);
    out.extra = rows->text(6);
    Result<std::vector<RawText>> raws = texts_of(out.event.body, *text);
    if (!raws) return raws.error();
    out.event.raws = std::move(*raws);
    if (Result<void> done = each(out); !done) return done;
  }
}

}  // namespace

Result<std::vector<RunInfo>> Journal::runs(bool near_limit_only) const {
  std::lock_guard const lock(state_->mutex);
  return rows_of(state_->database->prepare(
      near_limit_only ? "SELECT " BACKEDGE_RUN_COLUMNS " FROM run WHERE near_limit = 1 ORDER BY opened DESC, n DESC"
                      : "SELECT " BACKEDGE_RUN_COLUMNS " FROM run ORDER BY opened DESC, n DESC"));
}

Result<std::vector<RunInfo>> Journal::session(std::string_view name) const {
  std::lock_guard const lock(state_->mutex);
  Result<Statement> rows =
      state_->database->prepare("SELECT " BACKEDGE_RUN_COLUMNS " FROM run WHERE session=? ORDER BY number, opened, n");
  if (rows) rows->bind_text(1, name);
  return rows_of(std::move(rows));
}

Result<RunInfo> Journal::find(std::string_view run) const {
  std::lock_guard const lock(state_->mutex);
  bool const last = run == "last";
  bool const digits = run.find_first_not_of("0123456789abcdef") == std::string_view::npos;
  auto const fault = [&](ErrorKind kind, std::string detail) {
    return Error{kind, std::move(detail), {state_->path.string(), 0, 0}};
  };
  if (!last && (run.empty() || run.size() > kRunDigits || !digits)) {
    return fault(ErrorKind::kUsage, in_quotes(run) + " is no run: name it by the beginning of its id, or by 'last'");
  }
  std::string const end = std::string(run) + "g";  // the character after the digits
  Result<Statement> rows = state_->database->prepare(
      last ? "SELECT " BACKEDGE_RUN_COLUMNS " FROM run ORDER BY opened DESC, n DESC LIMIT 1"
           : "SELECT " BACKEDGE_RUN_COLUMNS " FROM run WHERE id >= ? AND id < ? ORDER BY id LIMIT 2");
  if (!rows) return rows.error();
  if (!last) rows->bind_text(1, run).bind_text(2, end);
  Result<std::vector<RunInfo>> found = rows_of(std::move(rows));
  if (!found) return found.error();
  if (found->empty()) {
    return fault(ErrorKind::kNotFound, last
                                           ? "there is no run here yet"
                                           : "no run begins with '" + std::string(run) + "'; backedge runs lists them");
  }
  if (found->size() > 1) {
    return fault(ErrorKind::kUsage, "several runs begin with '" + std::string(run) + "', " + (*found)[0].id + " and " +
                                        (*found)[1].id + " among them; give more digits");
  }
  return found->front();
}

Result<void> Journal::each_event(std::string_view run,
                                 std::function<Result<void>(KeptEvent const&)> const& each) const {
  std::lock_guard const lock(state_->mutex);
  Database& database = *state_->database;
  if (Result<void> begun = database.run("BEGIN"); !begun) return begun;
  Result<void> done;
  Result<bool> const known = state_->statements.run_of_id.bind_text(1, run).step();
  if (!known) {
    done = known.error();
  } else if (!*known) {
    done = Error{ErrorKind::kNotFound, "run " + std::string(run) + " is not in this journal", {path().string(), 0, 0}};
  } else {
    std::int64_t const n = state_->statements.run_of_id.integer(0);
    state_->statements.run_of_id.reset();
    done = walk(database, n, each);
  }
  if (database.in_transaction()) static_cast<void>(database.run("COMMIT"));
  return done;
}

Result<std::vector<talk::Event>> Journal::events(std::string_view run) const {
  std::vector<talk::Event> out;
  Result<void> const done = each_event(run, [&](KeptEvent const& e) -> Result<void> {
    out.push_back(e.event);
    return {};
  });
  if (!done) return done.error();
  return out;
}

Result<std::string> Journal::text(std::string_view sha256) const {
  if (!is_name(sha256)) {
    return Error{ErrorKind::kUsage, in_quotes(sha256) + " names no text: that is a SHA-256 in hexadecimal digits", {}};
  }
  std::lock_guard const lock(state_->mutex);
  Result<Statement> row = state_->database->prepare(kTextOfSha);
  if (!row) return row.error();
  TextKey const key(sha256);
  Result<bool> const found = row->bind(1, key.hash).bind_blob(2, key.bytes()).step();
  if (!found) return found.error();
  if (!*found) {
    return Error{
        ErrorKind::kNotFound, "the text " + std::string(sha256) + " is not kept here", {path().string(), 0, 0}};
  }
  return std::string(row->blob(0));
}

}  // namespace backedge::journal
