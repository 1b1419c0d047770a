// Durations and amounts of money: their text in a policy file, and back.
//
// Both directions are exact: text_of(parse(t)) denotes what t denotes, and money below one nano-USD is rounded up,
// never down, so that a written limit above zero is never read as zero. Tested in tests/policy/quantity_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace backedge::policy {

inline constexpr std::int64_t kMicrosPerSecond = 1'000'000;
inline constexpr std::int64_t kNanosPerDollar = 1'000'000'000;

/// Microseconds of "90s", "10m", "1h30m", "1d", "250ms": whole numbers with the units d, h, m, s, ms, each at most
/// once, the largest first. Nothing for any other text and for more than an int64 holds.
std::optional<std::int64_t> parse_duration(std::string_view text);

/// The shortest text that parse_duration() reads back; whole milliseconds, not negative.
std::string duration_text(std::int64_t micros);

/// Nano-USD of a decimal number, rounded up: "1.50", "0.000001", "2e-3". Underscores between digits are allowed, as in
/// TOML. Nothing for any other text, for negative amounts and for more than an int64 holds.
std::optional<std::int64_t> parse_money(std::string_view text);

/// The amount in dollars, with at least two decimals, all that count: "1.50", "0.000000001".
std::string money_text(std::int64_t nanos);

}  // namespace backedge::policy
