// Fields of a step, read leniently: what is missing or of another kind is nothing.
//
// Tested through the players.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/value.hpp>

#include "backedge/run.h"

namespace backedge::cases {

/// The text, or the JSON of what is no text; empty when it is missing or null.
std::string text_of(boost::json::object const& o, std::string_view key);
/// The texts of a list.
std::vector<std::string> texts_of(boost::json::object const& o, std::string_view key);
/// A count of tokens; what is none, or beyond what a request can have, is 0.
std::int64_t count_of(boost::json::object const& o, std::string_view key);
/// Nano-USD of the field `usd`, rounded up; nothing when it is no sum of money.
std::optional<std::int64_t> nano_usd_of(boost::json::object const& o);
/// The arguments of a call as the model wrote them.
std::string arguments_of(boost::json::object const& call);
/// The whole number `max_turns` in the arguments.
std::optional<std::int64_t> max_turns_of(std::string_view arguments);
/// An answer to a question of the gate, by an event approve, deny, answer or ask_timeout.
Approval approval_of(boost::json::object const& event);
/// Its `seconds` as microseconds; nothing when there are none.
std::optional<Micros> clock_of(boost::json::object const& event);
/// The frame that a step names; none: the root.
std::string frame_of(boost::json::object const& step);

}  // namespace backedge::cases
