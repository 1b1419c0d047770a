// Texts in pieces, ids and waits; see reply.h.

#include "models/reply.h"

#include <condition_variable>
#include <mutex>
#include <unordered_set>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "base/text.h"

namespace backedge::models {
namespace {

constexpr std::size_t kPiece = 24;  // characters: about what providers send at once

}  // namespace

void tell(std::string_view text, DeltaSink& deltas) {
  while (!text.empty()) {
    std::string_view const piece = cut(text, kPiece);
    deltas.text(piece);
    text.remove_prefix(piece.size());
  }
}

void make_ids_unique(std::span<Message const> conversation, Message& reply) {
  std::unordered_set<std::string_view> taken;
  for (Message const& message : conversation) {
    for (Block const& block : message.blocks) {
      if (CallBlock const* const call = std::get_if<CallBlock>(&block)) taken.insert(call->id);
    }
  }
  for (Block& block : reply.blocks) {
    CallBlock* const call = std::get_if<CallBlock>(&block);
    if (call == nullptr) continue;
    std::string const stem = call->id.empty() ? "call" : call->id;
    // As many are taken as there are calls: so many tries are enough.
    for (std::size_t n = call->id.empty() ? 1 : 2; call->id.empty() || taken.contains(call->id); ++n)
      call->id = fmt::format("{}_{}", stem, n);
    taken.insert(call->id);
  }
}

bool wait_for(std::chrono::milliseconds delay, std::stop_token stop) {
  if (stop.stop_requested()) return false;
  if (delay.count() <= 0) return true;
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  never.wait_for(lock, stop, delay, [] { return false; });
  return !stop.stop_requested();
}

}  // namespace backedge::models
