// The situational note: what a model is told that works inside an agent function.
//
// It stands as the first text block of the frame's user turn, never in the system prompt, so that the system prompt and
// the tool list stay the same bytes. The warning comes first, the function's own job last. Tested in
// tests/talk/note_test.cpp.
#pragma once

#include <string>
#include <string_view>

namespace backedge::talk {

/// `path`: "main > planner > researcher"; empty: not said. `about`: what the function is for; empty: no line about it.
std::string situational_note(std::string_view function, std::string_view path, std::string_view about);

}  // namespace backedge::talk
