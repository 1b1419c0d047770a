// What models that need no network have in common: a text told in pieces, a wait that ends when it should.
//
// Tested in tests/models/reply_test.cpp.
#pragma once

#include <chrono>
#include <stop_token>
#include <string>
#include <string_view>

#include "backedge/model.h"

namespace backedge::models {

/// Hands `text` on in pieces of a few words, never splitting a UTF-8 sequence.
void tell(std::string_view text, DeltaSink& deltas);

/// Waits; false as soon as `stop` is triggered.
bool wait_for(std::chrono::milliseconds delay, std::stop_token const& stop);

}  // namespace backedge::models
