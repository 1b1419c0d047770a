// Remembering what was read; see call_ids.h.

#include "models/call_ids.h"

#include <algorithm>
#include <bit>
#include <string_view>
#include <utility>
#include <variant>

#include <fmt/format.h>

namespace backedge::models {
namespace {

// Shorter conversations are read anew each time: that costs less than remembering.
constexpr std::size_t kShort = 64;  // messages
constexpr std::size_t kConversations = 64;

std::string_view first_id(Message const& message) {
  for (Block const& block : message.blocks) {
    if (CallBlock const* const call = std::get_if<CallBlock>(&block)) return call->id;
  }
  return {};
}

}  // namespace

// The last message is read again next time: it may have grown, or its calls may have been named otherwise.
void CallIds::Known::read(std::span<Message const> conversation) {
  for (std::size_t i = messages; i < conversation.size(); ++i) {
    for (Block const& block : conversation[i].blocks) {
      if (CallBlock const* const call = std::get_if<CallBlock>(&block)) taken.insert(call->id);
    }
    // The first ones, and then one in each doubling: so few that all can be looked at every time.
    if (i + 1 < conversation.size() && (i < 4 || std::has_single_bit(i) || std::has_single_bit(i - 1)))
      marks.push_back({i, conversation[i].blocks.data(), std::string(first_id(conversation[i]))});
  }
  messages = conversation.empty() ? 0 : conversation.size() - 1;
}

bool CallIds::Known::is_of(std::span<Message const> conversation) const {
  return conversation.size() > messages && std::all_of(marks.begin(), marks.end(), [&](Mark const& mark) {
           Message const& message = conversation[mark.message];  // its blocks stay there when the list moves
           return mark.blocks == message.blocks.data() && mark.id == first_id(message);
         });
}

void CallIds::Known::name(Message& reply) {
  std::unordered_set<std::string> fresh;  // of this reply: whether it comes into the conversation is not known yet
  auto const is_taken = [&](std::string const& id) { return taken.contains(id) || fresh.contains(id); };
  for (Block& block : reply.blocks) {
    CallBlock* const call = std::get_if<CallBlock>(&block);
    if (call == nullptr) continue;
    if (call->id.empty() || is_taken(call->id)) {
      std::string const stem = call->id.empty() ? "call" : call->id;
      std::string const key = (call->id.empty() ? "e" : "n") + stem;
      std::size_t& least = next.try_emplace(key, call->id.empty() ? 1 : 2).first->second;
      while (taken.contains(fmt::format("{}_{}", stem, least))) ++least;
      std::size_t n = least;
      do {
        call->id = fmt::format("{}_{}", stem, n++);
      } while (is_taken(call->id));
    }
    fresh.insert(call->id);
  }
}

void CallIds::make_unique(std::span<Message const> conversation, Message& reply) {
  if (conversation.size() <= kShort) {
    Known known;
    known.read(conversation);
    return known.name(reply);
  }
  std::lock_guard const lock(mutex_);
  void const* const first = conversation.front().blocks.data();
  auto at = std::find_if(entries_.begin(), entries_.end(), [&](Entry const& e) { return e.first == first; });
  if (at != entries_.end() && !at->known.is_of(conversation)) at->known = {};
  if (at == entries_.end()) {
    if (entries_.size() == kConversations) entries_.pop_back();
    at = entries_.insert(entries_.begin(), Entry{first, {}});
  }
  entries_.splice(entries_.begin(), entries_, at);
  at->known.read(conversation);
  at->known.name(reply);
}

}  // namespace backedge::models
