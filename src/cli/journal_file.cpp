#include "cli/journal_file.h"

#include <algorithm>
#include <ctime>
#include <ostream>

#include "base/text.h"
#include "cli/policy_files.h"
#include "embed/message.h"

namespace backedge::cli {

Result<std::filesystem::path> journal_path(JournalChoice const& choice, policy::JournalSettings const& settings) {
  Surroundings const& here = choice.common.here;
  std::filesystem::path const path = choice.journal.empty() ? settings.path : choice.journal;
  if (path.empty()) return journal::default_path(here.state_home, here.home);
  if (choice.journal.empty() && path.string().starts_with("~/") && !here.home.empty())
    return here.home / path.string().substr(2);
  return here.folder / path;
}

Result<journal::Journal> open_journal(JournalChoice const& choice, bool create, std::ostream& err) {
  Result<policy::Table> const table = load_policy(choice.common, err);
  if (!table) return Error{ErrorKind::kPolicy, {}, {}};
  policy::JournalSettings const& settings = table->settings.journal;
  Result<std::filesystem::path> const path = journal_path(choice, settings);
  if (!path) return path.error();
  return journal::Journal::open(*path, {settings.sync_full, settings.full_texts, create});
}

int complain(std::ostream& err, Error const& error) {
  if (error.kind == ErrorKind::kPolicy) return kUsage;
  err << "backedge: " << error.text() << '\n';
  return exit_status(error);
}

std::string time_text(Micros at) {
  std::time_t const seconds = at.count() / 1'000'000;
  std::tm parts{};
  char out[32];
  if (gmtime_r(&seconds, &parts) == nullptr) return "?";
  return {out, std::strftime(out, sizeof out, "%Y-%m-%d %H:%M", &parts)};
}

std::string cost_text(std::int64_t nano_usd) { return nano_usd == 0 ? "" : embed::money_text(nano_usd); }

std::string one_line(std::string_view text, std::size_t characters) {
  std::string_view const kept = cut(text, characters);
  bool const clean = std::none_of(kept.begin(), kept.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7f;
  });
  // Quotes and backslashes of plain text stay as they are; what could upset a terminal is escaped.
  if (clean) return std::string(kept) + (kept.size() < text.size() ? "…" : "");
  std::string const line = in_quotes(text, characters);
  return line.substr(1, line.size() - 2);
}

}  // namespace backedge::cli
