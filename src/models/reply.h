// What models that need no network have in common: a text told in pieces, ids that no other call has, a wait that ends
// when it should.
//
// Tested in tests/models/reply_test.cpp.
#pragma once

#include <chrono>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>

#include "backedge/model.h"

namespace backedge::models {

/// Hands `text` on in pieces of a few words, never splitting a UTF-8 sequence.
void tell(std::string_view text, DeltaSink& deltas);

/// Gives every call of `reply` an id that neither `conversation` nor a call before it has: its own, if it has one that
/// is free, else that or "call" with a number behind it. Linear in the conversation.
void make_ids_unique(std::span<Message const> conversation, Message& reply);

/// Waits; false as soon as `stop` is triggered.
bool wait_for(std::chrono::milliseconds delay, std::stop_token stop);

}  // namespace backedge::models
