// Texts in pieces and waits; see reply.h.

#include "models/reply.h"

#include <condition_variable>
#include <mutex>
#include <utility>

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

bool wait_for(std::chrono::milliseconds delay, std::stop_token const& stop) {
  if (stop.stop_requested()) return false;
  if (delay.count() <= 0) return true;
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  never.wait_for(lock, stop, delay, [] { return false; });
  return !stop.stop_requested();
}

}  // namespace backedge::models
