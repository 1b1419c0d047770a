// A model whose tokens and price are counted from what really passes: scripts and recordings cost nothing by
// themselves.
//
// Four bytes are a token, the whole request is input at the plain price (no cache), the reply is output. So a long
// conversation costs more with each turn, as it does at a provider, and the figures are the run's own. Any thread.
// Tested in tests/demo/metered_model_test.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>

#include "backedge/model.h"
#include "prices/table.h"

namespace backedge::demo {

/// Tokens of so many bytes, rounded up.
constexpr std::int64_t tokens_of(std::size_t bytes) { return (static_cast<std::int64_t>(bytes) + 3) / 4; }

class MeteredModel : public Model {
 public:
  /// Its prices are those of one model of the table, of which the caller has made sure that it is there.
  MeteredModel(std::shared_ptr<Model> inner, std::shared_ptr<prices::Table const> table,
               prices::PricedModel const* priced)
      : inner_(std::move(inner)), table_(std::move(table)), priced_(priced) {}

  /// Errors: those of the inner model.
  Result<Reply> ask(Request const& request, DeltaSink& deltas, std::stop_token stop) override;
  Estimate estimate(Request const& request) const override;
  bool inline_ok() const override { return inner_->inline_ok(); }

 private:
  std::optional<std::int64_t> cost(std::int64_t input, std::int64_t output) const;

  std::shared_ptr<Model> inner_;
  std::shared_ptr<prices::Table const> table_;
  prices::PricedModel const* priced_;
};

}  // namespace backedge::demo
