// Opening and appending; see journal.h. Reading stands in reading.cpp, removing in removing.cpp.

#include "journal/journal.h"

#include <algorithm>
#include <cstdint>

#include <sys/stat.h>

#include "base/json.h"
#include "base/sha256.h"
#include "base/text.h"
#include "journal/state.h"

namespace backedge::journal {
namespace {

namespace json = boost::json;

constexpr std::size_t kRunDigits = 32;
constexpr std::size_t kNameDigits = 64;
constexpr std::size_t kTaskCharacters = 80;

bool is_hex(std::string_view s) {
  return std::all_of(s.begin(), s.end(), [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

/// A text as it will stand in the file, under the name it will have there.
struct CleanText {
  std::string_view name;  // into the event, or into `own_name`
  std::string_view text;
  std::string own_name, own_text;
};

/// What one append writes, before the lock is taken; the views of its events hold.
struct Batch {
  std::span<EventView const> events;
  std::span<std::string const> extras;             // empty, or one an event
  std::vector<std::optional<std::string>> bodies;  // without their secrets; nothing: as they came
  std::vector<CleanText> texts;                    // of all events
  std::vector<std::size_t> first_text;             // of each event
  std::vector<std::pair<std::string, std::string>> renamed;

  std::string_view body(std::size_t i) const { return bodies[i] ? std::string_view(*bodies[i]) : events[i].body; }
};

Batch clean(Redactor const& redactor, std::span<EventView const> events, std::span<std::string const> extras) {
  Batch out{.events = events, .extras = extras};
  out.bodies.reserve(events.size());
  out.first_text.reserve(events.size());
  std::size_t texts = 0;
  for (EventView const& e : events) texts += e.raws.size();
  out.texts.reserve(texts);  // views into own_name stay right: nothing moves
  for (EventView const& e : events) {
    out.bodies.push_back(redactor.clean(e.body));
    out.first_text.push_back(out.texts.size());
    for (RawText const& raw : e.raws) {
      CleanText& text = out.texts.emplace_back();
      std::optional<std::string> changed = redactor.clean(raw.text);
      if (!changed) {
        text.name = raw.sha256;
        text.text = raw.text;
        continue;
      }
      text.own_text = std::move(*changed);
      text.own_name = sha256_hex(text.own_text);
      text.name = text.own_name;
      text.text = text.own_text;
      out.renamed.emplace_back(raw.sha256, text.own_name);
    }
  }
  return out;
}

// Puts the names that texts have here into the bodies that say their old ones.
void rename(Batch& batch, Renamed const& renamed) {
  for (std::size_t i = 0; i < batch.events.size(); ++i) {
    std::string_view const body = batch.body(i);
    std::vector<std::pair<std::size_t, std::string const*>> changes;
    each_name(body, [&](std::size_t at) {
      auto const found = renamed.find(std::string(body.substr(at, kNameDigits)));
      if (found != renamed.end()) changes.emplace_back(at, &found->second);
    });
    if (changes.empty()) continue;
    if (!batch.bodies[i]) batch.bodies[i] = std::string(body);
    for (auto const& [at, name] : changes) batch.bodies[i]->replace(at, kNameDigits, *name);
  }
}

std::string string_of(json::object const& o, char const* key) {
  json::value const* v = o.if_contains(key);
  return v != nullptr && v->is_string() ? std::string(v->get_string()) : std::string();
}

std::int64_t number_of(json::object const& o, char const* key) {
  json::value const* v = o.if_contains(key);
  return v != nullptr && v->is_int64() ? v->get_int64() : 0;
}

/// The writer of one batch, inside a transaction.
class Appender {
 public:
  Appender(Journal::State& state, std::string_view run, Batch const& batch)
      : state_(state), s_(state.statements), run_(run), batch_(batch) {}

  Result<void> write() {
    if (Result<void> found = find_run(); !found) return found;
    for (std::size_t i = 0; i < batch_.events.size(); ++i) {
      if (state_.options.full_texts) {
        if (Result<void> done = write_texts(i); !done) return done;
      }
      if (Result<void> done = write_event(i); !done) return done;
      if (Result<void> done = write_summary(i); !done) return done;
    }
    return {};
  }

 private:
  Result<void> find_run() {
    EventView const& first = batch_.events.front();
    Result<bool> const known = s_.run_of_id.bind_text(1, run_).step();
    if (!known) return known.error();
    if (*known) {
      n_ = s_.run_of_id.integer(0);
      s_.run_of_id.reset();
      Result<bool> const last = s_.last_seq.bind(1, n_).step();
      if (!last) return last.error();
      std::int64_t const kept = s_.last_seq.integer(0);
      s_.last_seq.reset();
      if (static_cast<std::uint64_t>(kept) + 1 == first.seq) return {};
      if (first.seq == 1) return fault(ErrorKind::kState, "is in this journal already; remove it there first");
      return fault(ErrorKind::kState, "goes on with event " + std::to_string(first.seq) + ", but event " +
                                          std::to_string(kept) + " is the last one kept; it cannot be kept further");
    }
    if (first.seq != 1) return fault(ErrorKind::kNotFound, "is no longer in this journal; it cannot be kept further");
    if (Result<void> made = s_.new_run.bind_text(1, run_).bind(2, first.at.count()).run(); !made) return made;
    n_ = state_.database->last_row();
    return {};
  }

  // A text that came with this event or with an earlier one of the batch, else one that may be kept already.
  Result<void> write_texts(std::size_t i) {
    std::size_t const end = i + 1 < batch_.events.size() ? batch_.first_text[i + 1] : batch_.texts.size();
    std::string_view const body = batch_.body(i);
    Result<void> done;
    each_name(body, [&](std::size_t at) {
      if (!done) return;
      std::string_view const name = body.substr(at, kNameDigits);
      for (std::size_t t = 0; t < end; ++t) {
        if (batch_.texts[t].name != name) continue;
        if (t >= batch_.first_text[i]) done = keep(name, &batch_.texts[t]);
        return;
      }
      done = keep(name, nullptr);
    });
    return done;
  }

  Result<void> keep(std::string_view name, CleanText const* text) {
    TextKey const key(name);
    Result<bool> const found = s_.raw_of_sha.bind(1, key.hash).bind_blob(2, key.bytes()).step();
    if (!found) return found.error();
    if (*found) {
      std::int64_t const raw = s_.raw_of_sha.integer(0);
      bool const own = s_.raw_of_sha.integer(1) == n_;
      s_.raw_of_sha.reset();
      return own ? Result<void>() : s_.new_shared.bind(1, raw).bind(2, n_).run();
    }
    if (text == nullptr) return {};
    return s_.new_raw.bind(1, n_).bind(2, key.hash).bind_blob(3, key.bytes()).bind_blob(4, text->text).run();
  }

  Result<void> write_event(std::size_t i) {
    EventView const& e = batch_.events[i];
    s_.new_event.bind(1, n_)
        .bind(2, static_cast<std::int64_t>(e.seq))
        .bind(3, e.at.count())
        .bind(4, e.frame.value)
        .bind(5, static_cast<std::int64_t>(e.cause))
        .bind_text(6, e.type)
        .bind_text(7, batch_.body(i));
    if (batch_.extras.empty() || batch_.extras[i].empty()) {
      s_.new_event.bind_null(8);
    } else {
      s_.new_event.bind_text(8, batch_.extras[i]);
    }
    return s_.new_event.run();
  }

  // The columns of the list of runs. A body that does not parse leaves them as they are: the event is kept all the
  // same.
  Result<void> write_summary(std::size_t i) {
    EventView const& e = batch_.events[i];
    bool const task = e.type == "user.message";
    if (task) return state_.options.full_texts ? write_task(i) : Result<void>();
    if (e.type != "run.open" && e.type != "run.close") return {};
    Result<json::value> const body = parse_json(batch_.body(i));
    if (!body || !body->is_object()) return {};
    json::object const& o = body->get_object();
    if (e.type == "run.open") {
      std::string const session = string_of(o, "session");
      return s_.opened.bind_text(1, session).bind(2, number_of(o, "number")).bind(3, n_).run();
    }
    std::string const status = string_of(o, "status");
    std::string_view const ended = status.empty() ? std::string_view("finished") : status;
    std::string const code = string_of(o, "code");
    json::value const* usage = o.if_contains("usage");
    std::int64_t tokens = 0;
    if (usage != nullptr && usage->is_object())
      tokens = number_of(usage->get_object(), "input") + number_of(usage->get_object(), "output");
    json::value const* near = o.if_contains("near_limit");
    bool const near_limit = near != nullptr && near->is_bool() && near->get_bool();
    s_.closed.bind(1, e.at.count()).bind_text(2, ended).bind_text(3, code);
    s_.closed.bind(4, number_of(o, "turns")).bind(5, number_of(o, "calls")).bind(6, number_of(o, "refused"));
    s_.closed.bind(7, tokens).bind(8, number_of(o, "cost_nano_usd")).bind(9, near_limit ? 1 : 0).bind(10, n_);
    return s_.closed.run();
  }

  Result<void> write_task(std::size_t i) {
    std::size_t const begin = batch_.first_text[i];
    if (begin == batch_.texts.size() || batch_.events[i].raws.empty()) return {};
    return s_.first_task.bind_text(1, cut(batch_.texts[begin].text, kTaskCharacters)).bind(2, n_).run();
  }

  Error fault(ErrorKind kind, std::string_view what) const {
    return {kind, "run " + std::string(run_) + " " + std::string(what), {state_.path.string(), 0, 0}};
  }

  Journal::State& state_;
  AppendStatements& s_;
  std::string_view run_;
  Batch const& batch_;
  std::int64_t n_ = 0;
};

Result<void> check(std::string_view run, std::span<EventView const> events) {
  if (run.size() != kRunDigits || !is_hex(run)) {
    return Error{ErrorKind::kUsage, in_quotes(run) + " is no run: that is 32 hexadecimal digits", {}};
  }
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (events[i].seq != events.front().seq + i) {
      return Error{ErrorKind::kUsage,
                   "event " + std::to_string(events[i].seq) + " does not follow event " +
                       std::to_string(events.front().seq + i - 1) + " of run " + std::string(run),
                   {}};
    }
    for (RawText const& raw : events[i].raws) {
      if (raw.sha256.size() == kNameDigits && is_hex(raw.sha256)) continue;
      return Error{
          ErrorKind::kUsage, in_quotes(raw.sha256) + " names no text: that is a SHA-256 in hexadecimal digits", {}};
    }
  }
  return {};
}

// In a transaction that is open.
Result<void> append_in(Journal::State& state, std::string_view run, Batch& batch) {
  auto renamed = state.renamed.find(run);
  if (!batch.renamed.empty()) {
    if (renamed == state.renamed.end()) renamed = state.renamed.emplace(std::string(run), Renamed()).first;
    for (auto& [old, now] : batch.renamed) renamed->second[std::move(old)] = std::move(now);
  }
  if (renamed != state.renamed.end()) rename(batch, renamed->second);
  Result<void> done = Appender(state, run, batch).write();
  bool const ends = batch.events.back().type == "run.close";
  if (ends && renamed != state.renamed.end()) state.renamed.erase(renamed);
  return done;
}

// SQLite goes on writing into a file that has been removed or replaced, and nobody would ever find what it writes. One
// look at the path an append.
Result<void> check_file(Journal::State const& state) {
  if (!state.file || FileIdentity::of(state.path) == state.file) return {};
  return Error{ErrorKind::kIo,
               "the journal has been removed or replaced while it was in use; what follows cannot be kept, start again",
               {state.path.string(), 0, 0}};
}

void roll_back(Journal::State& state) {
  if (state.database->in_transaction()) static_cast<void>(state.statements.rollback.run());
}

}  // namespace

Result<AppendStatements> prepare_append(Database& database) {
  AppendStatements out;
  struct Row {
    Statement AppendStatements::* member;
    std::string_view sql;
  };
  constexpr Row kRows[] = {
      {&AppendStatements::begin, "BEGIN IMMEDIATE"},
      {&AppendStatements::commit, "COMMIT"},
      {&AppendStatements::rollback, "ROLLBACK"},
      {&AppendStatements::run_of_id, "SELECT n FROM run WHERE id=?"},
      {&AppendStatements::new_run, "INSERT INTO run(id, opened) VALUES(?, ?)"},
      {&AppendStatements::last_seq, "SELECT max(seq) FROM event WHERE run=?"},
      {&AppendStatements::new_raw, "INSERT INTO raw(run, hash, sha, text) VALUES(?, ?, ?, ?)"},
      {&AppendStatements::raw_of_sha, "SELECT n, run FROM raw WHERE hash=? AND sha=?"},
      {&AppendStatements::new_shared, "INSERT INTO shared VALUES(?, ?) ON CONFLICT DO NOTHING"},
      {&AppendStatements::new_event, "INSERT INTO event VALUES(?, ?, ?, ?, ?, ?, ?, ?)"},
      {&AppendStatements::opened, "UPDATE run SET session=?, number=? WHERE n=?"},
      {&AppendStatements::first_task, "UPDATE run SET task=? WHERE n=? AND task IS NULL"},
      {&AppendStatements::closed,
       "UPDATE run SET closed=?, status=?, code=?, turns=?, calls=?, refused=?, tokens=?, cost=?, near_limit=? WHERE "
       "n=?"},
  };
  for (Row const& row : kRows) {
    Result<Statement> made = database.prepare(row.sql);
    if (!made) return made.error();
    out.*row.member = std::move(*made);
  }
  return out;
}

std::optional<FileIdentity> FileIdentity::of(std::filesystem::path const& path) {
  struct stat found{};
  if (::stat(path.c_str(), &found) != 0) return std::nullopt;
  return FileIdentity{static_cast<std::uint64_t>(found.st_dev), static_cast<std::uint64_t>(found.st_ino)};
}

Journal::Journal(std::unique_ptr<State> state) : state_(std::move(state)) {}
Journal::Journal(Journal&&) noexcept = default;
Journal& Journal::operator=(Journal&&) noexcept = default;
Journal::~Journal() = default;

std::filesystem::path const& Journal::path() const { return state_->path; }

Result<Journal> Journal::open(std::filesystem::path const& path, Options options) {
  auto state = std::make_unique<State>();
  state->path = path;
  state->options = options;
  Result<std::unique_ptr<Database>> database = open_file(path, options);
  if (!database) return database.error();
  state->database = std::move(*database);
  if (path != ":memory:") state->file = FileIdentity::of(path);
  Result<std::string> key = redact_key(*state->database);
  if (!key) return key.error();
  state->redactor = std::make_unique<Redactor>(std::move(*key));
  Result<AppendStatements> statements = prepare_append(*state->database);
  if (!statements) return statements.error();
  state->statements = std::move(*statements);
  return Journal(std::move(state));
}

Result<void> Journal::append(std::string_view run, std::span<EventView const> events) {
  if (events.empty()) return {};
  if (Result<void> right = check(run, events); !right) return right;
  Batch batch = clean(*state_->redactor, events, {});
  std::lock_guard const lock(state_->mutex);
  if (Result<void> there = check_file(*state_); !there) return there;
  Result<void> done = state_->statements.begin.run();
  if (!done) return done;
  done = append_in(*state_, run, batch);
  if (done) done = state_->statements.commit.run();
  if (!done) roll_back(*state_);
  return done;
}

Result<void> Journal::together(std::function<Result<void>(Take const&)> const& write) {
  std::lock_guard const lock(state_->mutex);
  if (Result<void> there = check_file(*state_); !there) return there;
  Result<void> done = state_->statements.begin.run();
  if (!done) return done;
  done = write([this](std::string_view run, std::span<KeptEvent const> events) -> Result<void> {
    if (events.empty()) return {};
    std::vector<EventView> views;
    std::vector<std::string> extras;
    for (KeptEvent const& e : events) {
      views.push_back(e.event.view());
      extras.push_back(state_->redactor->clean(e.extra).value_or(e.extra));
    }
    if (Result<void> right = check(run, views); !right) return right;
    Batch batch = clean(*state_->redactor, views, extras);
    return append_in(*state_, run, batch);
  });
  if (done) done = state_->statements.commit.run();
  if (!done) roll_back(*state_);
  return done;
}

}  // namespace backedge::journal
