// What tests of models need: the data folder, a sink that keeps what it hears, requests made by hand.
#pragma once

#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "backedge/model.h"

namespace backedge::models {

inline std::string data(std::string_view name) {
  return std::string(BACKEDGE_SOURCE_DIR) + "/tests/models/data/" + std::string(name);
}

struct Heard : DeltaSink {
  std::vector<std::string> pieces;
  std::string whole;

  void text(std::string_view piece) override {
    pieces.emplace_back(piece);
    whole += piece;
  }
};

inline Message said(std::string text) { return {Role::kAssistant, {TextBlock{std::move(text)}}}; }
inline Message asked(std::string text) { return {Role::kUser, {TextBlock{std::move(text)}}}; }
inline Message result(std::string id, bool failed) {
  return {Role::kTool, {ResultBlock{std::move(id), "text", failed}}};
}

/// What the model answers; what is streamed must be the texts of the message.
inline Result<Reply> ask(Model& model, Request const& request) {
  Heard heard;
  Result<Reply> reply = model.ask(request, heard, {});
  if (!reply) return reply;
  std::string texts;
  for (Block const& block : reply->message.blocks) {
    if (TextBlock const* const text = std::get_if<TextBlock>(&block)) texts += text->text;
  }
  if (texts != heard.whole) return Error{ErrorKind::kState, "streamed: " + heard.whole, {}};
  return reply;
}

/// A message on one line: its texts, its calls as id:tool(arguments), its stop reason.
inline std::string line(Result<Reply> const& reply) {
  if (!reply) return "error: " + reply.error().text();
  std::string out;
  for (Block const& block : reply->message.blocks) {
    if (TextBlock const* const text = std::get_if<TextBlock>(&block)) out += text->text + " ";
    if (CallBlock const* const call = std::get_if<CallBlock>(&block))
      out += call->id + ":" + call->tool + "(" + call->arguments + ") ";
  }
  return out + "[" + reply->stop_reason + "]";
}

}  // namespace backedge::models
