// The Anthropic dialect: tool_use blocks in assistant messages, tool_result blocks in user messages.
//
// Text beside results was put there by the framework, not by a person. Tested in tests/inspect/anthropic_test.cpp.
#include <algorithm>
#include <utility>

#include "inspect/conversation.h"

namespace backedge::inspect {

bool Conversation::add_anthropic(RawMessage& message, std::int64_t line) {
  auto const has = [&](Block::Kind kind) {
    return std::any_of(message.blocks.begin(), message.blocks.end(), [&](Block const& b) { return b.kind == kind; });
  };
  if (has(Block::Kind::kCall)) {
    seen_ = Format::kAnthropic;
    std::uint32_t const model = add_model(message, line);
    add_calls(model, message.blocks, line);
    return true;
  }
  if (!has(Block::Kind::kResult)) return false;
  seen_ = Format::kAnthropic;
  for (Block& block : message.blocks) {
    if (block.kind != Block::Kind::kResult) continue;
    builder_.add_result(builder_.main_thread(),
                        {block.id, std::move(block.text), block.chars, !block.failed, line, message.at_ms});
  }
  UserMessage user;
  user.author = Author::kAutomatic;
  user.beside_results = true;
  user.text = joined_text(message.blocks);
  for (Block const& block : message.blocks) user.chars += block.kind == Block::Kind::kText ? block.chars : 0;
  user.thread = builder_.main_thread();
  user.line = line;
  user.at_ms = message.at_ms;
  builder_.add_user(std::move(user));
  return true;
}

}  // namespace backedge::inspect
