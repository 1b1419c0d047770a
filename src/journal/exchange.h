// Runs as lines of JSON, out of a journal and into another, without loss.
//
// One line an event, as docs/events.md says: {"v":1,"run":"…","seq":N,…,"body":{…}}. A text stands on a line of its own
// before the first event of its run that names it: {"raw":"SHA-256","text":"…"}, or "base64" (RFC 4648 section 5) for
// bytes that are not UTF-8. Types, bodies and members of the envelope that this version does not know pass through byte
// for byte. Whoever imports an export and exports it again has the same bytes. Tested in
// tests/journal/exchange_test.cpp and tests/fuzz/journal_import_fuzz.cpp.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "backedge/result.h"
#include "journal/journal.h"

namespace backedge::journal {

/// The version of the lines; a greater one is refused.
inline constexpr std::int64_t kLineVersion = 1;

/// Writes one run. Errors: kNotFound, kIo.
Result<void> export_run(Journal const& journal, std::string_view run, std::ostream& out);

struct Imported {
  std::vector<std::string> runs;  // in the order of the file
  std::int64_t events = 0;
};

/// Reads runs into the journal: all of the file or nothing of it. `file` names it in errors. Errors: kInput with file
/// and line for what is damaged or newer, kState for a run that is there already, kIo.
Result<Imported> import_runs(Journal& journal, std::istream& in, std::string const& file);

}  // namespace backedge::journal
