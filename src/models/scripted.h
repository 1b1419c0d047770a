// A model that says what a script says: for tests, demonstrations and work without a network.
//
// The n-th turn of a frame is answered by the n-th step for its agent (script.h), so every frame, every run and every
// resumed run gets the script from where it belongs; what is remembered between two requests only saves time. When the
// answer is due and the step has calls, the model is stubborn and asks for them all the same, unless the step says
// `final`. Ids of calls are made unique within the conversation. Any thread, several at once. Tested in
// tests/models/scripted_test.cpp.
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <utility>

#include "backedge/model.h"
#include "models/call_ids.h"
#include "models/script.h"

namespace backedge::models {

class ScriptedModel : public Model {
 public:
  explicit ScriptedModel(Script script) : script_(std::move(script)) {}

  /// Errors: kNotFound, kIo, kInput with file and line.
  static Result<std::shared_ptr<ScriptedModel>> load(std::string const& path);

  /// Errors: kModel or kContext when the step is an error, or the script has none left and says so; kCancelled.
  Result<Reply> ask(Request const& request, DeltaSink& deltas, std::stop_token stop) override;
  /// Exactly what the step will report as its usage.
  Estimate estimate(Request const& request) const override;
  /// True when no step has a delay.
  bool inline_ok() const override { return !script_.delays(); }

  Script const& script() const { return script_; }

 private:
  /// The step that answers, or null behind the end.
  ScriptStep const* choose(Request const& request) const;
  Result<Reply> at_end(Request const& request, DeltaSink& deltas) const;

  Script script_;
  std::unique_ptr<CallIds> ids_ = std::make_unique<CallIds>();
};

}  // namespace backedge::models
