// Any bytes as a script: never a crash, every error on one line, and what is read answers every turn.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "models/scripted.h"

namespace {

struct Sink : backedge::DeltaSink {
  void text(std::string_view) override {}
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  using namespace backedge;
  Result<models::Script> script = models::Script::parse({reinterpret_cast<char const*>(data), size}, "f");
  if (!script) {
    if (script.error().text().find('\n') != std::string::npos) std::abort();
    return 0;
  }
  if (script->delays()) return 0;
  models::ScriptedModel model(std::move(*script));
  Sink sink;
  for (std::int64_t turn = 1; turn <= 4; ++turn) {
    for (std::string_view const agent : {"", "planner"}) {
      Result<Reply> const reply = model.ask({.agent = agent, .turn = turn}, sink, {});
      if (reply && reply->message.role != Role::kAssistant) std::abort();
    }
  }
  return 0;
}
