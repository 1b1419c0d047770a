// Who answers: the one interface behind which every model stands, scripted, replayed or on a network.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>

#include "backedge/ids.h"
#include "backedge/message.h"
#include "backedge/result.h"
#include "backedge/run.h"

namespace backedge {

/// A tool as the model sees it.
struct ToolOffer {
  std::string name;
  std::string about;
  std::string schema_json;  // JSON Schema of the arguments, an object

  friend bool operator==(ToolOffer const&, ToolOffer const&) = default;
};

/// One question to a model. Views hold until ask() returns.
struct Request {
  std::string_view model;            // name of the model as the agent's spec gives it; may be empty
  std::string_view system;           // the same bytes on every request of a run
  std::span<ToolOffer const> tools;  // the same on every request of a run
  std::span<Message const> messages;
  bool may_call = true;                // false: the answer is due; where the dialect has it, tool choice none
  std::int64_t max_output_tokens = 0;  // 0: the model's own
  std::string_view agent;              // of the frame that asks; empty for the root without a name
  FrameId frame;
  std::int64_t turn = 1;  // of that frame, from 1
};

struct Reply {
  Message message;          // of the assistant
  std::string stop_reason;  // the provider's own word: "end_turn", "tool_calls", …
  Usage usage;
};

/// Hears a reply while it is made.
class DeltaSink {
 public:
  virtual ~DeltaSink() = default;
  virtual void text(std::string_view piece) = 0;
};

/// What a request will cost at most.
struct Estimate {
  std::int64_t input_tokens = 0;
  std::int64_t max_output_tokens = 0;
  std::optional<std::int64_t> cost_nano_usd;  // empty: not priced
};

class Model {
 public:
  virtual ~Model() = default;

  /// Answers, or fails: kModel (the provider said no, or what nobody understands), kContext (the conversation is longer
  /// than the model's window), kCancelled (the token was triggered). Any thread, several at once; returns within 100 ms
  /// after the token is triggered.
  virtual Result<Reply> ask(Request const& request, DeltaSink& deltas, std::stop_token stop) = 0;

  /// Called before each request, by the thread that holds the run: it must not block.
  virtual Estimate estimate(Request const&) const { return {.cost_nano_usd = 0}; }

  /// True: ask() returns at once and needs no thread of its own.
  virtual bool inline_ok() const { return false; }
};

}  // namespace backedge
