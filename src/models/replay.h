// A model that says again what a recorded one said, and tools that give again what they gave.
//
// Which message comes next is read from the conversation itself: the one behind the last whose call ids stand in it,
// counted on over answers without calls. So runs of one session follow each other through the recording, a resumed run
// goes on where it was, and nothing is remembered between requests. When the answer is due the model may not call, as
// behind a provider that holds to it: the message comes without its calls. Any thread, several at once. Tested in
// tests/models/replay_test.cpp.
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "backedge/model.h"
#include "backedge/tool.h"
#include "models/recording.h"

namespace backedge::models {

/// A tool of a recording, to be added to a runtime under its name.
struct RecordedTool {
  std::string name;
  ToolFn fn;
};

class ReplayModel : public Model {
 public:
  explicit ReplayModel(Recording recording);

  /// Errors: those of Recording::load().
  static Result<std::shared_ptr<ReplayModel>> load(std::string const& path, std::size_t number = 0);

  /// Errors: kModel behind the last recorded message; kCancelled.
  Result<Reply> ask(Request const& request, DeltaSink& deltas, std::stop_token stop) override;
  bool inline_ok() const override { return true; }

  Recording const& recording() const { return *recording_; }

  /// One tool for each name that the recording calls, in the order of their first calls. A call gets the result of the
  /// recorded call of its number in the run when that is the same call (same tool, arguments of the same meaning), else
  /// of the next recorded call that is; the last one answers all further ones. A call that was never recorded, or whose
  /// result was not, is an error that says so. The tools of one call of this function belong to one run at a time.
  std::vector<RecordedTool> recorded_tools() const;

 private:
  std::size_t next_reply(Request const& request) const;

  std::shared_ptr<Recording const> recording_;
  std::unordered_map<std::string_view, std::size_t> reply_of_;  // by call id
};

}  // namespace backedge::models
