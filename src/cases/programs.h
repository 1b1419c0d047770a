// Which programs a line of shell text may start, as far as words tell.
//
// A guess on the careful side, for asking a person: every word at a place where a command can stand counts, also behind
// assignments and wrappers such as env or nohup, and inside `-c "…"`. Tested in tests/cases/programs_test.cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace backedge::cases {

/// Names without their folders, in order: "cd /w && A=1 /usr/bin/env tool x" gives cd, env, tool. Linear in the text.
std::vector<std::string> programs_in(std::string_view shell_text);

}  // namespace backedge::cases
