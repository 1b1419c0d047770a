// The files of a case, and the one tool that changes them: what parallel edits leave behind.
//
// A tool that edits reads the file when it starts and writes it when it ends, as real tools do: two edits that ran at
// once would lose one. Tested in tests/cases/world_test.cpp.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "backedge/tool.h"

namespace backedge::cases {

class World {
 public:
  void file(std::string const& path, std::string content) { files_[path] = std::move(content); }
  bool empty() const { return files_.empty(); }
  std::map<std::string, std::string> const& files() const { return files_; }

  struct Edit {
    std::string path;
    std::string content;  // as the file will be; empty when the old text was not there
    bool found = false;
  };
  /// The start of an edit with the arguments path, old and new; nothing when it is about no file of this world.
  std::optional<Edit> start(std::string_view arguments) const;
  /// Its end.
  ToolResult end(Edit const& edit);

 private:
  std::map<std::string, std::string> files_;
};

}  // namespace backedge::cases
