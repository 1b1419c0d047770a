// Which journal a command works on, and what its commands share: times, colours, complaints.
//
// --journal names the file; else [journal] of the policy, where "~/" is the home folder and other relative paths begin
// at the working directory; else the default place. Tested in tests/cli/journal_commands_test.cpp.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>

#include "cli/commands.h"
#include "journal/journal.h"
#include "policy/settings.h"

namespace backedge::cli {

/// Where the journal is. Errors: kUsage when nothing says where, not even a home folder.
Result<std::filesystem::path> journal_path(JournalChoice const& choice, policy::JournalSettings const& settings);

/// `create`: begin one where there is none. Errors: as Journal::open; those of the policy are told to `err` first.
Result<journal::Journal> open_journal(JournalChoice const& choice, bool create, std::ostream& err);

/// One line on `err`; the exit status that stands for it. Policy errors were told already.
int complain(std::ostream& err, Error const& error);

/// "2024-01-31 12:05", UTC.
std::string time_text(Micros at);
/// "$0.0123", or empty for nothing.
std::string cost_text(std::int64_t nano_usd);
/// One line without control characters, cut after so many characters.
std::string one_line(std::string_view text, std::size_t characters);

/// Text in a colour, or as it is.
class Paint {
 public:
  explicit Paint(bool on) : on_(on) {}
  std::string red(std::string text) const { return in("31", std::move(text)); }
  std::string yellow(std::string text) const { return in("33", std::move(text)); }
  std::string dim(std::string text) const { return in("2", std::move(text)); }
  std::string bold(std::string text) const { return in("1", std::move(text)); }

 private:
  std::string in(std::string_view code, std::string text) const {
    if (!on_ || text.empty()) return text;
    std::string out("\033[");
    out.append(code).append("m").append(text).append("\033[0m");
    return out;
  }
  bool on_;
};

}  // namespace backedge::cli
