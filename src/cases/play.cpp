// One case after the other, and sweeps; see play.h.

#include "cases/play.h"

#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "base/text.h"
#include "cases/loop_player.h"
#include "cases/player.h"

namespace backedge::cases {
namespace {

namespace json = boost::json;

Error not_there(Case const& c, std::string const& detail) {
  return {ErrorKind::kInput, fmt::format("case {}: {}", c.id, detail), {c.file, c.line, 0}};
}

Result<Played> play(Case const& c, Policy const& base, bool contracts, Level level) {
  return level == Level::kLoop ? LoopPlayer::play(c, base, contracts) : Player::play(c, base, contracts);
}

// Once per value of one limit; the rest of what is printed is that of the last value.
Result<Played> play_sweep(Case const& c, json::object const& sweep, Policy const& base, bool contracts, Level level) {
  if (sweep.size() != 1) return not_there(c, "a sweep goes over one limit");
  std::string_view const key = sweep.begin()->key();
  json::value const& values = sweep.begin()->value();
  if (!key.starts_with("limits.") || !values.is_array())
    return not_there(c, fmt::format("a sweep goes over limits, not {}", backedge::in_quotes(key)));
  Played all;
  for (json::value const& value : values.get_array()) {
    if (value.is_object() || value.is_array()) return not_there(c, "a value of the sweep is not a number");
    Case one = c;
    one.config["limits"] = json::object{{key.substr(7), value}};
    Result<Played> played = play(one, base, contracts, level);
    if (!played) return played.error();
    std::map<std::string, double> numbers;
    for (auto const& [name, n] : played->numbers) numbers[fmt::format("{}/{}", name, json::serialize(value))] = n;
    numbers.merge(all.numbers);
    all = *std::move(played);
    all.numbers = std::move(numbers);
  }
  return all;
}

}  // namespace

Result<std::vector<Played>> play_all(std::vector<Case> const& cases, Policy const& base, bool contracts, Level level) {
  std::vector<Played> out;
  for (Case const& c : cases) {
    json::value const* sweep = c.config.if_contains("sweep");
    Result<Played> played = sweep == nullptr || !sweep->is_object()
                                ? play(c, base, contracts, level)
                                : play_sweep(c, sweep->get_object(), base, contracts, level);
    if (!played) return played.error();
    out.push_back(*std::move(played));
  }
  return out;
}

}  // namespace backedge::cases
