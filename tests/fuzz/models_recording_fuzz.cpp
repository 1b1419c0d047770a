// Any bytes as a recording: never a crash, every error on one line, ids of calls unique, and a replay that comes to its
// end.
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "models/replay.h"

namespace {

struct Sink : backedge::DeltaSink {
  void text(std::string_view) override {}
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  using namespace backedge;
  Result<models::Recording> recording =
      models::Recording::parse({reinterpret_cast<char const*>(data), size}, "f", size % 3);
  if (!recording) {
    if (recording.error().text().find('\n') != std::string::npos) std::abort();
    return 0;
  }
  std::set<std::string> ids;
  for (models::RecordedCall const& call : recording->calls()) {
    if (!ids.insert(call.id).second) std::abort();
  }
  std::size_t const count = recording->replies().size();
  models::ReplayModel model(std::move(*recording));
  static_cast<void>(model.recorded_tools());
  Sink sink;
  std::vector<Message> messages;
  for (std::size_t i = 0; i < count && i < 50; ++i) {
    Result<Reply> reply = model.ask({.messages = messages}, sink, {});
    if (!reply || reply->message != model.recording().replies()[i].message) std::abort();
    messages.push_back(std::move(reply->message));
  }
  return 0;
}
