// What the runner prints: one line of decisions a case, and a summary for people.
//
// Tested in tests/cases/corpus_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "cases/account.h"

namespace backedge::cases {

/// The decisions of a case as one line of JSON, without the line's end.
std::string decisions_line(Played const& played);

/// Counts of words, codes and ends over all cases, as a few lines of text.
std::string summary(std::vector<Played> const& all);

/// What was not run, in words: one line a refusal, in the order of the steps.
std::string explanation(Played const& played);

}  // namespace backedge::cases
