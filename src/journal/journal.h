// The journal: what happened in runs, kept in one SQLite file that many threads and programs may write at once.
//
// The file: application_id kApplicationId, user_version kFormat, WAL. Tables:
//   meta(name, value)   "redact": the key of the marks that stand for secrets (redact.h), random per file
//   run(n, id, …)       one row a run, filled from run.open, the first user.message and run.close as they come by
//   event(run, seq, …)  one row an event, by run and seq; `extra`: members of an imported envelope that nobody knows
//   raw(n, run, …)      one row a text: the run that brought it, its SHA-256, and the first 8 bytes of that as `hash`
//   shared(raw, run)    the other runs that name it, so that removing a run takes only its own texts along
//
// What holds at any moment, also after kill -9: a run's events are those with seq 1…k, without a gap. An append is one
// transaction that is checked against k. Secrets are taken out of texts and bodies before they are written; a text that
// changes so is kept under the SHA-256 of what is left, and bodies name it by that, so that whoever recomputes a name
// from the file gets the same one. A text is kept when the body that it came with names it. Tested in tests/journal/.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backedge/event.h"
#include "backedge/result.h"
#include "talk/event.h"

namespace backedge::journal {

inline constexpr std::int64_t kApplicationId = 0x42614564;  // "BaEd"
inline constexpr std::int64_t kFormat = 1;

struct Options {
  bool sync_full = false;  // what is written also survives the loss of power, at the price of a disk flush an append
  bool full_texts = true;  // false: texts are not kept, only their digests
  bool create = true;      // false: a file that is not there is kNotFound
};

/// One row of the list of runs. Numbers of a run that has not ended are zero.
struct RunInfo {
  std::string id;  // 32 hexadecimal digits
  std::string session;
  std::int64_t number = 0;  // of the run in its session
  Micros opened{0};
  std::optional<Micros> closed;
  std::string status = "open";  // or as in run.close: finished, error, incomplete, loop, denied, interrupted
  std::string code;
  std::int64_t turns = 0;
  std::int64_t calls = 0;
  std::int64_t refused = 0;
  std::int64_t tokens = 0;  // input and output
  std::int64_t cost_nano_usd = 0;
  bool near_limit = false;
  std::string task;  // the first 80 characters of the first message

  friend bool operator==(RunInfo const&, RunInfo const&) = default;
};

/// An event as it is kept: `extra` are members of its envelope that this version does not know, as `,"name":value…`.
struct KeptEvent {
  talk::Event event;
  std::string extra;
};

class Journal {
 public:
  /// Folders that are missing are made with mode 0700, the file with 0600; ":memory:" is no file. Errors: kIo; kInput
  /// for a file of another kind, of another program or of a newer version; kNotFound.
  static Result<Journal> open(std::filesystem::path const& path, Options options = {});
  Journal(Journal&&) noexcept;
  Journal& operator=(Journal&&) noexcept;
  ~Journal();

  /// Writes the next events of a run, all or none; they are durable when it returns. Any thread. Cost: one transaction,
  /// bench/journal_bench.cpp. Errors: kIo, kUsage (no run id), kState (the first seq does not follow the last one
  /// kept), kNotFound (the run was removed meanwhile).
  /// A file that was removed or replaced since it was opened is kIo at once.
  Result<void> append(std::string_view run, std::span<EventView const> events);

  /// The runs, the newest first.
  Result<std::vector<RunInfo>> runs(bool near_limit_only = false) const;
  /// The runs of one session in their order.
  Result<std::vector<RunInfo>> session(std::string_view name) const;
  /// A run by its id, by a beginning that no other id has, or "last". Errors: kNotFound, kUsage (several).
  Result<RunInfo> find(std::string_view run) const;

  /// The events of a run in order, each with the texts its body names, as far as they are kept. Errors: kNotFound.
  Result<std::vector<talk::Event>> events(std::string_view run) const;
  /// The same one by one, in one consistent view; `each` may not use the journal. Stops at its first error.
  Result<void> each_event(std::string_view run, std::function<Result<void>(KeptEvent const&)> const& each) const;
  /// One text by the SHA-256 that bodies name it by. Errors: kNotFound.
  Result<std::string> text(std::string_view sha256) const;

  /// Removes runs, and the texts that nothing else names. Errors: kNotFound; then none is removed.
  Result<void> remove(std::span<std::string const> runs);
  /// Removes the runs whose last event is older than that; returns how many.
  Result<std::int64_t> remove_older(Micros than);

  /// Writes kept events of any runs, all or none: what import uses.
  using Take = std::function<Result<void>(std::string_view run, std::span<KeptEvent const> events)>;
  Result<void> together(std::function<Result<void>(Take const&)> const& write);

  std::filesystem::path const& path() const;

  struct State;  // journal/state.h

 private:
  explicit Journal(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// Where the journal is unless somebody says otherwise: backedge/journal.db in `state_home` ($XDG_STATE_HOME), or in
/// .local/state of `home` without it. Errors: kUsage when both are empty.
Result<std::filesystem::path> default_path(std::filesystem::path const& state_home, std::filesystem::path const& home);

}  // namespace backedge::journal
