// Counting tokens and money; see metered_model.h.

#include "demo/metered_model.h"

#include <optional>

namespace backedge::demo {
namespace {

// What a reply is held to have at most, for the reservation before a request.
constexpr std::int64_t kMostOutput = 300;

std::size_t bytes_of(Block const& block) {
  if (auto const* text = std::get_if<TextBlock>(&block)) return text->text.size();
  if (auto const* call = std::get_if<CallBlock>(&block)) return call->tool.size() + call->arguments.size();
  return std::get<ResultBlock>(block).text.size();
}

std::size_t bytes_of(Message const& message) {
  std::size_t bytes = 0;
  for (Block const& block : message.blocks) bytes += bytes_of(block);
  return bytes;
}

std::int64_t input_of(Request const& request) {
  std::size_t bytes = request.system.size();
  for (ToolOffer const& tool : request.tools) bytes += tool.name.size() + tool.about.size() + tool.schema_json.size();
  for (Message const& message : request.messages) bytes += bytes_of(message);
  return tokens_of(bytes);
}

}  // namespace

std::optional<std::int64_t> MeteredModel::cost(std::int64_t input, std::int64_t output) const {
  return table_->price(priced_, 0, {.fresh_input = input, .output = output});
}

Result<Reply> MeteredModel::ask(Request const& request, DeltaSink& deltas, std::stop_token stop) {
  Result<Reply> reply = inner_->ask(request, deltas, std::move(stop));
  if (!reply) return reply;
  reply->usage = {};
  reply->usage.input_tokens = input_of(request);
  reply->usage.output_tokens = tokens_of(bytes_of(reply->message));
  reply->usage.cost_nano_usd = cost(reply->usage.input_tokens, reply->usage.output_tokens).value_or(0);
  return reply;
}

Estimate MeteredModel::estimate(Request const& request) const {
  std::int64_t const input = input_of(request);
  return {.input_tokens = input, .max_output_tokens = kMostOutput, .cost_nano_usd = cost(input, kMostOutput)};
}

}  // namespace backedge::demo
