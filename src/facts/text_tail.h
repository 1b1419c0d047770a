// The model's own text: its digest, and whether its end is a block of tokens that repeats.
//
// A token is a run of letters and digits, one character of a script that writes without spaces, or a run of one and the
// same sign; white space only separates. The tail is the block of at most 16 tokens that, repeated, covers most of the
// end of the text; of two that cover the same, the shorter. Only the last 400 tokens are looked at. Example:
// "I see. no no no" ends in "no", three times; "very very large table" ends in no block. Tested in
// tests/facts/text_tail_test.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "kernel/call_facts.h"

namespace backedge::facts {

/// `folded` is a buffer that is overwritten. Cost: linear in the text.
kernel::TextFacts text_facts(std::string_view text, std::string& folded);

}  // namespace backedge::facts
