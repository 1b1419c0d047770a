// Blocks, results and usage. Members come in any order, so each object is collected first and understood afterwards.
//
// Reading goes two levels deep at most (a block, the blocks of its result) and does not recurse. Tested through the
// readers' tests.
#include "inspect/content.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "base/hash.h"
#include "inspect/text.h"

namespace backedge::inspect {
namespace {

bool is_text_type(std::string_view type) {
  return type == "text" || type == "input_text" || type == "output_text" || type == "refusal";
}

bool is_call_type(std::string_view type) { return type == "tool_use" || type == "toolCall" || type == "tool-call"; }

bool is_result_type(std::string_view type) { return type == "tool_result" || type == "tool-result"; }

/// A base64 body in words: its bytes are of no use to anybody, its identity is.
std::string described_data(std::string_view type, std::string_view data) {
  Digest const digest = digest_bytes(data, DigestTag::kRaw);
  return "[" + std::string(type) + ", " + std::to_string(data.size()) + " characters, digest " +
         std::to_string(digest.hi) + "]";
}

/// Members that blocks of all kinds share, while their kind is not known yet.
struct RawBlock {
  std::string type;
  std::string text;
  std::string media;  // type of the data
  std::string data;   // base64
};

/// True when the member was one of them.
bool read_member(Json& json, std::string_view name, JsonValue member, RawBlock& block) {
  if (name == "type") {
    block.type = json.text(member);
  } else if (name == "text") {
    block.text = json.text(member);
  } else if (name == "data") {
    block.data = json.text(member);
  } else if (name == "mimeType" || name == "media_type") {
    block.media = json.text(member);
  } else if (name == "source" || name == "image_url") {
    json.members(member, [&](std::string_view key, JsonValue part) {
      if (key == "data" || key == "url") block.data = json.text(part);
      if (key == "media_type") block.media = json.text(part);
    });
  } else {
    return false;
  }
  return true;
}

/// Its text, or a description of its data; empty when it has neither.
std::string described(RawBlock const& block) {
  if (is_text_type(block.type)) return block.text;
  return block.data.empty() ? std::string()
                            : described_data(block.media.empty() ? block.type : block.media, block.data);
}

/// One element of a result's list.
std::string result_part(Json& json, JsonValue value) {
  JsonType const type = json.type(value);
  if (type == JsonType::kString) return std::string(json.text(value));
  if (type != JsonType::kObject) return std::string(json.raw(value));
  char const* const start = Json::start(value);
  RawBlock block;
  json.members(value, [&](std::string_view name, JsonValue member) { read_member(json, name, member, block); });
  if (is_text_type(block.type)) return block.text;
  return block.data.empty() ? std::string(json.since(start)) : described(block);
}

void finish_text(Block& block) {
  block.chars = code_points(block.text);
  block.text = kept(block.text);
}

void read_block(Json& json, JsonValue value, Block& block) {
  std::string own_id;
  std::string call_id;
  RawBlock raw;
  ResultText result;
  json.members(value, [&](std::string_view name, JsonValue member) {
    if (read_member(json, name, member, raw)) return;
    if (name == "id") {
      own_id = json.text(member);
    } else if (name == "name") {
      block.tool = json.text(member);
    } else if (name == "tool_use_id" || name == "toolCallId") {
      call_id = json.text(member);
    } else if (name == "input" || name == "arguments") {
      block.arguments = json.raw(member);
    } else if (name == "is_error" || name == "isError") {
      block.failed = json.truth(member);
    } else if (name == "content") {
      result = read_result(json, member);
    }
  });
  block.type = raw.type;
  if (is_call_type(block.type)) {
    block.kind = Block::Kind::kCall;
    block.id = std::move(own_id);
  } else if (is_result_type(block.type)) {
    block.kind = Block::Kind::kResult;
    block.id = std::move(call_id);
    block.text = std::move(result.text);
    block.chars = result.chars;
  } else {
    block.kind = is_text_type(block.type) ? Block::Kind::kText : Block::Kind::kOther;
    block.text = described(raw);
    finish_text(block);
  }
}

constexpr std::int64_t kMostTokens = 1'000'000'000'000;  // of one message; keeps sums of any file inside 64 bits

std::int64_t tokens(Json& json, JsonValue value) {
  return std::clamp<std::int64_t>(json.integer(value), 0, kMostTokens);
}

/// The fields as recorded, before they are made to add up.
struct RawUsage {
  bool known = false;
  std::int64_t input = 0;
  std::int64_t output = 0;
  std::int64_t cache_write = 0;
  std::int64_t cache_write_5m = 0;
  std::int64_t cache_write_1h = 0;
  std::int64_t cache_read = 0;
  std::int64_t included_cache_read = 0;
};

Usage balanced(RawUsage const& raw) {
  Usage usage;
  bool const whole_known = raw.cache_write > 0;  // else only the split is recorded
  usage.cache_write_1h = whole_known ? std::min(raw.cache_write_1h, raw.cache_write) : raw.cache_write_1h;
  usage.cache_write_5m = whole_known ? raw.cache_write - usage.cache_write_1h : raw.cache_write_5m;
  std::int64_t const included = std::min(raw.included_cache_read, raw.input);
  usage.fresh_input = raw.input - included;
  usage.cache_read = raw.cache_read + included;
  usage.output = raw.output;
  return usage;
}

}  // namespace

void read_content(Json& json, JsonValue content, std::vector<Block>& blocks) {
  auto const one = [&](JsonValue value) {
    Block block;
    JsonType const type = json.type(value);
    if (type == JsonType::kString) {
      block.kind = Block::Kind::kText;
      block.text = json.text(value);
      finish_text(block);
    } else if (type == JsonType::kObject) {
      read_block(json, value, block);
    } else {
      return;
    }
    blocks.push_back(std::move(block));
  };
  if (json.type(content) == JsonType::kArray) {
    json.elements(content, one);
  } else {
    one(content);
  }
}

ResultText read_result(Json& json, JsonValue content) {
  std::string text;
  switch (json.type(content)) {
    case JsonType::kString: text = json.text(content); break;
    case JsonType::kArray: {
      bool first = true;
      json.elements(content, [&](JsonValue part) {
        if (!first) text += '\n';
        first = false;
        text += result_part(json, part);
      });
      break;
    }
    case JsonType::kNull:
    case JsonType::kBroken: break;
    default: text = json.raw(content);
  }
  return {kept(text), code_points(text)};
}

ResultText joined_result(std::vector<Block> const& blocks) {
  ResultText out;
  bool first = true;
  for (Block const& block : blocks) {
    if (block.kind == Block::Kind::kCall || block.text.empty()) continue;
    if (!first) out.text += '\n';
    first = false;
    out.text += block.text;
  }
  out.chars = code_points(out.text);
  out.text = kept(out.text);
  return out;
}

std::string joined_text(std::vector<Block> const& blocks) {
  std::string out;
  for (Block const& block : blocks) {
    if (block.kind != Block::Kind::kText) continue;
    if (!out.empty()) out += '\n';
    out += block.text;
  }
  return out;
}

std::int64_t nano_usd(double usd) {
  if (!(usd >= 0)) return -1;
  return static_cast<std::int64_t>(std::llround(std::min(usd, 1e9) * 1e9));
}

UsageReading read_usage(Json& json, JsonValue usage) {
  UsageReading out;
  RawUsage raw;
  auto const details = [&](JsonValue value) {
    json.members(value, [&](std::string_view name, JsonValue member) {
      if (name == "cached_tokens") raw.included_cache_read = tokens(json, member);
    });
  };
  json.members(usage, [&](std::string_view name, JsonValue member) {
    std::int64_t* field = nullptr;
    if (name == "input_tokens" || name == "prompt_tokens" || name == "input") field = &raw.input;
    if (name == "output_tokens" || name == "completion_tokens" || name == "output") field = &raw.output;
    if (name == "cache_creation_input_tokens" || name == "cacheWrite") field = &raw.cache_write;
    if (name == "cache_read_input_tokens" || name == "cacheRead") field = &raw.cache_read;
    if (field != nullptr) {
      raw.known = true;
      *field = tokens(json, member);
    } else if (name == "cache_creation") {
      json.members(member, [&](std::string_view kind, JsonValue part) {
        if (kind == "ephemeral_5m_input_tokens") raw.cache_write_5m = tokens(json, part);
        if (kind == "ephemeral_1h_input_tokens") raw.cache_write_1h = tokens(json, part);
      });
    } else if (name == "prompt_tokens_details" || name == "input_tokens_details") {
      details(member);
    } else if (name == "cost") {
      json.members(member, [&](std::string_view kind, JsonValue part) {
        if (kind == "total") out.cost_nano = nano_usd(json.number(part));
      });
    }
  });
  if (raw.known) out.usage = balanced(raw);
  return out;
}

}  // namespace backedge::inspect
