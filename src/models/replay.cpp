// Answering from a recording; see replay.h.

#include "models/replay.h"

#include <algorithm>
#include <mutex>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "base/hash.h"
#include "base/text.h"
#include "facts/reader.h"
#include "models/reply.h"

namespace backedge::models {
namespace {

// What the model may still say when its recorded message was nothing but calls.
constexpr std::string_view kNoAnswer = "(the recording has calls here and no answer)";

Digest key_of(std::string_view tool, std::string_view arguments) {
  Digest const meaning = facts::digest_arguments(arguments);
  return combine(digest_name(tool), meaning.none() ? digest_bytes(arguments, DigestTag::kRaw) : meaning);
}

// The recorded results, and how far each call that comes again has got. Any thread.
class Results {
 public:
  explicit Results(std::shared_ptr<Recording const> recording) : recording_(std::move(recording)) {
    for (std::size_t i = 0; i < recording_->calls().size(); ++i) {
      RecordedCall const& call = recording_->calls()[i];
      same_[key_of(call.tool, call.arguments)].calls.push_back(i);
      ++of_tool_[call.tool];
    }
  }

  ToolResult answer(std::string const& tool, ToolContext& context) {
    std::lock_guard lock(mutex_);
    auto const found = same_.find(key_of(tool, context.arguments()));
    if (found == same_.end()) {
      std::size_t const n = of_tool_.at(tool);
      return ToolResult::error(fmt::format("the recording holds {} call{} of {}, none with these arguments: {}", n,
                                           n == 1 ? "" : "s", in_quotes(tool, 64),
                                           in_quotes(context.arguments(), 200)));
    }
    Same& same = found->second;
    std::size_t const number = context.call().value;  // of the call in the run, from 1
    auto const here = std::ranges::lower_bound(same.calls, number == 0 ? 0 : number - 1);
    if (number > 0 && here != same.calls.end() && *here == number - 1)
      same.next = static_cast<std::size_t>(here - same.calls.begin());
    RecordedCall const& call = recording_->calls()[same.calls[std::min(same.next, same.calls.size() - 1)]];
    ++same.next;
    if (!call.result)
      return ToolResult::error(fmt::format("the recording ends before the result of call {}", in_quotes(call.id, 64)));
    return {call.failed ? CallStatus::kError : CallStatus::kOk, *call.result};
  }

 private:
  struct Same {
    std::vector<std::size_t> calls;  // in the recording, ascending
    std::size_t next = 0;            // of them
  };

  std::shared_ptr<Recording const> recording_;
  std::mutex mutex_;
  std::unordered_map<Digest, Same> same_;
  std::unordered_map<std::string, std::size_t> of_tool_;
};

}  // namespace

ReplayModel::ReplayModel(Recording recording) : recording_(std::make_shared<Recording const>(std::move(recording))) {
  std::size_t index = 0;
  for (Reply const& reply : recording_->replies()) {
    for (Block const& block : reply.message.blocks) {
      if (CallBlock const* const call = std::get_if<CallBlock>(&block)) reply_of_.emplace(call->id, index);
    }
    ++index;
  }
}

Result<std::shared_ptr<ReplayModel>> ReplayModel::load(std::string const& path, std::size_t number) {
  Result<Recording> recording = Recording::load(path, number);
  if (!recording) return recording.error();
  return std::make_shared<ReplayModel>(std::move(*recording));
}

std::size_t ReplayModel::next_reply(Request const& request) const {
  std::size_t behind = 0;  // messages of the model behind the one that is known
  for (std::size_t i = request.messages.size(); i-- > 0;) {
    Message const& message = request.messages[i];
    if (message.role != Role::kAssistant) continue;
    for (Block const& block : message.blocks) {
      CallBlock const* const call = std::get_if<CallBlock>(&block);
      auto const known = call == nullptr ? reply_of_.end() : reply_of_.find(call->id);
      if (known != reply_of_.end()) return known->second + 1 + behind;
    }
    ++behind;
  }
  return behind;
}

Result<Reply> ReplayModel::ask(Request const& request, DeltaSink& deltas, std::stop_token stop) {
  if (stop.stop_requested()) return Error{ErrorKind::kCancelled, "the request was cancelled", {}};
  std::size_t const index = next_reply(request);
  std::size_t const count = recording_->replies().size();
  if (index >= count) {
    return Error{ErrorKind::kModel,
                 fmt::format("the recording ends here: it holds {} message{} of the model, and one more is asked for",
                             count, count == 1 ? "" : "s"),
                 {recording_->file()}};
  }
  Reply out = recording_->replies()[index];
  if (!request.may_call) {
    auto const calls =
        std::erase_if(out.message.blocks, [](Block const& block) { return std::holds_alternative<CallBlock>(block); });
    if (calls > 0) out.stop_reason = "end_turn";
    if (out.message.blocks.empty()) out.message.blocks.emplace_back(TextBlock{std::string(kNoAnswer)});
  }
  for (Block const& block : out.message.blocks) {
    if (TextBlock const* const text = std::get_if<TextBlock>(&block)) tell(text->text, deltas);
  }
  return out;
}

std::vector<RecordedTool> ReplayModel::recorded_tools() const {
  auto const results = std::make_shared<Results>(recording_);
  std::vector<RecordedTool> out;
  for (RecordedCall const& call : recording_->calls()) {
    if (std::ranges::any_of(out, [&](RecordedTool const& t) { return t.name == call.tool; })) continue;
    out.push_back(
        {call.tool, [results, name = call.tool](ToolContext& context) { return results->answer(name, context); }});
  }
  return out;
}

}  // namespace backedge::models
