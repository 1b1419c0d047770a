// What passes between an agent and its model: messages made of blocks, in no provider's dialect.
//
// A conversation alternates: user or tool, assistant, tool, assistant, … A tool message answers every call of the
// assistant message before it, each exactly once, in the order of the calls.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace backedge {

enum class Role : std::uint8_t { kUser, kAssistant, kTool };

struct TextBlock {
  std::string text;

  friend bool operator==(TextBlock const&, TextBlock const&) = default;
};

struct CallBlock {
  std::string id;  // unique in the conversation
  std::string tool;
  std::string arguments;  // JSON text as the model wrote it

  friend bool operator==(CallBlock const&, CallBlock const&) = default;
};

struct ResultBlock {
  std::string id;  // of the call
  std::string text;
  bool failed = false;

  friend bool operator==(ResultBlock const&, ResultBlock const&) = default;
};

using Block = std::variant<TextBlock, CallBlock, ResultBlock>;

struct Message {
  Role role = Role::kUser;
  std::vector<Block> blocks;

  friend bool operator==(Message const&, Message const&) = default;
};

}  // namespace backedge
