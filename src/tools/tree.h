// A walk through the files below a folder, in the order of their names, and the glob that picks some of them.
//
// No link is followed and nothing named .git is entered. The walk is bounded in depth and in what it looks at, holds no
// more than the names of one way down, and heeds a token. Tested in tests/tools/tree_test.cpp.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "backedge/result.h"
#include "tools/folder.h"

namespace re2 {
class RE2;
}

namespace backedge::tools {

/// A pattern of paths: * is any text without a slash, ** with slashes too, ? one character. One without a slash is held
/// against the last name of a path, others against the whole.
class Glob {
 public:
  explicit Glob(std::string_view pattern);
  ~Glob();
  Glob(Glob&&) noexcept;
  Glob& operator=(Glob&&) noexcept;

  bool matches(std::string_view path) const;

 private:
  std::unique_ptr<re2::RE2> pattern_;
  bool whole_ = false;
};

struct WalkEnd {
  bool skipped_git = false;
  bool cut = false;            // more was there than the walk may look at
  std::size_t unreadable = 0;  // folders that could not be listed
};

/// Hears each entry with its path below the working folder; false ends the walk.
using OnEntry = std::function<bool(std::string const& path, EntryKind kind)>;

/// Visits what lies below `start`, folders before what is in them; `depth` 1 is only what lies in it directly. Errors:
/// as Folder::list for `start` itself.
Result<WalkEnd> walk(Folder const& folder, std::string const& start, std::size_t depth, OnEntry const& visit,
                     std::stop_token const& stop);

}  // namespace backedge::tools
