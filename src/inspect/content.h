// The parts that all message formats share: content blocks, the text of a tool's result, token usage.
//
// A message's content is one text or a list of blocks; frameworks differ in the names of the blocks only. What is read
// here is copied, so nothing depends on the document after the call. Tested through the readers' tests.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "inspect/json.h"
#include "inspect/trace.h"

namespace backedge::inspect {

struct Block {
  enum class Kind : std::uint8_t {
    kText,
    kCall,    // tool_use, toolCall
    kResult,  // tool_result
    kOther,   // thinking, images (their text is a description), tools that the provider itself ran
  };
  Kind kind = Kind::kOther;
  std::string type;  // as recorded; empty for a plain text
  std::string id;    // of a call: its own; of a result: the call's
  std::string tool;
  std::string text;        // of a text or a result
  std::string arguments;   // of a call: JSON text as recorded
  std::int64_t chars = 0;  // of the whole text
  bool failed = false;     // of a result: the recording says so
};

/// Appends the blocks of a `content` value: a text, a list of blocks and texts, or one block.
void read_content(Json& json, JsonValue content, std::vector<Block>& blocks);

/// What a tool gave back, as one text: texts of a list are joined by line ends, an image stands as its type, size and
/// digest, any other block as it is written.
struct ResultText {
  std::string text;
  std::int64_t chars = 0;
};
ResultText read_result(Json& json, JsonValue content);

/// The same of blocks that were read already: their texts and descriptions.
ResultText joined_result(std::vector<Block> const& blocks);

/// The texts of the blocks of kind kText, joined by line ends.
std::string joined_text(std::vector<Block> const& blocks);

struct UsageReading {
  std::optional<Usage> usage;  // none when no field of it is known
  std::int64_t cost_nano = -1;
};

/// Usage in the names of Anthropic, OpenAI (whose input includes what came from the cache) or pi (with its cost).
UsageReading read_usage(Json& json, JsonValue usage);

/// USD to nano-USD, rounded, between 0 and a billion USD; -1 for less than 0.
std::int64_t nano_usd(double usd);

}  // namespace backedge::inspect
