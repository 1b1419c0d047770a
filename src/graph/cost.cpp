// Dividing turns among calls, and adding up frames; see cost.h.
#include "graph/cost.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "graph/shares.h"

namespace backedge::graph {
namespace {

__extension__ typedef __int128 Wide;

/// Times before this are no dates but counted from the begin of a run.
constexpr std::int64_t kFirstDateUs = 1'000'000'000'000'000;  // September 2001

std::int64_t scaled(std::int64_t whole, std::int64_t part, std::int64_t of) {
  return of <= 0 ? 0 : static_cast<std::int64_t>(static_cast<Wide>(whole) * part / of);
}

prices::Usage usage_of(Tokens const& t) {
  return {t.fresh_input, t.cache_read, t.cache_write_5m, t.cache_write_1h, t.output, t.reasoning};
}

/// Finds each name once.
class Models {
 public:
  explicit Models(prices::Table const& table) : table_(table) {}

  prices::Rates const* rates(Turn const& turn) {
    auto const [place, fresh] = found_.try_emplace(turn.model, nullptr);
    if (fresh) place->second = table_.find(turn.model);
    std::int64_t const at = turn.begun_us >= 0 ? turn.begun_us : turn.ended_us;
    std::int64_t const ms = at >= kFirstDateUs ? at / 1000 : 0;
    return place->second == nullptr ? nullptr : &table_.rates(*place->second, ms);
  }

 private:
  prices::Table const& table_;
  std::unordered_map<std::string, prices::PricedModel const*> found_;
};

/// Divides `whole` by weights, exactly: each gets what its place on the scale says.
void divide(std::int64_t whole, std::vector<long double> const& weights, std::vector<std::int64_t>& out) {
  out.assign(weights.size(), 0);
  long double sum = 0;
  for (long double const w : weights) sum += w;
  std::int64_t given = 0;
  long double upto = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    upto += weights[i];
    bool const last = i + 1 == weights.size();
    std::int64_t const until =
        last || sum <= 0 ? (last ? whole : 0)
                         : std::min(whole, static_cast<std::int64_t>(static_cast<long double>(whole) * (upto / sum)));
    out[i] = std::max<std::int64_t>(until - given, 0);
    given = std::max(until, given);
  }
}

/// One frame's turns in their order.
class Division {
 public:
  Division(CallTree& tree, Models& models) : tree_(tree), models_(models) {}

  void take(Turn& turn) {
    Tokens const& t = turn.tokens;
    std::int64_t const input = t.input();
    std::vector<std::int64_t> added;
    std::int64_t const growth = input > 0 ? grow(turn, added) : 0;
    Spend rest = *turn.own;
    if (turn.own->turns > 0 && input > 0) pay(turn, growth, added, rest);
    for (std::size_t i = 0; i < added.size(); ++i) {
      if (added[i] > 0) live_.push_back({before_[i], added[i], per_token_, requests_});
      carried_ += added[i];
    }
    ask(turn, rest);
    if (input <= 0) return;
    before_ = turn.calls;
    last_input_ = input;
    last_output_ = t.output;
  }

  /// The history has shrunk, or the frame has ended: who carried what is settled.
  void settle() {
    std::vector<long double> weights;
    weights.reserve(live_.size());
    std::vector<std::int64_t> money;
    for (Live const& one : live_)
      weights.push_back(static_cast<long double>(one.tokens) * (per_token_ - one.born_per_token));
    divide(owed_, weights, money);
    for (std::size_t i = 0; i < live_.size(); ++i) {
      Spend more;
      more.tokens = live_[i].tokens * (requests_ - live_[i].born);
      if (money[i] > 0) more.nano_usd = money[i];
      add(*tree_.calls[live_[i].call].own, more);
    }
    live_.clear();
    carried_ = owed_ = requests_ = 0;
    per_token_ = 0;
  }

 private:
  struct Live {
    std::uint32_t call = kNone;
    std::int64_t tokens = 0;
    long double born_per_token = 0;
    std::int64_t born = 0;
  };

  /// How many tokens the results of the round before added to this request, by call.
  std::int64_t grow(Turn const& turn, std::vector<std::int64_t>& added) {
    if (last_input_ < 0) return 0;
    std::int64_t const input = turn.tokens.input();
    if (input < last_input_) {
      settle();
      return 0;
    }
    constexpr std::int64_t kBytesPerToken = 2, kWrapping = 16;
    std::int64_t most = 0;
    std::vector<long double> weights;
    for (std::uint32_t const c : before_) {
      std::int64_t const bytes = std::max<std::int64_t>(tree_.calls[c].result.bytes, 0);
      most += bytes / kBytesPerToken + kWrapping;
      weights.push_back(static_cast<long double>(bytes + 1));
    }
    std::int64_t const growth = std::clamp<std::int64_t>(input - last_input_ - last_output_, 0, most);
    divide(growth, weights, added);
    return growth;
  }

  /// Takes what the turn paid for results out of `rest`.
  void pay(Turn const& turn, std::int64_t growth, std::vector<std::int64_t> const& added, Spend& rest) {
    Tokens const& t = turn.tokens;
    std::int64_t const fresh_tokens = t.input() - t.cache_read;
    std::int64_t const old_cached = std::min(carried_, t.cache_read);
    std::int64_t const old_fresh = carried_ - old_cached;
    std::int64_t const new_fresh = std::min(growth, fresh_tokens - old_fresh);
    std::int64_t const new_cached = growth - new_fresh;
    rest.tokens -= carried_ + growth;
    ++requests_;
    std::vector<std::int64_t> money(added.size(), 0);
    if (turn.nano_usd != kUnpriced) {
      auto const [fresh_money, cached_money] = input_money(turn);
      std::int64_t const old_money =
          scaled(cached_money, old_cached, t.cache_read) + scaled(fresh_money, old_fresh, fresh_tokens);
      std::int64_t const new_money =
          scaled(cached_money, new_cached, t.cache_read) + scaled(fresh_money, new_fresh, fresh_tokens);
      rest.nano_usd -= old_money + new_money;
      owed_ += old_money;
      if (carried_ > 0) per_token_ += static_cast<long double>(old_money) / static_cast<long double>(carried_);
      divide(new_money, {added.begin(), added.end()}, money);
    }
    for (std::size_t i = 0; i < added.size(); ++i) {
      Spend more;
      more.tokens = added[i];
      if (money[i] > 0) more.nano_usd = money[i];
      add(*tree_.calls[before_[i]].own, more);
    }
  }

  /// What of the turn's money is for fresh and for cached input: by the table's prices, else by tokens.
  std::pair<std::int64_t, std::int64_t> input_money(Turn const& turn) {
    Tokens const& t = turn.tokens;
    prices::Rates const* const rates = models_.rates(turn);
    std::optional<prices::Rates::Parts> const parts = rates == nullptr ? std::nullopt : rates->parts(usage_of(t));
    std::int64_t fresh = t.input() - t.cache_read, cached = t.cache_read, whole = t.total();
    if (parts && parts->fresh + parts->cached + parts->output > 0) {
      fresh = parts->fresh;
      cached = parts->cached;
      whole = fresh + cached + parts->output;
    }
    return {scaled(turn.nano_usd, fresh, whole), scaled(turn.nano_usd, cached, whole)};
  }

  /// Of a turn without calls the rest is talk, and nobody's.
  void ask(Turn const& turn, Spend const& rest) {
    for (std::size_t i = 0; i < turn.calls.size(); ++i)
      add(*tree_.calls[turn.calls[i]].own, equal_share(rest, turn.calls.size(), i));
  }

  CallTree& tree_;
  Models& models_;
  std::vector<std::uint32_t> before_;  // the calls whose results the next request brings
  std::vector<Live> live_;
  std::int64_t carried_ = 0;  // tokens of all live
  std::int64_t owed_ = 0;     // money for carrying them, not settled yet
  std::int64_t requests_ = 0;
  long double per_token_ = 0;
  std::int64_t last_input_ = -1;
  std::int64_t last_output_ = 0;
};

void price_turn(Turn& turn, Models& models, Priced& out) {
  if (turn.copied) {
    turn.own = Spend{};
    return;
  }
  if (turn.nano_usd != kUnpriced) {
    ++out.recorded;
  } else if (turn.basis != Basis::kReported) {
    ++out.unreported;
  } else {
    prices::Rates const* const rates = models.rates(turn);
    std::optional<std::int64_t> const cost = rates == nullptr ? std::nullopt : rates->cost(usage_of(turn.tokens));
    if (cost) {
      turn.nano_usd = *cost;
      ++out.listed;
    } else {
      ++out.unknown[turn.model];
    }
  }
  turn.own =
      Spend{1, turn.tokens.total(), turn.nano_usd, turn.nano_usd == kUnpriced ? 1 : 0, turn.basis == Basis::kEstimated};
}

void add_up(CallTree& tree) {
  for (Frame& frame : tree.frames) {
    frame.own = Spend{};
    for (std::uint32_t const t : frame.turns) add(*frame.own, *tree.turns[t].own);
    frame.inclusive = frame.own;
  }
  for (std::size_t i = tree.frames.size(); i > 0; --i) {
    Frame const& frame = tree.frames[i - 1];
    if (frame.by != kNone) add(*tree.frames[tree.calls[frame.by].frame].inclusive, *frame.inclusive);
  }
  for (Call& call : tree.calls) {
    call.inclusive = call.own;
    for (std::uint32_t const f : call.opened) add(*call.inclusive, *tree.frames[f].inclusive);
  }
  for (BackEdge& edge : tree.back_edges) edge.spend = tree.calls[edge.from].inclusive;
}

}  // namespace

std::int64_t Priced::unpriced() const {
  std::int64_t out = unreported;
  for (auto const& [model, turns] : unknown) out += turns;
  return out;
}

Priced price(CallTree& tree, prices::Table const& table) {
  Priced out;
  Models models(table);
  for (Call& call : tree.calls) call.own = Spend{};
  for (Turn& turn : tree.turns) price_turn(turn, models, out);
  for (Frame const& frame : tree.frames) {
    Division division(tree, models);
    for (std::uint32_t const t : frame.turns) division.take(tree.turns[t]);
    division.settle();
  }
  add_up(tree);
  return out;
}

}  // namespace backedge::graph
