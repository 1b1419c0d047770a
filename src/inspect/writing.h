// Which calls change something, as far as their name and command tell: a guess for statistics, never a verdict.
//
// A repeat is called "without progress" only when no call in between looks like a change, so the guess leans towards
// "writes". Shell commands count as writing when they redirect into a file, install, move, delete or commit. The
// verdicts of the replay use contracts instead (docs on contracts). Tested in tests/inspect/writing_test.cpp.
#pragma once

#include <string>
#include <string_view>

#include "inspect/json.h"

namespace backedge::inspect {

/// The command of a call of a shell tool; empty for other tools. `json` is a parser to work with.
std::string shell_command(Json& json, std::string_view tool, std::string_view arguments);

/// The guess. `command` is what shell_command() gave.
bool looks_writing(std::string_view tool, std::string_view command);

/// The command without what does not change what it is about: a leading `cd X &&`, `2>&1`, and `| head` or `| tail`
/// stages. Example: "cd /a && make 2>&1 | tail -5" gives "make".
std::string core_command(std::string_view command);

}  // namespace backedge::inspect
